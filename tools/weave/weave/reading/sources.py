"""The declarations in the C++ sources: the suites of properties/ and the tagged lines to quote.

A claim's suite is the file properties/STEM/CLAIM.cpp, where STEM is the name of the page that declares the claim.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

TAG = re.compile(r"\s*//!?\s*\[(.+?)\]\s*$")
TEST = re.compile(r"\s*(?:TEST|TEST_F|STATEMENT|ASIDE)\(\s*(\w+)\s*,")
TEST_NAME = r"^(?:TEST(?:_F)?|STATEMENT|ASIDE)\(\s*(\w+)\s*,\s*(\w+)\s*\)"
"""A test with its suite and its name."""
PROPERTIES = "properties"
SHARED = "support"
"""The folder of properties/ that belongs to no chapter."""
LIBRARY = "src/sqrtdk"
IMPLEMENTS = re.compile(r"\\implements\{([^}]*)\}")
"""The claims that a declaration's comment says it implements, with commas between them."""


def suite_file(stem: str, claim: str) -> str:
    """The file of a claim's suite."""
    return f"{PROPERTIES}/{stem}/{claim}.cpp"


@dataclass
class Sources:
    """The places of each suite and of each tag, by file relative to the root."""

    suites: dict[str, dict[str, int]] = field(default_factory=dict)
    """The files of each suite, with the line of its first test there."""
    tags: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    implements: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """The places where the library says that it implements what bears a name: files and lines."""
    stems: list[str] = field(default_factory=list)
    """The stems that have files of properties."""

    def lines_of(self, file: str, tag: str) -> list[int]:
        """The lines of a file that carry a tag."""
        return self.tags.get(file, {}).get(tag, [])

    def blocks_of(self, file: str, claim: str) -> list[tuple[int, int]]:
        """The first and the last line of each block of a file that the section of a claim quotes."""
        return [(lines[0], lines[1]) for tag, lines in self.tags.get(file, {}).items()
                if tag.partition(": ")[0] == claim and len(lines) == 2]

    def are_paired(self, file: str, claim: str) -> bool:
        """True if a file has the tag of a claim, and all of its tags for that claim stand twice."""
        tags = {tag: lines for tag, lines in self.tags.get(file, {}).items() if tag.partition(": ")[0] == claim}
        return claim in tags and all(len(lines) == 2 for lines in tags.values())

    def headers_of(self, stem: str, claim: str) -> list[str]:
        """The library's files that implement a claim of a chapter: the chapter's own header first."""
        tagged = [file for file in self.tags if file.startswith(f"{LIBRARY}/") and self.lines_of(file, claim)]
        return sorted(tagged, key=lambda file: (file != f"{LIBRARY}/{stem}.hpp", file))


def read_sources(root: Path) -> Sources:
    """Scan the library and examples for tags, properties/ for tags and suites."""
    sources = Sources()
    properties = [path for path in sorted((root / PROPERTIES).glob("*/*.cpp")) if path.parent.name != SHARED]
    library = sorted((root / LIBRARY).rglob("*.[ch]pp"))
    examples = sorted((root / "examples").glob("*.cpp"))
    for path in library + properties + examples:
        file = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        sources.tags[file] = _tags(lines)
        for number, line in enumerate(lines if path in library else [], start=1):
            for name in (name for names in IMPLEMENTS.findall(line) for name in names.split(",")):
                sources.implements.setdefault(name.strip(), []).append((file, number))
        if path in properties:
            for number, suite in _suites(lines):
                sources.suites.setdefault(suite, {}).setdefault(file, number)
    sources.stems = sorted({path.parent.name for path in properties})
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
