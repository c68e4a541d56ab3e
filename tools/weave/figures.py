# SPDX-License-Identifier: BSL-1.0
r"""The figures of the book: their homes, numbers, captions and descriptions.

    \figure{NAME}
    **What it shows, in a sentence.** The rest of the caption.
    \seen What is to be seen, for those who cannot see it.
    \endfigure

is the home of the figure that docs/figures/NAME.gp or NAME.js draws; \showfigure{NAME}, alone on its line, shows it again elsewhere.
`draw` makes the drawing and `weave figures` puts it into the finished page (drawing.py).
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

from book import MAINPAGE, Book
from drawing import COMMON, inlined, palette
from files import write_whole
from markup import html_block
from pages import Page, outside_code
from problems import Problem

FOLDER = "docs/figures"
PAGE = "figures"
"""The anchor of the page of all figures."""
HOME = re.compile(r"\\figure\{(?P<name>[^}]*)\}\s*")
SHOWN = re.compile(r"\\showfigure\{(?P<name>[^}]*)\}\s*")
COMMAND = re.compile(r"`[^`]*`|\\(?:figure|showfigure)\{|\\endfigure\b|\\seen\b|\\image\s+html\b")
SEEN, END = r"\seen", r"\endfigure"
TAKEAWAY = re.compile(r"\*\*(?P<takeaway>.+?)\*\*\s*(?P<rest>.*)", re.DOTALL)
FORM = (r"Write '\figure{NAME}', a caption that begins with its point in bold, '\seen what is to be seen' and '\endfigure', "
        "each on a line of its own")
PLACE = re.compile(r'<div class="drawing-place" data-figure="(?P<name>\w+)" data-seen="(?P<seen>[^"]*)"></div>')
MOVING = re.compile(r'<figure class="figure" id="[\w-]+" data-movable="(?P<name>\w+)">')
LETTERS = {"": "0", "why": "W"}
"""What numbers begin with on pages that are neither chapters nor exercises; on others, with the first letter of the anchor."""
LICENCE = '<a href="licences.html">CC BY 4.0</a>'


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
        """Where it is at home."""
        return f"{page_url(self.page)}#figure-{self.name}"


def page_url(page: Page) -> str:
    """The file that Doxygen writes for a page."""
    return f"{page.anchor}.html" if page.file != MAINPAGE else "index.html"


def figures(book: Book) -> dict[str, Figure]:
    """The figures by name, numbered, in the order of the book."""
    if not book.figures:
        for page in _ordered(book):
            for k, figure in enumerate(homes(page), start=1):
                figure.number = f"{_prefix(book, page)}.{k}"
                book.figures.setdefault(figure.name, figure)
    return book.figures


def _ordered(book: Book) -> list[Page]:
    """All pages, those of the reading order first."""
    def place(page: Page) -> tuple[int, str]:
        return (-1, "") if page.file == MAINPAGE else (
            (book.order.index(page.anchor) if page.anchor in book.order else len(book.order)), page.file)
    return sorted(book.chapters + book.pages, key=place)


def _prefix(book: Book, page: Page) -> str:
    """What the numbers of a page's figures begin with."""
    if page in book.chapters:
        return str(1 + book.chapters.index(page))
    exercise = re.fullmatch(r"exercise-(\d+)", page.anchor)
    if exercise:
        return f"E{exercise[1]}"
    return LETTERS.get(page.anchor if page.file != MAINPAGE else "", page.anchor[:1].upper())


def homes(page: Page) -> Iterator[Figure]:
    """The figures that are at home on a page, in the order of its text."""
    visible = dict(outside_code(page.lines))
    for number, line in visible.items():
        start = HOME.fullmatch(line)
        if not start:
            continue
        caption, seen, end = [], [], number
        reading = caption
        for end in range(number + 1, len(page.lines) + 1):
            text = page.lines[end - 1].strip()
            if text == END or HOME.fullmatch(text) or text.startswith("#"):
                break
            if text.split(" ")[0] == SEEN:
                reading, text = seen, text.removeprefix(SEEN).strip()
            reading.append(text)
        yield Figure(start["name"], page, number, end, "\n".join(caption).strip(), " ".join(seen).strip())


# ---- what is wrong

def figure_problems(book: Book) -> Iterator[Problem]:
    """Figures without what they need, and commands that belong to none."""
    scripts = {path.stem: path.name for kind in ("gp", "js") for path in (book.root / FOLDER).glob(f"*.{kind}")
               if path.name != COMMON}
    first: dict[str, Figure] = {}
    numbers: dict[str, Figure] = {}
    for page in _ordered(book):
        for figure in homes(page):
            yield from _home_problems(figure, set(scripts), first.setdefault(figure.name, figure))
        yield from _stray_problems(book, page)
    for name in sorted(set(scripts) - set(first)):
        yield Problem(f"{FOLDER}/{scripts[name]}", 1, f"no page is the home of the figure {name}",
                      rf"Write '\figure{{{name}}}' … '\endfigure' where it belongs, or remove the script")
    for figure in figures(book).values():
        other = numbers.setdefault(figure.number, figure)
        if other is not figure:
            yield Problem(figure.page.file, figure.line, f"Figure {figure.number} is on {other.page.file}, too",
                          "Give one of the two pages a letter of its own in tools/weave/figures.py")


def _home_problems(figure: Figure, scripts: set[str], first: Figure) -> Iterator[Problem]:
    file, name, line = figure.page.file, figure.name, figure.line
    if figure is not first:
        yield Problem(file, line, f"the figure {name} is at home at {first.page.file}:{first.line}",
                      rf"Write '\showfigure{{{name}}}' here")
    if name not in scripts:
        yield Problem(file, line, f"nothing draws the figure {name}", f"Write {FOLDER}/{name}.gp or .js, or correct the name")
    if figure.page.lines[figure.end - 1].strip() != END:
        yield Problem(file, line, rf"the figure {name} has no \endfigure", FORM)
    if not figure.takeaway:
        yield Problem(file, line, f"the caption of the figure {name} does not begin with its point in bold", FORM)
    if not figure.seen:
        yield Problem(file, line, rf"the figure {name} has no \seen: who cannot see it learns nothing of it", FORM)


def _stray_problems(book: Book, page: Page) -> Iterator[Problem]:
    """Commands of figures that stand where they mean nothing."""
    known = figures(book)
    within = {number for figure in homes(page) for number in range(figure.line + 1, figure.end + 1)}
    for number, line in outside_code(page.lines):
        command = next((match.group() for match in COMMAND.finditer(line) if not match.group().startswith("`")), "")
        shown = SHOWN.fullmatch(line)
        if shown and shown["name"] not in known:
            yield Problem(page.file, number, f"the figure {shown['name']} has no home",
                          rf"Write '\figure{{{shown['name']}}}' … '\endfigure' on one page, or correct the name")
        elif command.startswith(r"\image"):
            yield Problem(page.file, number, r"a figure by \image has neither number nor caption of its own", FORM)
        elif command == r"\showfigure{" and not shown or command == r"\figure{" and not HOME.fullmatch(line):
            yield Problem(page.file, number, f"{command}…}} shares its line with other text", "Put it alone on its line")
        elif command in (SEEN, END) and number not in within:
            yield Problem(page.file, number, f"{command} belongs to no figure", FORM)


# ---- what a page shows

def figure_lines(book: Book, page: Page, expand: Callable[[str], str]) -> dict[int, str]:
    """What a page shows instead of the lines of its figures."""
    known = figures(book)
    lines = {number: _again(known[shown["name"]], page, expand) for number, line in outside_code(page.lines)
             if (shown := SHOWN.fullmatch(line))}
    for figure in homes(page):
        lines |= dict.fromkeys(range(figure.line, figure.end + 1), "")
        lines[figure.line] = _at_home(known[figure.name], (book.root / FOLDER / f"{figure.name}.js").is_file(), expand)
    return lines


def _at_home(figure: Figure, moves: bool, expand: Callable[[str], str]) -> str:
    """Drawing, number, caption and files; a figure that moves does so only here."""
    moving = f' data-movable="{figure.name}"' if moves else ""
    return "\n\n".join([
        html_block(f'<figure class="figure" id="figure-{figure.name}"{moving}>{_place(figure, expand)}<figcaption>'),
        f"{_numbered(figure, f'#figure-{figure.name}')} {expand(figure.caption)}",
        html_block(f"{_files(figure)}</figcaption></figure>")])


def _again(figure: Figure, page: Page, expand: Callable[[str], str]) -> str:
    """A figure that is at home elsewhere: drawing, number and point."""
    url = f"#figure-{figure.name}" if figure.page is page else figure.url
    return "\n\n".join([
        html_block(f'<figure class="figure again">{_place(figure, expand)}<figcaption>'),
        f"{_numbered(figure, url)} **{expand(figure.takeaway)}**",
        html_block("</figcaption></figure>")])


def reference(figure: Figure) -> str:
    """A figure's number, which is a link to it."""
    return f'<a href="{figure.url}">Figure {figure.number}</a>'


def _files(figure: Figure) -> str:
    """The line of what can be taken along."""
    links = " · ".join(f'<a href="{figure.name}.{kind}">{word}</a>' for kind, word in
                       (("svg", "SVG"), ("png", "PNG"), ("dat", "data")))
    return f'<p class="figure-files">{links} · {LICENCE}</p>'


def _place(figure: Figure, expand: Callable[[str], str]) -> str:
    return f'<div class="drawing-place" data-figure="{figure.name}" data-seen="{escape(expand(figure.seen))}"></div>'


def _numbered(figure: Figure, url: str) -> str:
    return f'<a class="figure-number" href="{url}">Figure {figure.number}</a>'


def all_figures(book: Book) -> str:
    r"""The block of \weave{figures}: every figure, small, in the order of the book."""
    parts = []
    for figure in figures(book).values():
        parts += [html_block(f'<figure class="figure small">{_place(figure, str)}<figcaption>'),
                  f"{_numbered(figure, figure.url)} **{figure.takeaway}** "
                  f'In <a href="{page_url(figure.page)}">{escape(figure.page.title)}</a>.',
                  html_block(f"{_files(figure)}</figcaption></figure>")]
    return "\n\n".join(parts) or "There are none."


# ---- the finished book

def inline(html: Path, common: Path) -> int:
    """Put the drawings of a finished book into its pages; how many there were."""
    colours = palette(common.read_text(encoding="utf-8"))
    count = 0

    def drawing(match: re.Match) -> str:
        picture = (html / f"{match['name']}.svg").read_text(encoding="utf-8")
        return inlined(picture, colours, unescape(match["seen"]))

    def moving(match: re.Match) -> str:
        data = (html / f"{match['name']}.json").read_text(encoding="utf-8")
        return (f'{match[0]}<script type="application/json">{{"palette":{json.dumps(colours)},"data":{data.strip()}}}</script>'
                f'<script src="{match["name"]}.js" defer="defer"></script>')

    for page in sorted(html.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        if MOVING.search(text):
            text = MOVING.sub(moving, text).replace("</head>", '<script src="movable.js" defer="defer"></script>\n</head>', 1)
        text, found = PLACE.subn(drawing, text)
        if found:
            write_whole(page, text)
            count += found
    return count
