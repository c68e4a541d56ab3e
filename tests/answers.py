"""Judges the judges of a chapter's exercises: answers.py CHAPTER PROGRAM.

Each exercise fails as delivered, and its solution passes. Of three other answers, one is right and written otherwise,
one is a table of examples and one has a common mistake; a wrong one must get the message that it names.
"""

import re
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position,wrong-import-order
from exercises.judging import ROOT, Functions, exercises, functions_of, judge  # noqa: E402
from weave.reading.tasks import Task  # noqa: E402

CHAPTER, PROGRAM = sys.argv[1], Path(sys.argv[2])


def changed(file: str) -> bool:
    """True if somebody has written into a file since it was committed: it is then no longer as it was delivered."""
    return subprocess.run(["git", "diff", "--quiet", "HEAD", "--", file], cwd=ROOT, check=False).returncode == 1


def answers(exercise: Task) -> Iterator[tuple[str, Functions, str]]:
    """Answers by name, with what must be said of each: nothing of the right ones. A copy for a class has the first."""
    if not changed(exercise.file):
        yield "as delivered", functions_of(ROOT / exercise.file), "there is no answer yet: "
    for file in (ROOT / "exercises" / folder / f"{CHAPTER}.py" for folder in ("solutions", "answers")):
        if not file.exists():
            continue
        found = functions_of(file)
        if file.parent.name == "solutions":
            yield "the solution", found, ""
        for name, answer in found.items():
            if name.startswith(f"{exercise.name}_"):
                yield name, dict(vars(answer)), getattr(answer, "told", "")


class Answers(unittest.TestCase):

    def test_each_is_judged_as_it_deserves(self) -> None:
        for exercise in exercises():
            if exercise.chapter != CHAPTER:
                continue
            names = []
            for name, functions, told in answers(exercise):
                names.append(name)
                with self.subTest(name):
                    solved, said = judge(PROGRAM, exercise.name, functions)
                    self.assertEqual(solved, not told, said)
                    self.assertRegex(said, re.compile(told, re.S))
            others = {f"{exercise.name}_{kind}" for kind in ("otherwise", "table")}
            self.assertTrue(len(names) <= 1 or others < set(names) and len(names) >= len(others) + 2,
                            f"{exercise.name} wants more answers than {names}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
