"""Headings of a finished page: levels that nest below its title, and a permanent link on each that has a name.

Doxygen's title is no heading, and the sections of a page begin at <h1>. Here the title is the page's one <h1>, whatever
follows is one level below what it stands under, and the parts of a claim get names of their own: Claim-statement.
"""

import re

from lxml.html.builder import E

from weave.rendered.tree import Element, first, plain

TITLE = "//div[@class='title']"
TITLE_WITHIN = "//div[@class='book-title']"
"""The title of a page that has none in its header: the first page."""
LEVELS = [f"h{level}" for level in range(1, 7)]
UNNAMED = "autotoc_md"
"""Doxygen's names for headings that have no name; they change with every page that is added."""


def nest(page: Element) -> None:
    """Make the title of a page its <h1>, and its headings nest and link to themselves."""
    names = set(page.xpath("//@id"))
    above: list[int] = []  # Doxygen's levels of the headings that the present one stands under
    owner = ""  # the section whose parts have no names of their own
    for heading in list(page.iter(*LEVELS)):
        level = int(heading.tag[1])
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        heading.tag = f"h{len(above) + 1}"
        text, named = plain(heading), first(heading, "descendant-or-self::*[@id]")
        name = named.get("id") if named is not None else ""
        if not name or name.startswith(UNNAMED):
            part = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
            name = f"{owner}-{part}"
            if not owner or not part or name in names:
                continue
            (heading if named is None else named).set("id", name)
            names.add(name)
        elif len(above) == 1 or not owner or name[0].isupper():
            owner = name
        heading.append(E.a("#", {"class": "permalink", "href": f"#{name}", "aria-label": f"Link to “{text}”"}))
    title = first(page, f"{TITLE} | {TITLE_WITHIN}")
    if title is not None:
        title.tag = "h1"
        if len(title):
            title[-1].tail = (title[-1].tail or "").rstrip()
        else:
            title.text = title.text.strip()
