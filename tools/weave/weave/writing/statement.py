r"""A claim's statement as others can use it: Markdown, LaTeX or plain text, without the book's commands.

The statement is a few blocks: paragraphs, displayed formulas, lists and tables. Each form writes the blocks its own
way.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from weave.base.tex import latex_text, readable
from weave.reading.book import Book
from weave.reading.pages import STATEMENT, Claim
from weave.writing.macros import expand
from weave.writing.markup import JOINER

INLINE = re.compile(r"\\f\$(?P<formula>.*?)\\f\$|`(?P<code>[^`]+)`|<b>(?P<b>.*?)</b>|\*\*(?P<bold>.+?)\*\*"
                    r"|\*(?P<italic>.+?)\*|\s*\\cite\s+\w+"
                    r'|\\ref\s+(?P<name>[\w-]+)(?:\s+"(?P<words>[^"]*)")?(?P<space>\s+(?=[.,;:)]))?', re.DOTALL)
ITEM = re.compile(r"(?P<mark>\d+\.|[-*])\s+(?P<text>.*)")
DISPLAY = re.compile(r"\\f\[(.*?)\\f\]", re.DOTALL)
ESCAPED = re.compile(r"\\([\\@#%*_`~$&<>\"\[\]])")
ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"'}


@dataclass
class Block:
    """A paragraph, a formula, a table, or a list of blocks."""

    kind: str
    text: str = ""
    rows: list[list[str]] = field(default_factory=list)
    items: list[list["Block"]] = field(default_factory=list)
    ordered: bool = False


@dataclass
class Form:
    """One form of a statement: the text within a line, and what has lines of its own."""

    text: Callable[[str], str]
    formula: Callable[[str], str]
    code: Callable[[str], str]
    bold: Callable[[str], str]
    italic: Callable[[str], str]
    link: Callable[[str, str], str]
    """Words, and where they lead."""
    display: Callable[[str], str]
    """A formula on lines of its own."""
    table: Callable[[list[list[str]]], str]
    """Rows of cells, of which the first are the heads."""
    listed: Callable[[list[list[str]], bool], str]
    """Items, each some blocks, and whether they have numbers."""


def forms(book: Book, claim: Claim) -> dict[str, str]:
    """The statement of a claim in each form, by the name of the form."""
    blocks = _blocks(_source(book, claim))
    places = _places(book)
    title = claim.title if claim.title.endswith("?") else f"{claim.title}."

    def written(form: Form, before: str = "") -> str:
        return "\n\n".join([before + form.bold(_inline(title, form, {})), *_written(blocks, form, places)]) + "\n"

    return {"latex": written(LATEX, f"% {claim.name}; needs \\usepackage{{amsmath,amssymb}}\n"),
            "markdown": written(MARKDOWN), "text": written(TEXT)}


def _written(blocks: list[Block], form: Form, places: dict[str, tuple[str, str]]) -> list[str]:
    """Blocks in one form."""
    parts = []
    for block in blocks:
        if block.kind == "paragraph":
            parts.append(_inline(block.text, form, places))
        elif block.kind == "formula":
            parts.append(form.display(block.text))
        elif block.kind == "table":
            parts.append(form.table([[_inline(cell, form, places) for cell in row] for row in block.rows]))
        else:
            parts.append(form.listed([_written(item, form, places) for item in block.items], block.ordered))
    return parts


def _source(book: Book, claim: Claim) -> list[str]:
    """The lines below the heading of the statement, with the numbers of the run."""
    page = book.chapter_of(claim)
    lines = [expand(book, page.lines[number - 1]) for number in claim.parts[STATEMENT]]
    lines = [line.replace(JOINER, "") for line in lines]  # of Doxygen alone
    return [line for line in lines if not re.fullmatch(r"###\s+" + STATEMENT, line)]


def _places(book: Book) -> dict[str, tuple[str, str]]:
    """The name of every anchor of the book, and its address."""
    places: dict[str, tuple[str, str]] = {}
    for page in book.chapters + book.pages:
        for _, heading in page.headings:
            if heading[3]:
                anchor = f"#{heading[3]}" if heading[3] != page.anchor else ""
                places.setdefault(heading[3], (heading[2], book.address_of(f"{page.url}{anchor}")))
    return places


def _blocks(lines: list[str]) -> list[Block]:
    """Lines of Markdown as blocks; a list holds the lines that are indented below its items."""
    blocks: list[Block] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        item = ITEM.match(line)
        taken = [line]
        number += 1
        if not line.strip():
            continue
        if line.lstrip().startswith(r"\f["):
            while r"\f]" not in taken[-1] and number < len(lines):
                taken.append(lines[number])
                number += 1
            formula, rest = "\n".join(taken).lstrip()[3:].split(r"\f]", 1)
            blocks.append(Block("formula", formula.strip()))
            if rest.strip():
                lines[number:number] = [rest.strip()]
        elif line.startswith("|"):
            while number < len(lines) and lines[number].startswith("|"):
                taken.append(lines[number])
                number += 1
            rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in taken]
            blocks.append(Block("table", rows=[rows[0], *rows[2:]]))
        elif item:
            within = [item["text"]]
            while number < len(lines) and (not lines[number].strip() or lines[number].startswith(" ")):
                indent = len(lines[number]) - len(lines[number].lstrip())
                within.append(lines[number][min(len(item["mark"]) + 1, indent):])
                number += 1
            ordered = item["mark"][0].isdigit()
            if not blocks or blocks[-1].kind != "list" or blocks[-1].ordered != ordered:
                blocks.append(Block("list", ordered=ordered))
            blocks[-1].items.append(_blocks(within))
        else:
            while (number < len(lines) and lines[number].strip()
                   and not lines[number].lstrip().startswith((r"\f[", "|"))
                   and not ITEM.match(lines[number])):
                taken.append(lines[number])
                number += 1
            blocks.append(Block("paragraph", " ".join(part.strip() for part in taken)))
    return blocks


def _inline(text: str, form: Form, places: dict[str, tuple[str, str]]) -> str:
    """The text within a line, in one form."""
    parts = []
    done = 0
    for found in INLINE.finditer(text):
        parts.append(form.text(_plain(text[done:found.start()])))
        done = found.end()
        if found["formula"] is not None:
            parts.append(form.formula(found["formula"].strip()))
        elif found["code"]:
            parts.append(form.code(found["code"]))
        elif found["bold"] or found["b"]:
            parts.append(form.bold(_inline(found["bold"] or found["b"], form, places)))
        elif found["italic"]:
            parts.append(form.italic(_inline(found["italic"], form, places)))
        elif found["name"]:
            title, url = places.get(found["name"], (found["name"], ""))
            parts.append(form.link(_inline(found["words"] or title, form, {}), url))
    return "".join([*parts, form.text(_plain(text[done:]))])


def _plain(text: str) -> str:
    """Text without what escapes it."""
    for entity, sign in ENTITIES.items():
        text = text.replace(entity, sign)
    return ESCAPED.sub(r"\1", text)


# ---- Markdown ----

def _markdown_table(rows: list[list[str]]) -> str:
    head, *others = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *others])


def _markdown_list(items: list[list[str]], ordered: bool) -> str:
    written = []
    for number, item in enumerate(items, start=1):
        mark = f"{number}. " if ordered else "- "
        indent = "\n" + " " * len(mark)
        written.append(mark + indent.join("\n\n".join(item).split("\n")).replace(f"{indent}\n", "\n\n"))
    return "\n".join(written)


MARKDOWN = Form(text=lambda text: text, formula=lambda tex: f"${tex}$", code=lambda text: f"`{text}`",
                bold=lambda text: f"**{text}**", italic=lambda text: f"*{text}*",
                link=lambda words, url: f"[{words}]({url})" if url else words,
                display=lambda tex: f"$$\n{tex}\n$$", table=_markdown_table, listed=_markdown_list)


# ---- LaTeX ----

def _latex_table(rows: list[list[str]]) -> str:
    head, *others = [_guarded(" & ".join(row)) + r" \\" for row in rows]
    columns = "l" * len(rows[0])
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", head, r"\hline", *others, r"\end{tabular}"])


def _latex_list(items: list[list[str]], ordered: bool) -> str:
    name = "enumerate" if ordered else "itemize"
    written = [r"\item " + _guarded("\n".join(item)) for item in items]
    return "\n".join([rf"\begin{{{name}}}", *written, rf"\end{{{name}}}"])


def _guarded(text: str) -> str:
    r"""Text that begins with a bracket, which \\ and \item before it would take for their own."""
    return f"{{}}{text}" if text.startswith("[") else text


def _quoted(text: str) -> str:
    """Text whose straight quotation marks are turned to their side."""
    return re.sub(r'"', "”", re.sub(r'(?<!\S)"|(?<=[(\[])"', "“", text))


LATEX = Form(text=lambda text: latex_text(_quoted(text)), formula=lambda tex: f"${tex}$",
             code=lambda text: rf"\texttt{{{latex_text(text)}}}", bold=lambda text: rf"\textbf{{{text}}}",
             italic=lambda text: rf"\emph{{{text}}}", link=lambda words, url: rf"\emph{{{words}}}",
             display=lambda tex: f"\\[\n{tex}\n\\]", table=_latex_table, listed=_latex_list)


# ---- text ----

def _text_list(items: list[list[str]], ordered: bool) -> str:
    marks = [f"{number}." if ordered else "-" for number in range(1, len(items) + 1)]
    return "\n".join(f"{mark} " + "\n".join(item).replace("\n", "\n   ") for mark, item in zip(marks, items))


TEXT = Form(text=lambda text: text, formula=readable, code=lambda text: text, bold=lambda text: text,
            italic=lambda text: text, link=lambda words, url: words,
            display=lambda tex: f"    {readable(tex)}",
            table=lambda rows: "\n".join(" | ".join(row) for row in rows), listed=_text_list)
