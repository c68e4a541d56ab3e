# SPDX-License-Identifier: BSL-1.0
"""What a reader can take from a claim's title line: its statement, its citation, its link.

The page carries them as data; docs/theme/claim-tools.js makes the buttons. Without scripts there is the citation.
"""

import html
import json

from weave.base.elements import data_script
from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.writing import citation
from weave.writing.statement import forms


def tools(book: Book, claim: Claim) -> str:
    """The tools of a claim, for the line below its heading."""
    bibtex = citation.of_claim(book, claim)
    data = json.dumps({"name": claim.name, "bibtex": f"{bibtex}\n", **forms(book, claim)}, ensure_ascii=False,
                      separators=(",", ":"))
    shown = html.escape(bibtex, quote=False)
    return (f'\\htmlonly {data_script(data, class_="claim-tools")}'
            '<noscript><details class="cite"><summary>Cite this claim</summary>'
            f"<pre>{shown}</pre></details></noscript>\\endhtmlonly")
