# SPDX-License-Identifier: BSL-1.0
"""Exercises that lack a part, and programs and tasks that no exercise quotes."""

import re
from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.exercises import FOLDER, HINT, SOLUTION, is_exercise, parts
from weave.reading.pages import Page

PARTS = ("The question", "A first guess", HINT, SOLUTION, "What to try next")
"""The second-level headings of an exercise, once each and in this order."""
QUOTED = re.compile(r"\\snippet(?:\{\w+\})? examples/(exercise_\w+)\.cpp ")
SHOWN = {r"\snippet": "a part of its program", r"\output{": "what its program prints",
         "figure{": "a figure"}
"""What must stand in a solution."""


def exercise_problems(book: Book) -> Iterator[Diagnostic]:
    """Exercises that lack a part, and programs that no exercise quotes."""
    exercises = [page for page in book.pages if is_exercise(page)]
    for page in exercises:
        yield from _page_problems(page, book.order)
    quoted = {name for page in exercises for name in QUOTED.findall("\n".join(page.lines))}
    for program in sorted((book.root / "examples").glob("exercise_*.cpp")):
        if program.stem not in quoted:
            yield Diagnostic(f"examples/{program.name}", 1, f"no exercise quotes {program.stem}",
                             rf"Write '\snippet examples/{program.name} tag' in a page of {FOLDER}")
    for task in sorted((book.root / "exercises").glob("*/[A-Z]*.hpp")):
        if task.parent.name in ("solutions", "answers"):
            continue
        file, chapter = f"exercises/{task.parent.name}/{task.name}", f"{FOLDER}{task.parent.name}.md"
        told = "\n".join(line for page in book.pages if page.file == chapter for line in page.lines)
        solution = f"exercises/solutions/{task.parent.name}/{task.name}"
        if not all(shown in told for shown in (rf"\include {file}", rf"\include {solution}")):
            yield Diagnostic(file, 1, f"{chapter} does not tell this exercise",
                             rf"Write there '\include {file}' and, as its solution, '\include {solution}'")


def _page_problems(page: Page, order: list[str]) -> Iterator[Diagnostic]:
    found = parts(page)
    if tuple(found) != PARTS:
        yield Diagnostic(page.file, 1, f"the exercise has the parts {', '.join(found) or 'none'}",
                         f"Its second-level headings must be {', '.join(PARTS)}")
    start, end = found.get(SOLUTION, (1, len(page.lines)))
    solution = "\n".join(page.lines[start:end])
    for command, what in SHOWN.items():
        if command not in solution:
            yield Diagnostic(page.file, start, f"the solution does not show {what}",
                             "Add it by \\" + command.strip("\\{"))
    if page.anchor not in order:
        yield Diagnostic(page.file, 1, f"the page '{page.anchor}' is not in the reading order",
                         rf"Add '- \subpage {page.anchor}' to docs/exercises.md")
