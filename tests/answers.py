"""Judges the judges of a chapter's exercises: answers.py CHAPTER PROGRAM.

Each exercise fails as delivered, and its solution passes. Of other answers, one is right and written otherwise, and one
has a common mistake and must get the message that it names.
"""

import re
import runpy
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position,wrong-import-order
from exercises.judging import ROOT, exercises, judge  # noqa: E402
from weave.reading.tasks import Task  # noqa: E402

CHAPTER, PROGRAM = sys.argv[1], Path(sys.argv[2])


def changed(file: str) -> bool:
    """True if somebody has written into a file since it was committed: it is then no longer as it was delivered."""
    return subprocess.run(["git", "diff", "--quiet", "HEAD", "--", file], cwd=ROOT, check=False).returncode == 1


def answers(exercise: Task) -> Iterator[tuple[str, str, str]]:
    """Hand-ins by name, with what must be said of each: nothing of the right ones. A copy for a class has the first."""
    if not changed(exercise.file):
        yield "as delivered", (ROOT / exercise.file).read_text(encoding="utf-8"), "there is no answer yet: "
    solutions, others = (ROOT / "exercises" / folder / f"{CHAPTER}.py" for folder in ("solutions", "answers"))
    if solutions.exists():
        yield "the solution", solutions.read_text(encoding="utf-8"), ""
        text = others.read_text(encoding="utf-8")
        for name, answer in runpy.run_path(str(others)).items():
            if name.startswith(f"{exercise.name}_"):
                yield name, f"{text}\n\nglobals().update(vars({name}))\n", getattr(answer, "told", "")


class Answers(unittest.TestCase):

    def test_each_is_judged_as_it_deserves(self) -> None:
        for exercise in exercises():
            if exercise.chapter != CHAPTER:
                continue
            names = []
            for name, source, told in answers(exercise):
                names.append(name)
                with self.subTest(name):
                    verdict = judge(PROGRAM, exercise.name, f"{CHAPTER}.py", source.encode())
                    self.assertEqual(verdict.solved, not told, verdict.told)
                    self.assertRegex(verdict.told, re.compile(told, re.S))
            self.assertTrue(len(names) <= 1 or f"{exercise.name}_otherwise" in names and len(names) >= 4,
                            f"{exercise.name} wants more answers than {names}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
