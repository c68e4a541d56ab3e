# SPDX-License-Identifier: BSL-1.0
"""How to cite a claim."""

import html
import re

from book import Book
from pages import Claim

FIELD = re.compile(r"^(title|version|date-released|url|repository-code):\s*[\"']?([^\"'\n]+)",
                   re.MULTILINE)


def fold(book: Book, claim: Claim) -> str:
    """A folded BibTeX entry for a claim, with what CITATION.cff says of the whole."""
    chapter = book.chapter_of(claim)
    bibtex = _bibtex(book, f"sqrtdk:{claim.name}", claim.title,
                     f"sqrtdk, chapter ``{chapter.title}'', claim {claim.name} ({chapter.anchor}.html\\#{claim.name})")
    return ('\\htmlonly[block]\n<details class="cite"><summary>Cite this claim</summary>\n'
            f"{bibtex}</details>\n\\endhtmlonly")


def of_book(book: Book) -> str:
    """The BibTeX entry for the whole."""
    title = _facts(book).get("title", "sqrtdk")
    return f"\\htmlonly[block]\n{_bibtex(book, 'sqrtdk', title, '')}\n\\endhtmlonly"


def _facts(book: Book) -> dict[str, str]:
    file = book.root / "CITATION.cff"
    return dict(FIELD.findall(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def _bibtex(book: Book, key: str, title: str, place: str) -> str:
    facts = _facts(book)
    entry = {
        "title": title,
        "author": "{The sqrtdk authors}",
        "howpublished": place,
        "year": facts.get("date-released", "")[:4],
        "url": facts.get("url", facts.get("repository-code", "")),
        "note": f"Version {facts['version']}" if "version" in facts else "",
    }
    lines = [f"  {field:<12} = {{{value}}}" for field, value in entry.items() if value]
    bibtex = f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"
    return f"<pre>{html.escape(bibtex, quote=False)}</pre>"
