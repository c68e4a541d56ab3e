# SPDX-License-Identifier: BSL-1.0
"""The graph of claims: an arrow goes from a claim to those whose proofs rest on it."""

import subprocess
import textwrap

from book import Book
from pages import Page

LABEL_WIDTH = 30
"""Characters in a line of a label; keeps the graph narrow."""

COLOURS = {
    "exact": ("#e4f3e9", "#17623a"), "bounded": ("#e0f1f4", "#0d5f6b"),
    "measured": ("#e9f2dc", "#45601a"),
    "statistical": ("#e6ecfa", "#274c9b"), "empirical": ("#f3efd9", "#5a4b12"),
    "cited": ("#eceef0", "#484f58"), "failed": ("#a01622", "#ffffff"),
    "not run": ("#f4f4f2", "#545b64"),
}
"""Fill and ink by word; readable on light and dark pages alike."""


def dot(book: Book) -> str:
    """The graph in Graphviz's language, one cluster a chapter, every claim a link."""
    lines = [
        "digraph claims {",
        '  graph [rankdir=LR, bgcolor="transparent", ranksep=0.4, nodesep=0.1, newrank=true,'
        ' fontname="Helvetica", fontsize=12, fontcolor="#7a828c"];',
        '  node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=11,'
        ' margin="0.10,0.05"];',
        '  edge [color="#8a929c", arrowsize=0.6];',
    ]
    for chapter in book.chapters:
        lines += _cluster(book, chapter)
    for name, claim in book.claims.items():
        lines += [f"  {used} -> {name};" for used in claim.uses]
    return "\n".join([*lines, "}", ""])


def svg(book: Book) -> str:
    """The graph as SVG that can stand inside a page, where its links work and style sheets reach it."""
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot(book), capture_output=True, text=True,
                           check=True).stdout
    return drawn[drawn.index("<svg"):].replace(
        "<svg ", '<svg role="img" aria-label="The claims as boxes, with arrows from each claim to '
                 'those whose proofs rest on it; the table of all claims says the same in text" ', 1)


def _cluster(book: Book, chapter: Page) -> list[str]:
    lines = [f"  subgraph cluster_{chapter.anchor} {{",
             f'    label="{_quoted(chapter.title)}"; URL="{chapter.anchor}.html";',
             '    style=rounded; color="#b5bbc2";']
    for claim in chapter.claims:
        verdict = book.verdicts[claim.name]
        fill, ink = COLOURS[verdict.word]
        title = "\\n".join(_quoted(line) for line in textwrap.wrap(claim.title, LABEL_WIDTH))
        lines.append(f'    {claim.name} [label="{verdict.label}\\n{title}", '
                     f'URL="{claim.stem}.html#{claim.name}", tooltip="{_quoted(claim.title)}: {verdict.word}", '
                     f'fillcolor="{fill}", fontcolor="{ink}", color="{ink}"];')
    return [*lines, "  }"]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
