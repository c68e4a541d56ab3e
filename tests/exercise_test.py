# SPDX-License-Identifier: BSL-1.0
"""The command tools/exercise, as far as it compiles nothing."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command of a checkout."""
    return subprocess.run([root / "tools/exercise", *arguments], check=False, capture_output=True, text=True)


class Exercise(unittest.TestCase):

    def test_lists_the_exercises_of_each_chapter(self) -> None:
        done = run(ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        for task in (ROOT / "exercises").glob("*/[A-Z]*.hpp"):
            if task.parent.name not in ("solutions", "answers"):
                self.assertRegex(done.stdout, rf"(?m)^{task.parent.name} +{task.stem} +level [123] ")

    def test_unknown_name_is_refused_with_those_there_are(self) -> None:
        done = run(ROOT, "Nothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"no exercise 'Nothing'; there are .*StableSoftmax")

    def test_copy_has_all_but_the_solutions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "class"
            done = run(ROOT, "--copy", str(copy))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse((copy / "exercises/solutions").exists() or (copy / "exercises/answers").exists())
            for page in (ROOT / "docs/exercises").glob("[a-z]*.md"):
                whole, rest = page.read_text(), (copy / page.relative_to(ROOT)).read_text()
                self.assertEqual(rest.count("### Hint"), whole.count("### Hint"))
                self.assertEqual(rest.count("\n## "), whole.count("\n## "))
                self.assertNotIn("Solution", rest)
                self.assertNotIn("exercises/solutions", rest)
            self.assertEqual(run(copy).stdout.count("not judged yet"), len(run(copy).stdout.splitlines()))
            self.assertEqual(run(ROOT, "--copy", str(copy)).returncode, 2)
            task = copy / "exercises/softmax/FactorLaw.hpp"
            task.write_text(task.read_text().replace("level 2", "level two"))
            done = run(copy)
            self.assertEqual(done.returncode, 2)
            self.assertIn("the first line of exercises/softmax/FactorLaw.hpp must stay as it was", done.stderr)


if __name__ == "__main__":
    unittest.main()
