"""The table of a claim's tests: what each tried, what it catches, and what it may get wrong by chance."""

import re
from collections.abc import Callable
from itertools import groupby

from weave.record.results import FAILED, Test
from weave.record.verdicts import ASIDE
from weave.writing.markup import escape, odds, table, test_link, test_status

COLUMNS_EXPLAINED = "how-to-read.html#columns"


def cases(test: Test) -> str:
    """The number of cases that a test tried, at random and by enumeration."""
    random, listed = test.record.get("cases", ""), test.record.get("enumerated", "")
    parts = (_thousands(random), f"{_thousands(listed)} enumerated" if listed else "")
    return " + ".join(filter(None, parts))


def grouped(values: list[str]) -> str:
    """Values in their order, equal neighbours counted: 5 × 91,958, 14,687."""
    runs = [(value, len(list(run))) for value, run in groupby(values)]
    return ", ".join(f"{count}&nbsp;×&nbsp;{value}" if count > 1 else value for value, count in runs)


def effects(values: list[str]) -> str:
    """Effects in their order; what one says in the words of the one before is said by its number alone."""
    said, before = [], ""
    for value in grouped(values).split(", ") if values else []:
        words = re.sub(r"^\d+&nbsp;×&nbsp;", "", value).rpartition(" ")[0]
        said.append(value.replace(f"{words} ", "") if words == before else value)
        before = words
    return ", ".join(said)


def evidence_table(tests: list[Test]) -> str:
    """One row a test; columns in which nothing is to be told are left out."""
    def recorded(key: str) -> Callable[[Test], str]:
        return lambda test: grouped([escape(line) for line in test.lines(key)])

    columns = (
        ("Test", test_link), ("Of", lambda test: "" if test.about == ASIDE else escape(test.about)),
        ("Status", test_status), ("Level", recorded("level")), ("Cases", cases),
        ("Catches", _catches), ("Worst error / bound", _error),
        ("n", lambda test: grouped([_thousands(n) for n in test.lines("n")])),
        ("False alarm", lambda test: odds(test.record.get("alpha", test.record.get("chance", "")))),
        ("Effect", lambda test: effects([escape(line) for line in test.lines("effect")])),
        ("Statistic", recorded("statistic")), ("p-value", recorded("p_value")),
        ("Discards",
         lambda test: "" if test.record.get("discards", "0") == "0" else _thousands(test.record["discards"])))
    filled = [(title, cells) for title, shown in columns if any(cells := [shown(test) for test in tests])]
    rows = [[cells[i] for _, cells in filled] for i in range(len(tests))]
    styles = ["status-failed" if test.status == FAILED else "" for test in tests]
    head = [f'<a href="{COLUMNS_EXPLAINED}">{title}</a>' for title, _ in filled]
    return table("evidence cards", head, rows, styles) + "\n\n" + _together(tests)


def _together(tests: list[Test]) -> str:
    """The facts that the rows have in common."""
    mutants = {mutant for test in tests for mutant in test.mutants}
    killed = {mutant for test in tests for mutant in test.lines("killed")}
    seeds = sorted({test.record["seed"] for test in tests if test.record.get("seed")})
    parts = []
    if mutants:
        parts.append(rf"Together the tests catch {len(killed)} of {len(mutants)} \ref mutants "
                     '"deliberately broken versions".')
    if seeds:
        parts.append(f"Random cases are those of the seed {', '.join(map(escape, seeds))}.")
    return " ".join(parts)


def _thousands(number: str) -> str:
    return f"{int(number):,}" if number else ""


def _catches(test: Test) -> str:
    return f"{len(test.lines('killed'))}" if test.mutants else ""


def _error(test: Test) -> str:
    worst, bound = test.record.get("worst_error", ""), test.record.get("bound", "")
    return " / ".join(f'<span class="number">{escape(number)}</span>' for number in (worst, bound) if number)
