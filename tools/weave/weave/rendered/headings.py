# SPDX-License-Identifier: BSL-1.0
"""Headings of a finished page: levels that nest below its title, and a permanent link on each that has a name.

Doxygen's title is no heading, and the sections of a page begin at <h1>. Here the title is the page's one <h1>, whatever
follows is one level below what it stands under, and the parts of a claim get names of their own: Claim-statement.
"""

import html
import re

HEADING = re.compile(r"<h(?P<level>[1-6])(?P<attributes>[^>]*)>(?P<text>.*?)</h(?P=level)>", re.DOTALL)
TITLE = re.compile(r'<div class="title">(?P<text>.*?)</div>(?=</div>)', re.DOTALL)
TITLE_WITHIN = re.compile(r'<div class="book-title">(?P<text>.*?)</div>', re.DOTALL)
"""The title of a page that has none in its header: the first page."""
ID = re.compile(r'\bid="([^"]+)"')
UNNAMED = "autotoc_md"
"""How Doxygen names headings that have no name; these names change with every page that is added."""
TAG = re.compile(r"<[^>]*>")


def plain(text: str) -> str:
    """What a reader sees of some HTML."""
    return " ".join(html.unescape(TAG.sub("", text)).split())


def with_headings(page: str) -> str:
    """A page whose title is its <h1>, and whose headings nest and link to themselves."""
    title = TITLE.search(page)
    if title:
        head, page = page[:title.end()], page[title.end():]
        head = f'{head[:title.start()]}<h1 class="title">{title["text"].strip()}</h1>'
    else:
        head = ""
        page = TITLE_WITHIN.sub(r'<h1 class="book-title">\g<text></h1>', page, count=1)
    return head + _Nesting(set(ID.findall(page))).apply(page)


class _Nesting:
    """Walks through the headings of a page in their order."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.above: list[int] = []
        """Doxygen's levels of the headings that the present one stands under."""
        self.owner = ""
        """The section whose parts have no names of their own."""

    def apply(self, page: str) -> str:
        """A page with its headings nested and linked."""
        return HEADING.sub(self._heading, page)

    def _heading(self, match: re.Match[str]) -> str:
        if 'class="book-title"' in match["attributes"]:
            return match.group()
        level = int(match["level"])
        while self.above and self.above[-1] >= level:
            self.above.pop()
        self.above.append(level)
        tag = f"h{len(self.above) + 1}"
        attributes, text = self._named(match["attributes"], match["text"])
        return f"<{tag}{attributes}>{text}</{tag}>"

    def _named(self, attributes: str, text: str) -> tuple[str, str]:
        """A heading with its permanent link."""
        found = ID.search(attributes + text)
        name = found.group(1) if found else ""
        if not name or name.startswith(UNNAMED):
            part = re.sub(r"[^a-z0-9]+", "-", plain(text).lower()).strip("-")
            own = f"{self.owner}-{part}"
            if not self.owner or not part or own in self.names:
                return attributes, text
            if name:
                text = text.replace(f'id="{name}"', f'id="{own}"')
            else:
                attributes += f' id="{own}"'
            self.names.add(own)
            name = own
        elif len(self.above) == 1 or not self.owner or name[0].isupper():
            self.owner = name
        label = html.escape(f"Link to “{plain(text)}”")
        return attributes, f'{text}<a class="permalink" href="#{name}" aria-label="{label}">#</a>'
