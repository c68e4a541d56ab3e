# SPDX-License-Identifier: BSL-1.0
"""What is mutated, and the programs that should notice."""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src/sqrtdk"
KIT = SOURCE / "testing"
INCLUDE = re.compile(r'#include ["<]sqrtdk/(.+)[">]')
CLAIM = re.compile(r"^## .*\{#([A-Z]\w*)\}", re.MULTILINE)


@dataclass(frozen=True)
class Subject:
    """Headers that are mutated together, and the programs that test them, by the names of their targets."""

    name: str
    headers: list[Path]
    programs: list[str]


def chapters() -> list[str]:
    """Stems in reading order."""
    pages = re.findall(r"\\subpage (\w+)", (ROOT / "docs/mainpage.md").read_text().split("**The run**")[0])
    return [page for page in pages if (ROOT / f"theory/{page}.md").is_file()]


def claims_of(stem: str) -> set[str]:
    return set(CLAIM.findall((ROOT / f"theory/{stem}.md").read_text()))


def includes_of(path: Path) -> set[Path]:
    return {SOURCE / name for name in INCLUDE.findall(path.read_text())}


def headers_of(stem: str) -> list[Path]:
    """The headers that implement a claim of the chapter, and the details that are its own."""
    claims = claims_of(stem)
    tagged = [path for path in sorted(SOURCE.rglob("*.[ch]pp"))
              if claims & set(re.findall(r"//! \[(\w+)", path.read_text()))]
    own: set[Path] = set()
    while tagged:
        path = tagged.pop()
        own.add(path)
        tagged.extend({header for header in includes_of(path) if header.parent.name == "detail"} - own)
    return sorted(own)


def all_includes_of(path: Path) -> set[Path]:
    """Every header that a file includes, itself or through others."""
    seen: set[Path] = set()
    left = [path]
    while left:
        new = includes_of(left.pop()) - seen
        seen |= new
        left.extend(new)
    return seen


def declared_in(path: Path) -> Path:
    """The header that declares what a source or a header of definitions defines."""
    return path.with_name(path.stem.removesuffix("_definitions") + ".hpp")


def tests_of(header: Path) -> list[str]:
    """The programs of tests/ that test a header: those that name it, or else that reach it."""
    tests = sorted((ROOT / "tests").rglob("*_tests.cpp"))
    named = [path.stem for path in tests if header in includes_of(path)]
    return named or [path.stem for path in tests if header in all_includes_of(path)]


def program_of(stem: str) -> str:
    """The program that tests the claims of a chapter."""
    return f"{stem}_properties"


def programs_of(header: Path) -> list[str]:
    """The kit's headers have tests of their own, and so do those that implement no claim; what has none is tried by the
    chapters that include it."""
    of_claims = [] if header.is_relative_to(KIT) else [stem for stem in chapters() if header in headers_of(stem)]
    header = declared_in(header)
    return [program_of(stem) for stem in of_claims] or tests_of(header) or [
        program_of(stem) for stem in chapters()
        if any(header in includes_of(path) for path in (ROOT / "properties" / stem).glob("*.cpp"))]


def subjects_of(what: str) -> list[Subject]:
    """The subjects that a word on the command line names."""
    if what in chapters():
        return [Subject(what, headers_of(what), [program_of(what)])]
    path = (ROOT / what).resolve()
    headers = sorted(KIT.rglob("*.[ch]pp")) if what == "kit" else [path]
    if what != "kit" and not (path.suffix in (".hpp", ".cpp") and path.is_file() and path.is_relative_to(SOURCE)):
        raise argparse.ArgumentTypeError(
            f"'{what}' is no chapter, no header and not `kit`; chapters are {', '.join(chapters())}")
    subjects = [Subject(header.relative_to(ROOT).as_posix(), [header], programs_of(header)) for header in headers]
    return [subject for subject in subjects if subject.programs]
