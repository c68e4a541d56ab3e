"""Exercises that lack a part, and programs and tasks that no page quotes."""

import re
from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.exercises import FOLDER, HINT, SOLUTION, is_exercise, parts, told
from weave.reading.pages import Page
from weave.reading.tasks import Task

PARTS = ("The question", "A first guess", HINT, SOLUTION, "What to try next")
"""The second-level headings of an exercise, once each and in this order."""
QUOTED = re.compile(r"\\snippet(?:\{\w+\})? examples/(exercise_\w+)\.cpp ")
SHOWN = {r"\snippet": "a part of its program", r"\output{": "what its program prints",
         "figure{": "a figure"}
"""The parts that a solution must have."""


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
    for task in book.tasks.values():
        yield from _task_problems(book, task)


def _task_problems(book: Book, task: Task) -> Iterator[Diagnostic]:
    page = f"{FOLDER}{task.chapter}.md"
    chapter = next((one for one in book.pages if one.file == page), None)
    shown = [(kind, name) for kind, name, _ in told(chapter)] if chapter else []
    solutions = (book.root / task.solution).parent.is_dir()  # which a copy for a class lacks
    for kind in ("task", "solution")[:1 + solutions]:
        if (times := shown.count((kind, task.name))) != 1:
            yield Diagnostic(task.file, task.line, f"{page} shows the {kind} of {task.name} {times} times",
                             rf"Write there '\{kind}{{{task.name}}}', once")
    if chapter and chapter.anchor not in book.order:
        yield Diagnostic(page, 1, f"the page '{chapter.anchor}' is not in the reading order",
                         f"Add '- [{chapter.title}](exercises/{chapter.anchor}.md)' to docs/exercises.md")
    if task.claim not in book.claims or book.claims[task.claim].stem != task.chapter:
        yield Diagnostic(task.file, task.line, f"{task.claim} is no claim of {task.chapter}", "Correct the name")
    solution = book.root / task.solution
    marks = solution.read_text(encoding="utf-8").splitlines().count(f"# [{task.name}]") if solution.exists() else 0
    if solutions and marks != 2:
        yield Diagnostic(task.file, task.line, f"{task.solution} does not solve {task.name}",
                         f"Write the solution there between two lines '# [{task.name}]'")


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
                         f"Add '- [{page.title}]({page.file.removeprefix('docs/')})' to docs/exercises.md")
