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
    level: str
    """How the statement is known; empty if the claim did not hold."""
    glyph: str
    status: str
    beside: list[dict[str, str]]
    """Subject and level of what is known besides the statement."""
    of_documents: dict[str, str]
    why_not_run: str
    uses: list[str]
    tests: list[TestData]
    cases: int
    """Random ones and those of enumerations, of all tests."""
    property: int
    """Random cases, or 0 with the reason."""
    property_beside: bool
    """Whether they tried something beside the statement alone, such as code in floating point."""
    no_property: str
    exact_check: dict[str, int]
    """How many values were compared at each level, and of samples how many; empty with the reason."""
    exact_check_beside: bool
    no_exact_check: str
    mutants: int
    mutants_killed: int
