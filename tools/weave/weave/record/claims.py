"""The table of claims that the weave writes for machines, and for the terminal."""

from typing import TypedDict

CLAIMS_FILE = "claims.json"
"""Written first: a directory that has it is one of woven pages."""


class TestData(TypedDict):
    """The table's entry for a test."""

    name: str
    status: str
    at: str
    """Its file and line, with a colon between them."""


class ClaimData(TypedDict):
    """The table's entry for a claim."""

    id: str
    title: str
    sentence: str
    chapter: str
    chapter_title: str
    documents: list[str]
    level: str
    """The level of the statement; empty if the claim did not hold."""
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
    """True if they tried only something beside the statement, such as code in floating point."""
    no_property: str
    exact_check: dict[str, int]
    """The number of values compared at each level, and of samples; empty with the reason."""
    exact_check_beside: bool
    no_exact_check: str
    mutants: int
    mutants_killed: int
