"""tools/seeds with programs that write what they like as their result."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = f"""#!{sys.executable}
import sys
open(next(a for a in sys.argv if a.startswith("--gtest_output=json:")).split(":", 1)[1], "w").write({{!r}})
"""


class Seeds(unittest.TestCase):

    def test_says_what_is_no_result(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "tools").mkdir()
            shutil.copy(ROOT / "tools/seeds", root / "tools")
            (root / "tools/weave").symlink_to(ROOT / "tools/weave")
            program = root / "build/release/tests/sums_tests"
            program.parent.mkdir(parents=True)
            failed = json.dumps({"testsuites": [{"name": "A", "testsuite": [
                {"name": "B", "line": 1, "failures": [{"failure": "x:1\n√d"}]}]}]})
            for text, said in (('{"testsuites": ', "its result file sums_tests.json is not JSON"),
                               ('{"testsuites": [1]}', "at testsuites[0] expected an object, got 1"),
                               (failed, "A.B: 1 of 1\n  √d\n")):
                with self.subTest(text):
                    program.write_text(PROGRAM.format(text), encoding="utf-8")
                    program.chmod(0o755)
                    done = subprocess.run([sys.executable, root / "tools/seeds", "--runs", "1", "--first", "7"],
                                          check=False, capture_output=True, text=True, encoding="utf-8")
                    self.assertEqual((done.returncode, done.stderr), (1, ""))
                    self.assertIn(said, done.stdout)


if __name__ == "__main__":
    unittest.main()
