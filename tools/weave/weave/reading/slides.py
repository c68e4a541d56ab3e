r"""The slides of a lecture: docs/slides.md, in which every heading begins one.

    ## Only the root is left {#slides-root}

    \slide{4, UnitVarianceScaleIsUnique}

    What is shown.

    \notes

    What is said.

gives the minutes that are planned for the slide, and claims or pages to which it leads. On these and all other pages

    \quote{UnitVarianceScaleIsUnique, Statement, 1-2}

alone on its line stands for parts of what the book says elsewhere: of a section of a claim, or of what stands below an
anchor. Parts are paragraphs, formulas, tables and items of lists, counted from 1; `table` is the first table; without
either, it is the whole section.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from weave.reading.book import Book
from weave.reading.figures import SHOWN
from weave.reading.pages import HEADING, Page

SLIDES, HANDOUT, PLAN = "slides", "handout", "teach"
"""Anchors of the pages: of the slides, of what students get, and of the plan that the slides follow."""
LECTURE = 90
"""Minutes."""
SLIDE = re.compile(r"\\slide\{\s*(?P<minutes>\d+)(?P<places>(?:\s*,\s*[\w-]+)+)\s*\}\s*")
NOTES = r"\notes"
QUOTE = re.compile(r"\\quote\{\s*(?P<place>[\w-]+)(?:\s*,\s*(?P<section>[A-Z][\w ]*?))?"
                   r"(?:\s*,\s*(?:(?P<first>\d+)(?:-(?P<last>\d+))?|(?P<table>table)))?\s*\}\s*")
ROW = re.compile(r"\|\s*(\d+)\s*\|")
"""A row of the plan begins with minutes."""
ITEM = re.compile(r"(?:\d+\.|[-*])\s")


@dataclass
class Slide:
    """A slide; lines are numbered from 1."""

    title: str
    anchor: str
    line: int
    """Of its heading."""
    end: int
    mark: int = 0
    """The line of `slide`; 0 if there is none that can be read."""
    minutes: int = 0
    places: tuple[str, ...] = ()
    notes: int = 0
    """The line of `notes`; 0 if there is none."""
    figures: int = 0


def slides(page: Page) -> list[Slide]:
    """The slides of a page; none unless it is the page of slides."""
    found: list[Slide] = []
    for number, line in page.prose if page.anchor == SLIDES else ():
        heading, mark = HEADING.match(line), SLIDE.fullmatch(line)
        if heading and len(heading[1]) <= 2:
            found.append(Slide(heading[2], heading[3] or "", number, number))
        if found:
            slide = found[-1]
            slide.end = number
            slide.figures += bool(SHOWN.fullmatch(line))
            if mark:
                slide.mark, slide.minutes = number, int(mark["minutes"])
                slide.places = tuple(re.findall(r"[\w-]+", mark["places"]))
            elif line.rstrip() == NOTES:
                slide.notes = number
    return found


def page_of(book: Book, anchor: str) -> Page | None:
    """The page of an anchor."""
    return next((page for page in book.chapters + book.pages if page.anchor == anchor), None)


def ends_of_plan(page: Page) -> Iterator[tuple[int, int]]:
    """The lines of the plan's rows, and the minute at which each ends."""
    minute = 0
    for number, line in page.prose:
        if row := ROW.match(line):
            minute += int(row[1])
            yield number, minute


def quoted(book: Book, line: str) -> list[str] | None:
    """The lines for which a quotation stands; None if there are no such parts."""
    match = QUOTE.fullmatch(line)
    parts = _parts(_below(book, match["place"], match["section"])) if match else []
    if match and match["table"]:
        parts = [part for part in parts if part[0].startswith("|")][:1]
    elif match and match["first"]:
        first, last = int(match["first"]), int(match["last"] or match["first"])
        parts = parts[first - 1:last] if 0 < first <= last <= len(parts) else []
    return "\n".join(text for part in parts for text in part).split("\n") if parts else None


def _below(book: Book, place: str, section: str | None) -> list[str]:
    """The lines of a claim's section, or those between an anchor and the next heading."""
    if claim := book.claims.get(place):
        numbers = claim.parts.get(section or "", range(0))
        return [line for number in numbers if not HEADING.match(line := book.chapter_of(claim).lines[number - 1])]
    for page in book.chapters + book.pages if not section else ():
        below: list[str] | None = None
        for _, line in page.prose:
            heading = HEADING.match(line)
            if heading and below is not None:
                return below
            if heading and heading[3] == place:
                below = []
            elif below is not None:
                below.append(line)
        if below is not None:
            return below
    return []


def _parts(lines: list[str]) -> list[list[str]]:
    """Lines as parts; each but an item of a list ends with an empty line."""
    parts: list[list[str]] = []
    apart = True
    for line in lines:
        if not line.strip():
            apart = True
            continue
        within = parts and ITEM.match(parts[-1][0]) and line.startswith(" ")
        if ITEM.match(line) or apart and not within:
            parts.append([])
        elif apart:
            parts[-1].append("")
        parts[-1].append(line)
        apart = False
    return [part if ITEM.match(part[0]) else [*part, ""] for part in parts]
