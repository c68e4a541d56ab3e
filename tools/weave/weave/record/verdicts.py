# SPDX-License-Identifier: BSL-1.0
"""The verdict of a claim, computed from what its tests did and recorded."""

from dataclasses import dataclass

from weave.record.results import FAILED, NOT_RUN, PASSED, Test

HELD = "held"
GRADES = ("exact", "bounded", "measured", "statistical", "empirical", "cited")
"""How a test knows what it says, from the strongest to the weakest."""

GLYPHS = {"exact": "✓", "bounded": "≈", "measured": "≲", "statistical": "∿", "empirical": "⚗", "cited": "❝",
          "failed": "✗", "not run": "○"}

MEANINGS = {
    "exact": "an identity: equality in exact arithmetic, over enumerated or generated cases",
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

STATEMENT = "statement"
"""What a test is about if it checks the claim itself."""

BESIDE = {"bounded": "in floating point", "measured": "in floating point", "statistical": "in samples",
          "empirical": "in an experiment", "cited": "in the sources"}
"""What a test of each level is about that does not check the statement itself, in the order of a label."""


@dataclass(frozen=True)
class Verdict:
    """Whether a claim held in this run, how its statement is known, and what else is known of what."""

    status: str
    word: str
    """The weakest level among the tests of the statement; for a claim that did not hold, its status."""
    beside: tuple[tuple[str, str], ...] = ()
    """Level and subject of what is known besides: of the implementation, of samples, of the world."""

    @property
    def label(self) -> str:
        """Glyph and word, so that colour never carries the meaning alone."""
        return f"{GLYPHS[self.word]} {self.word}"

    @property
    def labels(self) -> list[str]:
        """The label of the statement and those of what is known besides."""
        return [self.label, *(f"{GLYPHS[word]} {subject}" for word, subject in self.beside)]


def judge(tests: list[Test], cited: bool) -> Verdict:
    """The verdict on a claim whose suite is `tests`; a cited claim needs none."""
    executed = [test for test in tests if test.status != NOT_RUN]
    if cited and not tests:
        return Verdict(HELD, "cited")
    if any(test.status == FAILED for test in tests):
        return Verdict(FAILED, FAILED)
    if not executed:
        return Verdict(NOT_RUN, NOT_RUN)
    return _known([test for test in executed if test.status == PASSED])


def _known(passing: list[Test]) -> Verdict:
    """What passing tests know of the statement, and of what else they know something."""
    grades = [(test.record.get("grade", ""), test.record.get("about", "")) for test in passing]
    exact = any(grade == "exact" for grade, _ in grades)
    statement: list[str] = []
    others: dict[str, list[str]] = {}
    for grade, about in grades:
        if grade not in GRADES:
            continue
        if grade == "exact" or about == STATEMENT or not exact:
            statement.append(grade)
        else:
            others.setdefault(BESIDE[grade], []).append(grade)
    beside = tuple((_weakest(others[subject]), subject) for subject in dict.fromkeys(BESIDE.values())
                   if subject in others)
    return Verdict(HELD, _weakest(statement), beside)


def _weakest(grades: list[str]) -> str:
    return max(grades, key=GRADES.index, default=GRADES[-1])
