"""A page as a tree: read once, changed, written once."""

from pathlib import Path
from typing import Any

from lxml import etree, html

Element = Any
"""An element of lxml, which has no types."""
CASED = {"viewbox": "viewBox"}
"""Names in SVG that lose their capitals where a page is read as HTML."""


def parsed(text: str) -> Element:
    """The root of a page."""
    return _cased(html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8", huge_tree=True)))


def drawing(path: Path) -> Element:
    """The root of a drawing."""
    return _cased(html.fragment_fromstring(path.read_text(encoding="utf-8")))


def _cased(root: Element) -> Element:
    for svg in root.iter("svg"):
        for name in CASED.keys() & svg.keys():
            svg.set(CASED[name], svg.attrib.pop(name))
    return root


def written(page: Element) -> str:
    """A page as text."""
    text: str = etree.tostring(page.getroottree(), method="html", encoding="unicode")
    return f"{text}\n"


def plain(element: Element) -> str:
    """The text of an element that a reader sees."""
    return " ".join(element.text_content().split())


def first(element: Element, path: str) -> Element:
    """The first of what an XPath leads to, or None."""
    return next(iter(element.xpath(path)), None)
