"""The parts of pages on the exercises that judge themselves."""

from weave.base.words import plural
from weave.reading.book import Book
from weave.reading.exercises import told
from weave.reading.tasks import Task
from weave.writing.markup import preformatted, table


def task(one: Task) -> str:
    """The hole that a student fills, and what judges it. Doxygen would colour words of a docstring as code."""
    return (f"\n{preformatted(one.text, 'task')}\n\n"
            f"Level {one.level}, {plural(one.points, 'point')}, {one.kind}. Claim: \\ref {one.claim}. "
            f"Write in `{one.file}`, then `tools/exercise {one.name}`.\n")


def references(book: Book) -> dict[str, str]:
    """A reference to the place that tells each exercise."""
    return {name: rf"\ref {anchor}" for page in book.pages for kind, name, anchor in told(page)
            if kind == "task" and anchor}


def all_tasks(book: Book) -> str:
    """All exercises that judge themselves, one a row."""
    places = references(book)
    rows = [[rf"\ref {one.chapter}", places.get(one.name, one.name), str(one.level), str(one.points), one.kind,
             rf"\ref {one.claim}"] for one in book.tasks.values()]
    points = sum(one.points for one in book.tasks.values())
    return (table("book cards", ["Chapter", "Exercise", "Level", "Points", "Kind", "Claim"], rows)
            + f"\n\n{plural(len(rows), 'exercise')}, {plural(points, 'point')}.")
