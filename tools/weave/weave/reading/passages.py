r"""The page "The documents, line by line": which passage of a document makes which claims.

Below a second-level heading that begins with a document's name, each third-level heading is one of
the document's own, with an anchor, and each bullet below it a passage. It refers to its claims by
\verdict{Claim}, and by \ref to what only bears on it; it quotes what is wrong in it and names in bold the hypotheses of
these claims that it lacks. Its own verdict is computed (judgements.py) and never written. What kind of sentence it is,
is marked by hand: \opinion, \question (also a bare heading), \vague, whose words say nothing definite that would be
false without the hypothesis, or \disclaimer, by which a document says that it simplifies.
"""

import re
from dataclasses import dataclass

from weave.reading.book import Book
from weave.reading.pages import HEADING, REFERENCE, Claim, Page, bullets
from weave.record.results import Test

LINES = "docs/line-by-line.md"
DOCUMENT = re.compile(r"S\d")
VERDICT = re.compile(r"\\verdict\{(\w+)\}")
OPINION, QUESTION, VAGUE, DISCLAIMER = r"\opinion", r"\question", r"\vague", r"\disclaimer"
KINDS = (OPINION, QUESTION, VAGUE, DISCLAIMER)
BOLD = re.compile(r"\*\*([^*]+)\*\*")
CITATION = re.compile(r"\\cite\b")
ASKS = re.compile(r"^(?:Why\b|The heading\b|\\ref exercise-)|\?\"")
"""Begins a passage that asks or is a bare heading, or ends a quoted question."""


@dataclass(frozen=True)
class Passage:
    """A passage of a document, under the document's own heading."""

    document: str
    heading: str
    anchor: str
    line: int
    text: str

    def verdicts(self) -> list[str]:
        """The claims that the passage makes."""
        return VERDICT.findall(self.text)

    def names(self) -> list[str]:
        """The names that the passage refers to, in its order."""
        return [*VERDICT.findall(self.text), *REFERENCE.findall(self.text)]

    def quotes(self, words: str) -> bool:
        """True if the passage has these words of the document."""
        return words in self.text.replace("\\", "")

    def asks(self) -> bool:
        """True if the passage looks like a question or a bare heading."""
        return ASKS.search(self.text) is not None

    def cites(self) -> bool:
        """True if a source stands beside the passage."""
        return CITATION.search(self.text) is not None

    def lacks(self) -> list[str]:
        """The hypotheses that the passage names in bold."""
        return [" ".join(name.split()) for name in BOLD.findall(self.text)]


@dataclass(frozen=True)
class Omission:
    """A hypothesis that a passage lacks, and a test that passed and shows what breaks without it."""

    passage: Passage
    claim: Claim
    test: Test
    hypothesis: str
    is_fault: bool
    """True if it counts as left out: the words are definite, and the document does not say that it simplifies."""


def lines_page(book: Book) -> Page | None:
    """The page, if the book has one."""
    return next((page for page in book.pages if page.file == LINES), None)


def passages(book: Book) -> list[Passage]:
    """All passages of all documents, in reading order."""
    page = lines_page(book)
    found: list[Passage] = []
    document = heading = anchor = ""
    body: list[tuple[int, str]] = []

    def close() -> None:
        if document:
            found.extend(Passage(document, heading, anchor, bullet.line, bullet.text)
                         for bullet in bullets(body))
        body.clear()

    for number, line in page.prose if page else []:
        mark = HEADING.match(line)
        if not mark:
            body.append((number, line))
            continue
        close()
        if len(mark.group(1)) <= 2:
            named = DOCUMENT.match(mark.group(2))
            document = named.group() if named else ""
        heading, anchor = mark.group(2), mark.group(3) or ""
    close()
    return found


def words_place(book: Book, document: str, claim: str, words: str) -> Passage | None:
    """The passage where a document prints or says what a claim's test speaks of."""
    return next((passage for passage in passages(book) if passage.document == document
                 and claim in passage.names() and passage.quotes(words)), None)


def omissions(book: Book) -> list[Omission]:
    """The hypotheses that passages lack, in reading order."""
    everything = passages(book)
    simplify = {passage.document for passage in everything if DISCLAIMER in passage.text}
    found = []
    for passage in everything:
        is_fault = (passage.document not in simplify
                    and not any(mark in passage.text for mark in (OPINION, QUESTION, VAGUE)))
        lacks = passage.lacks()
        for claim in (book.claims[name] for name in dict.fromkeys(passage.names()) if name in book.claims and lacks):
            found += [Omission(passage, claim, test, hypothesis, is_fault)
                      for test in book.passing_of(claim) for hypothesis in test.lines("counterexample")
                      if hypothesis in lacks]
    return found
