"""The run's judgement of the documents: the verdict on each passage, computed from what tests recorded.

A test may record that a document's words agree with it, that it corrects them, or that it does not decide them; and it
may break a claim without a hypothesis that a passage lacks.
"""

from dataclasses import dataclass

from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.reading.passages import OPINION, QUESTION, Omission, Passage, omissions, passages, words_place
from weave.record.results import FAILED, NOT_RUN

GLYPHS = {"right": "✓", "made precise": "◇", "right if": "◐", "wrong": "✎", "not decided": "◌", "cited": "❝",
          "answered": "?", "opinion": "❞", "failed": "✗", "not run": "○"}

MEANINGS = {
    "right": "what the passage says is a claim of this book, which held, or is borne out by a check; what an "
             "experiment bears out, it bears out for what it tried",
    "made precise": "right as far as the words go: they are vague, marked by hand, or the document says that it "
                    "simplifies; the hypothesis <b>in bold</b> says what they can mean, and a counterexample is run",
    "right if": "right under a hypothesis that the document leaves out, named <b>in bold</b>; a counterexample is run",
    "wrong": "a check that passed shows that what is printed or said is impossible or does not hold, and what is right",
    "not decided": "an experiment that could decide it did not, at the error rates that it demands; or none was made, "
                   "or could be, as of a purpose",
    "cited": "about papers or models, and so by the sources that are given, here or by its claim, and by no theorem",
    "answered": "a question, an exercise or a bare heading, which says nothing that could be right; the claims below "
                "answer it; marked by hand",
    "opinion": "called one by its author, or a matter of taste, such as what is extreme or tiny; marked by hand, since "
               "no run can tell",
    "failed": "a check of a claim that it makes failed in this run",
    "not run": "no check of a claim that it makes was carried out in this run",
}

CORRECTED, UNDECIDED, CONDITIONAL, SHARPENED = "corrected", "not decided", "conditional", "made precise"
OF_DOCUMENTS = {CORRECTED: "✎", UNDECIDED: "◌", CONDITIONAL: "◐", SHARPENED: "◇"}
"""The words of a claim's tests for a document, the gravest first."""

RECORDED = {"corrects": CORRECTED, "undecided": UNDECIDED}


@dataclass(frozen=True)
class Judgement:
    """The verdict on a passage."""

    word: str

    @property
    def label(self) -> str:
        """Glyph and word."""
        return f"{GLYPHS[self.word]} {self.word}" + (" …" if self.word == "right if" else "")


def judgements(book: Book) -> dict[int, Judgement]:
    """The verdict on each passage that has one, by the line where the passage begins."""
    found = {}
    lacking = omissions(book)
    for passage in passages(book):
        judgement = _judgement(book, passage, lacking)
        if judgement:
            found[passage.line] = judgement
    return found


def tally(book: Book) -> dict[str, int]:
    """The number of passages with each verdict that occurs."""
    words = [judgement.word for judgement in judgements(book).values()]
    return {word: words.count(word) for word in GLYPHS if word in words}


def of_documents(book: Book, claim: Claim) -> dict[str, str]:
    """The gravest thing that a claim's passing tests say of each document."""
    said = [(document, word) for test in book.passing_of(claim) for key, word in RECORDED.items()
            for document, *_ in test.rows(key)]
    said += [(lack.passage.document, CONDITIONAL if lack.is_fault else SHARPENED)
             for lack in omissions(book) if lack.claim == claim]
    gravest: dict[str, str] = {}
    for document, word in said:
        gravest[document] = min(gravest.get(document, word), word, key=list(OF_DOCUMENTS).index)
    return gravest


def labels_of_documents(book: Book, claim: Claim) -> dict[str, str]:
    """The run's verdict on each document, as glyph and word."""
    return {document: f"{OF_DOCUMENTS[word]} {word}" for document, word in of_documents(book, claim).items()}


def _judgement(book: Book, passage: Passage, lacking: list[Omission]) -> Judgement | None:
    if OPINION in passage.text:
        return Judgement("opinion")
    claims = [book.claims[name] for name in passage.verdicts() if name in book.claims]
    if not claims:
        return Judgement("cited") if passage.cites() else None
    for status in (FAILED, NOT_RUN):
        if any(book.verdicts[claim.name].status == status for claim in claims):
            return Judgement(status)
    said = {key: [(claim, row[1]) for claim in claims for test in book.passing_of(claim)
                  for row in test.rows(key) if row[0] == passage.document] for key in RECORDED}
    for key, word in (("corrects", "wrong"), ("undecided", "not decided")):
        if any(words_place(book, passage.document, claim.name, words) == passage for claim, words in said[key]):
            return Judgement(word)
    if QUESTION in passage.text:
        return Judgement("answered")
    lacks = [lack for lack in lacking if lack.passage == passage and lack.claim in claims]
    if lacks:
        return Judgement("right if" if lacks[0].is_fault else "made precise")
    return Judgement("cited" if all(book.verdicts[claim.name].shown == "cited" for claim in claims) else "right")
