"""The pages of docs/exercises/: a question, a guess, a hint and a solution that was run.

An exercise of S3 is answered by a program examples/exercise_….cpp. Its page quotes the program by tag,
shows what it printed and a figure, and folds hint and solution, so that they can be missed. The other
pages tell, a chapter each, the exercises that judge themselves.
"""

import re

from weave.reading.pages import HEADING, Page

FOLDER = "docs/exercises/"
HINT, SOLUTION = "Hint", "Solution"
TASK = re.compile(r"\\(task|solution)\{(\w+)\}\s*")
"""Alone on a line: what shows an exercise that judges itself, and its solution."""
FOLDED = {HINT: "Show the hint", SOLUTION: "Show the solution"}


def is_exercise(page: Page) -> bool:
    """True if a page has the parts of an exercise of S3: the name of its file begins with a number."""
    return page.file.startswith(FOLDER) and page.file[len(FOLDER)].isdigit()


def folded(page: Page) -> list[tuple[str, int, int]]:
    """Hints and solutions: which of the two, the line of the heading and the last line."""
    if not page.file.startswith(FOLDER):
        return []
    level = 2 if is_exercise(page) else 3
    headings = [(number, len(heading[1]), heading[2]) for number, heading in page.headings if len(heading[1]) <= level]
    ends = [number - 1 for number, _, _ in headings[1:]] + [len(page.lines)]
    return [(name, start, end) for (start, depth, name), end in zip(headings, ends)
            if depth == level and name in FOLDED]


def folded_lines(page: Page) -> list[int]:
    """The lines that folds hide."""
    return [number for _, start, end in folded(page) for number in range(start + 1, end + 1)]


def parts(page: Page) -> dict[str, tuple[int, int]]:
    """The second-level sections: the line of the heading and the last line."""
    starts = [(number, heading[2]) for number, heading in page.headings if len(heading[1]) == 2]
    ends = [number - 1 for number, _ in starts[1:]] + [len(page.lines)]
    return {name: (start, end) for (start, name), end in zip(starts, ends)}


def told(page: Page) -> list[tuple[str, str, str]]:
    """The exercises that judge themselves on a page: task or solution, its name, the heading's anchor."""
    found, anchor = [], ""
    for _, line in page.prose:
        if (heading := HEADING.match(line)) and len(heading.group(1)) == 2:
            anchor = heading.group(3) or ""
        elif shown := TASK.fullmatch(line):
            found.append((shown[1], shown[2], anchor))
    return found
