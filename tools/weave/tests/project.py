"""A small consistent project in a temporary directory, which tests then spoil."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Callable, Mapping
from unittest import mock

WEAVE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(WEAVE))

# pylint: disable=wrong-import-position
from weave.commands import main  # noqa: E402
from weave.reading.book import Book, read_book  # noqa: E402
from weave.reading.pages import Claim  # noqa: E402

MAINPAGE = """# The book {#mainpage}

- \\subpage moments
- \\subpage score

\\weave{claims}
"""

MOMENTS = """# Moments {#moments}

Opening.

## The mean of a product {#ProductMean}

*In short.* The mean of a product is the product of the means
if the factors know nothing of each other.

### What the documents say
- S2, *Proving It*: "independent".
- S1, S3, *where*: the same.

### Statement
\\f$ E XY = E X \\cdot E Y \\f$

### Hypotheses
- **independent**: of each
  other.

### Proof
Sum.

### Without the hypotheses
- **independent**: \\f$ |X| \\f$ fails.

### Remarks
Free.

### The check in words
```text
for random factors:
    require  the mean is the product
```
"""

SCORE = """# The score {#score}

## In passing {#in-passing}

At 64 it is [64](run:ScoreVariance.HoldsForAll.at64); `[64](run:not.a.macro)`.

## The variance is d {#ScoreVariance}

*In short.* Each coordinate adds one.

### What the documents say
- implied: by all.

### Statement
It is d.

### Proof
By \\ref ProductMean.

### The check in words
```text
for every d up to a limit:
    V ← the variance, d < 1 & all
    require  V = d
        exactly
```
"""

LINES = """# The documents, line by line {#line-by-line}

## S1: a question {#lines-s1}

### Question {#lines-s1-question}

- "Why so." Because; without **independent** it fails.
  \\verdict{ProductMean}

## S2: an article {#lines-s2}

### Proving It {#lines-s2-proving}

- Nothing is claimed here.
- It prints "3 \\_ of them", and more. \\verdict{ProductMean}

## S3: a section {#lines-s3}

### Variance {#lines-s3-variance}

- A mean, and with \\ref ScoreVariance the number 63. \\verdict{ProductMean}
"""

REVISION = {"version": "1.2-dev+g0123456789", "commit": "0123456789" * 4, "date": "2026-01-02", "modified": "0",
            "address": "https://example.org/a_b", "rev": f"swh:1:rev:{'0123456789' * 4}",
            "dir": f"swh:1:dir:{'abcdef0123' * 4}"}
"""The data that cmake/SqrtdkRevision.cmake writes of a published book."""

HEADER = "#pragma once\n// \\implements{{{claim}}}\n// [{claim}]\nint f();\n// [{claim}]\n"


def properties(claim: str, *tests: str) -> str:
    """The text of a file of properties; the first test is the quoted one."""
    first, *others = [f"STATEMENT({claim}, {test}) {{}}\n" for test in tests]
    own = f"namespace sqrtdk::properties::{claim}"
    return f"// [{claim}]\n{own} {{\n{first}// [{claim}]\n{''.join(others)}}}  // {own}\n"


def passing(suite: str, name: str, **record: Any) -> dict[str, Any]:
    """A test as GoogleTest writes it, with what every test of a claim records."""
    recorded = {"level": "exact", "about": "statement", "cases": "100", "values": "3",
                "killed": "one\ntwo", "spared": "three", "aimed": "one"}
    return {"name": name, "line": 2, "status": "RUN", "result": "COMPLETED", "time": "0.001s",
            "classname": suite, **recorded, **record}


def scored(**record: Any) -> dict[str, Any]:
    """The test of the chapter on scores in the good project."""
    return passing("ScoreVariance", "HoldsForAll", **{"value_at64": "64", **record})


def failing_without(hypothesis: str, **record: Any) -> dict[str, Any]:
    """The test of the good project that shows what a hypothesis is for."""
    return passing("ProductMean", "FailsWhenEqual", **{"about": "counterexample", "counterexample": hypothesis,
                                                       "cases": "", "enumerated": "4", **record})


def failing(suite: str, name: str, message: str) -> dict[str, Any]:
    """A failed test, which has recorded nothing."""
    return {"name": name, "line": 3, "status": "RUN", "result": "COMPLETED", "time": "0s",
            "classname": suite, "failures": [{"failure": message, "type": ""}]}


def result(*tests: dict[str, Any], **facts: str) -> dict[str, Any]:
    """A result file in GoogleTest's form, one suite for each class name."""
    suites: dict[str, list[dict[str, Any]]] = {}
    for test in tests:
        suites.setdefault(test["classname"], []).append(test)
    return {"tests": len(tests), "failures": 0, "name": "AllTests", "time": "0s", **facts,
            "testsuites": [{"name": name, "testsuite": list_} for name, list_ in suites.items()]}


class TextTest(unittest.TestCase):
    """A test case that looks for parts in texts, and for the values of functions."""

    def assert_has(self, text: str, *parts: str) -> None:
        for part in parts:
            self.assertIn(part, text)

    def assert_lacks(self, text: str, *parts: str) -> None:
        for part in parts:
            self.assertNotIn(part, text)

    def assert_in_order(self, text: str, *parts: str) -> None:
        places = [text.find(part) for part in parts]
        self.assertNotIn(-1, places, dict(zip(parts, places)))
        self.assertEqual(places, sorted(places))

    def assert_values(self, function: Callable[[Any], object], values: Mapping[Any, object]) -> None:
        for argument, value in values.items():
            with self.subTest(argument):
                self.assertEqual(function(argument), value)


class ProjectTest(TextTest):
    """A test case with a good project in `self.root` and its results in `self.results`."""

    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        self.enterContext(mock.patch.dict(os.environ))
        os.environ.pop("SQRTDK_STRICT", None)  # under which pages of another run are an error
        self.results = self.root / "results"
        self.woven = self.root / "woven"
        self.write("docs/mainpage.md", MAINPAGE)
        self.write("theory/moments.md", MOMENTS)
        self.write("theory/score.md", SCORE)
        self.write("docs/line-by-line.md", LINES)
        self.write("src/sqrtdk/moments.hpp", HEADER.format(claim="ProductMean"))
        self.write("src/sqrtdk/score.hpp", HEADER.format(claim="ScoreVariance"))
        self.write("properties/moments/ProductMean.cpp", properties("ProductMean", "HoldsForAll", "FailsWhenEqual"))
        self.write("properties/score/ScoreVariance.cpp", properties("ScoreVariance", "HoldsForAll"))
        self.record("moments", passing("ProductMean", "HoldsForAll"), failing_without("independent"), compiler="g++")
        self.record("score", scored(), compiler="g++")

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def source(self, file: str) -> str:
        return (self.root / file).read_text(encoding="utf-8")

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace text that the file must contain."""
        text = self.source(file)
        self.assertIn(old, text)
        self.write(file, text.replace(old, new))

    def record(self, stem: str, *tests: dict[str, Any], **facts: str) -> None:
        self.write(f"results/{stem}_properties.json", json.dumps(result(*tests, **facts)))

    def read(self, file: str) -> str:
        """A woven file."""
        return (self.woven / file).read_text(encoding="utf-8")

    def run_weave(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run a command of the weave, in this process."""
        words = [*map(str, arguments)]
        told = [TextIOWrapper(BytesIO(), "utf-8") for _ in range(2)]
        with redirect_stdout(told[0]), redirect_stderr(told[1]):
            status = main(words)
        for text in told:
            text.seek(0)
        return subprocess.CompletedProcess(words, status, *(text.read() for text in told))

    def weave(self, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run_weave("weave", "--source", self.root, "--results", self.results, "--out", self.woven, *options)

    def book(self) -> Book:
        return read_book(self.root, self.results)

    def claim(self, name: str = "ScoreVariance") -> Claim:
        return self.book().claims[name]

    def assert_woven(self, *options: str) -> None:
        """Weaving has nothing to complain of."""
        done = self.weave(*options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def weave_page(self, file: str) -> str:
        """A page, woven without complaint."""
        self.assert_woven()
        return self.read(file)

    def assert_problem(self, *parts: str) -> None:
        """Weaving fails with one line that has all parts, and writes nothing new."""
        before = self.woven.exists()
        done = self.weave()
        self.assertEqual(done.returncode, 2, "nothing was said against it")
        self.assertEqual(self.woven.exists(), before, "pages were written")
        self.assertTrue(any(all(part in line for part in parts) for line in done.stderr.splitlines()),
                        f"no line has {' and '.join(parts)}:\n{done.stderr}")

    def assert_slips(self, *slips: tuple[str, ...]) -> None:
        """Each change (file, old text, new text, parts of the complaint) fails so where it is the only one."""
        for file, old, new, *parts in slips:
            with self.subTest(parts):
                text = self.source(file)
                self.edit(file, old, new)
                self.assert_problem(*parts)
            self.write(file, text)
