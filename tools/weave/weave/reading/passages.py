# SPDX-License-Identifier: BSL-1.0
r"""The page "The documents, line by line": which passage of a document makes which claims.

Below a second-level heading that begins with a document's name, each third-level heading is one of
the document's own, with an anchor, and each bullet below it a passage. It refers to its claims by
\verdict{Claim}, and by \ref to what only bears on it; it quotes what is wrong in it and names in bold what it leaves
out. Its own verdict is computed (judgements.py) and never written. What kind of sentence it is, is marked by hand:
\opinion, \question (also a bare heading), or \disclaimer, by which a document says that it simplifies.
"""

import re
from dataclasses import dataclass

from weave.reading.book import Book
from weave.reading.pages import HEADING, REFERENCE, Page, bullets

LINES = "docs/line-by-line.md"
DOCUMENT = re.compile(r"S\d")
VERDICT = re.compile(r"\\verdict\{(\w+)\}")
OPINION, QUESTION, DISCLAIMER = r"\opinion", r"\question", r"\disclaimer"
KINDS = (OPINION, QUESTION, DISCLAIMER)
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
        """What the passage refers to, in its order."""
        return [*VERDICT.findall(self.text), *REFERENCE.findall(self.text)]

    def quotes(self, words: str) -> bool:
        """Whether the passage has these words of the document."""
        return words in self.text.replace("\\", "")

    def asks(self) -> bool:
        """Whether the passage looks like a question or a bare heading."""
        return ASKS.search(self.text) is not None

    def cites(self) -> bool:
        """Whether a source stands beside the passage."""
        return CITATION.search(self.text) is not None

    def leaves_out(self, hypothesis: str) -> bool:
        """Whether the passage names a hypothesis as left out."""
        return f"**{hypothesis}**" in self.text


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
    """Where a document prints or says what a claim's test speaks of."""
    return next((passage for passage in passages(book) if passage.document == document
                 and claim in passage.names() and passage.quotes(words)), None)


def omission_places(book: Book, document: str, claim: str, hypothesis: str) -> list[Passage]:
    """Where a document makes a claim without one of its hypotheses."""
    return [passage for passage in passages(book) if passage.document == document
            and claim in passage.names() and passage.leaves_out(hypothesis)]
