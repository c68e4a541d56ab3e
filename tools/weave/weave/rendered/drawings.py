"""Drawings as parts of a page, whose theme may change their colours."""

import json
from pathlib import Path

from lxml.html.builder import E

from weave.base.elements import safe
from weave.rendered.tree import Element, drawing


def draw_in(page: Element, folder: Path, colours: dict[str, str]) -> int:
    """Put the drawings of `folder`, and the data of those that move, into a page; how many drawings there were."""
    moving = page.xpath("//figure[@data-movable]")
    for figure in moving:
        name = figure.get("data-movable")
        data = (folder / f"{name}.json").read_text(encoding="utf-8")
        given = f'{{"palette":{json.dumps(colours)},"data":{data.strip()}}}'
        figure[:0] = [E.script(safe(given), type="application/json"), _script(name)]
    if moving:
        page.head.append(_script("movable"))
    places = page.xpath("//div[@data-figure]")
    for place in places:
        svg = _coloured(drawing(folder / f"{place.get('data-figure')}.svg"), colours)
        svg.set("aria-label", place.get("data-seen"))
        svg.tail = place.tail
        place.getparent().replace(place, svg)
    return len(places)


def _script(name: str) -> Element:
    return E.script(src=f"{name}.js", defer="defer")


def _coloured(svg: Element, colours: dict[str, str]) -> Element:
    """A drawing without what a file of its own needs: its licence, its font, its paper and its colours."""
    names = {value: name for name, value in colours.items()}
    for own in svg.xpath("desc | style | rect[@width = '100%']"):
        own.drop_tree()
    for name in ("xmlns", "font-family"):
        svg.attrib.pop(name, None)
    for part in svg.iterdescendants():
        for paint in {"fill", "stroke"} & set(part.keys()):
            if part.get(paint).startswith("#"):
                part.set(paint, f"var(--figure-{names[part.get(paint)]},{part.get(paint)})")
    svg.attrib.update({"class": "drawing", "role": "img"})
    return svg
