"""The style of pages: no sentence so long, and none of the turns, that a reader goes over it twice.

Statements and hypotheses are agreed word by word, and quotations are other people's: they are not judged.
"""

import re
from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.pages import HEADING, HYPOTHESES, STATEMENT, Page
from weave.writing.reading_time import COMMAND, DISPLAYED, INLINE, REFERENCE, UNSEEN, VALUE

LONGEST = 40
"""Words of a sentence; a formula, a number of the run and a quotation are one word each."""

TEXT_OF_ITS_OWN = re.compile(r"\s*(?:[-*+]|\d+\.)\s|\s*\||\\(?:seen|end)?figure\b"
                             r"|\\(?:seen|showfigure|weave|output|description|no\w+)\b")
"""The beginning of a line that goes on with nothing before it."""
NOT_OURS = re.compile(r"`[^`]+`|\\cite\s+\S+|(?<![\w=])\"[^\"]*\"|“[^”]*”")
MARKS = re.compile(r"\*+|^\s*(?:[-*+]|\d+\.)\s+|\|", re.MULTILINE)
END = re.compile(r"(?<=[.?!:;])[”)]*\s+(?=\W*[A-Z0-9“(])")
"""Between two sentences. A colon or semicolon ends one if a capital follows."""
WORD = re.compile(r"\w[\w’'.,/-]*")

TURNS = tuple((re.compile(pattern), fault, hint) for pattern, fault, hint in (
    (r"^(?:True|Decided|Right|Wrong|Shown|Known|Needed|Missing|Left|Asked|Meant|Proved|Measured|Counted|Compared)"
     r"(?: \w+)? (?:is|are|was|were)\b|^So (?:it is|is it|is|are|do|does) (?:for|with|in|the|an?|one)\b",
     "the verb comes before its subject", "Begin with what it is about"),
    (r"^Who(?:ever)? [^?]*[.:;]$", "a clause takes the place of a noun", "Name who it is: 'A reader who …'"),
    (r"\bsays? (?:by how much|what is (?:so|true))\b|\bpapers? (?:that \w+ \w+ )?knows?\b",
     "a thing says what it shows or reports", "Write 'shows' or 'reports', and what"),
    (r"\bof those tried\b|\bthe others two\b", "words are left out", "Repeat the noun"),
    (r"\b(?:but for|just if|exactly if|but one|(?<!the )less the)\b", "two small words are read two ways",
     "Write 'except', 'if and only if', 'only one', 'minus the'"),
    (r"\b(?:is|are|was|were) what\b", "a clause takes the place of a noun", "Name the thing: 'is the number that …'"),
    (r"\b(?:in the place of|stood|seldom|hears?|heard(?! of)|listens?)\b|\bfrom (?:x|\d+|there|this) on\b",
     "a turn is not idiomatic", "Write 'instead of', 'was', 'rarely', 'attends to', 'above …'"),
    (r", too\b(?! \w)|, and not (?!\w+ing\b)", "an afterthought",
     "Write 'also' before the verb, or ', not' or 'instead of'"),
    (r"\bfactor of (?:\S+ )?digits\b|\b\d+(?:\.\d+)?e[+-]?\d\d?\b", "a number stands as a program prints it",
     "Write it as people do: 7 billion, 7.9·10¹³")))
"""The turns that make a reader go back, what is wrong with each, and what helps."""


def prose_problems(book: Book) -> Iterator[Diagnostic]:
    """Sentences that are too long or turn the wrong way."""
    for page in book.chapters + book.pages:
        for line, sentence in sentences(page):
            if (words := len(WORD.findall(sentence))) > LONGEST:
                yield Diagnostic(page.file, line, f"a sentence has {words} words: '{sentence[:60]}…'",
                                 f"Make two of it; {LONGEST} is the most")
            for pattern, fault, hint in TURNS:
                if found := pattern.search(sentence):
                    yield Diagnostic(page.file, line, f"{fault}: '{found[0][:60]}'", hint)


def sentences(page: Page) -> Iterator[tuple[int, str]]:
    """The sentences of a page that are judged, and the lines on which their paragraphs begin."""
    agreed = {number for claim in page.claims for name in (STATEMENT, HYPOTHESES)
              for number in claim.parts.get(name, ())}
    start, paragraph = 0, ""
    for number, line in [*page.prose, (len(page.lines) + 1, "")]:
        apart = number in agreed or not line.strip() or HEADING.match(line)
        if paragraph and (apart or TEXT_OF_ITS_OWN.match(line)):
            yield from ((start, sentence) for sentence in END.split(_as_read(paragraph)))
            paragraph = ""
        if not apart:
            start = start if paragraph else number
            paragraph += line + "\n"


def _as_read(text: str) -> str:
    """A paragraph without markup, in which formulas, numbers of the run and other people's words are one word each."""
    text = INLINE.sub("x", DISPLAYED.sub(" x ", text))
    text = REFERENCE.sub(lambda found: found[2] or "it", text)
    text = COMMAND.sub(" ", VALUE.sub("x", NOT_OURS.sub("x", UNSEEN.sub(" ", text))))
    return " ".join(MARKS.sub(" ", text).split())
