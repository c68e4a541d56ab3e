"""The verdict of a claim, computed from what its tests did and recorded."""

from dataclasses import dataclass

from weave.record.results import FAILED, NOT_RUN, PASSED, Test

HELD = "held"
EXACT, STATISTICAL = "exact", "statistical"
LEVELS = (EXACT, "bounded", "measured", STATISTICAL, "empirical", "cited")
"""The levels of a test's evidence, from the strongest to the weakest."""

GLYPHS = {"exact": "✓", "bounded": "≈", "measured": "≲", "statistical": "∿", "empirical": "⚗", "cited": "❝",
          "failed": "✗", "not run": "○"}

MEANINGS = {
    "exact": "checked by comparing exact values alone, for equality or order, over random, enumerated or chosen cases",
    "bounded": "holds in floating point within a bound that is derived on the page and is the "
               "constant the test uses",
    "measured": "holds in floating point within a constant that was measured, by a reference with "
                "more digits, and is not derived",
    "statistical": "consistent with an exact distribution at a stated sample size, α and detectable effect",
    "empirical": "shown by a run experiment, with an interval",
    "cited": "about the world outside: facts from the references that are given, and what follows from them",
    "failed": "a test of the claim failed in this run",
    "not run": "no test of the claim was carried out in this run",
}

STATEMENT, COUNTEREXAMPLE, REFUSAL, ASIDE = "statement", "counterexample", "refusal", "beside"
ABOUT = (STATEMENT, ASIDE, COUNTEREXAMPLE, REFUSAL)
"""A test's subject: the claim itself, something beside it, such as its implementation in floating point, what fails
without a hypothesis, or bad input that is refused."""

BESIDE = {"bounded": "in floating point", "measured": "in floating point", "statistical": "in samples",
          "empirical": "in an experiment", "cited": "in the sources"}
"""A badge's words for tests of each level that are about something beside the claim, in the order of a label."""


@dataclass(frozen=True)
class Verdict:
    """A claim's outcome in this run, how its statement is known, and what else is known of what."""

    status: str
    level: str = ""
    """The weakest level among the tests of the statement; nothing for a claim that did not hold."""
    beside: tuple[tuple[str, str], ...] = ()
    """Level and subject of what is known besides: of the implementation, of samples, of the world."""

    @property
    def shown(self) -> str:
        """The word that a claim shows: its level if it held, and otherwise its status."""
        return self.level or self.status

    @property
    def label(self) -> str:
        """Glyph and word, so that colour never carries the meaning alone."""
        return f"{GLYPHS[self.shown]} {self.shown}"

    @property
    def labels(self) -> list[str]:
        """The label of the statement and those of what is known besides."""
        return [self.label, *(f"{GLYPHS[level]} {subject}" for level, subject in self.beside)]


def judge(tests: list[Test], cited: bool) -> Verdict:
    """The verdict on a claim whose suite is `tests`; a cited claim needs none."""
    executed = [test for test in tests if test.status != NOT_RUN]
    if cited and not tests:
        return Verdict(HELD, "cited")
    if any(test.status == FAILED for test in tests):
        return Verdict(FAILED)
    if not executed:
        return Verdict(NOT_RUN)
    return _known([test for test in executed if test.status == PASSED], cited)


def _known(passing: list[Test], cited: bool) -> Verdict:
    """The verdict of passing tests on the statement, and the other subjects that they know something of."""
    statement = ["cited"] if cited else []
    statement += [test.level for test in passing if test.about == STATEMENT and test.level in LEVELS]
    if not statement:
        return Verdict(NOT_RUN)  # the weave refuses such a claim
    others: dict[str, list[str]] = {}
    for test in passing:
        if test.about == ASIDE and test.level in BESIDE:
            others.setdefault(BESIDE[test.level], []).append(test.level)
    beside = tuple((_weakest(others[subject]), subject) for subject in dict.fromkeys(BESIDE.values())
                   if subject in others)
    return Verdict(HELD, _weakest(statement), beside)


def _weakest(levels: list[str]) -> str:
    return max(levels, key=LEVELS.index)
