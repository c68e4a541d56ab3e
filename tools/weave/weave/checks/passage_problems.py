"""The rules between passages and claims."""

import re
from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.pages import BEYOND, DOCUMENTS, IMPLIED
from weave.reading.passages import LINES, OPINION, QUESTION, VAGUE, Passage, lines_page, passages, words_place
from weave.record.results import Test

TYPED = re.compile(r"(?:^|[.!?\u201d\"] )(?:Right|Wrong|True|False)(?=[ .,;:])")


def passage_problems(book: Book) -> Iterator[Diagnostic]:
    """Breaches of the rules between passages and claims."""
    if lines_page(book) is None:
        yield Diagnostic(LINES, 1, "there is no page that goes through the documents line by line",
                         "Write it: '## S1: …', below it '### Heading <a id=\"anchor\"></a>' and bullets")
        return
    found = passages(book)
    yield from _headings(found)
    yield from _coverage(book, found)
    yield from _undeclared_sources(book, found)
    yield from _unquoted(book)
    yield from _typed_verdicts(found)
    yield from _unmarked(found)
    yield from _charged(book)
    yield from _strange(book, found)


def _headings(found: list[Passage]) -> Iterator[Diagnostic]:
    for passage in found:
        if not passage.anchor:
            yield Diagnostic(LINES, passage.line,
                             f"the heading above, '{passage.heading}', has no anchor",
                             "Write '### Heading <a id=\"anchor\"></a>', so that the errata can link to it")


def _coverage(book: Book, found: list[Passage]) -> Iterator[Diagnostic]:
    """Each claim is mapped to a passage of every document that it says it comes from."""
    mapped = {(passage.document, name) for passage in found for name in passage.names()}
    for name, claim in book.claims.items():
        for document in claim.documents:
            if document not in (IMPLIED, BEYOND) and (document, name) not in mapped:
                yield Diagnostic(claim.file, claim.line,
                                 f"{name} comes from {document}, but no passage of {document} in "
                                 f"{LINES} refers to it",
                                 f"Write '→ [{name}]' below the passage that makes the claim")


def _undeclared_sources(book: Book, found: list[Passage]) -> Iterator[Diagnostic]:
    """A passage refers to no claim that says it comes from elsewhere only."""
    for passage in found:
        for name in passage.names():
            claim = book.claims.get(name)
            if (claim and DOCUMENTS not in claim.lacks and claim.documents not in ([IMPLIED], [BEYOND])
                    and passage.document not in claim.documents):
                yield Diagnostic(LINES, passage.line,
                                 f"a passage of {passage.document} refers to {name}, which does not "
                                 f"say that it comes from {passage.document}",
                                 f"Put a bullet '- {passage.document}, *heading*: …' under 'What the "
                                 f"documents say' at {claim.file}:{claim.line}, or remove the "
                                 "reference")


def _unquoted(book: Book) -> Iterator[Diagnostic]:
    """Every entry of the errata stands at a passage."""
    for claim, test in book.passing():
        said = [("corrects", document, words) for document, words, _ in _rows(test, "corrects", 3)]
        said += [("does not decide", document, words) for document, words in _rows(test, "undecided", 2)]
        for does, document, words in said:
            if not words_place(book, document, claim.name, words):
                yield Diagnostic(test.file, test.line,
                                 f"{claim.name}.{test.name} {does} '{words}' in {document}, "
                                 f"which no passage in {LINES} quotes beside that claim",
                                 f"Quote it in a passage of {document} with "
                                 rf"\verdict{{{claim.name}}}")


def _typed_verdicts(found: list[Passage]) -> Iterator[Diagnostic]:
    """No passage is called right or wrong by hand."""
    for passage in found:
        typed = TYPED.search(passage.text)
        if typed and passage.verdicts():
            yield Diagnostic(LINES, passage.line,
                             f"the passage is called '{typed.group().strip()}' by hand, and its verdict is computed",
                             "Say what is so, and leave the word to the run")


def _unmarked(found: list[Passage]) -> Iterator[Diagnostic]:
    """A question is not right or wrong, so what asks is marked."""
    for passage in found:
        if passage.asks() and passage.verdicts() and not (OPINION in passage.text or QUESTION in passage.text):
            yield Diagnostic(LINES, passage.line,
                             "the passage asks, or is a bare heading, and is judged like a sentence",
                             rf"Write '{QUESTION}' behind the question, or '{OPINION}'")


def _charged(book: Book) -> Iterator[Diagnostic]:
    """Nothing is held against an opinion or a question."""
    for claim, test in book.passing():
        places = [words_place(book, document, claim.name, words) for document, words, *_ in
                  (*_rows(test, "corrects", 3), *_rows(test, "undecided", 2))]
        for place in places:
            if place and (OPINION in place.text or QUESTION in place.text):
                yield Diagnostic(test.file, test.line,
                                 f"{claim.name}.{test.name} is held against {LINES}:{place.line}, which is marked "
                                 "as an opinion or a question",
                                 "Say in words what is so, or quote the words that claim something in a passage "
                                 "of their own")


def _strange(book: Book, found: list[Passage]) -> Iterator[Diagnostic]:
    """Bold words are a hypothesis of a claim that the passage names, and vague words lack one."""
    for passage in found:
        claims = [book.claims[name] for name in passage.names() if name in book.claims]
        if any("Hypotheses" in claim.lacks for claim in claims):
            continue
        known = {hypothesis for claim in claims for hypothesis in claim.hypotheses}
        for hypothesis in passage.lacks():
            if hypothesis not in known:
                yield Diagnostic(LINES, passage.line, f"'{hypothesis}' is in bold, but no claim that the passage names "
                                 "has a hypothesis of that name",
                                 "Add the '→ [Claim]' that has it, or write it plainly")
        if VAGUE in passage.text and not passage.lacks():
            yield Diagnostic(LINES, passage.line, rf"the passage is marked {VAGUE}, and lacks no hypothesis",
                             "Name in bold the hypothesis that says what its words can mean")


def _rows(test: Test, key: str, columns: int) -> list[list[str]]:
    """The well-formed rows of a recorded list; others are reported elsewhere."""
    return [row for row in test.rows(key) if len(row) == columns]
