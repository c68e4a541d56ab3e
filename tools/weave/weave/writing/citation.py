"""Citations of a claim, a figure or the whole."""

import html
import re

from weave.base.tex import latex_text
from weave.reading.book import Book
from weave.reading.figures import Figure
from weave.reading.pages import Claim
from weave.writing.markup import html_block

FIELD = re.compile(r"^(title|version|date-released):\s*[\"']?([^\"'\n]+)", re.MULTILINE)


def of_claim(book: Book, claim: Claim) -> str:
    """The BibTeX entry for a claim, with what CITATION.cff says of the whole."""
    chapter = book.chapter_of(claim)
    return _bibtex(book, f"sqrtdk:{claim.name}", claim.title, f"{chapter.anchor}.html#{claim.name}",
                   f"chapter ``{latex(chapter.title)}'', claim {claim.name}")


def of_figure(book: Book, figure: Figure, takeaway: str) -> str:
    """The BibTeX entry for a figure, of which the name stays and the number may not."""
    title = " ".join(takeaway.split()).removesuffix(".")
    return _bibtex(book, f"sqrtdk:figure-{figure.name}", title, figure.url,
                   f"``{latex(figure.page.title)}'', Figure {figure.number}, {latex(figure.name)}")


def of_book(book: Book) -> str:
    """The BibTeX entry for the whole."""
    title = _facts(book).get("title", "sqrtdk")
    return html_block(f"<pre>{html.escape(_bibtex(book, 'sqrtdk', title), quote=False)}</pre>")


def latex(text: str) -> str:
    """A title as LaTeX: formulas stay formulas, other signs stay themselves."""
    formulas = re.split(r"\\f\$(.*?)\\f\$", text)
    return "".join(f"${part}$" if index % 2 else latex_text(part) for index, part in enumerate(formulas))


def _facts(book: Book) -> dict[str, str]:
    file = book.root / "CITATION.cff"
    return dict(FIELD.findall(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def _bibtex(book: Book, key: str, title: str, place: str = "", within: str = "") -> str:
    """The entry of what stands at a place, which in words is within the book; of the book itself without both."""
    facts = {**_facts(book), **book.revision}
    version, files = facts.get("version"), facts.get("dir", "")
    commit = f"commit {facts['commit']}" if facts.get("commit") else files
    entry = {
        "title": f"{{{latex(title)}}}",  # in braces, because styles make small letters of the others
        "author": "{The sqrtdk authors}",
        "howpublished": f"sqrtdk, {within} ({latex(place)})" if place else "",
        "year": (facts.get("date", "") or facts.get("date-released", ""))[:4],
        "url": book.address_of(place) if facts.get("address") else "",
        "swhid": files,  # of biblatex-software; BibTeX passes over it
        "note": ", ".join(filter(None, (f"Version {version}" if version else "", commit))),
    }
    lines = [f"  {field:<12} = {{{value}}}" for field, value in entry.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"
