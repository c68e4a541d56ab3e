"""The errata: what checks that passed say of the documents, each at its place, in the documents' order."""

from dataclasses import dataclass

from weave.base.words import plural
from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.reading.passages import Passage, omissions, words_place
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


@dataclass(frozen=True)
class Row:
    """A check's words on a document, in cells, and the passages that it is about, in reading order."""

    document: str
    passages: tuple[Passage, ...]
    cells: list[str]

    def place(self) -> str:
        """The document, and the headings below which the passages stand."""
        headings = dict.fromkeys(rf'\ref {passage.anchor} "{escape(passage.heading)}"' for passage in self.passages)
        return ", ".join([documents([self.document]), *headings])

    def order(self) -> tuple[str, list[int]]:
        """Sorts rows as the documents are read."""
        return self.document, [passage.line for passage in self.passages]


def errata(book: Book) -> str:
    """Four tables, each in the order of the documents, and of how many passages each speaks."""
    found = {"wrong": _wrong(book), "undecided": _undecided(book), "omitted": _lacking(book, True),
             "sharpened": _lacking(book, False)}
    return "\n\n".join(part for kind, rows in found.items()
                       for part in (TITLES[kind] + _counted(rows), _sorted_table(kind, rows)))


def _counted(rows: list[Row]) -> str:
    passages = {passage for row in rows for passage in row.passages}
    return f": {plural(len(rows), 'row')}, at {plural(len(passages), 'passage')}" if rows else ""


def _wrong(book: Book) -> list[Row]:
    """The corrections of one check at one place are one row."""
    wrong: dict[tuple[str, tuple[Passage, ...], str, int], tuple[list[str], list[str]]] = {}
    for claim, test in book.passing():
        for document, printed, right in test.rows("corrects"):
            quoted = _quoted(book, document, claim, printed)
            said, is_right = wrong.setdefault((document, quoted, _check(claim, test), id(test)), ([], []))
            said.append(escape(printed))
            if escape(right) not in is_right:
                is_right.append(escape(right))
    return [Row(document, quoted, [", ".join(said), ", ".join(is_right), check])
            for (document, quoted, check, _), (said, is_right) in wrong.items()]


def _undecided(book: Book) -> list[Row]:
    return [Row(document, _quoted(book, document, claim, words), [escape(words), _check(claim, test)])
            for claim, test in book.passing() for document, words in test.rows("undecided")]


def _lacking(book: Book, is_fault: bool) -> list[Row]:
    """Hypotheses that passages lack: what one test shows of one document is one row."""
    rows: dict[tuple[str, str, str, str], list[Passage]] = {}
    for lack in omissions(book):
        if lack.is_fault == is_fault:
            fails = lack.claim.without.get(lack.hypothesis)
            key = (lack.passage.document, rf"<b>{escape(lack.hypothesis)}</b>, in \ref {lack.claim.name}",
                   fails.text if fails else "", test_link(lack.test))
            rows.setdefault(key, []).append(lack.passage)
    return [Row(document, tuple(found), cells) for (document, *cells), found in rows.items()]


def _check(claim: Claim, test: Test) -> str:
    return rf"{test_link(test)}, in \ref {claim.name}"


def _quoted(book: Book, document: str, claim: Claim, words: str) -> tuple[Passage, ...]:
    passage = words_place(book, document, claim.name, words)
    return (passage,) if passage else ()


def _sorted_table(kind: str, rows: list[Row]) -> str:
    if not rows:
        return "None in this run."
    return table(f"book errata errata-{kind}", HEADS[kind],
                 [[row.place(), *row.cells] for row in sorted(rows, key=Row.order)])
