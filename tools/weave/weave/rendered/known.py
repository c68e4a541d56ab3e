"""The facts about a page that others read: its version, description, address and picture; and the map of the book."""

import re
from collections.abc import Iterable
from html import escape

from lxml.html.builder import E

from weave.rendered.frame import OF_BOOK
from weave.rendered.tree import Element, first, plain

SENTENCE = re.compile(r".*?[.?!](?=\s|$)", re.DOTALL)
SHORTEST, LONGEST = 40, 300
"""Characters of a description that nobody wrote."""
PICTURE = "one_query.png"
"""The picture that a link to the book shows elsewhere."""


def identify(page: Element, file: str, revision: dict[str, str]) -> None:
    """Give a page its version, what it says in a sentence, and its one address if the book has an address."""
    for version in page.xpath("//span[@class='version']"):
        version.text = revision.get("version", "")
    title = first(page, "//title")
    name, _, book = title.text.rpartition(" · ")
    facts = [("property", "og:type", "article"), ("property", "og:title", name or book),
             ("property", "og:site_name", book)]
    if said := _description(page):
        facts += [("name", "description", said), ("property", "og:description", said)]
    if base := revision.get("address"):
        address = _address(base, file)
        facts += [("property", "og:url", address), ("property", "og:image", f"{base}/{PICTURE}")]
        title.addnext(E.link(rel="canonical", href=address))
    for kind, key, content in reversed(facts):
        title.addnext(E.meta({kind: key, "content": content}))


def sitemap(base: str, names: Iterable[str]) -> str:
    """The map of the pages at an address, for search engines."""
    places = "\n".join(f"<url><loc>{escape(_address(base, name))}</loc></url>" for name in sorted(names))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            f"{places}\n</urlset>\n")


def _address(base: str, file: str) -> str:
    return f"{base}/{file.removesuffix('index.html')}"


def _description(page: Element) -> str:
    """Its author's description, or else the first sentence of the page that needs no formula."""
    if not (page.xpath(OF_BOOK) or page.xpath("//h1[@class='book-title']")):
        return ""
    if (own := first(page, "//*[@data-description]")) is not None:
        said: str = own.attrib.pop("data-description")
        own.drop_tree()
        return said
    for paragraph in page.xpath("//div[@class='contents']//p[not(@*)]"):
        for sentence in map(str.strip, SENTENCE.findall(plain(paragraph))):
            if not re.search(r"\\\(|\\\[", sentence) and SHORTEST <= len(sentence) <= LONGEST:
                return str(sentence)
    return ""
