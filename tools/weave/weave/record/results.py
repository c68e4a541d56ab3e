"""GoogleTest's JSON results, read as what each test recorded about itself."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weave.base.shapes import BadData, Shape, Text, departure, read_json

ORDINARY = {"tests", "failures", "disabled", "errors", "timestamp", "time", "name", "testsuites",
            "random_seed", "program", "tests_in_program"}
"""The keys at the top of every result; every other string there was recorded."""

CLAIM = "\nclaim: "
"""The mark in the last failure of a claim's test before its name, what it says, and its page."""

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"

NAME = Text("a name", re.compile(r"[\w/]+", re.ASCII))
LINE = Text("one line of text", re.compile(r"[^\x00-\x1f\x7f]+"))
COUNT = Text("a count", re.compile(r"[0-9]{0,18}"))
COUNTS = Text("counts, one a line", re.compile(r"(?:[0-9]{1,18}(?:\n|\Z))*"))
SEED = Text("a seed", re.compile(r"[0-9]{1,20}"))
CHANCES = Text("powers of two or decimals, one a line", re.compile(
    r"(?:(?:2\^-[0-9]{1,3}|0\.[0-9]{0,99}[1-9]|[1-9](?:\.[0-9]+)?e-[0-9]{1,2})(?:\n|\Z))*"))
LEDGER = Text("lines of a test, a count and a power", re.compile(
    r"(?:\w+\.\w+\t[0-9]{1,9}\t[0-9]{1,3}(?:\n|\Z))*", re.ASCII))
TEST: Shape = {"name": NAME, "line": range(10 ** 7), "file?": LINE, "result?": str, "failures?": [{"failure": str}],
               "cases?": COUNT, "discards?": COUNT, "enumerated?": COUNT, "values?": COUNT, "refusals?": COUNT,
               "n?": COUNTS, "beta?": CHANCES}
FILE: Shape = {"program?": LINE, "crashed?": str}
"""The shape of any result file; of one that tells of no crash, `RESULT` as well."""
RESULT: Shape = {"seed?": SEED, "ledger?": LEDGER, "tests_in_program?": COUNT, "disabled?": range(10 ** 7),
                 "testsuites": [{"name": NAME, "testsuite": [TEST]}]}
"""Everything else in a result is free, and each text of it was recorded."""


@dataclass
class Test:
    """One test of one run and the properties it recorded."""

    suite: str
    name: str
    file: str
    line: int
    status: str
    failures: list[str]
    record: dict[str, str]

    def lines(self, key: str) -> list[str]:
        """A recorded list: one value a line."""
        return [line for line in self.record.get(key, "").split("\n") if line]

    def rows(self, key: str) -> list[list[str]]:
        """A recorded list of tab-separated rows."""
        return [line.split("\t") for line in self.lines(key)]

    def value(self, key: str) -> str | None:
        """A named value, or failing that an ordinary recorded field."""
        return self.record.get(f"value_{key}", self.record.get(key))

    @property
    def level(self) -> str:
        """The level of its evidence; nothing if it did not record it."""
        return self.record.get("level", "")

    @property
    def about(self) -> str:
        """The subject of its check: its claim's statement, or something else."""
        return self.record.get("about", "")

    def number(self, key: str) -> int:
        """A count that it recorded; 0 if it recorded none."""
        return int(self.record.get(key) or 0)

    def first_failure(self) -> str:
        """The message of the first failure, how many more the program has to tell, and what the claim says."""
        first, *others = self.failures
        _, claim, said = others[-1].partition(CLAIM) if others else ("", "", "")
        more = len(others) - bool(claim)
        return first + (f"\n… and {more} more failures of this test" if more else "") + claim + said

    @property
    def mutants(self) -> set[str]:
        """The mutants that this test met."""
        return {*self.lines("killed"), *self.lines("spared")}


@dataclass
class Run:
    """The results of running one chapter's program."""

    stem: str
    program: str = ""
    """The command that called it, from the root of the checkout."""
    lost: str = ""
    """Why there are no results; empty when there are."""
    facts: dict[str, str] = field(default_factory=dict)
    """The facts that the program recorded about the whole run: compiler, versions, seed."""
    tests: list[Test] = field(default_factory=list)


def read_run(path: Path, stem: str, may_disable: bool = False) -> Run:
    """The results of one stem. A missing or unreadable file is a run without results, and so is one that left tests
    out, except disabled ones if it may disable any."""
    try:
        data = read_result(path)
    except FileNotFoundError:
        return Run(stem, lost="it was not run")
    except OSError as error:
        return Run(stem, lost=f"its result file {path.name} cannot be read ({error.strerror})")
    except BadData as error:
        return Run(stem, lost=f"its result file {path.name} {error}")
    program = data.get("program", "")
    if "crashed" in data:
        return Run(stem, program, f"its program gave no results: {data['crashed']}")
    facts = {key: value for key, value in data.items()
             if key not in ORDINARY and isinstance(value, str)}
    tests = [_read_test(suite["name"], test, stem)
             for suite in data["testsuites"] for test in suite["testsuite"]]
    ran, there = sum(test.status != NOT_RUN for test in tests), int(data.get("tests_in_program", 0))
    there -= int(data.get("disabled", 0)) if may_disable else 0
    if ran < there:  # as GTEST_FILTER and GTEST_TOTAL_SHARDS have it
        return Run(stem, program, lost=f"only {ran} of its {there} tests ran")
    return Run(stem, program, facts=facts, tests=tests)


def read_result(path: Path) -> dict[str, Any]:
    """A result file as it is, in the shape that GoogleTest and `weave record` give it."""
    data: dict[str, Any] = read_json(path, FILE, "a result")
    if "crashed" not in data and (wrong := departure(data, RESULT)):
        raise BadData(f"has not the shape of a result: {wrong}")
    return data


def suite_name(full: str) -> str:
    """The suite as the source names it: typed 'Law/0' and instantiated 'All/Law' are both 'Law'."""
    return re.sub(r"/\d+$", "", full).split("/")[-1]


def _read_test(suite: str, test: dict[str, Any], stem: str) -> Test:
    record = {key: value for key, value in test.items() if isinstance(value, str)}
    file = test.get("file", f"properties/{stem}/{suite_name(suite)}.cpp")
    failures = [failure["failure"] for failure in test.get("failures", [])]
    if failures:
        status = FAILED
    else:
        status = PASSED if test.get("result") == "COMPLETED" else NOT_RUN
    return Test(suite_name(suite), test["name"], file, test["line"], status, failures, record)
