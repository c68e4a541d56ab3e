"""Disagreements between the ledger and the tests."""

import re
from collections.abc import Iterator
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.ledger import read_ledger
from weave.reading.sources import TEST_NAME


def _kit_tests(root: Path) -> set[tuple[str, str]]:
    """The tests of tests/, by suite and name."""
    return {(match[1], match[2]) for path in (root / "tests").rglob("*.cpp")
            for match in re.finditer(TEST_NAME, path.read_text(encoding="utf-8"), re.MULTILINE)}


def ledger_problems(book: Book) -> Iterator[Diagnostic]:
    """Each entry names a test, and each test that took a risk has an entry."""
    entries = {(entry.suite, entry.test) for entry in read_ledger(book)}
    known = {(test.suite, test.name) for tests in book.tests.values() for test in tests}
    known |= _kit_tests(book.root)
    not_run = book.claims.keys() - book.tests.keys()
    for suite, name in sorted(entry for entry in entries - known if entry[0] not in not_run):
        yield Diagnostic("properties/support/false_alarms.hpp", 1,
                         f"the ledger has an entry for {suite}.{name}, which is no test",
                         "Remove the entry, or give it the name that the test has now")
    if not entries:
        return
    for tests in book.tests.values():
        for test in tests:
            if ("alpha" in test.record or "chance" in test.record) and (test.suite, test.name) not in entries:
                yield Diagnostic(test.file, test.line,
                                 f"{test.suite}.{test.name} may fail by chance and is not in the ledger",
                                 "Enter it in properties/support/false_alarms.hpp")
