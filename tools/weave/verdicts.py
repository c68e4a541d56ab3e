# SPDX-License-Identifier: BSL-1.0
"""The verdict of a claim, computed from what its tests did and recorded."""

from dataclasses import dataclass

from results import FAILED, NOT_RUN, PASSED, Test

HELD = "held"
GRADES = ("exact", "bounded", "measured", "statistical", "empirical")
"""From the strongest to the weakest."""

GLYPHS = {"exact": "✓", "bounded": "≈", "measured": "≲", "statistical": "∿", "conditional": "◐",
          "corrected": "✎", "empirical": "⚗", "cited": "❝", "failed": "✗", "not run": "○"}

MEANINGS = {
    "exact": "an identity: equality in exact arithmetic, over enumerated or generated cases",
    "bounded": "holds in floating point within a bound that is derived on the page and is the "
               "constant the test uses",
    "measured": "holds in floating point within a constant that was measured, by a reference with "
                "more digits, and is not derived",
    "statistical": "consistent with an exact law at a stated sample size, α and detectable effect",
    "conditional": "true only under hypotheses that the document leaves out; a counterexample is "
                   "run",
    "corrected": "wrong as written: the run shows the printed value impossible, and the right one",
    "empirical": "shown by a run experiment, with an interval",
    "cited": "about the world outside; references, nothing run",
    "failed": "a test of the claim failed in this run",
    "not run": "no test of the claim was carried out in this run",
}


@dataclass(frozen=True)
class Verdict:
    """Whether a claim held in this run, and the word that a reader sees."""

    status: str
    word: str

    @property
    def label(self) -> str:
        """Glyph and word, so that colour never carries the meaning alone."""
        return f"{GLYPHS[self.word]} {self.word}"


def judge(tests: list[Test], cited: bool) -> Verdict:
    """The verdict on a claim whose suite is `tests`; a cited claim needs none."""
    executed = [test for test in tests if test.status != NOT_RUN]
    if cited and not tests:
        return Verdict(HELD, "cited")
    if any(test.status == FAILED for test in tests):
        return Verdict(FAILED, FAILED)
    if not executed:
        return Verdict(NOT_RUN, NOT_RUN)
    return Verdict(HELD, _word([test for test in executed if test.status == PASSED]))


def _word(passing: list[Test]) -> str:
    if any(test.lines("corrects") for test in passing):
        return "corrected"
    if any(test.lines("left_out_by") for test in passing):
        return "conditional"
    recorded = [test.record.get("grade") for test in passing]
    return max((grade for grade in recorded if grade in GRADES), key=GRADES.index,
               default=GRADES[-1])
