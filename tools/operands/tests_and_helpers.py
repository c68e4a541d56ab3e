"""The tests in a file, and the helpers in properties/ that they call, by their names.

Definitions begin in the first column, as clang-format has them; what they use is what they name. Mutants, KILLS(…), and
classes without an assertion, are implementations under test: what they compare is no verdict.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NOT_CODE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])\'')
TEST = re.compile(r"(?:TEST|TEST_F|STATEMENT|ASIDE)\((\w+),\s*(\w+)\)")
NAME = re.compile(r"^(?:struct|class|enum class|enum) (\w+)|(\w+)\s*[({=;\[]")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    file: Path
    name: str  # `Suite.Test` of a test
    first: int
    last: int
    names: frozenset[str]  # all that it mentions
    is_class: bool

    def is_test(self) -> bool:
        return "." in self.name

    def under_test(self) -> bool:
        """True if it is an implementation, and no helper of tests."""
        asserts = any(name.startswith(("EXPECT_", "RC_ASSERT", "expect_")) for name in self.names)
        return self.name == "KILLS" or self.is_class and not asserts


@cache
def definitions(file: Path) -> tuple[Definition, ...]:
    found, text, first, depth = [], "", 0, 0
    code = NOT_CODE.sub('""', file.read_text(encoding="utf-8"))
    for number, line in enumerate(code.splitlines(), 1):
        if not text and not re.match(r"(?!namespace|using|public|private)[\w\[]", line):
            continue
        first = first if text else number
        text += line + "\n"
        depth += sum(map(line.count, "({[")) - sum(map(line.count, ")}]"))
        if depth == 0 and line.rstrip(' "').endswith((";", "}")):
            found.append(Definition(file, name_of(text), first, number, frozenset(re.findall(r"\w+", text)),
                                    re.match("struct|class", text) is not None))
            text = ""
    return tuple(found)


def name_of(text: str) -> str:
    if test := TEST.match(text):
        return f"{test[1]}.{test[2]}"
    text = re.sub(r"^template <.*>$|^requires.*$", "", text, flags=re.MULTILINE).strip()
    while text != (text := re.sub(r"<[^<>;{}]*>", "", text)):  # template arguments
        pass
    name = NAME.search(text)
    return (name[1] or name[2]) if name else ""


@cache
def visible(file: Path, root: Path) -> tuple[Path, ...]:
    """A file, and those that it includes by paths from the root, and so on."""
    seen, todo = [], [file]
    while todo:
        seen.append(todo.pop())
        for name in INCLUDE.findall(seen[-1].read_text(encoding="utf-8")):
            if (included := root / name).is_file() and included not in seen + todo:
                todo.append(included)
    return tuple(seen)


def reached(test: Definition, root: Path) -> list[Definition]:
    """A test, and all helpers that it calls, and those that these call."""
    seen, todo = [], [test]
    while todo:
        seen.append(here := todo.pop())
        for file in visible(here.file, root):
            for helper in definitions(file):
                if helper.name in here.names and not helper.under_test() and helper not in seen + todo:
                    todo.append(helper)
    return seen
