# SPDX-License-Identifier: BSL-1.0
"""Whether a framed page has an outline: one title, headings that nest below it, landmarks, heads that say something."""

import re
from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.rendered.headings import plain

FRAMED = "<main "
HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>", re.DOTALL)
EMPTY_HEAD = re.compile(r"<th\b[^>]*>\s*</th>")
LANDMARKS = ("<main ", '<nav id="side-nav"', "<footer ")


def outline_problems(file: str, text: str) -> Iterator[Diagnostic]:
    """What is wrong with the outline of one page; a page without a frame has none."""
    if FRAMED not in text:
        return
    titles = [heading for heading in HEADING.finditer(text) if heading[1] == "1"]
    if len(titles) != 1:
        yield Diagnostic(file, 1, f"the page has {len(titles)} titles", "Give it one <h1>: the title of the page")
    above = 0
    for heading in HEADING.finditer(text):
        level = int(heading[1])
        if level > above + 1:
            yield Diagnostic(file, text.count("\n", 0, heading.start()) + 1,
                             f"the heading '{plain(heading[2])}' of level {level} stands below one of level {above}",
                             "Let weave frame set the level, or close the gap")
        above = level
    for landmark in LANDMARKS:
        if text.count(landmark) != 1:
            yield Diagnostic(file, 1, f"the page has {text.count(landmark)} of {landmark.strip('< ')}", "It needs one")
    for head in EMPTY_HEAD.finditer(text):
        yield Diagnostic(file, text.count("\n", 0, head.start()) + 1, "the head of a column is empty",
                         "Name the column")
