r"""The macros of pages, outside of code.

[25.9](run:Suite.Test.key), which has the value of the last run, \verdict{Claim}, \figureref{figure} and
\minutes{anchor} are within a line; \weave{block}, \output{example}, \task{Exercise} and
\solution{Exercise} are alone on theirs.
"""

import re
from collections.abc import Callable

from weave.reading.book import Book
from weave.reading.passages import KINDS
from weave.record.results import Test
from weave.writing.blocks import BLOCKS
from weave.writing.figure_blocks import reference
from weave.writing.markup import JOINER, as_people_write, escape, html_block, preformatted, verdict_link
from weave.writing.reading_time import minutes
from weave.writing.tasks import task

MACRO = re.compile(r"(?P<code>(?P<ticks>`+).*?(?P=ticks))"
                   r"|\\(?P<name>verdict|figureref|minutes|weave|output|task|solution)\{(?P<argument>[^}]*)\}"
                   r"|(?<!\\)\[(?P<last>[^\]\\]*)\]\(run:(?P<path>[^)]*)\)")
OPENING = re.compile(r"[\s>]*(?:(?:[-*+]|\d+\.)\s+)*(?=\[[^\]]*\]\(run:)")
"""The signs on a line before a value that is its first word."""
LIST_OR_RULE = re.compile(r"\d+[.)](?:\s|$)|[-+](?:\s|$)|[-=~:|]+\s*$|:?-+:?\s*\|")
"""Signs that Markdown takes for a list, a heading, a rule or a table where a line begins with them."""
TAG = re.compile(r"\\htmlonly\[block\](<.*>)\\endhtmlonly")
"""HTML alone on its line, which Doxygen wants on one of its own."""
UNKNOWN = "?"
"""Stands for a value that its failed or missing test did not record; in a first look, the last one does."""


def expand(book: Book, text: str, shown: Callable[[str], str] = escape) -> str:
    """Lines of a page with their macros, which must be free of problems, replaced, and values as they are shown."""
    return "\n".join(_expanded(book, line, shown) for line in text.split("\n"))


def _expanded(book: Book, line: str, shown: Callable[[str], str]) -> str:

    def replacement(match: re.Match[str]) -> str:
        if match["code"]:
            return match["code"]
        if match["name"] == "weave":
            return expand(book, BLOCKS[match["argument"]](book))  # it may quote a page
        if match["name"] == "output":
            return preformatted(book.outputs[match["argument"]].rstrip("\n"))
        if match["name"] == "task":
            return task(book.tasks[match["argument"]])
        if match["name"] == "solution":
            return rf"\snippet {book.tasks[match['argument']].solution} {match['argument']}"
        if match["name"] == "verdict":
            return verdict_link(match["argument"], book.verdicts[match["argument"]])
        if match["name"] == "figureref":
            return reference(book.figures[match["argument"]])
        if match["name"] == "minutes":
            return str(minutes(book, match["argument"]))
        test, key = find_test(book, match["path"])
        value = test.value(key) if test else None
        if value is None:
            return shown(match["last"]) if book.is_first_look else UNKNOWN
        return shown(as_people_write(value))
    if tag := TAG.fullmatch(line):
        return html_block(tag[1])
    expanded = MACRO.sub(replacement, line)
    if (before := OPENING.match(line)) and LIST_OR_RULE.match(expanded, before.end()):
        expanded = expanded[:before.end()] + JOINER + expanded[before.end():]
    if line.startswith("#"):  # in a heading Doxygen knows neither of these
        expanded = expanded.replace(r"\|", "|").replace(r"\::", f":{JOINER}:")
    for kind in KINDS:
        expanded = expanded.replace(kind, "")
    return expanded.rstrip()


def find_test(book: Book, path: str) -> tuple[Test | None, str]:
    """The test that a path Suite.Test.key names, if it is in the run, and the key."""
    suite, name, key = path.split(".")
    return next((test for test in book.tests.get(suite, []) if test.name == name), None), key
