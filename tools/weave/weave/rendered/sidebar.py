# SPDX-License-Identifier: BSL-1.0
"""The sidebar: the contents of the book beside every page, with the claims of the chapter that is open.

Its groups and their order are the lists below "Contents" on the first page. So they stand in one place, and a page that
is not in them (an author's README) is not in the sidebar either.
"""

import re
from dataclasses import dataclass, field

from weave.base.elements import Markup, tag
from weave.rendered.headings import TITLE, plain

CONTENTS = re.compile(r'id="contents".*?</div><!-- contents -->', re.DOTALL)
ITEM = re.compile(r"<h[1-6][^>]*>(?P<heading>.*?)</h[1-6]>|<p\s*><b>(?P<group>.*?)</b>|<(?P<list>ol|ul)\b"
                  r'|<li>(?:<p\s*>)?\s*<a class="el" href="(?P<file>[\w-]+\.html)"', re.DOTALL)
CHILD = re.compile(r'<li>(?:<p\s*>)?\s*<a class="el" href="(?P<file>[\w-]+\.html)">[^<]*</a>\s*(?:</p>\s*)?</li>')
"""An entry of a list that is nothing but a link to a page: a page below the one that lists it."""
CLAIM = re.compile(r'<h(?P<level>[12])><a class="anchor" id="(?P<name>[A-Z]\w*)"></a>\s*(?P<title>.*?)</h(?P=level)>\s*'
                   r'<div class="claim-meta">.*?class="badge badge-(?P<word>[\w-]+)"[^>]*>(?P<glyph>\S+) '
                   r'(?P<label>[^<]*)<',
                   re.DOTALL)
LIBRARY = (("Namespaces", "namespaces.html", re.compile(r"namespace(?!s\.html).*")),
           ("Classes", "annotated.html", re.compile(r"(class|struct|union|concept|functions).*")),
           ("Files", "files.html", re.compile(r"(dir_|globals).*|.*_8[hc]pp(_source)?\.html")))
"""Doxygen's own lists: what they list is a page that belongs to them."""


@dataclass(frozen=True)
class Claim:
    """A claim as its chapter's page shows it."""

    name: str
    title: str
    word: str
    glyph: str
    label: str


@dataclass
class Entry:
    """A page of the book in its contents."""

    file: str
    title: str
    number: int = 0
    """Of a chapter."""
    children: list["Entry"] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)


@dataclass
class Group:
    """Entries with a name in common."""

    name: str
    entries: list[Entry] = field(default_factory=list)


@dataclass
class Contents:
    """What the sidebar shows, and where a page stands in it."""

    groups: list[Group]

    def entries(self) -> list[Entry]:
        """All pages of the book, each before those below it."""
        top = [entry for group in self.groups for entry in group.entries]
        return [one for entry in top for one in [entry, *entry.children]]

    def entry(self, file: str) -> Entry | None:
        """The page of a name, if it is in the contents."""
        return next((entry for entry in self.entries() if entry.file == file), None)


def read_contents(pages: dict[str, str]) -> Contents:
    """The lists of the first page, and the pages below what they name, out of the pages that Doxygen wrote."""
    titles = {file: plain(title["text"]) for file, text in pages.items() if (title := TITLE.search(text))}
    lists = CONTENTS.search(pages.get("index.html", ""))
    groups: list[Group] = []
    numbered, number = False, 0
    for item in ITEM.finditer(lists.group() if lists else ""):
        name = item["group"] or item["heading"]
        if name:
            groups.append(Group(plain(name)))
        elif item["list"]:
            numbered = item["list"] == "ol"
        elif groups:
            number += numbered
            groups[-1].entries.append(Entry(item["file"], titles.get(item["file"], item["file"]),
                                            number if numbered else 0))
    contents = Contents([group for group in groups if group.entries])
    listed = {entry.file for entry in contents.entries()}
    for entry in contents.entries():
        below = [file for file in CHILD.findall(pages.get(entry.file, "")) if file in titles and file not in listed]
        entry.children = [Entry(file, titles[file]) for file in dict.fromkeys(below)]
    for entry in contents.entries():
        entry.claims = [Claim(found["name"], plain(found["title"]), found["word"], found["glyph"], found["label"])
                        for found in CLAIM.finditer(pages.get(entry.file, ""))]
    return contents


def sidebar(contents: Contents, file: str, files: set[str]) -> str:
    """The sidebar as it stands beside the page `file` of a book of `files`."""
    parts = ['<nav id="side-nav" aria-label="Contents of the book">']
    for number, group in enumerate(contents.groups):
        parts += _list(group.name, number, [_entry(entry, file, alone=len(group.entries) == 1)
                                            for entry in group.entries])
    library = [tag("li", _link(page, title, here=page == file, within=bool(pages.fullmatch(file))))
               for title, page, pages in LIBRARY if page in files]
    if library:
        parts += _list("Library", len(contents.groups), library)
    return "\n".join([*parts, "</nav>"])


def _list(name: str, number: int, items: list[Markup]) -> list[str]:
    anchor = f"nav-group-{number}"
    return [tag("p", name, id=anchor), f'<ul aria-labelledby="{anchor}">', *items, "</ul>"]


def _entry(entry: Entry, file: str, alone: bool) -> Markup:
    """A page; the one that is open has its claims below it, and the pages below it are shown within it."""
    within = any(child.file == file for child in entry.children)
    here = entry.file == file
    parts = [_link(entry.file, entry.title, here, within, entry.number)]
    if here and entry.claims:
        parts.append(tag("ol", *map(_claim, entry.claims), class_="nav-claims", aria_label="Claims of this chapter"))
    if entry.children and (here or within or alone):
        parts.append(tag("ul", *(tag("li", _link(child.file, child.title, child.file == file))
                                 for child in entry.children)))
    return tag("li", *parts)


def _claim(claim: Claim) -> Markup:
    glyph = tag("span", claim.glyph, class_=f"glyph badge-{claim.word}", title=claim.label, aria_hidden="true")
    said = tag("span", f"{claim.label}: ", class_="visually-hidden")
    return tag("li", tag("a", glyph, " ", said, claim.title, href=f"#{claim.name}"), class_=f"claim-{claim.word}")


def _link(file: str, title: str, here: bool, within: bool = False, number: int = 0) -> Markup:
    """A link to a page, which is open, or has the page within it that is."""
    before = [tag("span", str(number), class_="number"), " "] if number else []
    return tag("a", *before, title, href=file, aria_current="page" if here else "",
               class_="within" if within and not here else "")
