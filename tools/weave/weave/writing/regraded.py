# SPDX-License-Identifier: BSL-1.0
"""What became of the tests that were *exact* at commit 209231a, where a test that said nothing was."""

import re
from collections import Counter

from weave.base.words import plural, sentence
from weave.reading.book import Book
from weave.record.results import FAILED, NOT_RUN, PASSED, Test
from weave.record.verdicts import ASIDE, COUNTEREXAMPLE, EXACT, GLYPHS, LEVELS, REFUSAL, STATEMENT
from weave.writing.markup import badges, escape, html_block, table, test_link, word_badge

FILE = "docs/history/exact-at-209231a.txt"
LINE = re.compile(r"(?P<claim>\w+) \((?P<level>[\w ]+)\):(?P<tests>.*)")
"""A claim, its badge then, and its tests that were exact."""
ROLES = {STATEMENT: "exact, of the statement", ASIDE: "exact, beside it", COUNTEREXAMPLE: COUNTEREXAMPLE,
         REFUSAL: REFUSAL}
GONE = "renamed or gone"
NOW = (*ROLES.values(), *LEVELS[1:], FAILED, NOT_RUN, GONE)
"""What such a test can be now, in the order of the columns."""


def regraded(book: Book) -> str:
    """One row a claim, and below, folded, one row a test."""
    file = book.root / FILE
    before = [match for line in file.read_text(encoding="utf-8").splitlines() if (match := LINE.fullmatch(line))
              ] if file.is_file() else []
    if not before:
        return f"There is no {escape(FILE)}."
    rows: list[list[str]] = []
    single: list[list[str]] = []
    for match in before:
        claim = rf"\ref {match['claim']}" if match["claim"] in book.claims else match["claim"]
        tests = {test.name: test for test in book.tests.get(match["claim"], [])}
        now = {name: _now(tests.get(name)) for name in match["tests"].split()}
        counts = Counter(now.values())
        verdict = book.verdicts.get(match["claim"])
        rows.append([claim, str(len(now)), *(str(counts[word] or "") for word in NOW),
                     word_badge(match["level"], f"{GLYPHS[match['level']]} {match['level']}"),
                     badges(verdict) if verdict else GONE])
        single += [[claim, test_link(tests[name]) if name in tests else escape(sentence(name)), word]
                   for name, word in now.items()]
    used = [number for number, word in enumerate(["Claim", EXACT, *NOW, "then", "now"])
            if word not in NOW or any(row[number] for row in rows)]
    head = ["Claim", "Exact then", *(word.capitalize() for word in NOW), "Badge then", "Badge now"]
    return "\n\n".join([
        table("book cards", [head[number] for number in used], [[row[number] for number in used] for row in rows]),
        html_block(f'<details class="fold"><summary>{plural(len(single), "test")}, one by one</summary>'),
        table("book cards", ["Claim", "Test, exact then", "Now"], single), html_block("</details>")])


def _now(test: Test | None) -> str:
    """What a test is now."""
    if test is None:
        return GONE
    if test.status != PASSED:
        return test.status
    if test.about in (COUNTEREXAMPLE, REFUSAL) or test.level == EXACT:
        return ROLES[test.about]
    return test.level
