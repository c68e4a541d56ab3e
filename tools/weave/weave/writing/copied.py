"""The text that readers can copy, as data in the page, of which docs/theme/claim-tools.js makes buttons.

Without scripts there is the citation.
"""

import html
import json

from weave.base.elements import data_script


def copied(name: str, link: str, bibtex: str, latex: str = "") -> str:
    """HTML with the link and the citation of what has a name, and with its statement in LaTeX, if it has one."""
    data = json.dumps({"name": name, "link": link, "bibtex": f"{bibtex}\n", "latex": latex}, ensure_ascii=False,
                      separators=(",", ":"))
    return (data_script(data, class_="claim-tools") +
            f'<noscript><details class="cite"><summary>Cite {html.escape(name)}</summary>'
            f"<pre>{html.escape(bibtex, quote=False)}</pre></details></noscript>")
