"""The time that a page or a claim takes to read, and the effort that its proof asks for; both from its text."""

import re
from collections.abc import Iterable

from weave.base.words import plural
from weave.reading.book import Book
from weave.reading.exercises import folded_lines
from weave.reading.pages import CITED, HYPOTHESES, PROOF, STATEMENT, Claim, Page
from weave.writing.errata import errata
from weave.writing.markup import html_block

WORDS_A_MINUTE = 180
SECONDS_INLINE = 1.5
"""For a formula within a line."""
SECONDS_DISPLAYED = 12
"""For a formula on lines of its own."""
LONG_PROOF = 1.5
"""Minutes; a proof that takes longer is worth a star."""
FOLDED = ("The check in words",)
"""Sections of a claim that a reader opens if he wants to."""

READ = {r"\weave{errata}": errata}
"""Tables that are read from the first row to the last; others are looked up."""

STARS = {
    1: "a short proof by algebra, sums and means, or none because the claim rests on references",
    2: "a long proof, or one with limits, integrals or derivatives",
    3: "a long proof with limits, integrals or derivatives",
}
ANALYSIS = re.compile(r"\\(?:i*int|lim|liminf|limsup|to|partial|nabla)(?![A-Za-z])|\\mathrm\{d\}")
"""Commands that write limits, integrals and derivatives."""

DISPLAYED = re.compile(r"\\f\[.*?\\f\]|\\f\{(\w+\*?)\}.*?\\f\}", re.DOTALL)
INLINE = re.compile(r"\\f\$.*?\\f\$", re.DOTALL)
UNSEEN = re.compile(r"^\\seen\b.*?^(?=\\endfigure)|\\htmlonly.*?\\endhtmlonly|<[^>]*>|\{#[^}]*\}|^\s*\|?[\s|:-]+$",
                    re.DOTALL | re.MULTILINE)
"""Descriptions for those who cannot see, markup, names of headings, rules of tables."""
REFERENCE = re.compile(r'\\(?:ref|subpage)\s+([\w-]+)(?:\s+"([^"]*)")?|\\verdict\{(\w+)\}')
VALUE = re.compile(r"\[[^\]\n]*\]\(run:[^)]*\)|\\minutes\{[^}]*\}")
COMMAND = re.compile(r"^\\(?:description|snippet|weave|output|image|include|(?:show|end)?figure|task|solution)\b.*$"
                     r"|\\cite\s+\S+|\\\w+", re.MULTILINE)
"""Commands that show code, a table or a picture, or nothing."""
WORD = re.compile(r"\w[\w’'.,-]*")


def seconds(text: str, titles: dict[str, str]) -> float:
    """The seconds that some text of a page takes; `titles` are the words that stand for a reference."""
    text, displayed = DISPLAYED.subn(" ", text)
    text, inline = INLINE.subn(" ", text)
    text = UNSEEN.sub(" ", text)
    text = REFERENCE.sub(lambda found: found[2] or titles.get(found[1] or found[3], "it"), text)
    text = COMMAND.sub(" ", VALUE.sub("1", text))
    return len(WORD.findall(text)) * 60 / WORDS_A_MINUTE + inline * SECONDS_INLINE + displayed * SECONDS_DISPLAYED


def minutes(book: Book, anchor: str) -> int:
    """Whole minutes, at least one, for what is unfolded of the page or the claim of that name."""
    claim = book.claims.get(anchor)
    page = book.chapter_of(claim) if claim else _page(book, anchor)
    if page is None:
        raise KeyError(anchor)
    numbers = [claim.line, *_unfolded(claim)] if claim else _shown(page)
    return max(1, round(_seconds_of(book, page, numbers) / 60))


def known(book: Book, anchor: str) -> bool:
    """True if there is a page or a claim of that name."""
    return anchor in book.claims or _page(book, anchor) is not None


def star_count(book: Book, claim: Claim) -> int:
    """One star, one more for a long proof, one more for analysis in the statement or the proof."""
    page = book.chapter_of(claim)
    proof = claim.parts.get(PROOF, range(0))
    told = [number for name in (STATEMENT, HYPOTHESES, PROOF) for number in claim.parts.get(name, ())]
    analysis = CITED not in claim.parts and any(ANALYSIS.search(page.lines[number - 1]) for number in told)
    return 1 + (_seconds_of(book, page, proof) > 60 * LONG_PROOF) + analysis


def stars(book: Book, claim: Claim) -> str:
    """The stars of a claim, linked to what they mean."""
    count = star_count(book, claim)
    return (f'<a class="stars" href="how-to-read.html#minutes" title="{plural(count, "star")} of {len(STARS)}: '
            f'{STARS[count]}">{"★" * count}</a>')


def rule(_: Book) -> str:
    """The rule for minutes and stars, for the page that explains them."""
    rows = "".join(f"<tr><td>{'★' * count}</td><td>{meaning}</td></tr>" for count, meaning in STARS.items())
    return (f"Prose counts at {WORDS_A_MINUTE} words a minute, a formula within a line takes {SECONDS_INLINE} seconds "
            f"and one on lines of its own {SECONDS_DISPLAYED}. Code, folded parts and generated tables are not "
            f"counted. A proof is long if it takes more than {LONG_PROOF} minutes by this count; what the other claims "
            "take on which it rests is not in it.\n\n"
            + html_block(f'<table class="book"><tr><th>Stars</th><th>What the proof asks for</th></tr>{rows}</table>'))


def _page(book: Book, anchor: str) -> Page | None:
    return next((page for page in book.chapters + book.pages if page.anchor == anchor), None)


def _unfolded(claim: Claim) -> list[int]:
    return [number for name, lines in claim.parts.items() if name not in FOLDED for number in lines]


def _shown(page: Page) -> list[int]:
    """The lines of a page that a reader sees without opening anything."""
    hidden = set(folded_lines(page))
    for claim in page.claims:
        hidden |= set(range(claim.line + 1, claim.end + 1)) - set(_unfolded(claim))
    return [number for number in range(1, len(page.lines) + 1) if number not in hidden]


def _seconds_of(book: Book, page: Page, numbers: Iterable[int]) -> float:
    titles = {**{one.anchor: one.title for one in book.chapters + book.pages},
              **{name: claim.title for name, claim in book.claims.items()}}
    prose = dict(page.prose)
    lines = [prose[number] for number in sorted(numbers) if number in prose]
    return seconds("\n".join(READ[line](book) if line in READ else line for line in lines), titles)
