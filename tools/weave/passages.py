# SPDX-License-Identifier: BSL-1.0
r"""The page "The documents, line by line": which passage of a document makes which claims.

Below a second-level heading that begins with a document's name, each third-level heading is one of
the document's own, with an anchor, and each bullet below it a passage. It refers to its claims by
\verdict{Claim}, and by \ref to what only bears on it; it quotes what is wrong in it and names in bold what it leaves
out. Its own verdict is computed (judgements.py) and never written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from book import Book
from pages import HEADING, IMPLIED, REFERENCE, Page, bullets, outside_code
from problems import Problem
from results import Test

LINES = "docs/line-by-line.md"
DOCUMENT = re.compile(r"S\d")
TYPED = re.compile(r"(?:^|[.!?\u201d\"] )(?:Right|Wrong|True|False)(?=[ .,;:])")
VERDICT = re.compile(r"\\verdict\{(\w+)\}")


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

    for number, line in outside_code(page.lines if page else []):
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


def omission_place(book: Book, document: str, claim: str, hypothesis: str) -> Passage | None:
    """Where a document makes a claim without one of its hypotheses."""
    return next((passage for passage in passages(book) if passage.document == document
                 and claim in passage.names() and passage.leaves_out(hypothesis)), None)


def passage_problems(book: Book) -> Iterator[Problem]:
    """What passages and claims owe each other."""
    if lines_page(book) is None:
        yield Problem(LINES, 1, "there is no page that goes through the documents line by line",
                      "Write it: '## S1: …', below it '### Heading {#anchor}' and bullets")
        return
    found = passages(book)
    yield from _headings(found)
    yield from _coverage(book, found)
    yield from _strangers(book, found)
    yield from _unplaced(book)
    yield from _typed(found)


def _headings(found: list[Passage]) -> Iterator[Problem]:
    for passage in found:
        if not passage.anchor:
            yield Problem(LINES, passage.line,
                          f"the heading above, '{passage.heading}', has no anchor",
                          "Write '### Heading {#anchor}', so that the errata can link to it")


def _coverage(book: Book, found: list[Passage]) -> Iterator[Problem]:
    """Each claim is mapped to a passage of every document that it says it comes from."""
    mapped = {(passage.document, name) for passage in found for name in passage.names()}
    for name, claim in book.claims.items():
        for document in claim.documents:
            if document != IMPLIED and (document, name) not in mapped:
                yield Problem(claim.file, claim.line,
                              f"{name} comes from {document}, but no passage of {document} in "
                              f"{LINES} refers to it",
                              rf"Write \verdict{{{name}}} at the passage that makes the claim")


def _strangers(book: Book, found: list[Passage]) -> Iterator[Problem]:
    """A passage refers to no claim that says it comes from elsewhere only."""
    for passage in found:
        for name in passage.names():
            claim = book.claims.get(name)
            if claim and claim.documents != [IMPLIED] and passage.document not in claim.documents:
                yield Problem(LINES, passage.line,
                              f"a passage of {passage.document} refers to {name}, which does not "
                              f"say that it comes from {passage.document}",
                              f"Put a bullet '- {passage.document}, *heading*: …' under 'What the "
                              f"documents say' at {claim.file}:{claim.line}, or remove the "
                              "reference")


def _unplaced(book: Book) -> Iterator[Problem]:
    """What the errata list stands at a passage."""
    for claim in book.claims.values():
        for test in book.passing_of(claim):
            said = [("corrects", document, words) for document, words, _ in _rows(test, "corrects", 3)]
            said += [("does not decide", document, words) for document, words in _rows(test, "undecided", 2)]
            for does, document, words in said:
                if not words_place(book, document, claim.name, words):
                    yield Problem(test.file, test.line,
                                  f"{claim.name}.{test.name} {does} '{words}' in {document}, "
                                  f"which no passage in {LINES} quotes beside that claim",
                                  f"Quote it in a passage of {document} with "
                                  rf"\verdict{{{claim.name}}}")
            named = [("leaves out", *row) for row in _rows(test, "left_out_by", 2)]
            named += [("is made precise by", *row) for row in _rows(test, "sharpens", 2)]
            for does, document, hypothesis in named:
                if (hypothesis in claim.hypotheses
                        and not omission_place(book, document, claim.name, hypothesis)):
                    yield Problem(test.file, test.line,
                                  f"{claim.name}.{test.name} says that {document} {does} "
                                  f"'{hypothesis}', which no passage in {LINES} says",
                                  f"Write '**{hypothesis}**' in a passage of {document} with "
                                  rf"\verdict{{{claim.name}}}")


def _typed(found: list[Passage]) -> Iterator[Problem]:
    """No passage is called right or wrong by hand."""
    for passage in found:
        typed = TYPED.search(passage.text)
        if typed and passage.verdicts():
            yield Problem(LINES, passage.line,
                          f"the passage is called '{typed.group().strip()}' by hand, and its verdict is computed",
                          "Say what is so, and leave the word to the run")


def _rows(test: Test, key: str, columns: int) -> list[list[str]]:
    """The well-formed rows of a recorded list; others are reported elsewhere."""
    return [row for row in test.rows(key) if len(row) == columns]
