# SPDX-License-Identifier: BSL-1.0
"""The errata: what checks that passed say of the documents, each at its place, in the documents' order."""

from collections.abc import Iterator
from dataclasses import dataclass

from weave.base.words import plural
from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.reading.passages import Passage, omission_places, words_place
from weave.record.results import Test
from weave.writing.markup import documents, escape, table, test_link

TITLES = {
    "wrong": "**Wrong as printed or worded**",
    "undecided": "**Not decided by this run**",
    "omitted": "**Right only under a hypothesis that is left out**",
    "sharpened": "**No fault, and made precise here**",
}
HEADS = {
    "wrong": ["Document and place", "It says", "What is right", "Check"],
    "undecided": ["Document and place", "It says", "Check"],
    "omitted": ["Document and place", "It leaves out", "What fails without it", "Check"],
    "sharpened": ["Document and place", "What it can mean", "What fails otherwise", "Check"],
}


@dataclass(frozen=True, order=True)
class Place:
    """A place in a document, as the errata name it; places sort in reading order."""

    document: str
    line: int
    text: str


Rows = list[tuple[list[Place], list[str]]]
"""The passages that a row speaks of, in reading order, and its cells without the first."""


def errata(book: Book) -> str:
    """Four tables, each in the order of the documents, and of how many passages each speaks."""
    found = {"wrong": _wrong(book), "undecided": _undecided(book), "omitted": _named(book, "left_out_by"),
             "sharpened": _named(book, "sharpens")}
    return "\n\n".join(part for kind, rows in found.items()
                       for part in (TITLES[kind] + _counted(rows), _sorted_table(kind, rows)))


def _counted(rows: Rows) -> str:
    """How many rows there are, at how many passages; a row without a passage counts as a row alone."""
    places = {place for found, _ in rows for place in found if place.line}
    return f": {plural(len(rows), 'row')}, at {plural(len(places), 'passage')}" if rows else ""


def _wrong(book: Book) -> Rows:
    """What one check corrects at one place is one row."""
    wrong: dict[tuple[Place, str, int], tuple[list[str], list[str]]] = {}
    for claim, test in _passing(book):
        for document, printed, right in test.rows("corrects"):
            place = _place(document, words_place(book, document, claim.name, printed))
            said, is_right = wrong.setdefault((place, _check(claim, test), id(test)), ([], []))
            said.append(escape(printed))
            if escape(right) not in is_right:
                is_right.append(escape(right))
    return [([place], [", ".join(said), ", ".join(is_right), check])
            for (place, check, _), (said, is_right) in wrong.items()]


def _undecided(book: Book) -> Rows:
    rows = []
    for claim, test in _passing(book):
        for document, words in test.rows("undecided"):
            place = _place(document, words_place(book, document, claim.name, words))
            rows.append(([place], [escape(words), _check(claim, test)]))
    return rows


def _named(book: Book, key: str) -> Rows:
    """Hypotheses that a document leaves out, or by which its words are made precise."""
    rows = []
    for claim, test in _passing(book):
        for document, hypothesis in test.rows(key):
            places = [_place(document, passage)
                      for passage in omission_places(book, document, claim.name, hypothesis)]
            fails = claim.without.get(hypothesis)
            rows.append((places or [_place(document, None)], [rf"<b>{escape(hypothesis)}</b>, in \ref {claim.name}",
                                  fails.text if fails else "", test_link(test)]))
    return rows


def _check(claim: Claim, test: Test) -> str:
    return rf"{test_link(test)}, in \ref {claim.name}"


def _place(document: str, passage: Passage | None) -> Place:
    """The place of a passage; the document alone if it has none."""
    if passage is None:
        return Place(document, 0, "")
    return Place(document, passage.line, rf'\ref {passage.anchor} "{escape(passage.heading)}"')


def _places(found: list[Place]) -> str:
    """The document, and the headings below which the passages stand."""
    headings = dict.fromkeys(place.text for place in found if place.text)
    return ", ".join([documents([found[0].document]), *headings])


def _passing(book: Book) -> Iterator[tuple[Claim, Test]]:
    return ((claim, test) for claim in book.claims.values() for test in book.passing_of(claim))


def _sorted_table(kind: str, rows: Rows) -> str:
    if not rows:
        return "None in this run."
    cells = [[_places(places), *row] for places, row in sorted(rows, key=lambda row: row[0])]
    return table(f"book errata errata-{kind}", HEADS[kind], cells)
