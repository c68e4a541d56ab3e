# SPDX-License-Identifier: BSL-1.0
"""The ledger: what may fail by chance although everything is right, as the run itself recorded it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from book import Book
from markup import escape, plural, power_of_two, sentence, table, test_link
from problems import Problem
from results import Test
from sources import TEST_NAME

FACT = "ledger"
"""What a program calls its ledger; each line is a test, how many risks it takes and −log₂ of each."""


@dataclass(frozen=True)
class Entry:
    """What one test may spend."""

    suite: str
    test: str
    risks: int
    exponent: int

    @property
    def chance(self) -> Fraction:
        """The sum of its risks."""
        return Fraction(self.risks, 2 ** self.exponent)


def read_ledger(book: Book) -> list[Entry]:
    """The ledger that the programs were compiled with; empty if none recorded any."""
    recorded = next((run.facts[FACT] for run in book.runs.values() if run.facts.get(FACT)), "")
    entries = []
    for line in recorded.splitlines():
        name, risks, exponent = line.split("\t")
        suite, _, test = name.partition(".")
        entries.append(Entry(suite, test, int(risks), int(exponent)))
    return entries


def ledger_block(book: Book) -> str:
    """Every entry with what its test found, and the sum."""
    entries = read_ledger(book)
    if not entries:
        return "Nothing in this run can fail by chance."
    tests = {(test.suite, test.name): test for tests in book.tests.values() for test in tests}
    rows = [_row(entry, tests.get((entry.suite, entry.test))) for entry in entries]
    total = sum((entry.chance for entry in entries), Fraction())
    risks = sum(entry.risks for entry in entries)
    sampling = [test for test in tests.values() if test.lines("beta") and test.lines("aimed")]
    aimed = sum(len(test.lines("aimed")) for test in sampling)
    text = (f"The chance that a run of unchanged and correct code fails, by any of these {plural(risks, 'risk')} in "
            f"{plural(len(entries), 'test')}, is at most their sum, {power_of_two(str(float(total)))}.")
    if aimed:
        text += (f" {plural(aimed, 'mutant')} must die by checks that sample. They meet the same draws in every run, "
                 "so that no mutant lives or dies by chance and none of them is in the sum.")
    return table("book cards", ["Claim or suite", "Test", "Grade", "n", "Chance", "Effect", "β"], rows) + "\n\n" + text


def _row(entry: Entry, test: Test | None) -> list[str]:
    chance = f"{entry.risks} · {power_of_two(str(2.0 ** -entry.exponent))}"
    if test is None:
        return [escape(entry.suite), escape(sentence(entry.test)), "the kit's own", "", chance, "", ""]
    betas = "<br/>".join(power_of_two(str(_number(beta))) for beta in test.lines("beta"))
    return [rf"\ref {entry.suite}", test_link(test), test.record.get("grade", ""),
            "<br/>".join(map(escape, test.lines("n"))), chance,
            "<br/>".join(map(escape, test.lines("effect"))), betas]


def _number(text: str) -> float:
    """A number as the run records it: `2^-30` or a decimal."""
    base, _, exponent = text.partition("^")
    return float(base) ** float(exponent or 1)


def _kit_tests(root: Path) -> set[tuple[str, str]]:
    """The tests of tests/, by suite and name."""
    return {match.groups() for path in (root / "tests").glob("*.cpp")
            for match in re.finditer(TEST_NAME, path.read_text(encoding="utf-8"), re.MULTILINE)}


def ledger_problems(book: Book) -> Iterator[Problem]:
    """Each entry names a test, and each test that took a risk has an entry."""
    entries = {(entry.suite, entry.test) for entry in read_ledger(book)}
    known = {(test.suite, test.name) for tests in book.tests.values() for test in tests}
    known |= _kit_tests(book.root)
    for suite, test in sorted(entries - known):
        yield Problem("properties/support/false_alarms.hpp", 1, f"the ledger has an entry for {suite}.{test}, which is no test",
                      "Remove the entry, or give it the name that the test has now")
    if not entries:
        return
    for tests in book.tests.values():
        for test in tests:
            if ("alpha" in test.record or "chance" in test.record) and (test.suite, test.name) not in entries:
                yield Problem(test.file, test.line, f"{test.suite}.{test.name} may fail by chance and is not in the ledger",
                              "Enter it in properties/support/false_alarms.hpp")
