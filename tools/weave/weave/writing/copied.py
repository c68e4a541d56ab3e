# SPDX-License-Identifier: BSL-1.0
"""What readers can copy, as data in the page, of which docs/theme/claim-tools.js makes buttons.

Without scripts there is the citation.
"""

import html
import json

SAFE = {"\\": "\\u005c", "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "@": "\\u0040", "$": "\\u0024"}
"""In JSON within HTML nothing may look like markup, of HTML, of Doxygen or of formulas."""


def copied(name: str, link: str, bibtex: str, **statement: str) -> str:
    """HTML with the link and the citation of what has a name, and with its statement, if it has one, in each form."""
    data = json.dumps({"name": name, "link": link, "bibtex": f"{bibtex}\n", **statement}, ensure_ascii=False,
                      separators=(",", ":"))
    for sign, code in SAFE.items():
        data = data.replace("\\\\" if sign == "\\" else sign, code)
    return (f'<script type="application/json" class="claim-tools">{data}</script>'
            f'<noscript><details class="cite"><summary>Cite {html.escape(name)}</summary>'
            f"<pre>{html.escape(bibtex, quote=False)}</pre></details></noscript>")
