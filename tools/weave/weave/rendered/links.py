"""Links in quoted code that lead to what is meant, or nowhere.

Doxygen links a name in code to some declaration of that name: of several overloads it takes any one, and a local
variable is taken for a function of the same name. A link stays here only if nothing else can be meant: to a class, a
macro, a namespace's constant that is nowhere called, or an alias that only one file declares; or to a function that has
no overload and is called wherever its name occurs in the same piece of code.
"""

import re
from collections.abc import Iterable, Iterator

from weave.rendered.tree import Element

KIND = "code hl_"
"""The beginning of the class of a link in code."""


def mend(page: Element, names: set[str]) -> int:
    """Remove the links that may mislead from a page; how many they were."""
    removed = 0
    for fragment in page.xpath("//div[@class='fragment']"):
        links = fragment.xpath(f".//a[starts-with(@class, '{KIND}')]")
        called = {link.text for link in links if _next(link).startswith("(")}
        not_called = {link.text for link in links if not _next(link).startswith(("(", "<"))}
        for link in links:
            kind = link.get("class").removeprefix(KIND)
            if kind == "function":
                keep = link.text not in names and link.text not in not_called
            elif kind == "variable":
                keep = link.get("href").startswith("namespace") and link.text not in called
            else:
                keep = f"using {link.text}" not in names
            if not keep:
                link.drop_tag()
                removed += 1
    return removed


def overloaded(pages: Iterable[Element]) -> set[str]:
    """The names of members that are declared more than once, and "using NAME" for such an alias."""
    places: dict[str, set[str]] = {}
    for number, page in enumerate(pages):
        for name, identity in _members(page):
            places.setdefault(name, set()).add(identity)
        for alias in _aliases(page):
            places.setdefault(f"using {alias}", set()).add(str(number))
    return {name for name, found in places.items() if len(found) > 1}


def _members(page: Element) -> Iterator[tuple[str, str]]:
    """Names and ids in the lists of members of a namespace, a class or a file; a member has one id on all of them.

    What has no text of its own is not linked but bold.
    """
    for row in page.xpath("//tr[starts-with(@class, 'memitem:')]"):
        identity = row.get("class").removeprefix("memitem:")
        name = next((name for name in row.iter("a", "b") if re.fullmatch(r"\w+", name.text or "")
                     and (name.tag == "b" or name.get("href", "").endswith(f"#{identity}"))), None)
        if name is not None:
            yield name.text, identity


def _aliases(page: Element) -> Iterator[str]:
    """Other names for types that a highlighted source file declares."""
    for keyword in page.xpath("//span[@class='keyword'][. = 'using ']"):
        link = keyword.getnext()
        linked = not keyword.tail and link is not None and link.tag == "a"
        declared = f"{link.text}{_next(link)}" if linked else _next(keyword)
        if alias := re.match(r"(\w+) =", declared):
            yield alias[1]


def _next(element: Element) -> str:
    """The text behind an element, up to the next."""
    return element.tail or ""
