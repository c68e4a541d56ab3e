# SPDX-License-Identifier: BSL-1.0
"""The table of claims that the weave writes for machines, and for the terminal."""

from typing import TypedDict

CLAIMS_FILE = "claims.json"
"""Written first: a directory that has it is one of woven pages."""


class TestData(TypedDict):
    """What the table says of a test."""

    name: str
    status: str
    at: str
    """Its file and line, with a colon between them."""


class ClaimData(TypedDict):
    """What the table says of a claim."""

    id: str
    title: str
    sentence: str
    chapter: str
    chapter_title: str
    documents: list[str]
    word: str
    glyph: str
    status: str
    beside: list[dict[str, str]]
    """Subject and word of what is known besides the statement."""
    of_documents: dict[str, str]
    why_not_run: str
    uses: list[str]
    tests: list[TestData]
    cases: int
    mutants: int
    mutants_killed: int
