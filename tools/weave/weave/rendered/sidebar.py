"""The sidebar: the contents of the book beside every page, with the claims of the chapter that is open.

Its groups and their order are the lists below "Contents" on the first page. So they stand in one place, and a page that
is not in them (an author's README) is not in the sidebar either.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.html.builder import E

from weave.record.claims import ClaimData
from weave.rendered.headings import TITLE
from weave.rendered.tree import Element, first, plain

ITEMS = ("//*[@id='contents'][1]/following::*[self::ol or self::ul or self::li or self::h1 or self::h2 or self::h3"
         " or self::p[b][starts-with(normalize-space(), normalize-space(b))]]")
"""The parts of the contents on the first page: headings and bold words name groups of lists."""
PAGE = re.compile(r"[\w-]+\.html")
LIBRARY = "Library"
"""The group that ends with Doxygen's own lists. Its page leads to those of chapters and folders."""
REFERENCE = "reference.html"
EXERCISES = "exercises-"
"""The names of pages of exercises begin so; then comes the name of the chapter that they are shown below."""
GROUPS = re.compile(r"(group__|namespace|modules).*")
LISTS = (("Classes", "annotated.html", re.compile(r"(class|struct|union|concept|functions).*")),
         ("Files", "files.html", re.compile(r"(dir_|globals).*|.*_8[hc]pp(_source)?\.html")))
"""Doxygen's lists: a page of a thing that they list belongs to them."""


@dataclass
class Entry:
    """A page of the book in its contents; a chapter has a number and claims."""

    file: str
    title: str
    number: int = 0
    children: list["Entry"] = field(default_factory=list)
    claims: list[ClaimData] = field(default_factory=list)


@dataclass
class Contents:
    """The contents of the sidebar, by the names of groups, and the place of a page in it."""

    groups: dict[str, list[Entry]]

    def entries(self) -> list[Entry]:
        """All pages of the book, each before those below it."""
        return [one for group in self.groups.values() for entry in group for one in [entry, *entry.children]]

    def entry(self, file: str) -> Entry | None:
        """The page of a name, if it is in the contents."""
        return next((entry for entry in self.entries() if entry.file == file), None)


def read_contents(pages: dict[str, Element], claims: list[ClaimData]) -> Contents:
    """The lists of the first page, and the pages below what they name, out of the pages that Doxygen wrote."""
    titles = {file: plain(title) for file, page in pages.items() if (title := first(page, TITLE)) is not None}
    groups: dict[str, list[Entry]] = {}
    numbered, number, name = False, 0, ""
    for item in pages["index.html"].xpath(ITEMS) if "index.html" in pages else []:
        if item.tag in ("ol", "ul"):
            numbered = item.tag == "ol"
        elif item.tag != "li":
            name = plain(item.find("b") if item.tag == "p" else item)
        elif name and (file := _page_of(item)):
            number += numbered
            own = [claim for claim in claims if f"{claim['chapter']}.html" == file]
            entry = Entry(file, titles.get(file, file), number * numbered, claims=own)
            groups.setdefault(name, []).append(entry)
    contents = Contents(groups)
    listed = {entry.file for entry in contents.entries()}
    for entry in contents.entries():
        below = dict.fromkeys(_pages_below(pages[entry.file]) if entry.file in pages else ())
        for file in below:
            if file in titles and file not in listed:
                chapter = file.removeprefix(EXERCISES).replace("-", "_") if file.startswith(EXERCISES) else ""
                (contents.entry(chapter) or entry).children.append(Entry(file, titles[file]))
    return contents


def _page_of(item: Element) -> str:
    """The page that an item of a list begins with a link to."""
    for _ in range(2):  # the item, or a paragraph in it
        if (item.text or "").strip() or item.find("*") is None:
            break
        item = item.find("*")
        if item.get("class") == "el" and PAGE.fullmatch(item.get("href", "")):
            return str(item.get("href"))
    return ""


def _pages_below(page: Element) -> Iterator[str]:
    """The pages that a page lists by items that are nothing but a link: they stand below it."""
    for item in page.iter("li"):
        if (file := _page_of(item)) and plain(item) == plain(first(item, ".//a")):
            yield file


def sidebar(contents: Contents, file: str, files: set[str]) -> Element:
    """The sidebar as it stands beside the page `file` of a book of `files`."""
    nav = E.nav({"id": "side-nav", "aria-label": "Contents of the book"})
    for name, group in contents.groups.items():
        items = [_entry(entry, file, alone=len(group) == 1) for entry in group]
        if name == LIBRARY:
            items += [E.li(_link(page, title, here=page == file, within=bool(pages.fullmatch(file))))
                      for title, page, pages in LISTS if page in files]
        _add(nav, name, items)
    return nav


def _add(nav: Element, name: str, items: list[Element]) -> None:
    anchor = f"nav-group-{len(nav) // 2}"
    nav.extend([E.p(name, id=anchor), E.ul({"aria-labelledby": anchor}, *items)])


def _entry(entry: Entry, file: str, alone: bool) -> Element:
    """A page; the one that is open has its claims below it, and the pages below it are shown within it."""
    within = (any(child.file == file for child in entry.children)
              or entry.file == REFERENCE and GROUPS.fullmatch(file) is not None)
    here = entry.file == file
    item = E.li(_link(entry.file, entry.title, here, within, entry.number))
    if here and entry.claims:
        item.append(E.ol({"class": "nav-claims", "aria-label": "Claims of this chapter"}, *map(_claim, entry.claims)))
    if entry.children and (here or within or alone):
        item.append(E.ul(*(E.li(_link(child.file, child.title, child.file == file)) for child in entry.children)))
    return item


def _claim(claim: ClaimData) -> Element:
    word = claim["level"] or claim["status"]
    style = word.replace(" ", "-")
    glyph = E.span(claim["glyph"], {"class": f"glyph badge-{style}", "title": word, "aria-hidden": "true"})
    said = E.span(f"{word}: ", {"class": "visually-hidden"})
    return E.li({"class": f"claim-{style}"}, E.a(glyph, " ", said, claim["title"], href=f"#{claim['id']}"))


def _link(file: str, title: str, here: bool, within: bool = False, number: int = 0) -> Element:
    """A link to a page, which is open, or has the page within it that is."""
    link = E.a(*([E.span(str(number), {"class": "number"}), " "] if number else []), title, href=file)
    if here:
        link.set("aria-current", "page")
    elif within:
        link.set("class", "within")
    return link
