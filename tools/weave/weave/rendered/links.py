# SPDX-License-Identifier: BSL-1.0
"""Links in quoted code that lead to what is meant, or nowhere.

Doxygen links a name in code to some declaration of that name: of several overloads it takes any one, and a local
variable is taken for a function of the same name. A link stays here only if nothing else can be meant: to a class, a
macro, a namespace's constant that is nowhere called, or an alias that only one file declares; or to a function that has
no overload and is called wherever its name occurs in the same piece of code.
"""

import re
from pathlib import Path

from weave.base.files import write_whole

MEMBER = re.compile(r'<tr class="memitem:(?P<id>\w+)".*?'
                    r'(?:<a class="el" href="[^"]*#(?P=id)">|<b>)(?P<name>\w+)</(?:a|b)>')
"""A row of a list of members, on the page of a namespace, a class or a file; a member has one id on all of them.
What has no text of its own is not linked but bold."""
LINK = re.compile(r'<a class="code hl_(?P<kind>\w+)" href="(?P<href>[^"]*)">(?P<name>[^<]*)</a>(?=(?P<next>.{0,4}))',
                  re.DOTALL)
FRAGMENT = re.compile(r'<div class="fragment">.*?</div><!-- fragment -->', re.DOTALL)
CALLED = ("(", "&lt;")
ALIAS = re.compile(r'<span class="keyword">using </span>(?:<a [^>]*>)?(\w+)(?:</a>)? =')
"""A declaration of another name for a type, in a highlighted source file."""


def mend(html: Path) -> int:
    """Remove the links that may mislead from all pages of a book; how many they were."""
    pages = sorted(html.glob("*.html"))
    names = overloaded([page.read_text(encoding="utf-8") for page in pages])
    removed = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        mended = FRAGMENT.sub(lambda fragment: _mend_fragment(fragment.group(), names), text)
        if mended != text:
            removed += text.count('class="code hl_') - mended.count('class="code hl_')
            write_whole(page, mended)
    return removed


def overloaded(pages: list[str]) -> set[str]:
    """The names of members that are declared more than once, and "using NAME" for such an alias."""
    places: dict[str, set[str]] = {}
    for text in pages:
        for member in MEMBER.finditer(text):
            places.setdefault(member["name"], set()).add(member["id"])
    for number, text in enumerate(pages):
        for alias in set(ALIAS.findall(text)):
            places.setdefault(f"using {alias}", set()).add(str(number))
    return {name for name, found in places.items() if len(found) > 1}


def _mend_fragment(fragment: str, names: set[str]) -> str:
    links = list(LINK.finditer(fragment))
    called = {link["name"] for link in links if link["next"].startswith("(")}
    not_called = {link["name"] for link in links if not link["next"].startswith(CALLED)}

    def kept(link: re.Match[str]) -> str:
        if link["kind"] == "function":
            keep = link["name"] not in names and link["name"] not in not_called
        elif link["kind"] == "variable":
            keep = link["href"].startswith("namespace") and link["name"] not in called
        else:
            keep = f"using {link['name']}" not in names
        return link.group() if keep else link["name"]

    return LINK.sub(kept, fragment)
