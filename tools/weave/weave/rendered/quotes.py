"""Quotation marks and apostrophes of prose as a printer sets them; code and formulas keep theirs."""

import re

from lxml import etree

from weave.rendered.tree import Element

KEPT = {"script", "style", "pre", "code", "tt", "svg", "textarea", "title"}
"""Elements whose text is not prose."""
BLOCKS = {"p", "div", "li", "td", "th", "tr", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "summary",
          "br", "table", "ul", "ol", "details", "option", "button"}
"""Elements at which a text begins anew."""
MARK = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]|\\begin\{(?P<name>\w+\*?)\}.*?\\end\{(?P=name)\}|[\"']", re.DOTALL)
"""A mark; or a formula, which is passed over."""
OPENING = " \t\n\u00a0\u2003([{/—–“‘"
"""The signs that stand before an opening mark."""


def curl(root: Element) -> None:
    """Turn the straight quotation marks of some prose to the side on which they stand."""
    before = ""
    steps = etree.iterwalk(root, events=("start", "end", "comment"))
    for event, element in steps:
        code = element.tag in KEPT or element.get("class") == "fragment"
        if event != "comment":
            before = "" if element.tag in BLOCKS else "x" if code else before  # behind code a mark closes
        if event != "start":
            element.tail, before = _curled(element.tail, before)
        elif code:
            steps.skip_subtree()
        else:
            element.text, before = _curled(element.text, before)


def _curled(text: str | None, before: str) -> tuple[str, str]:
    """Some prose with its marks set, and its last character; `before` is the character before it."""
    prose = text or ""

    def mark(match: re.Match[str]) -> str:
        if len(match.group()) > 1:
            return match.group()
        opens = (prose[:match.start()] or before)[-1:] in OPENING
        if match.group() == '"':
            return "“" if opens else "”"
        return "‘" if opens and prose[match.end():match.end() + 1].isalpha() else "’"
    return MARK.sub(mark, prose), prose[-1:] or before
