"""The command tools/exercise, as far as it compiles nothing."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/weave"))
sys.path.insert(0, str(ROOT))
# pylint: disable=wrong-import-position
from weave.reading.tasks import read_tasks  # noqa: E402
from exercises.handing_out import without_solutions  # noqa: E402


class Exercise(unittest.TestCase):

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with

    def prints(self, root: Path, *arguments: str | Path) -> str:
        done = subprocess.run([root / "tools/exercise", *arguments], check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refuses(self, message: str, root: Path, *arguments: str | Path) -> None:
        done = subprocess.run([root / "tools/exercise", *arguments], check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, message)

    def test_lists_the_exercises_of_each_chapter(self) -> None:
        listed = self.prints(ROOT)
        tasks, problems = read_tasks(ROOT)
        self.assertEqual(problems, [])
        for task in tasks:
            self.assertRegex(listed, rf"(?m)^{task.chapter} +{task.name} +level {task.level} +{task.kind} "
                                     rf"+{task.claim} ")
        self.assertEqual(len(tasks), listed.count(" level "))

    def test_unknown_name_is_refused_with_those_there_are(self) -> None:
        self.refuses(r"no exercise 'Nothing'; there are .*StableSoftmax", ROOT, "Nothing")

    def test_file_without_an_exercise_is_refused(self) -> None:
        file = self.folder / "answer.py"
        self.refuses("there is no file", ROOT, "--file", file)
        file.write_text("x = 1\n")
        self.refuses(r"has no exercise; a line '# \[NAME\]' ends each", ROOT, "--json", "--file", file)

    def test_copy_has_exercises_as_they_were_committed(self) -> None:
        teachers, copy = self.folder / "teachers", self.folder / "class"
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, teachers], check=True)
        solved = teachers / "exercises/softmax.py"
        delivered = solved.read_text()
        solved.write_text(delivered.replace("raise NotImplementedError", "return 1"))
        self.prints(teachers, "--copy", copy)
        self.assertEqual((copy / "exercises/softmax.py").read_text(), delivered)
        self.refuses("only a checkout of git can be copied", copy, "--copy", self.folder / "another")

    def test_copy_has_all_but_the_solutions(self) -> None:
        copy = self.folder / "class"
        self.prints(ROOT, "--copy", copy)
        self.assertFalse((copy / "exercises/solutions").exists() or (copy / "exercises/answers").exists())
        self.assertEqual(list((copy / "examples").glob("exercise_*")), [])
        for page in (ROOT / "docs/exercises").glob("*.md"):
            whole, rest = page.read_text(), (copy / page.relative_to(ROOT)).read_text()
            self.assertEqual(rest.count("## Hint"), whole.count("## Hint"))
            self.assertEqual(rest.count("\n## "), whole.count("\n## ") - whole.count("\n## Solution"))
            for secret in ("Solution", "solution{", "examples/exercise_"):
                self.assertNotIn(secret, rest)
        for notebook in (copy / "python/notebooks").glob("*.ipynb"):
            self.assertNotIn("# Solution", notebook.read_text())
            self.assertIn("raise NotImplementedError", notebook.read_text())
        self.assertEqual(self.prints(copy).count("not judged yet"), self.prints(ROOT).count(" level "))
        self.refuses("class exists already", ROOT, "--copy", copy)
        task = copy / "exercises/softmax.py"
        task.write_text(task.read_text().replace("level 2", "level two", 1))
        self.refuses(r"exercises/softmax.py:\d+: '# \[FactorLaw\] level two.* must stay as it was", copy)

    def test_book_of_a_class_has_no_solutions(self) -> None:
        fold = '<details class="fold"><summary>Show the '
        hint = f"<h2>A</h2>{fold}hint</summary>H</details>"
        page = f'{hint}{fold}solution</summary>S<details class="cite">C</details>S</details><p>Next.</p>'
        self.assertEqual(without_solutions(page),
                         f"{hint}<p>The edition for a class has no solutions.</p><p>Next.</p>")

    def test_build_of_another_folder_is_refused(self) -> None:
        copy = self.folder / "class"
        self.prints(ROOT, "--copy", copy)
        (copy / "build/release").mkdir(parents=True, exist_ok=True)
        (copy / "build/release/CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n")
        self.refuses(f"build/release is a build of another folder, {ROOT}: remove build/", copy, "FactorLaw")

    def test_hand_in_that_cannot_be_judged_is_a_row(self) -> None:
        (self.folder / "blank.py").write_text(" \n\t\n")
        (self.folder / "wide.py").write_bytes("x = 1".encode("utf-16"))
        (self.folder / "long.py").write_bytes(b"#" * (1 << 20) + b"\n")
        (self.folder / "link.py").symlink_to(self.folder / "blank.py")
        for name, message in {"missing.py": "there is no file ", "\udcff.py": "there is no file ", ".": "is no file",
                              "long.py": "is larger than 1 MiB", "wide.py": "save it as UTF-8", "link.py": "is a link",
                              "blank.py": "is empty"}.items():
            with self.subTest(name):
                done = subprocess.run([ROOT / "tools/exercise", "--json", "softmax", "--file", self.folder / name],
                                      check=False, capture_output=True, text=True,
                                      env=os.environ | {"SQRTDK_ALONE": str(ROOT)})
                row = json.loads(done.stdout)
                self.assertEqual((row["points"], row["of"], len(row["exercises"])), (0, 12, 4))
                self.assertIn(message, row["message"])
                self.assertRegex(" ".join((row["version"], row["commit"])), r"^\d+\.\d+\.\d+ [0-9a-f]{40}")


if __name__ == "__main__":
    unittest.main()
