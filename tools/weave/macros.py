# SPDX-License-Identifier: BSL-1.0
r"""The macros of pages, outside of code.

\run{Suite.Test.key}, \verdict{Claim}, \figureref{figure} and \minutes{anchor} stand within a line; \weave{block} and \output{example} are
alone on theirs.
"""

import re
from collections.abc import Callable, Iterator

from blocks import BLOCKS
from book import Book
from figures import figures, reference
from judgements import OPINION
from markup import preformatted, verdict_link
from pages import outside_code
from problems import Problem
from reading import known, minutes
from results import PASSED, Test

MACRO = re.compile(r"(?P<code>(?P<ticks>`+).*?(?P=ticks))"
                   r"|\\(?P<name>run|verdict|figureref|minutes|weave|output)\{(?P<argument>[^}]*)\}")
UNKNOWN = "?"
"""Stands for a value that was not recorded because its test failed or was not run."""


def expand(book: Book, line: str) -> str:
    """A line of a page with its macros replaced; the macros must be free of problems."""
    def replacement(match: re.Match) -> str:
        if match["code"]:
            return match["code"]
        if match["name"] == "weave":
            return expand(book, BLOCKS[match["argument"]](book))  # it may quote a page
        if match["name"] == "output":
            return preformatted(book.outputs[match["argument"]].rstrip("\n"))
        if match["name"] == "verdict":
            return verdict_link(match["argument"], book.verdicts[match["argument"]])
        if match["name"] == "figureref":
            return reference(figures(book)[match["argument"]])
        if match["name"] == "minutes":
            return str(minutes(book, match["argument"]))
        test, key = _find(book, match["argument"])
        value = test.value(key) if test else None
        return UNKNOWN if value is None else value
    return MACRO.sub(replacement, line).replace(OPINION, "").rstrip()


def macro_problems(book: Book) -> Iterator[Problem]:
    """What is wrong with the macros of all pages."""
    for page in book.chapters + book.pages:
        for number, line in outside_code(page.lines):
            for match in MACRO.finditer(line):
                if match["name"]:
                    wrong, remedy = CHECKS[match["name"]](book, match["argument"], line)
                    if wrong:
                        yield Problem(page.file, number, wrong, remedy)


def _block_problem(_: Book, name: str, line: str) -> tuple[str, str]:
    macro = rf"\weave{{{name}}}"
    if name not in BLOCKS:
        return f"there is no block {macro}", f"The blocks are {', '.join(sorted(BLOCKS))}"
    return _company_problem(macro, line)


def _output_problem(book: Book, name: str, line: str) -> tuple[str, str]:
    macro = rf"\output{{{name}}}"
    if name not in book.outputs:
        return (f"{macro}: there is no output of such a program",
                f"Correct the name, or list examples/{name}.cpp in examples/CMakeLists.txt")
    return _company_problem(macro, line)


def _company_problem(macro: str, line: str) -> tuple[str, str]:
    if line.strip() != macro:
        return f"{macro} shares its line with other text", "Put it alone on its line"
    return "", ""


def _verdict_problem(book: Book, name: str, _: str) -> tuple[str, str]:
    if name in book.claims:
        return "", ""
    return rf"\verdict{{{name}}} names no claim", "Correct the name, or declare it in theory/"


def _reference_problem(book: Book, name: str, _: str) -> tuple[str, str]:
    if name in figures(book):
        return "", ""
    return rf"\figureref{{{name}}} names no figure", rf"Correct the name, or give it a home by \figure{{{name}}}"


def _minutes_problem(book: Book, name: str, _: str) -> tuple[str, str]:
    if known(book, name):
        return "", ""
    return rf"\minutes{{{name}}} names neither a page nor a claim", "Correct the name"


def _value_problem(book: Book, path: str, _: str) -> tuple[str, str]:
    macro = rf"\run{{{path}}}"
    if path.count(".") != 2:
        return f"{macro} has not the form Suite.Test.key", "Name a suite, a test and a recorded key"
    test, key = _find(book, path)
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


def _find(book: Book, path: str) -> tuple[Test | None, str]:
    """The test that a path Suite.Test.key names, if it is in the run, and the key."""
    suite, name, key = path.split(".")
    return next((test for test in book.tests.get(suite, []) if test.name == name), None), key


CHECKS: dict[str, Callable[[Book, str, str], tuple[str, str]]] = {
    "run": _value_problem, "verdict": _verdict_problem, "figureref": _reference_problem, "minutes": _minutes_problem,
    "weave": _block_problem, "output": _output_problem,
}
"""For each macro, what finds out what is wrong with its argument, on its line, and what to do."""
