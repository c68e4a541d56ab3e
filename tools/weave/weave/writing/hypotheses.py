"""The ledger of hypotheses: what each is worth, the test that shows it, and which documents leave it out."""

from weave.reading.book import Book
from weave.reading.pages import BEYOND, IMPLIED, Claim
from weave.reading.passages import omissions
from weave.writing.markup import choices, documents, table, test_link, test_status

FILTERS = {"Claims of": "claims of", "Left out by": "left out by", "Made precise for": "made precise for"}
"""The choices above the table, and the words that mark the rows they keep."""


def hypotheses(book: Book) -> str:
    """Every hypothesis in the order of the book, with buttons that keep those of a document."""
    rows: list[list[str]] = []
    named: dict[str, set[str]] = {key: set() for key in FILTERS}
    lacking = omissions(book)
    for claim in book.claims.values():
        tests = book.tests_of(claim)
        for hypothesis in claim.hypotheses:
            shown = [f"{test_link(test)} {test_status(test)}" for test in tests
                     if hypothesis in test.lines("counterexample")]
            omit, sharpened = (sorted({lack.passage.document for lack in lacking if lack.claim == claim
                                       and lack.hypothesis == hypothesis and lack.is_fault == is_fault})
                               for is_fault in (True, False))
            bullet = claim.without.get(hypothesis)
            marks = {"Claims of": _of(claim), "Left out by": omit, "Made precise for": sharpened}
            for key, found in marks.items():
                named[key].update(found)
            rows.append([rf"\ref {claim.name}" + _marks(book, claim, marks), f"<b>{hypothesis}</b>",
                         bullet.text if bullet else "", "<br>".join(shown) or "○ not run", documents(omit),
                         documents(sharpened)])
    return choices({key: {document: f"{FILTERS[key]} {document};" for document in sorted(found)}
                    for key, found in named.items()}) + "\n\n" + table(
        "book cards filtered hypotheses", ["Claim", "Hypothesis", "What fails without it", "Shown by", "Left out by",
                                           "Made precise for"], rows)


def _of(claim: Claim) -> list[str]:
    return [document for document in claim.documents if document not in (IMPLIED, BEYOND)]


def _marks(book: Book, claim: Claim, marks: dict[str, list[str]]) -> str:
    """The words by which the buttons and the search field above the table find a row."""
    words = [f"{FILTERS[key]} {document};" for key, found in marks.items() for document in found]
    return f'<span data-filter="{" ".join([claim.name, book.chapter_of(claim).title + ";", *words])}"></span>'
