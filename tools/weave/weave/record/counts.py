"""The numbers of random cases that the tests of a claim tried, and of values that they compared."""

from collections.abc import Callable

from weave.record.results import Test
from weave.record.verdicts import COUNTEREXAMPLE, LEVELS, REFUSAL, STATEMENT, STATISTICAL

OUTSIDE = (COUNTEREXAMPLE, REFUSAL)
"""The subjects of tests that look at inputs of which a claim says nothing."""


def random_cases(tests: list[Test]) -> int:
    """The random cases of tests, but for those of counterexamples and of what is refused."""
    return sum(test.number("cases") for test in tests if test.about not in OUTSIDE)


def only_beside(tests: list[Test], count: Callable[[list[Test]], object]) -> bool:
    """True if what is counted was tried only for something beside the statement, such as code in floating point."""
    return bool(count(tests)) and not count([test for test in tests if test.about == STATEMENT])


def compared(test: Test) -> int:
    """The number of values that a test compared besides random cases, or of samples with a distribution."""
    if test.about in OUTSIDE:
        return 0
    if test.level == STATISTICAL:
        return len(test.lines("n"))
    return test.number("values") or test.number("enumerated")


def exact_checks(tests: list[Test]) -> dict[str, int]:
    """The numbers of values compared, by the levels at which there were any, the strongest first."""
    counts = {level: sum(compared(test) for test in tests if test.level == level) for level in LEVELS}
    return {level: count for level, count in counts.items() if count}
