"""The ledger: what may fail by chance although everything is right, as the run itself recorded it."""

from dataclasses import dataclass
from fractions import Fraction

from weave.reading.book import Book

FACT = "ledger"
"""A program's name for its ledger; each line is a test, how many risks it takes and −log₂ of each."""


@dataclass(frozen=True)
class Entry:
    """The risks that one test may take."""

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
