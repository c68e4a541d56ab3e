"""The finished book: each page that Doxygen wrote is parsed once, changed as a tree, and written once."""

import json
from pathlib import Path

from weave.base.files import write_whole
from weave.drawing.scripts import palette
from weave.record.claims import ClaimData
from weave.record.results import FAILED
from weave.rendered.copies import drop_copies
from weave.rendered.deck import ALONE, stand_alone
from weave.rendered.drawings import draw_in
from weave.rendered.files import pages
from weave.rendered.frame import label_cards, number_on, open_trees, place, set_prose, surround
from weave.rendered.glance import at_a_glance
from weave.rendered.headings import nest
from weave.rendered.known import identify, sitemap
from weave.rendered.links import mend, overloaded
from weave.rendered.sidebar import Contents, read_contents
from weave.rendered.tree import Element, parsed, written

UNUSED = ("jquery.js", "dynsections.js", "tabs.css", "bc_s.png", "bdwn.png", "closed.png", "open.png", "nav_f.png",
          "nav_g.png", "nav_h.png", "splitbar.png", "sync_off.png", "sync_on.png", "tab_a.png", "tab_b.png",
          "tab_h.png", "tab_s.png")
"""The files that Doxygen copies whether or not a page asks for them."""


def finish(directory: Path, common: Path, claims: Path, revision: dict[str, str]) -> str:
    """Finish every page of the book in `directory`; what was done, in words."""
    trees = {path.name: parsed(path.read_text(encoding="utf-8")) for path in pages(directory, "html")}
    known: list[ClaimData] = json.loads(claims.read_text(encoding="utf-8"))
    contents, names = read_contents(trees, known), overloaded(trees.values())
    colours = palette(common.read_text(encoding="utf-8"))
    drawings = removed = 0
    for name, page in trees.items():
        drop_copies(page)
        drop_repeated_ids(page)
        removed += mend(page, names)
        drawings += draw_in(page, directory, colours)
        if name in ALONE:
            stand_alone(page, name, directory, revision)
        else:
            frame(page, name, contents, set(trees))
        warn(page, {claim["id"] for claim in known if claim["status"] == FAILED})
        identify(page, name, revision)
        write_whole(directory / name, written(page))
    for figure in {name for page in trees.values() for name in page.xpath("//figure/@data-movable")}:
        (directory / f"{figure}.json").unlink()  # each page has its own copy
    if revision.get("address"):
        write_whole(directory / "sitemap.xml", sitemap(revision["address"], trees))
    for name in UNUSED:
        (directory / name).unlink(missing_ok=True)
    return f"{len(trees)} pages with {drawings} drawings; {removed} links in code that could mislead removed"


def frame(page: Element, file: str, contents: Contents, files: set[str]) -> None:
    """Give a page its headings, its prose, its tables, and what surrounds them."""
    nest(page)
    at_a_glance(page)
    set_prose(page)
    number_on(page)
    label_cards(page)
    open_trees(page)
    place(page, file, contents)
    surround(page, file, contents, files)


def drop_repeated_ids(page: Element) -> None:
    """Doxygen names a function that is related to a class twice in its group: keep the name where it is explained."""
    anchors = page.xpath("//a[@id and @name]")
    anchors.sort(key=lambda anchor: anchor.getparent().tag == "td")  # in a list of functions
    seen: set[str] = set()
    for anchor in anchors:
        name = anchor.get("id")
        if name in seen:
            anchor.drop_tag()
        seen.add(name)
    for row in page.xpath("//tr[@id]"):  # of Doxygen 1.9.8
        name = row.get("id")
        if name in seen:
            del row.attrib["id"]
        seen.add(name)


def warn(page: Element, failed: set[str]) -> None:
    """Let links to claims that failed say so."""
    for link in page.xpath("//a[@class='el']"):
        if link.get("href").partition("#")[2] in failed:
            link.set("class", "el claim-failed")
