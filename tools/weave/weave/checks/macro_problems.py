"""Faults in the macros of pages."""

from collections.abc import Callable, Iterator

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.exercises import TASK
from weave.record.results import PASSED
from weave.writing.blocks import BLOCKS
from weave.writing.macros import MACRO, find_test
from weave.writing.reading_time import known


def macro_problems(book: Book) -> Iterator[Diagnostic]:
    """The faults in the macros of all pages."""
    for page in book.chapters + book.pages:
        for number, line in page.prose:
            for match in MACRO.finditer(line):
                if match["name"]:
                    message, hint = CHECKS[match["name"]](book, match["argument"], line)
                elif match["path"]:
                    message, hint = _value_problem(book, match["path"])
                else:
                    continue
                if message:
                    yield Diagnostic(page.file, number, message, hint)


def _block_problem(_: Book, name: str, line: str) -> tuple[str, str]:
    macro = rf"\weave{{{name}}}"
    if name not in BLOCKS:
        return f"there is no block {macro}", f"The blocks are {', '.join(sorted(BLOCKS))}"
    return _not_alone(macro, line)


def _output_problem(book: Book, name: str, line: str) -> tuple[str, str]:
    macro = rf"\output{{{name}}}"
    if name not in book.outputs:
        return (f"{macro}: there is no output of such a program",
                f"Correct the name, or list examples/{name}.cpp in examples/CMakeLists.txt")
    return _not_alone(macro, line)


def _task_problem(book: Book, name: str, line: str) -> tuple[str, str]:
    if name not in book.tasks:
        return f"there is no exercise '{name}'", f"Correct the name, or write it between two lines '# [{name}]'"
    if not TASK.fullmatch(line):
        return f"the exercise '{name}' shares its line with other text", "Put it alone on its line"
    return "", ""


def _not_alone(macro: str, line: str) -> tuple[str, str]:
    if line.strip() != macro:
        return f"{macro} shares its line with other text", "Put it alone on its line"
    return "", ""


def _verdict_problem(book: Book, name: str, _: str) -> tuple[str, str]:
    if name in book.claims:
        return "", ""
    return f"'→ [{name}]' names no claim", "Correct the name, or declare it in theory/"


def _reference_problem(book: Book, name: str, _: str) -> tuple[str, str]:
    if name in book.figures:
        return "", ""
    return f"figure:{name} names no figure", rf"Correct the name, or give it a home by <!--\figure{{{name}}}-->"


def _minutes_problem(book: Book, name: str, _: str) -> tuple[str, str]:
    if known(book, name):
        return "", ""
    return f"minutes:{name} names neither a page nor a claim", "Correct the name"


def _value_problem(book: Book, path: str) -> tuple[str, str]:
    macro = f"[…](run:{path})"
    if path.count(".") != 2:
        return f"{macro} has not the form Suite.Test.key", "Name a suite, a test and a recorded key"
    test, key = find_test(book, path)
    if test is None:
        claim = book.claims.get(path.split(".")[0])
        run = book.runs.get(claim.stem) if claim else None
        if run and run.lost:
            return "", ""
        return f"{macro} names no test of this run", "Correct the name of the suite or of the test"
    if test.value(key) is None and test.status == PASSED:
        keys = sorted(found.removeprefix("value_") for found in test.record)
        return f"{macro}: the test recorded no '{key}'", f"It recorded {', '.join(keys)}"
    return "", ""


CHECKS: dict[str, Callable[[Book, str, str], tuple[str, str]]] = {
    "verdict": _verdict_problem, "figureref": _reference_problem, "minutes": _minutes_problem,
    "weave": _block_problem, "output": _output_problem, "task": _task_problem, "solution": _task_problem,
}
"""For each macro, what finds out what is wrong with its argument, on its line, and what to do."""
