# SPDX-License-Identifier: BSL-1.0
"""How to cite a claim."""

import html
import re
import unicodedata

from book import Book
from markup import html_block
from pages import Claim

FIELD = re.compile(r"^(title|version|date-released|url|repository-code):\s*[\"']?([^\"'\n]+)",
                   re.MULTILINE)

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
           "\N{MINUS SIGN}": "$-$", "\N{SQUARE ROOT}": r"$\surd$", **{sign: f"\\{sign}" for sign in "#$%&_{}"}}
"""What LaTeX would take for markup or, in its oldest engine, has no sign for."""


def fold(book: Book, claim: Claim) -> str:
    """A folded BibTeX entry for a claim, with what CITATION.cff says of the whole."""
    chapter = book.chapter_of(claim)
    bibtex = _bibtex(book, f"sqrtdk:{claim.name}", claim.title,
                     f"sqrtdk, chapter ``{latex(chapter.title)}'', claim {claim.name} "
                     f"({latex(f'{chapter.anchor}.html#{claim.name}')})")
    return html_block(f'<details class="cite"><summary>Cite this claim</summary>\n{bibtex}</details>')


def of_book(book: Book) -> str:
    """The BibTeX entry for the whole."""
    title = _facts(book).get("title", "sqrtdk")
    return html_block(_bibtex(book, "sqrtdk", title, ""))


def latex(text: str) -> str:
    """A title as LaTeX: formulas stay formulas, other signs stay themselves."""
    formulas = re.split(r"\\f\$(.*?)\\f\$", text)
    return "".join(f"${part}$" if index % 2 else "".join(map(_latex_sign, part)) for index, part in enumerate(formulas))


def _latex_sign(sign: str) -> str:
    raised = {"<super>": "^", "<sub>": "_"}.get(unicodedata.decomposition(sign).partition(" ")[0])
    return f"${raised}{{{unicodedata.normalize('NFKC', sign)}}}$" if raised else SPECIAL.get(sign, sign)


def _facts(book: Book) -> dict[str, str]:
    file = book.root / "CITATION.cff"
    return dict(FIELD.findall(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def _bibtex(book: Book, key: str, title: str, place: str) -> str:
    facts = _facts(book)
    entry = {
        "title": f"{{{latex(title)}}}",  # in braces, because styles make small letters of the others
        "author": "{The sqrtdk authors}",
        "howpublished": place,
        "year": facts.get("date-released", "")[:4],
        "url": facts.get("url", facts.get("repository-code", "")),
        "note": f"Version {facts['version']}" if "version" in facts else "",
    }
    lines = [f"  {field:<12} = {{{value}}}" for field, value in entry.items() if value]
    bibtex = f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"
    return f"<pre>{html.escape(bibtex, quote=False)}</pre>"
