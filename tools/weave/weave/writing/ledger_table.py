"""The ledger as a table: every entry with what its test found, and the sum."""

import math
from fractions import Fraction

from weave.base.words import plural, sentence
from weave.reading.book import Book
from weave.reading.ledger import Entry, read_ledger
from weave.record.results import Test
from weave.writing.markup import escape, power_of_two, table, test_link


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
    return table("book cards", ["Claim or suite", "Test", "Level", "n", "Chance", "Effect", "β"], rows) + "\n\n" + text


def _row(entry: Entry, test: Test | None) -> list[str]:
    chance = f"{entry.risks} · {power_of_two(str(2.0 ** -entry.exponent))}"
    if test is None:
        return [escape(entry.suite), escape(sentence(entry.test)), "the kit's own", "", chance, "", ""]
    betas = "<br/>".join(power_of_two(str(_number(beta))) for beta in test.lines("beta"))
    return [rf"\ref {entry.suite}", test_link(test), escape(test.level),
            "<br/>".join(map(escape, test.lines("n"))), chance,
            "<br/>".join(map(escape, test.lines("effect"))), betas]


def _number(text: str) -> float:
    """A number as the run records it: `2^-30` or a decimal."""
    base, _, exponent = text.partition("^")
    return math.pow(float(base), float(exponent or 1))
