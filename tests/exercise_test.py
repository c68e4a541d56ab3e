"""The command tools/exercise, as far as it compiles nothing."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/weave"))
from weave.reading.tasks import read_tasks  # noqa: E402 # pylint: disable=wrong-import-position


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command of a checkout."""
    return subprocess.run([root / "tools/exercise", *arguments], check=False, capture_output=True, text=True)


class Exercise(unittest.TestCase):

    def test_lists_the_exercises_of_each_chapter(self) -> None:
        done = run(ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)
        tasks, problems = read_tasks(ROOT)
        self.assertEqual(problems, [])
        for task in tasks:
            self.assertRegex(done.stdout, rf"(?m)^{task.chapter} +{task.name} +level {task.level} +{task.kind} "
                                          rf"+{task.claim} ")
        self.assertEqual(len(tasks), done.stdout.count(" level "))

    def test_unknown_name_is_refused_with_those_there_are(self) -> None:
        done = run(ROOT, "Nothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"no exercise 'Nothing'; there are .*StableSoftmax")

    def test_file_without_an_exercise_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answer.py"
            self.assertIn("there is no file", run(ROOT, "--file", str(file)).stderr)
            file.write_text("x = 1\n")
            done = run(ROOT, "--json", "--file", str(file))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("has no exercise; a line '# [NAME]' ends each", done.stderr)

    def test_copy_has_exercises_as_they_were_committed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            teachers, copy = Path(folder) / "teachers", Path(folder) / "class"
            subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, teachers], check=True)
            solved = teachers / "exercises/softmax.py"
            delivered = solved.read_text()
            solved.write_text(delivered.replace("raise NotImplementedError", "return 1"))
            self.assertEqual(run(teachers, "--copy", str(copy)).returncode, 0)
            self.assertEqual((copy / "exercises/softmax.py").read_text(), delivered)
            done = run(copy, "--copy", str(Path(folder) / "another"))
            self.assertEqual(done.returncode, 2)
            self.assertIn("only a checkout of git can be copied", done.stderr)

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
                self.assertNotIn("solution{", rest)
            self.assertEqual(run(copy).stdout.count("not judged yet"), run(ROOT).stdout.count(" level "))
            self.assertEqual(run(ROOT, "--copy", str(copy)).returncode, 2)
            task = copy / "exercises/softmax.py"
            task.write_text(task.read_text().replace("level 2", "level two", 1))
            done = run(copy)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"exercises/softmax.py:\d+: '# \[FactorLaw\] level two.* must stay as it was")


if __name__ == "__main__":
    unittest.main()
