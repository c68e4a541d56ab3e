"""The verdicts on the terminal."""

import json
import os
import sys
from pathlib import Path

from weave.base.words import plural
from weave.record.claims import CLAIMS_FILE, ClaimData
from weave.record.results import FAILED, NOT_RUN
from weave.record.verdicts import HELD

INK = {HELD: "32", FAILED: "31", NOT_RUN: "33"}
"""Colours by status; words and glyphs say the same without them."""


def report(woven: Path, book: Path | None) -> bool:
    """Print the table of verdicts and what to do next; whether every claim held."""
    claims = json.loads((woven / CLAIMS_FILE).read_text(encoding="utf-8"))
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    lines = [*table(claims, coloured), "", summary(claims), *advice(claims, book)]
    print("\n".join(lines))
    return all(claim["status"] == HELD for claim in claims)


def table(claims: list[ClaimData], coloured: bool) -> list[str]:
    """Aligned lines, one a claim, under the titles of their chapters."""
    cells = [[claim["id"], f"{len(claim['tests'])} tests", f"{claim['cases']:,} cases",
              f"{claim['mutants_killed']}/{claim['mutants']} mutants"] for claim in claims]
    widths = [max(len(row[i]) for row in cells) for i in range(4)] if cells else []
    shown = [claim["level"] or claim["status"] for claim in claims]
    width_shown = max(map(len, shown), default=0)
    lines = []
    chapter = ""
    for claim, known, (name, *counts) in zip(claims, shown, cells):
        if claim["chapter"] != chapter:
            chapter = claim["chapter"]
            lines += ["", claim["chapter_title"]]
        verdict = f"{claim['glyph']} {known:<{width_shown}}"
        if coloured:
            verdict = f"\033[{INK[claim['status']]}m{verdict}\033[0m"
        right = "  ".join(f"{text:>{width}}" for text, width in zip(counts, widths[1:]))
        lines.append(f"  {verdict}  {name:<{widths[0]}}  {right}")
    return lines


def summary(claims: list[ClaimData]) -> str:
    """One line: how many claims, and how they fared."""
    statuses = [claim["status"] for claim in claims]
    parts = [f"{statuses.count(status)} {status}" for status in (HELD, FAILED, NOT_RUN)]
    tests = sum(len(claim["tests"]) for claim in claims)
    mutants, killed = sum(claim["mutants"] for claim in claims), sum(claim["mutants_killed"] for claim in claims)
    return (f"{plural(len(claims), 'claim')}: {', '.join(parts)} · {plural(tests, 'test')} · "
            f"{killed} of {plural(mutants, 'mutant')} killed")


def advice(claims: list[ClaimData], book: Path | None) -> list[str]:
    """Advice on what to do next, a line each."""
    lines = []
    for claim in claims:
        for test in claim["tests"]:
            if test["status"] == FAILED:
                lines.append(f"failed: {claim['id']}.{test['name']} ({test['at']}); run "
                             f"{claim['chapter']}_properties "
                             f"--gtest_filter='{claim['id']}.{test['name']}'")
        if claim["status"] == NOT_RUN:
            lines.append(f"not run: {claim['id']}: {claim['why_not_run']}")
    if book:
        lines.append(f"the book: {book.resolve().as_uri()}")
    return lines
