"""What the tests of a claim tried: random cases, and values that were compared."""

from collections.abc import Callable

from weave.record.results import Test
from weave.record.verdicts import COUNTEREXAMPLE, LEVELS, REFUSAL, STATEMENT, STATISTICAL

OUTSIDE = (COUNTEREXAMPLE, REFUSAL)
"""What tests are about that look at inputs of which a claim says nothing."""


def random_cases(tests: list[Test]) -> int:
    """The random cases of tests, but for those of counterexamples and of what is refused."""
    return sum(test.number("cases") for test in tests if test.about not in OUTSIDE)


def only_beside(tests: list[Test], count: Callable[[list[Test]], object]) -> bool:
    """Whether what is counted was tried for something beside the statement alone, such as code in floating point."""
    return bool(count(tests)) and not count([test for test in tests if test.about == STATEMENT])


def compared(test: Test) -> int:
    """How many values a test compared besides random cases, or how many samples with a distribution."""
    if test.about in OUTSIDE:
        return 0
    if test.level == STATISTICAL:
        return len(test.lines("n"))
    return test.number("values") or test.number("enumerated")


def exact_checks(tests: list[Test]) -> dict[str, int]:
    """What was compared, by the levels at which anything was, the strongest first."""
    counts = {level: sum(compared(test) for test in tests if test.level == level) for level in LEVELS}
    return {level: count for level, count in counts.items() if count}
