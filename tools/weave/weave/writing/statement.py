r"""A claim's statement in LaTeX, without the book's commands: paragraphs, displayed formulas, lists and tables."""

import re
from dataclasses import dataclass, field

from weave.base.tex import latex_text
from weave.reading.book import Book
from weave.reading.pages import STATEMENT, Claim
from weave.writing.macros import expand
from weave.writing.markup import JOINER

INLINE = re.compile(r"\\f\$(?P<formula>.*?)\\f\$|`(?P<code>[^`]+)`|<(?P<tag>b|em)>(?P<tagged>.*?)</(?P=tag)>"
                    r"|\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|\s*\\cite\s+\w+"
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


def latex(book: Book, claim: Claim) -> str:
    """The statement of a claim, which needs nothing but amsmath and amssymb."""
    titles = {heading[3]: heading[2] for page in [*book.pages, *book.chapters] for _, heading in page.headings}
    title = claim.title if claim.title.endswith("?") else f"{claim.title}."
    blocks = [rf"% {claim.name}; needs \usepackage{{amsmath,amssymb}}" + "\n" + rf"\textbf{{{_inline(title, {})}}}",
              *_written(_blocks(_source(book, claim)), titles)]
    return "\n\n".join(blocks) + "\n"


def _written(blocks: list[Block], titles: dict[str, str]) -> list[str]:
    """Blocks in LaTeX."""
    parts = []
    for block in blocks:
        if block.kind == "paragraph":
            parts.append(_inline(block.text, titles))
        elif block.kind == "formula":
            parts.append(f"\\[\n{block.text}\n\\]")
        elif block.kind == "table":
            parts.append(_table([[_inline(cell, titles) for cell in row] for row in block.rows]))
        else:
            parts.append(_list([_written(item, titles) for item in block.items], block.ordered))
    return parts


def _source(book: Book, claim: Claim) -> list[str]:
    """The lines below the heading of the statement, with the numbers of the run."""
    page = book.chapter_of(claim)
    lines = [expand(book, page.lines[number - 1]) for number in claim.parts[STATEMENT]]
    lines = [line.replace(JOINER, "") for line in lines]  # of Doxygen alone
    return [line for line in lines if not re.fullmatch(r"###\s+" + STATEMENT, line)]


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


def _inline(text: str, titles: dict[str, str]) -> str:
    """The text within a line in LaTeX."""
    parts = []
    done = 0
    for found in INLINE.finditer(text):
        parts.append(_text(text[done:found.start()]))
        done = found.end()
        if found["formula"] is not None:
            parts.append(f"${found['formula'].strip()}$")
        elif found["code"]:
            parts.append(rf"\texttt{{{latex_text(found['code'])}}}")
        elif marked := found["bold"] or found["italic"] or found["tagged"]:
            command = "textbf" if found["bold"] or found["tag"] == "b" else "emph"
            parts.append(rf"\{command}{{{_inline(marked, titles)}}}")
        elif found["name"]:
            parts.append(rf"\emph{{{_inline(found['words'] or titles.get(found['name'], found['name']), titles)}}}")
    return "".join([*parts, _text(text[done:])])


def _text(text: str) -> str:
    """Text without what escapes it in Markdown, with quotation marks that are turned to their side."""
    for entity, sign in ENTITIES.items():
        text = text.replace(entity, sign)
    text = ESCAPED.sub(r"\1", text)
    return latex_text(re.sub(r'"', "”", re.sub(r'(?<!\S)"|(?<=[(\[])"', "“", text)))


def _table(rows: list[list[str]]) -> str:
    head, *others = [_guarded(" & ".join(row)) + r" \\" for row in rows]
    columns = "l" * len(rows[0])
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", head, r"\hline", *others, r"\end{tabular}"])


def _list(items: list[list[str]], ordered: bool) -> str:
    name = "enumerate" if ordered else "itemize"
    written = [r"\item " + _guarded("\n".join(item)) for item in items]
    return "\n".join([rf"\begin{{{name}}}", *written, rf"\end{{{name}}}"])


def _guarded(text: str) -> str:
    r"""Text that begins with a bracket, which \\ and \item before it would take for their own."""
    return f"{{}}{text}" if text.startswith("[") else text
