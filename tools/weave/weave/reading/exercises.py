# SPDX-License-Identifier: BSL-1.0
"""The pages of docs/exercises/: a question, a guess, a hint and a solution that was run.

An exercise is answered by a program examples/exercise_….cpp. Its page quotes the program by tag,
shows what it printed and a figure, and folds hint and solution, so that they can be missed.
"""

from weave.reading.pages import HEADING, Page, outside_code

FOLDER = "docs/exercises/"
HINT, SOLUTION = "Hint", "Solution"
FOLDED = {HINT: "Show the hint", SOLUTION: "Show the solution"}


def is_exercise(page: Page) -> bool:
    """Whether a page has the parts of an exercise."""
    return page.file.startswith(FOLDER)


def folded_lines(page: Page) -> list[int]:
    """The lines of an exercise that its folds hide."""
    return [number for name, (start, end) in parts(page).items() if name in FOLDED
            for number in range(start + 1, end + 1)]


def parts(page: Page) -> dict[str, tuple[int, int]]:
    """The second-level sections: the line of the heading and the last line."""
    starts = [(number, heading.group(2)) for number, line in outside_code(page.lines)
              if (heading := HEADING.match(line)) and len(heading.group(1)) == 2]
    ends = [number - 1 for number, _ in starts[1:]] + [len(page.lines)]
    return {name: (start, end) for (start, name), end in zip(starts, ends)}
