# SPDX-License-Identifier: BSL-1.0
"""Quotation marks and apostrophes of prose as a printer sets them; code and formulas keep theirs."""

import html
import re

KEPT = re.compile(r"<(?P<element>script|style|pre|code|tt|svg|textarea|title)\b.*?</(?P=element)>"
                  r'|<div class="fragment">.*?</div><!-- fragment -->'
                  r"|\\\(.*?\\\)|\\\[.*?\\\]|\\begin\{(?P<name>\w+\*?)\}.*?\\end\{(?P=name)\}"
                  r"|<!--.*?-->|<(?P<tag>/?\w+)[^>]*>", re.DOTALL)
"""What is not prose: code, formulas, comments, tags."""
BLOCKS = {"p", "div", "li", "td", "th", "tr", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "summary",
          "br", "table", "ul", "ol", "details", "option", "button"}
"""Tags at which a text begins anew."""
MARK = re.compile(r"&quot;|\"|&#39;|&#x27;|'")
OPENING = " \t\n\u00a0\u2003([{/—–“‘"
"""What stands before an opening mark."""


def curled(page: str) -> str:
    """A page whose straight quotation marks have turned to the side on which they stand."""
    parts = []
    done, before = 0, ""
    for kept in KEPT.finditer(page):
        text, before = _curl(page[done:kept.start()], before)
        parts += [text, kept.group()]
        done = kept.end()
        if kept["tag"]:
            before = "" if kept["tag"].strip("/").lower() in BLOCKS else before
        elif not kept.group().startswith("<!--"):
            before = "x"  # code or a formula: a mark behind it closes
    return "".join([*parts, _curl(page[done:], before)[0]])


def _curl(text: str, before: str) -> tuple[str, str]:
    """Some prose with its marks set, and its last character; `before` is the character before it."""
    def mark(match: re.Match[str]) -> str:
        left = html.unescape(text[max(0, match.start() - 8):match.start()])[-1:] or before
        opens = not left or left in OPENING
        double = match.group() in ('"', "&quot;")
        if double:
            return "“" if opens else "”"
        return "‘" if opens and text[match.end():match.end() + 1].isalpha() else "’"
    return MARK.sub(mark, text), html.unescape(text[-8:])[-1:] or before
