"""Faults of slides and of quotations."""

from collections.abc import Iterator
from itertools import accumulate

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.pages import Page
from weave.reading.slides import LECTURE, PLAN, SLIDES, Slide, ends_of_plan, page_of, quoted, slides
from weave.writing.reading_time import known
from weave.writing.slides import said

FORM = r"Write '<!--\slide{minutes, Claim}-->' alone on a line below its heading, with names of claims or pages"


def slide_problems(book: Book) -> Iterator[Diagnostic]:
    """Slides without a claim or a time, a deck of the wrong length, and quotations of nothing."""
    for page in book.chapters + book.pages:
        for number, line in page.prose:
            if line.startswith(r"\quote{") and quoted(book, line) is None:
                yield Diagnostic(page.file, number, f"{line.strip()} quotes nothing",
                                 r"Write '<!--\quote{Claim, Section, 1-2}-->' or '<!--\quote{anchor, table}-->', and "
                                 "count again")
    if deck := page_of(book, SLIDES):
        yield from _of_deck(book, deck)


def _of_deck(book: Book, page: Page) -> Iterator[Diagnostic]:
    deck = slides(page)
    for slide in deck:
        yield from _faults(book, page.file, slide)
        if slide.mark and (time := said(book, page, slide)) > slide.minutes:
            yield Diagnostic(page.file, slide.mark, f"the slide '{slide.title}' takes {time:.1f} minutes, and it has "
                             f"{slide.minutes}", "Say and do less, or give it more of the lecture")
    ends = list(accumulate(slide.minutes for slide in deck))
    if ends[-1:] != [LECTURE]:
        yield Diagnostic(page.file, 1, f"the slides take {sum(ends[-1:])} minutes, and not {LECTURE}",
                         r"Correct the minutes of a \slide")
        return
    plan = page_of(book, PLAN)
    for number, minute in ends_of_plan(plan) if plan else ():
        if minute not in ends:
            yield Diagnostic(plan.file if plan else "", number, f"this part of the plan ends at minute {minute}, where "
                             f"no slide of {page.file} does", "Move the slides, or correct the plan")


def _faults(book: Book, file: str, slide: Slide) -> Iterator[Diagnostic]:
    if not slide.mark:
        yield Diagnostic(file, slide.line, rf"the slide '{slide.title}' has no \slide that can be read", FORM)
    for place in slide.places:
        if not known(book, place):
            yield Diagnostic(file, slide.mark, f"{place} is neither a claim nor a page", "Correct the name")
    if not slide.anchor:
        yield Diagnostic(file, slide.line, f"the slide '{slide.title}' has no anchor",
                         f"Write '## {slide.title} <a id=\"slides-…\"></a>'")
    if not slide.notes:
        yield Diagnostic(file, slide.line, f"the slide '{slide.title}' has no notes",
                         r"Write what is said on it below '\notes'")
