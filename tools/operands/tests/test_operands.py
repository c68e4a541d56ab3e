"""The comparisons of numbers in floating point that are found in exact tests.

Runs clang-query as SQRTDK_BUILD, a configured folder, would compile a program of tests/.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SAMPLE = Path("properties/sample")


class Operands(unittest.TestCase):
    def setUp(self) -> None:
        self.build = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.build)
        self.project = self.build / "c++"  # no expression is to be made of that
        shutil.copytree(HERE / "project", self.project)

    def run_on(self, levels: dict[str, str] | None, *chapters: str) -> subprocess.CompletedProcess[str]:
        """Runs the check on the project, whose tests have these levels; on one without results if there are none."""
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.project}\n")
        commands = json.loads((Path(os.environ["SQRTDK_BUILD"]) / "compile_commands.json").read_text())
        # One that takes no header that another compiler may have precompiled.
        like = next(entry for entry in commands if entry["file"].endswith("/softmax_alone_tests.cpp"))
        sample = str(self.project / SAMPLE / "Sample.cpp")
        command = like["command"].replace(like["file"], sample).replace(" -c ", f" -I{self.project} -c ")
        (self.build / "compile_commands.json").write_text(json.dumps([like | {"file": sample, "command": command}]))
        if levels is not None:
            tests = [{"name": name, "level": level} for name, level in levels.items()]
            (self.build / "sample_properties.json").write_text(
                json.dumps({"testsuites": [{"name": "Sample", "testsuite": tests}]}))
        return subprocess.run([sys.executable, "-m", "operands", self.build, self.build, *chapters],
                              cwd=HERE.parent.parent, capture_output=True, text=True, check=False)

    def test_each_is_found_and_nothing_else(self) -> None:
        run = self.run_on({"Exact": "exact", "Bounded": "bounded"})
        self.assertEqual(run.returncode, 1, run.stderr)
        for file in (self.project / SAMPLE).iterdir():
            code = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
            found = re.findall(rf"^properties/sample/{file.name}:(\d+):\d+: Sample\.Exact is exact", run.stdout, re.M)
            self.assertEqual(sorted({int(line) for line in found}),
                             [number for number, line in code if line.endswith("// found")], run.stdout)
        self.assertRegex(run.stdout, r"Sample\.cpp:\d+:\d+: Sample\.Exact is exact, but compares cpp_bin_float here: "
                                     r"RC_ASSERT\(2 \* wide >= wide\);")
        self.assertRegex(run.stdout, r"fixture\.hpp:.* compares double here, in agree: return a == b;")

    def test_what_is_not_exact_may_compare_as_it_likes(self) -> None:
        run = self.run_on({"Exact": "bounded", "Bounded": "bounded"})
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)

    def test_a_chapter_that_does_not_exist_is_refused(self) -> None:
        run = self.run_on({"Exact": "bounded", "Bounded": "bounded"}, "sample", "simple")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("there is no chapter simple; there are sample", run.stderr)

    def test_it_needs_the_results_of_these_tests(self) -> None:
        both = {"Exact": "exact", "Bounded": "bounded"}
        for levels in (None, {"Exact": "exact"}, both | {"Gone": "exact"}):
            run = self.run_on(levels)
            self.assertEqual(run.returncode, 1)
            self.assertIn("run ./tools/verify", run.stdout)


if __name__ == "__main__":
    unittest.main()
