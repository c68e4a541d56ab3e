# SPDX-License-Identifier: BSL-1.0
"""How to cite a claim."""

import html
import re

from book import Book
from pages import Claim

FIELD = re.compile(r"^(version|date-released|url|repository-code):\s*[\"']?([^\"'\n]+)",
                   re.MULTILINE)


def fold(book: Book, claim: Claim) -> str:
    """A folded BibTeX entry for a claim, with what CITATION.cff says of the whole."""
    file = book.root / "CITATION.cff"
    facts = dict(FIELD.findall(file.read_text(encoding="utf-8"))) if file.is_file() else {}
    chapter = book.chapter_of(claim)
    entry = {
        "title": claim.title,
        "author": "{The sqrtdk authors}",
        "howpublished": f"sqrtdk, chapter ``{chapter.title}'', "
                        f"claim {claim.name} ({chapter.anchor}.html\\#{claim.name})",
        "year": facts.get("date-released", "")[:4],
        "url": facts.get("url", facts.get("repository-code", "")),
        "note": f"Version {facts['version']}" if "version" in facts else "",
    }
    lines = [f"  {key:<12} = {{{value}}}" for key, value in entry.items() if value]
    bibtex = f"@misc{{sqrtdk:{claim.name},\n" + ",\n".join(lines) + "\n}"
    return ('\\htmlonly[block]\n<details class="cite"><summary>Cite this claim</summary>\n'
            f"<pre>{html.escape(bibtex, quote=False)}</pre></details>\n\\endhtmlonly")
