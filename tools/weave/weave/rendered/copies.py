"""Functions that a group explains twice: Doxygen copies what is related to a class, with a wrong template line."""

from collections import defaultdict
from copy import deepcopy

from weave.rendered.tree import Element


def drop_copies(page: Element) -> None:
    """Keep the function itself of each pair; the name of its copy leads to it."""
    originals: dict[str, list[Element]] = defaultdict(list)
    copies: dict[str, list[Element]] = defaultdict(list)
    for item in page.xpath("//div[@class='memitem'][preceding-sibling::*[1][@class='memtitle']]"):
        is_copy = item.xpath(".//span[@class='mlabel' and normalize-space()='related']")
        (copies if is_copy else originals)[_function(item)].append(item)
    for function, items in copies.items():
        if len(items) != len(originals[function]):
            continue  # a page of a class, which has nothing but what is related to it
        for copy, original in zip(items, originals[function]):
            title, anchor = copy.getprevious(), copy.getprevious().getprevious()
            if anchor is not None and anchor.tag == "a" and anchor.get("id"):
                for row in page.xpath(f"//tr[contains(@class, ':{anchor.get('id')}')]"):
                    row.drop_tree()
                original.getprevious().addprevious(deepcopy(anchor))
                anchor.drop_tree()
            title.drop_tree()
            copy.drop_tree()
        for number, original in enumerate(originals[function], 1):
            for overload in original.getprevious().xpath("./span[@class='overload']"):
                if len(items) > 1:
                    overload.text = f"[{number}/{len(items)}]"
                else:
                    overload.drop_tree()


def _function(item: Element) -> str:
    title = deepcopy(item.getprevious())
    for part in title.xpath("./span | ./a"):
        part.drop_tree()
    return str(title.text_content()).strip()
