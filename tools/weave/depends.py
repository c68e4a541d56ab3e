# SPDX-License-Identifier: BSL-1.0
"""Which header may include which: dependencies point one way, along the reading order."""

import re
from collections.abc import Iterator
from pathlib import Path

from book import MAINPAGE
from pages import reading_order
from problems import Problem

INCLUDE = re.compile(r"\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")
LIBRARY = "src/sqrtdk"
TESTING = "src/sqrtdk/testing"
TEST_LIBRARIES = ("gtest/", "gmock/", "rapidcheck")


def check_dependencies(root: Path) -> list[Problem]:
    """All includes below src/sqrtdk that point the wrong way, sorted by place."""
    stems = reading_order((root / MAINPAGE).read_text(encoding="utf-8"))
    problems: list[Problem] = []
    for path in sorted((root / LIBRARY).rglob("*.hpp")):
        file = path.relative_to(root).as_posix()
        check = _testing if file.startswith(f"{TESTING}/") else _library
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            include = INCLUDE.match(line)
            if include:
                problems += check(root, file, number, include.group(1), stems)
    return problems


def stem_of(file: str, stems: list[str]) -> str | None:
    """The chapter that a header belongs to; None for one that all chapters share."""
    name = Path(file).stem
    if Path(file).parent.name == "detail":
        fitting = [stem for stem in stems if name.startswith(f"{stem}_")]
        return max(fitting, key=len, default=None)
    return name if name in stems else None


def _testing(root: Path, file: str, line: int, include: str, _: list[str]) -> Iterator[Problem]:
    if _project_file(root, file, include).startswith("properties/"):
        yield Problem(file, line, f"what others test with includes {include}",
                      "Move what it needs from properties/ to src/sqrtdk/testing/")


def _library(root: Path, file: str, line: int, include: str, stems: list[str]
             ) -> Iterator[Problem]:
    target = _project_file(root, file, include)
    if include.startswith(TEST_LIBRARIES) or target.startswith(f"{TESTING}/"):
        yield Problem(file, line, f"the mathematics includes {include}",
                      "Keep what only tests need in src/sqrtdk/testing/")
        return
    if not target.startswith(f"{LIBRARY}/"):
        return
    own, other = stem_of(file, stems), stem_of(target, stems)
    if own is None and other is not None:
        yield Problem(file, line, f"a header that all chapters share includes {include}",
                      "Name it after its chapter, or remove the include")
    elif own is not None and other is not None and stems.index(other) > stems.index(own):
        yield Problem(file, line, f"the chapter {own} includes {include} of the later chapter "
                      f"{other}", f"Move what both need to {own} or to a chapter before it")


def _project_file(root: Path, file: str, include: str) -> str:
    """The project's file that an include names, relative to the root; else the include itself."""
    for base in (root / file).parent, root / "src", root:
        target = (base / include).resolve()
        if target.is_file() and target.is_relative_to(root.resolve()):
            return target.relative_to(root.resolve()).as_posix()
    return include
