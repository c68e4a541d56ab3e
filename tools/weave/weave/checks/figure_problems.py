"""Figures without what they need, and commands that belong to none."""

import re
from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.drawing.scripts import FOLDER, MOVES, scripts
from weave.reading.book import Book
from weave.reading.figures import END, HOME, SEEN, SHOWN, Figure, homes, in_order
from weave.reading.pages import Page

COMMAND = re.compile(r"`[^`]*`|\\(?:figure|showfigure)\{|\\endfigure\b|\\seen\b|\\image\s+html\b")
FORM = (r"Write '<!--\figure{NAME}-->', a caption that begins with its point in bold, "
        r"'*In the picture:* what is to be seen' and "
        r"'\endfigure', each on a line of its own")


def figure_problems(book: Book) -> Iterator[Diagnostic]:
    """Figures without what they need, and commands that belong to none."""
    drawn = scripts(book.root)
    first: dict[str, Figure] = {}
    numbers: dict[str, Figure] = {}
    for page in in_order(book.chapters + book.pages, book.order):
        for figure in homes(page):
            yield from _home_problems(figure, set(drawn), first.setdefault(figure.name, figure))
        yield from _stray_problems(book, page)
    for name in sorted(set(drawn) - set(first)):
        yield Diagnostic(f"{FOLDER}/{drawn[name].name}", 1, f"no page is the home of the figure {name}",
                         rf"Write '<!--\figure{{{name}}}-->' … '<!--\endfigure-->' where it belongs, or remove the "
                         "script")
    for figure in book.figures.values():
        other = numbers.setdefault(figure.number, figure)
        if other is not figure:
            yield Diagnostic(figure.page.file, figure.line, f"Figure {figure.number} is on {other.page.file}, too",
                             "Give one of the two pages a letter of its own in tools/weave/weave/reading/figures.py")


def _home_problems(figure: Figure, drawn: set[str], first: Figure) -> Iterator[Diagnostic]:
    file, name, line = figure.page.file, figure.name, figure.line
    if figure is not first:
        yield Diagnostic(file, line, f"the figure {name} is at home at {first.page.file}:{first.line}",
                         rf"Write '<!--\showfigure{{{name}}}-->' here")
    if name not in drawn:
        yield Diagnostic(file, line, f"nothing draws the figure {name}",
                         f"Write {FOLDER}/{name}{' or '.join(MOVES)}, or correct the name")
    if figure.page.lines[figure.end - 1].strip() != END:
        yield Diagnostic(file, line, rf"the figure {name} has no \endfigure", FORM)
    if not figure.takeaway:
        yield Diagnostic(file, line, f"the caption of the figure {name} does not begin with its point in bold", FORM)
    if not figure.seen:
        yield Diagnostic(file, line, rf"the figure {name} has no \seen: who cannot see it learns nothing of it", FORM)


def _stray_problems(book: Book, page: Page) -> Iterator[Diagnostic]:
    """Commands of figures that stand where they mean nothing."""
    within = {number for figure in homes(page) for number in range(figure.line + 1, figure.end + 1)}
    for number, line in page.prose:
        command = next((match.group() for match in COMMAND.finditer(line) if not match.group().startswith("`")), "")
        shown = SHOWN.fullmatch(line)
        if shown and shown["name"] not in book.figures:
            yield Diagnostic(page.file, number, f"the figure {shown['name']} has no home",
                             rf"Write '<!--\figure{{{shown['name']}}}-->' … '<!--\endfigure-->' on one page, or "
                             "correct the name")
        elif command.startswith(r"\image"):
            yield Diagnostic(page.file, number, r"a figure by \image has neither number nor caption of its own", FORM)
        elif command == r"\showfigure{" and not shown or command == r"\figure{" and not HOME.fullmatch(line):
            yield Diagnostic(page.file, number, f"{command}…}} shares its line with other text",
                             "Put it alone on its line")
        elif command in (SEEN, END) and number not in within:
            yield Diagnostic(page.file, number, f"{command} belongs to no figure", FORM)
