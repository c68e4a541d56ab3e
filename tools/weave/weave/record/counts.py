# SPDX-License-Identifier: BSL-1.0
"""What the tests of a claim tried: random cases, and values that were compared."""

from weave.record.results import Test
from weave.record.verdicts import COUNTEREXAMPLE, LEVELS, REFUSAL, STATISTICAL

OUTSIDE = (COUNTEREXAMPLE, REFUSAL)
"""What tests are about that look at inputs of which a claim says nothing."""


def random_cases(tests: list[Test]) -> int:
    """The random cases of tests, but for those of counterexamples and of what is refused."""
    return sum(test.number("cases") for test in tests if test.about not in OUTSIDE)


def compared(test: Test) -> int:
    """How many values a test compared besides random cases, or how many samples with a distribution."""
    if test.about in OUTSIDE:
        return 0
    if test.level == STATISTICAL:
        return len(test.lines("n"))
    return test.number("enumerated") or test.number("values")


def exact_checks(tests: list[Test]) -> dict[str, int]:
    """What was compared, by the levels at which anything was, the strongest first."""
    counts = {level: sum(compared(test) for test in tests if test.level == level) for level in LEVELS}
    return {level: count for level, count in counts.items() if count}
