# SPDX-License-Identifier: BSL-1.0
"""The pages of docs/exercises/: a question, a guess, a hint and a solution that was run.

An exercise is answered by a program examples/exercise_….cpp. Its page quotes the program by tag,
shows what it printed and a figure, and folds hint and solution, so that they can be missed.
"""

import re
from collections.abc import Iterator

from book import Book
from markup import html_block
from pages import HEADING, Page, outside_code
from problems import Problem

FOLDER = "docs/exercises/"
HINT, SOLUTION = "Hint", "Solution"
PARTS = ("The question", "A first guess", HINT, SOLUTION, "What to try next")
"""The second-level headings of an exercise, once each and in this order."""
FOLDED = {HINT: "Show the hint", SOLUTION: "Show the solution"}
QUOTED = re.compile(r"\\snippet(?:\{\w+\})? examples/(exercise_\w+)\.cpp ")
SHOWN = {r"\snippet": "a part of its program", r"\output{": "what its program prints",
         "figure{": "a figure"}
"""What must stand in a solution."""


def is_exercise(page: Page) -> bool:
    """Whether a page has the parts of an exercise."""
    return page.file.startswith(FOLDER)


def folds(page: Page) -> dict[int, str]:
    """What opens and closes the folded parts, by the line of the page that it follows."""
    found = {}
    for name, (start, end) in _parts(page).items():
        if name in FOLDED:
            found[start] = _html(f'<details class="fold"><summary>{FOLDED[name]}</summary>')
            found[end] = _html("</details>")
    return found


def folded_lines(page: Page) -> list[int]:
    """The lines of an exercise that its folds hide."""
    return [number for name, (start, end) in _parts(page).items() if name in FOLDED for number in range(start + 1, end + 1)]


def exercise_problems(book: Book) -> Iterator[Problem]:
    """Exercises that lack a part, and programs that no exercise quotes."""
    exercises = [page for page in book.pages if is_exercise(page)]
    for page in exercises:
        yield from _page_problems(page, book.order)
    quoted = {name for page in exercises for name in QUOTED.findall("\n".join(page.lines))}
    for program in sorted((book.root / "examples").glob("exercise_*.cpp")):
        if program.stem not in quoted:
            yield Problem(f"examples/{program.name}", 1, f"no exercise quotes {program.stem}",
                          rf"Write '\snippet examples/{program.name} tag' in a page of {FOLDER}")


def _page_problems(page: Page, order: list[str]) -> Iterator[Problem]:
    parts = _parts(page)
    if tuple(parts) != PARTS:
        yield Problem(page.file, 1, f"the exercise has the parts {', '.join(parts) or 'none'}",
                      f"Its second-level headings must be {', '.join(PARTS)}")
    start, end = parts.get(SOLUTION, (1, len(page.lines)))
    solution = "\n".join(page.lines[start:end])
    for command, what in SHOWN.items():
        if command not in solution:
            yield Problem(page.file, start, f"the solution does not show {what}",
                          "Add it by \\" + command.strip("\\{"))
    if page.anchor not in order:
        yield Problem(page.file, 1, f"the page '{page.anchor}' is not in the reading order",
                      rf"Add '- \subpage {page.anchor}' to docs/exercises.md")


def _parts(page: Page) -> dict[str, tuple[int, int]]:
    """The second-level sections: the line of the heading and the last line."""
    starts = [(number, heading.group(2)) for number, line in outside_code(page.lines)
              if (heading := HEADING.match(line)) and len(heading.group(1)) == 2]
    ends = [number - 1 for number, _ in starts[1:]] + [len(page.lines)]
    return {name: (start, end) for (start, name), end in zip(starts, ends)}


def _html(text: str) -> str:
    return f"\n{html_block(text)}\n"
