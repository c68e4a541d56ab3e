"""The claims and the clock on slides, and the quotations of pages from each other."""

import re
from collections.abc import Callable

from weave.base.words import plural
from weave.reading.book import Book
from weave.reading.pages import Page
from weave.reading.slides import LECTURE, QUOTE, SLIDES, Slide, page_of, quoted, slides
from weave.writing.markup import badge, html_block, table
from weave.writing.reading_time import WORDS_A_MINUTE, seconds

SPOKEN_WORDS_A_MINUTE = 130
MINUTES_A_FIGURE = 1
"""For a figure to be looked at."""
DONE = re.compile(r"\*[^*]*?(\d+) minutes?\.\*")
"""Things done and not said, in italics, which end with their minutes."""


def said(book: Book, page: Page, slide: Slide) -> float:
    """The minutes that a slide takes by a count: to say its notes, to look at its figures, to do what the notes ask."""
    visible = dict(page.prose)
    notes = "\n".join(visible.get(number, "") for number in range(slide.notes + 1, slide.end + 1) if slide.notes)
    titles = {name: claim.title for name, claim in book.claims.items()}
    return (seconds(notes, titles) / 60 * WORDS_A_MINUTE / SPOKEN_WORDS_A_MINUTE
            + slide.figures * MINUTES_A_FIGURE + sum(map(int, DONE.findall(notes))))


def slide_lines(book: Book, page: Page, expand: Callable[[str], str]) -> dict[int, str]:
    """The text that a page shows instead of its lines about slides, and of its quotations."""
    lines = {number: "\n".join(["", expand("\n".join(text)), ""]) for number, line in page.prose
             if QUOTE.fullmatch(line) and (text := quoted(book, line))}
    deck, minute = slides(page), 0
    for number, slide in enumerate(deck, start=1):
        lines[slide.mark] = (f'\n<div class="slide-foot">{" ".join(_place(book, place) for place in slide.places)} '
                             f'<span class="slide-clock">{number} / {len(deck)} · '
                             f"min {minute}–{minute + slide.minutes}</span></div>\n")
        minute += slide.minutes
        if slide.notes:
            about = f"Notes: {said(book, page, slide):.1f} of {plural(slide.minutes, 'minute')}"
            lines[slide.notes] = html_block(f'<details class="slide-notes"><summary>{about}</summary>')
            lines[slide.end] = f"{lines.get(slide.end, expand(page.lines[slide.end - 1]))}\n\n" + html_block(
                "</details>")
    return lines


def clock(book: Book) -> str:
    """The deck gone through with a clock: what is planned for each slide, and what its notes take."""
    page = page_of(book, SLIDES)
    if page is None:
        return "There are none."
    deck = slides(page)
    spoken = [said(book, page, slide) for slide in deck]
    rows, minute = [], 0
    for slide, time in zip(deck, spoken):
        rows.append([f"{minute}–{minute + slide.minutes}", rf'\ref {slide.anchor} "{slide.title}"', f"{time:.1f}"])
        minute += slide.minutes
    return (f"The {plural(len(deck), 'slide')} are planned for {LECTURE} minutes. Counted one by one, they take "
            f"{sum(spoken):.0f}: notes count {SPOKEN_WORDS_A_MINUTE} spoken words a minute, a figure counts "
            f"{plural(MINUTES_A_FIGURE, 'minute')}, and work at the board or in pairs what the notes give it. The "
            "rest is for questions. All of these are estimates, and no class has been timed yet.\n\n"
            + html_block('<details class="fold"><summary>The clock, slide by slide</summary>') + "\n\n"
            + table("book", ["Minutes", "Slide", "By the clock"], rows) + "\n\n" + html_block("</details>"))


def _place(book: Book, place: str) -> str:
    verdict = badge(book.verdicts[place]) + " " if place in book.claims else ""
    return rf'<span class="slide-place">{verdict}\ref {place}</span>'
