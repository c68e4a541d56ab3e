"""The figures on pages: the home of each, the places that show it again, and the page of all."""

from collections.abc import Callable

from weave.drawing.scripts import moves, scripts
from weave.reading.book import Book
from weave.reading.figures import SHOWN, Figure, homes
from weave.reading.pages import MAINPAGE, Page
from weave.writing import citation
from weave.writing.copied import copied
from weave.writing.markup import escape, html_block, html_text

Expand = Callable[[str, Callable[[str], str]], str]
"""Replaces the macros of a text, its values written by a function."""
LICENCE = '<a href="licences.html">CC BY 4.0</a>'


def figure_lines(book: Book, page: Page, expand: Expand) -> dict[int, str]:
    """The text that a page shows instead of the lines of its figures."""
    lines = {number: _again(book, book.figures[shown["name"]], page, expand) for number, line in page.prose
             if (shown := SHOWN.fullmatch(line))}
    for figure in homes(page):
        lines |= dict.fromkeys(range(figure.line, figure.end + 1), "")
        lines[figure.line] = _at_home(book, book.figures[figure.name], expand)
    return lines


def _at_home(book: Book, figure: Figure, expand: Expand) -> str:
    """Drawing, number, caption, files and citation; a figure that moves does so here and on the first page."""
    moving = _moving(book, figure)
    tools = copied(f"Figure {figure.number}", book.address_of(figure.url),
                   citation.of_figure(book, figure, expand(figure.takeaway, str)))
    return "\n\n".join([
        html_block(f'<figure class="figure" id="figure-{figure.name}"{moving}>{_place(figure, expand)}<figcaption>'),
        f"{_numbered(figure, f'#figure-{figure.name}')} <b>{expand(figure.takeaway, escape)}</b> "
        f"{expand(figure.rest, escape)}",
        html_block(f"{_files(figure, tools)}</figcaption></figure>")])


def _moving(book: Book, figure: Figure) -> str:
    return f' data-movable="{figure.name}"' if moves(scripts(book.root)[figure.name]) else ""


def _again(book: Book, figure: Figure, page: Page, expand: Expand) -> str:
    """A figure that is at home elsewhere: drawing, number and point."""
    moving = _moving(book, figure) if page.file == MAINPAGE else ""
    url = f"#figure-{figure.name}" if figure.page is page else figure.url
    return "\n\n".join([
        html_block(f'<figure class="figure again"{moving}>{_place(figure, expand)}<figcaption>'),
        f"{_numbered(figure, url)} <b>{expand(figure.takeaway, escape)}</b>",
        html_block("</figcaption></figure>")])


def reference(figure: Figure) -> str:
    """A figure's number, which is a link to it."""
    return f'<a href="{figure.url}">Figure {figure.number}</a>'


def _files(figure: Figure, tools: str = "") -> str:
    """The line of what can be taken along."""
    links = " · ".join(f'<a href="{figure.name}.{kind}">{word}</a>' for kind, word in
                       (("svg", "SVG"), ("png", "PNG"), ("dat", "data")))
    return f'<div class="figure-files">{links} · {LICENCE}{tools}</div>'


def _place(figure: Figure, expand: Expand) -> str:
    seen = html_text(expand(figure.seen, str))
    return f'<div class="drawing-place" data-figure="{figure.name}" data-seen="{seen}"></div>'


def _numbered(figure: Figure, url: str) -> str:
    return f'<a class="figure-number" href="{url}">Figure {figure.number}</a>'


def all_figures(book: Book) -> str:
    r"""The block of \weave{figures}: every figure, small, in the order of the book."""
    parts = []
    for figure in book.figures.values():
        where_it_moves = ", where you can move it" if _moving(book, figure) else ""
        parts += [html_block(f'<figure class="figure small">{_place(figure, lambda text, _: text)}<figcaption>'),
                  f"{_numbered(figure, figure.url)} <b>{figure.takeaway}</b> "
                  f'In <a href="{figure.page.url}">{html_text(figure.page.title)}</a>{where_it_moves}.',
                  html_block(f"{_files(figure)}</figcaption></figure>")]
    return "\n\n".join(parts) or "There are none."
