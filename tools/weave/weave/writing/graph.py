"""Graphs of claims: an arrow goes from a claim to those whose proofs rest on it.

The graph of all claims has a row of boxes for each chapter; docs/theme/graph.js draws the arrows of a box that a reader
points at. Graphviz draws the graph of a chapter. Colours are the style sheet's: every box has the class badge-WORD of
its verdict, so a graph is light or dark as its page is.
"""

import html
import re
import subprocess
import textwrap
from collections.abc import Iterable

from weave.base.elements import Markup, tag
from weave.reading.book import Book
from weave.reading.pages import Claim, Page
from weave.record.verdicts import Verdict
from weave.writing.markup import css, html_block

LABEL_WIDTH = 23
"""Characters in a line of a label; keeps the graph narrow."""
FONT_POINTS = 11
"""Of a label at its natural size; 14.7 of a browser's pixels."""
OTHER = "other"
"""Marks a box of a chapter's graph that stands for a claim of another chapter."""
TITLE = re.compile(r"<title>[^<]*</title>\n")


def graph_block(book: Book) -> str:
    """All claims as boxes, one row a chapter in reading order, and the same as a list."""
    chapters = [chapter for chapter in book.chapters if chapter.claims]
    rows = _lines(_row(book, chapter) for chapter in chapters)
    lists = _lines(tag("h2", chapter.title) + "\n" + _list(book, chapter) for chapter in chapters)
    return html_block("\n".join([
        tag("div", tag("ol", rows), class_="claim-graph"),
        tag("details", tag("summary", "The same as a list"), lists, class_="graph-list"),
        tag("script", src="graph.js", defer="defer")]))


def chapter_dot(book: Book, chapter: Page) -> str:
    """The claims of a chapter, and those of others that they rest on or that rest on them."""
    own = {claim.name for claim in chapter.claims}
    near = {name for name, claim in book.claims.items()
            if name not in own and (own & set(claim.uses) or any(name in book.claims[mine].uses for mine in own))}
    lines = _head("rankdir=LR, ranksep=0.3")
    lines += [_box(book, claim, OTHER if name in near else "")
              for name, claim in book.claims.items() if name in own | near]
    lines += [arrow for name, claim in book.claims.items() if name in own | near
              for arrow in _arrows(claim, own if name in near else own | near)]
    return "\n".join([*lines, "}", ""])


def chapter_graph(book: Book, chapter: Page) -> str:
    """A chapter's claims and what they rest on, at its end; empty if there is nothing to draw."""
    if not any(_neighbours(book, claim) for claim in chapter.claims):
        return ""
    seen = f"The claims of {chapter.title} and their neighbours in other chapters, as boxes with arrows"
    return "\n\n".join([
        f'<h1 id="{chapter.anchor}-graph">What rests on what</h1>',
        "An arrow leads from a claim to those whose proofs use it; boxes with a broken frame are claims of "
        "other chapters. "
        r'The page \ref graph has the whole graph.',
        html_block(f'<div class="dotgraph chapter-graph">{_drawn(chapter_dot(book, chapter), seen)}</div>\n'
                   f'<div class="graph-list">\n{_list(book, chapter)}\n</div>')])


def _row(book: Book, chapter: Page) -> str:
    """A chapter's title and the boxes of its claims."""
    boxes = _lines(tag("li", _node(book, claim)) for claim in chapter.claims)
    return tag("li", tag("a", chapter.title, class_="chapter", href=f"{chapter.anchor}.html"), tag("ul", boxes))


def _node(book: Book, claim: Claim) -> Markup:
    """The box of a claim, which tells the script on which others its proof rests."""
    verdict = book.verdicts[claim.name]
    return tag("a", _shown(verdict, claim), class_=f"node badge-{css(verdict.shown)}",
               href=f"{claim.stem}.html#{claim.name}", data_name=claim.name, data_uses=" ".join(claim.uses))


def _lines(parts: Iterable[str]) -> Markup:
    """Elements, each on lines of its own."""
    return Markup("".join(f"\n{part}" for part in parts) + "\n")


def _head(layout: str) -> list[str]:
    return ["digraph claims {",
            f'  graph [{layout}, bgcolor="transparent", nodesep=0.12, fontname="Helvetica", fontsize=12];',
            f'  node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize={FONT_POINTS}, '
            f'margin="0.10,0.05"];',
            "  edge [arrowsize=0.6];"]


def _box(book: Book, claim: Claim, also: str = "") -> str:
    verdict = book.verdicts[claim.name]
    title = "\\n".join(_quoted(line) for line in textwrap.wrap(claim.title, LABEL_WIDTH))
    return (f'    {claim.name} [label="{verdict.label}\\n{title}", URL="{claim.stem}.html#{claim.name}", '
            f'tooltip="{_quoted(claim.title)}: {verdict.shown}", '
            f'class="badge-{css(verdict.shown)}{" " + also if also else ""}"];')


def _arrows(claim: Claim, others: set[str]) -> list[str]:
    """The arrows to a claim from those of the others that it rests on."""
    return [f"  {used} -> {claim.name};" for used in claim.uses if used in others]


def _drawn(source: str, seen: str) -> str:
    drawn = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, text=True, check=True).stdout
    drawn = re.sub(r' (fill|stroke)="(?!none|transparent)[^"]*"', "", drawn[drawn.index("<svg"):])  # the style sheet's
    drawn = re.sub(r' id="[^"]*"', "", TITLE.sub("", drawn))
    return drawn.replace("<svg ", f'<svg role="group" aria-label="{html.escape(seen)}" ', 1)


def _neighbours(book: Book, claim: Claim) -> tuple[list[str], list[str]] | None:
    rests, used = list(claim.uses), book.users_of(claim)
    return (rests, used) if rests or used else None


def _list(book: Book, chapter: Page) -> str:
    """The claims that each claim of a chapter rests on, and those that rest on it."""
    items = []
    for claim in chapter.claims:
        rests, used = _neighbours(book, claim) or ([], [])
        parts = [f"<br/>{word} {', '.join(_link(book, name) for name in names)}"
                 for word, names in (("rests on", rests), ("used by", used)) if names]
        items.append(f"<li>{_link(book, claim.name)}{''.join(parts) or '<br/>stands alone'}</li>")
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def _link(book: Book, name: str) -> str:
    claim, verdict = book.claims[name], book.verdicts[name]
    return tag("a", _shown(verdict, claim), class_=f"claim-{css(verdict.shown)}", href=f"{claim.stem}.html#{name}")


def _shown(verdict: Verdict, claim: Claim) -> str:
    """The glyph of a verdict and the title of its claim."""
    return f"{verdict.label.split()[0]} {claim.title}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
