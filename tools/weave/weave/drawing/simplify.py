"""gnuplot's SVG, made small and plain.

It names fonts and colours at every word, carries symbols that nothing uses and titles that pop up, and has the same ids
in every figure. What is kept of it are lines, areas, points and words; a colour must be one of the palette, because
each of those has another value in the dark.
"""

import math
import re
from collections.abc import Iterator
from html import escape
from xml.etree import ElementTree

from weave.drawing.scripts import COMMON

FAMILY = "'Figure Sans','Source Sans 3',Helvetica,Arial,sans-serif"
SIZE = 19
"""Of words that say nothing else, in units of the drawing."""
NAMES = {"black": "ink", "gray": "soft", "white": "paper"}
"""gnuplot's own colours, where a script says nothing."""
TOLERANCE = 0.12
"""A line's largest distance from the one that was drawn, in units of the drawing: less than a tenth of its width."""
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
NUMBER = r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?"
PAIR = re.compile(rf"(?P<command>[MLmlzZ])?\s*(?:(?P<x>{NUMBER})[ ,]+(?P<y>{NUMBER}))?")
MINUS = re.compile(r"(?<![\w)\]}.%-])-(?=[\d.½¼⅓∞√])")
"""A hyphen that can only be a minus sign."""
SYMBOLS = {  # of a unit's size: M and L pairs, whether closed, whether filled
    "gpPt0": ("M-1,0 L1,0 M0,-1 L0,1", False), "gpPt1": ("M-1,-1 L1,1 M1,-1 L-1,1", False),
    "gpPt3": ("M-1,-1 L1,-1 L1,1 L-1,1 Z", False), "gpPt4": ("M-1,-1 L1,-1 L1,1 L-1,1 Z", True),
    "gpPt7": ("M0,-1.33 L-1.33,0.67 L1.33,0.67 Z", False), "gpPt8": ("M0,-1.33 L-1.33,0.67 L1.33,0.67 Z", True),
    "gpPt9": ("M0,1.33 L1.33,-0.67 L-1.33,-0.67 Z", False), "gpPt10": ("M0,1.33 L1.33,-0.67 L-1.33,-0.67 Z", True),
    "gpPt11": ("M0,-1.4 L1.4,0 L0,1.4 L-1.4,0 Z", False), "gpPt12": ("M0,-1.4 L1.4,0 L0,1.4 L-1.4,0 Z", True)}
"""gnuplot's points, but for the round ones."""
Pairs = list[tuple[float, float]]


class UnknownColour(ValueError):
    """A colour that common.gp does not name."""


def simplified(raw: str, colours: dict[str, str]) -> list[str]:
    """gnuplot's drawing as lines of a small SVG: the opening tag, one element a line, the closing tag."""
    root = ElementTree.fromstring(raw)
    width, height = root.get("viewBox", "").split()[2:]
    shapes: list[tuple[dict[str, str], str]] = []
    words: list[str] = []
    for element, inherited in _drawn(root, {}):
        tag = element.tag.removeprefix(SVG)
        if tag == "text":
            words.append(_words(element, inherited, colours))
        else:
            for style, path in _shape(tag, element, inherited, colours):
                if shapes and shapes[-1][0] == style and "fill" not in style:
                    shapes[-1] = (style, shapes[-1][1] + path)
                else:
                    shapes.append((style, path))
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="{FAMILY}" font-size="{SIZE}">',
            '<g fill="none" stroke-linejoin="round">',
            *(f"<path{_attributes(style)} d=\"{path}\"/>" for style, path in shapes), "</g>",
            f'<g stroke="{colours["paper"]}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">',
            *words, "</g>", "</svg>"]


def _attributes(style: dict[str, str]) -> str:
    return "".join(f' {key}="{value}"' for key, value in style.items())


def _drawn(element: ElementTree.Element, inherited: dict[str, str]
           ) -> Iterator[tuple[ElementTree.Element, dict[str, str]]]:
    """All elements that show something, with the attributes of those around them."""
    for child in element:
        tag = child.tag.removeprefix(SVG)
        if tag == "g":
            moved = [place for place in (inherited.get("transform"), child.get("transform")) if place]
            yield from _drawn(child, {**inherited, **child.attrib, "transform": " ".join(moved)})
        elif tag == "a":
            yield from _drawn(child, inherited)
        elif tag not in ("title", "desc", "defs"):
            style = {**inherited, **child.attrib}
            if not child.get("transform"):
                style["transform"] = inherited.get("transform", "")
            yield child, style


def _shape(tag: str, element: ElementTree.Element, style: dict[str, str], colours: dict[str, str]
           ) -> Iterator[tuple[dict[str, str], str]]:
    """A line, an area or a point as a path and what it looks like."""
    stroke, fill = _colour(style, "stroke", colours), _colour(style, "fill", colours)
    line: dict[str, str] = {"stroke": stroke, "stroke-width": _number(float(style.get("stroke-width", "1")))}
    for name in ("stroke-dasharray", "stroke-opacity"):
        if style.get(name):
            line[name] = style[name].replace(" ", "")
    if tag == "rect" and fill == "none":
        return  # the whole canvas
    if tag in ("path", "polyline", "polygon"):
        pieces = list(_pieces(element.get("d") or f"M{element.get('points')}"))
        if tag == "polygon":
            pieces = [(pairs, True) for pairs, _ in pieces]
    elif tag == "use":
        pieces, filled, where = _symbol(element.get(LINK, "").removeprefix("#"), style["transform"])
        colour = stroke if stroke != "none" else fill
        if where:
            yield ({"fill": colour} if filled else {**line, "stroke": colour, "stroke-width": "1.5"}), where
            return
        line = {**line, "stroke": colour, "stroke-width": "1.5"}
        stroke, fill = ("none", colour) if filled else (colour, "none")
    else:
        raise ValueError(f"<{tag}> is not known here")
    path = "".join(_path(pairs, closed) for pairs, closed in pieces)
    if not path:
        return
    if fill != "none":
        opacity = style.get("fill-opacity", "1")
        yield {"fill": fill, **({"fill-opacity": _number(float(opacity), 3)} if float(opacity) < 1 else {})}, path
    if stroke != "none":
        yield line, path


def _colour(style: dict[str, str], name: str, colours: dict[str, str]) -> str:
    """A colour of the palette, or none."""
    value = style.get(name, "none")
    if value == "currentColor":
        value = style.get("color", "black")
    if value == "none":
        return value
    if value in NAMES:
        return colours[NAMES[value]]
    numbers = re.findall(r"\d+", value) if value.startswith("rgb") else []
    found = "#" + "".join(f"{int(number):02x}" for number in numbers) if numbers else value.lower()
    if found not in colours.values():
        raise UnknownColour(f"{found} is not a colour of {COMMON}")
    return found


def _pieces(path: str) -> Iterator[tuple[Pairs, bool]]:
    """The connected lines of a path, each with whether it is closed."""
    pairs: Pairs = []
    for match in PAIR.finditer(path):
        command = match["command"]
        if command in ("M", "m") and pairs:
            yield pairs, False
            pairs = []
        if match["x"] is not None:
            x, y = float(match["x"]), float(match["y"])
            if command in ("l", "m") and pairs:
                x, y = pairs[-1][0] + x, pairs[-1][1] + y
            pairs.append((x, y))
        if command in ("z", "Z") and pairs:
            yield pairs, True
            pairs = []
    if pairs:
        yield pairs, False


def _symbol(name: str, transform: str) -> tuple[list[tuple[Pairs, bool]], bool, str]:
    """A point: its lines and whether they are filled, or the path of a round one."""
    place = re.findall(rf"translate\(({NUMBER}),({NUMBER})\)", transform)[-1]
    x, y = (float(number) for number in place)
    found = re.search(rf"scale\(({NUMBER})", transform)
    scale = float(found[1]) if found else 1.0
    if name in ("gpPt5", "gpPt6", "gpDot"):
        r = _number(scale if name != "gpDot" else 0.8)
        across = f"a{r} {r} 0 1 0 "
        start, width = f"M{_number(x - float(r))} {_number(y)}", 2 * float(r)
        return [], name != "gpPt5", f"{start}{across}{_number(width)} 0{across}{_number(-width)} 0z"
    if name not in SYMBOLS:
        raise ValueError(f"the point {name} is not known here")
    path, filled = SYMBOLS[name]
    return [([(x + scale * a, y + scale * b) for a, b in pairs], closed) for pairs, closed in _pieces(path)], filled, ""


def _path(pairs: Pairs, closed: bool) -> str:
    """A connected line, without the points that nobody would miss."""
    kept = [pair for i, pair in enumerate(thinned(pairs)) if i == 0 or pair != pairs[i - 1] or len(pairs) == 2]
    if len(kept) < 2:
        return ""
    text = "L".join(f"{_number(x)} {_number(y)}" for x, y in kept)
    return f"M{text}{'z' if closed else ''}"


def thinned(pairs: Pairs) -> Pairs:
    """The points of a line of which all others are nearer than TOLERANCE to it (Douglas and Peucker's algorithm)."""
    keep = {0, len(pairs) - 1}
    open_ends = [(0, len(pairs) - 1)]
    while open_ends:
        first, last = open_ends.pop()
        farthest, where = TOLERANCE, 0
        for i in range(first + 1, last):
            away = _distance(pairs[i], pairs[first], pairs[last])
            if away > farthest:
                farthest, where = away, i
        if where:
            keep.add(where)
            open_ends += [(first, where), (where, last)]
    return [pair for i, pair in enumerate(pairs) if i in keep]


def _distance(point: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> float:
    """The distance of a point from the piece of a line between two others."""
    along = (end[0] - start[0], end[1] - start[1])
    length = along[0] ** 2 + along[1] ** 2
    offset = (point[0] - start[0], point[1] - start[1])
    share = min(1.0, max(0.0, (offset[0] * along[0] + offset[1] * along[1]) / length)) if length else 0.0
    return math.hypot(offset[0] - share * along[0], offset[1] - share * along[1])


def _words(element: ElementTree.Element, style: dict[str, str], colours: dict[str, str]) -> str:
    """A label."""
    place = re.findall(rf"translate\(({NUMBER}),({NUMBER})\)", style["transform"])[0]
    turned = re.search(rf"rotate\(({NUMBER})", style["transform"])
    x, y = (_number(float(number)) for number in place)
    attributes = {"x": x, "y": y}
    if turned and float(turned[1]):
        attributes = {"transform": f"translate({x} {y}) rotate({_number(float(turned[1]))})"}
    attributes["fill"] = _colour(style, "fill", colours)
    if style.get("text-anchor", "start") != "start":
        attributes["text-anchor"] = style["text-anchor"]
    size = float(style.get("font-size", SIZE))
    if size != SIZE:
        attributes["font-size"] = _number(size)
    return f"<text{_attributes(attributes)}>{''.join(_spans(element, size)).strip()}</text>"


def _spans(element: ElementTree.Element, size: float) -> Iterator[str]:
    """The parts of a label: raised, lowered, slanted or as they are."""
    for part in element.iter():
        text = escape(MINUS.sub("−", part.text or ""), quote=False)
        if part.tag != f"{SVG}tspan":
            yield text.strip()
            continue
        attributes = {}
        lowered = float(part.get("dy", "0").removesuffix("px") or 0)
        if lowered:
            attributes["dy"] = _number(lowered, 2)
        own = float(part.get("font-size", size))
        if own != size:
            attributes["font-size"] = _number(own)
        slant = part.get("font-style")
        if slant:
            attributes["font-style"] = slant
        yield f"<tspan{_attributes(attributes)}>{text}</tspan>" if attributes else text


def _number(value: float, digits: int = 1) -> str:
    """A number, short."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
