# SPDX-License-Identifier: BSL-1.0
"""Drawings, put into the pages of the finished book."""

import json
import re
from html import unescape
from pathlib import Path

from weave.base.elements import data_script
from weave.base.files import write_whole
from weave.drawing.draw import inlined
from weave.drawing.palette import palette

PLACE = re.compile(r'<div class="drawing-place" data-figure="(?P<name>\w+)" data-seen="(?P<seen>[^"]*)"></div>')
SHARED = '<script src="movable.js" defer="defer"></script>'
MOVING = re.compile(r'<figure class="figure" id="[\w-]+" data-movable="(?P<name>\w+)">')


def inline(html: Path, common: Path) -> int:
    """Put the drawings of a finished book into its pages; how many there were."""
    colours = palette(common.read_text(encoding="utf-8"))
    count = 0

    def drawing(match: re.Match[str]) -> str:
        picture = (html / f"{match['name']}.svg").read_text(encoding="utf-8")
        return inlined(picture, colours, unescape(match["seen"]))

    def moving(match: re.Match[str]) -> str:
        data = (html / f"{match['name']}.json").read_text(encoding="utf-8")
        given = f'{{"palette":{json.dumps(colours)},"data":{data.strip()}}}'
        return (f'{match[0]}{data_script(given)}'
                f'<script src="{match["name"]}.js" defer="defer"></script>')

    for page in sorted(html.glob("*.html")):
        text = page.read_text(encoding="utf-8")
        if MOVING.search(text):
            text = MOVING.sub(moving, text).replace("</head>", f"{SHARED}\n</head>", 1)
        text, found = PLACE.subn(drawing, text)
        if found:
            write_whole(page, text)
            count += found
    return count
