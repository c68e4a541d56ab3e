# SPDX-License-Identifier: BSL-1.0
r"""The macros of pages, outside of code.

\run{Suite.Test.key}, \verdict{Claim}, \figureref{figure} and \minutes{anchor} stand within a line; \weave{block} and
\output{example} are alone on theirs.
"""

import re

from weave.reading.book import Book
from weave.reading.passages import KINDS
from weave.record.results import Test
from weave.writing.blocks import BLOCKS
from weave.writing.figures import reference
from weave.writing.markup import escape, preformatted, verdict_link
from weave.writing.reading_time import minutes

MACRO = re.compile(r"(?P<code>(?P<ticks>`+).*?(?P=ticks))"
                   r"|\\(?P<name>run|verdict|figureref|minutes|weave|output)\{(?P<argument>[^}]*)\}")
UNKNOWN = "?"
"""Stands for a value that was not recorded because its test failed or was not run."""


def expand(book: Book, line: str) -> str:
    """A line of a page with its macros replaced; the macros must be free of problems."""
    def replacement(match: re.Match[str]) -> str:
        if match["code"]:
            return match["code"]
        if match["name"] == "weave":
            return expand(book, BLOCKS[match["argument"]](book))  # it may quote a page
        if match["name"] == "output":
            return preformatted(book.outputs[match["argument"]].rstrip("\n"))
        if match["name"] == "verdict":
            return verdict_link(match["argument"], book.verdicts[match["argument"]])
        if match["name"] == "figureref":
            return reference(book.figures[match["argument"]])
        if match["name"] == "minutes":
            return str(minutes(book, match["argument"]))
        test, key = find_test(book, match["argument"])
        value = test.value(key) if test else None
        return UNKNOWN if value is None else escape(value)
    expanded = MACRO.sub(replacement, line)
    for kind in KINDS:
        expanded = expanded.replace(kind, "")
    return expanded.rstrip()


def find_test(book: Book, path: str) -> tuple[Test | None, str]:
    """The test that a path Suite.Test.key names, if it is in the run, and the key."""
    suite, name, key = path.split(".")
    return next((test for test in book.tests.get(suite, []) if test.name == name), None), key
