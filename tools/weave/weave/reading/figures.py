r"""The figures of the book: their homes, numbers, captions and descriptions.

    \figure{NAME}
    **What it shows, in a sentence.** The rest of the caption.
    \seen What is to be seen, for those who cannot see it.
    \endfigure

is the home of the figure that docs/figures/NAME.gp or NAME.js draws; \showfigure{NAME}, alone on its line, shows it
again elsewhere.
`weave draw` makes the drawing (drawing/) and `weave finish` puts it into the finished page (rendered/drawings.py).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from weave.reading.pages import MAINPAGE, Page

PAGE = "figures"
"""The anchor of the page of all figures."""
HOME = re.compile(r"\\figure\{(?P<name>[^}]*)\}\s*")
SHOWN = re.compile(r"\\showfigure\{(?P<name>[^}]*)\}\s*")
SEEN, END = r"\seen", r"\endfigure"
TAKEAWAY = re.compile(r"\*\*(?P<takeaway>.+?)\*\*\s*(?P<rest>.*)", re.DOTALL)
LETTERS = {"": "0", "why": "W"}
"""The first letters of numbers on pages that are neither chapters nor exercises, if not the anchor's first letter."""


@dataclass
class Figure:
    """A figure at its home."""

    name: str
    page: Page
    line: int
    """Of its `figure` command."""
    end: int
    """Of its `endfigure`, or of the line on which it breaks off."""
    caption: str
    """Without what is to be seen."""
    seen: str
    number: str = ""

    @property
    def takeaway(self) -> str:
        """The point that it makes: the bold words with which its caption begins."""
        match = TAKEAWAY.match(self.caption)
        return match["takeaway"] if match else ""

    @property
    def rest(self) -> str:
        """The caption without the point."""
        match = TAKEAWAY.match(self.caption)
        return match["rest"] if match else self.caption

    @property
    def url(self) -> str:
        """The address of its home."""
        return f"{self.page.url}#figure-{self.name}"


def numbered(chapters: list[Page], pages: list[Page], order: list[str]) -> dict[str, Figure]:
    """The figures of chapters and other pages by name, numbered, in the order of the book."""
    found: dict[str, Figure] = {}
    for page in in_order(chapters + pages, order):
        for k, figure in enumerate(homes(page), start=1):
            figure.number = f"{_prefix(chapters, page)}.{k}"
            found.setdefault(figure.name, figure)
    return found


def in_order(pages: list[Page], order: list[str]) -> list[Page]:
    """Pages, those of the reading order first."""
    def place(page: Page) -> tuple[int, str]:
        return (-1, "") if page.file == MAINPAGE else (
            (order.index(page.anchor) if page.anchor in order else len(order)), page.file)
    return sorted(pages, key=place)


def _prefix(chapters: list[Page], page: Page) -> str:
    """The beginning of the numbers of a page's figures."""
    if page in chapters:
        return str(1 + chapters.index(page))
    exercise = re.fullmatch(r"exercise-(\d+)", page.anchor)
    if exercise:
        return f"E{exercise[1]}"
    return LETTERS.get(page.anchor if page.file != MAINPAGE else "", page.anchor[:1].upper())


def homes(page: Page) -> Iterator[Figure]:
    """The figures that are at home on a page, in the order of its text."""
    visible = dict(page.prose)
    for number, line in visible.items():
        start = HOME.fullmatch(line)
        if not start:
            continue
        end = number
        caption: list[str] = []
        seen: list[str] = []
        reading = caption
        for end in range(number + 1, len(page.lines) + 1):
            text = page.lines[end - 1].strip()
            if text == END or HOME.fullmatch(text) or text.startswith("#"):
                break
            if text.split(" ")[0] == SEEN:
                reading, text = seen, text.removeprefix(SEEN).strip()
            reading.append(text)
        yield Figure(start["name"], page, number, end, "\n".join(caption).strip(), " ".join(seen).strip())
