# SPDX-License-Identifier: BSL-1.0
"""What the C++ sources declare: the suites of properties/ and the tagged lines to quote."""

import re
from dataclasses import dataclass, field
from pathlib import Path

TAG = re.compile(r"\s*//!?\s*\[(.+?)\]\s*$")
TEST = re.compile(r"\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP\w*|PROPERTY\w*)"
                  r"\(\s*(\w+)\s*,")
TEST_NAME = r"^TEST(?:_F)?\(\s*(\w+)\s*,\s*(\w+)\s*\)"
"""A GoogleTest test with its suite and its name."""
SUFFIX = "_properties.cpp"


@dataclass
class Sources:
    """Where each suite begins and where each tag stands, by file relative to the root."""

    suites: dict[str, tuple[str, int]] = field(default_factory=dict)
    tags: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    stems: list[str] = field(default_factory=list)
    """The stems that have a file of properties."""

    def lines_of(self, file: str, tag: str) -> list[int]:
        """The lines of a file that carry a tag."""
        return self.tags.get(file, {}).get(tag, [])


def read_sources(root: Path) -> Sources:
    """Scan headers and examples for tags, properties/ for tags and suites."""
    sources = Sources()
    properties = sorted((root / "properties").glob(f"*{SUFFIX}"))
    headers = sorted((root / "src/sqrtdk").rglob("*.hpp"))
    examples = sorted((root / "examples").glob("*.cpp"))
    for path in headers + properties + examples:
        file = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        sources.tags[file] = _tags(lines)
        if path in properties:
            sources.stems.append(path.name.removesuffix(SUFFIX))
            for number, suite in _suites(lines):
                sources.suites.setdefault(suite, (file, number))
    return sources


def _tags(lines: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, line in enumerate(lines, start=1):
        tag = TAG.match(line)
        if tag:
            found.setdefault(tag.group(1), []).append(number)
    return found


def _suites(lines: list[str]) -> list[tuple[int, str]]:
    """Suite names with the lines of their tests; a name may stand on the line after its macro."""
    text = "\n".join(lines)
    pattern = re.compile(f"^{TEST.pattern}", re.MULTILINE)
    return [(text.count("\n", 0, match.start(1)) + 1, match.group(1))
            for match in pattern.finditer(text)]
