"""The exercises that judge themselves, as exercises/CHAPTER.py has them.

An exercise stands between two lines, which a student leaves as they are:

    # [Name] level 1, 2 points, by hand, claim Claim
    def function(…): …
    # [Name]
"""

import re
from dataclasses import dataclass
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.base.files import read_whole

FOLDER = "exercises"
KINDS = ("by hand", "predict, then run", "write the check", "drop a hypothesis", "a body removed")
LEVELS = (1, 2, 3)
LINE = re.compile(r"#\s*\[(\w*)\](.*)")
HEAD = re.compile(rf" level ([{LEVELS[0]}-{LEVELS[-1]}]), ([1-9]) points?, ({'|'.join(KINDS)}), claim ([A-Z]\w*)")
FORM = ("'# [Name] level 1, 2 points, KIND, claim Claim', where the kind is "
        f"{', '.join(map(repr, KINDS[:-1]))} or {KINDS[-1]!r}")


@dataclass(frozen=True)
class Task:
    """An exercise that judges itself."""

    chapter: str
    name: str
    level: int
    points: int
    kind: str
    claim: str
    text: str
    """The lines between the two."""
    line: int
    """That of the first of the two."""

    @property
    def file(self) -> str:
        """The file in which a student writes."""
        return f"{FOLDER}/{self.chapter}.py"

    @property
    def solution(self) -> str:
        """The file in which it is solved, between the same lines."""
        return f"{FOLDER}/solutions/{self.chapter}.py"


def read_tasks(root: Path) -> tuple[list[Task], list[Diagnostic]]:
    """All exercises by chapter and level, and what is wrong with the lines around them."""
    tasks: list[Task] = []
    problems: list[Diagnostic] = []
    for file in sorted((root / FOLDER).glob("*.py")):
        found, wrong = parse_tasks(file.stem, read_whole(file).decode(errors="replace").splitlines())
        tasks += sorted(found, key=lambda task: task.level)
        problems += wrong
    return tasks, problems


def parse_tasks(chapter: str, lines: list[str]) -> tuple[list[Task], list[Diagnostic]]:
    """The exercises of one file."""
    marks = [(number, mark) for number, line in enumerate(lines, 1) if (mark := LINE.match(line))]
    tasks: list[Task] = []
    problems: list[Diagnostic] = []

    def wrong(number: int, message: str, hint: str) -> None:
        problems.append(Diagnostic(f"{FOLDER}/{chapter}.py", number, message, hint))

    while marks:
        number, mark = marks.pop(0)
        head = HEAD.fullmatch(mark[2])
        if not head:
            wrong(number, f"'{mark[0]}' begins no exercise", f"Such a line must stay as it was: {FORM}")
            continue
        if not marks or marks[0][1][0] != f"# [{mark[1]}]":
            wrong(number, f"the exercise {mark[1]} does not end", f"Write '# [{mark[1]}]' below it, as it was")
            continue
        end, _ = marks.pop(0)
        tasks.append(Task(chapter, mark[1], int(head[1]), int(head[2]), head[3], head[4],
                          "\n".join(lines[number:end - 1]), number))
    return tasks, problems
