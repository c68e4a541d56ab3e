"""Running programs: results are kept, and crashes become results too."""

import json
import subprocess
import sys
from typing import Any

from project import WEAVE, ProjectTest, failing, passing, result

HEAD = f"""#!{sys.executable}
import os, sys, time
out = next(a for a in sys.argv if a.startswith("--gtest_output=json:")).split(":", 1)[1]
"""


class Record(ProjectTest):

    def run_program(self, body: str, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
        """Record a program with this body; what the command did and what it wrote."""
        self.write("score_properties", HEAD + body)
        (self.root / "score_properties").chmod(0o755)
        out = self.root / "fresh/score_properties.json"
        done = self.run_weave("record", self.root / "score_properties", out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in out.parent.iterdir()], [out.name])
        kept = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual(kept.pop("program"), str(self.root / "score_properties"))
        return done, kept

    def writes(self, *tests: dict[str, Any]) -> str:
        return f"open(out, 'w').write({json.dumps(result(*tests))!r})\n"

    def test_keeps_the_result(self) -> None:
        done, kept = self.run_program(self.writes(passing("A", "B"), passing("C", "D")))
        self.assertEqual(done.stdout, "score: 2 of 2 claims held\n")
        self.assertEqual(kept, result(passing("A", "B"), passing("C", "D")))

    def test_says_which_test_failed(self) -> None:
        done, kept = self.run_program(self.writes(passing("A", "B"), failing("C", "D", "x is 3")) + "sys.exit(1)")
        self.assertIn("score: 1 of 2 claims held\n  C.D failed (properties/score/C.cpp:3)\n    x is 3\n", done.stdout)
        self.assertNotIn("crashed", kept)

    def test_keeps_a_signal(self) -> None:
        done, kept = self.run_program(
            self.writes(passing("A", "B")) +
            "print('last words', flush=True)\nos.kill(os.getpid(), 11)")
        self.assertEqual(kept, {"crashed": "signal 11 (SIGSEGV)"})
        self.assertIn("no results: signal 11 (SIGSEGV)\n  last words", done.stdout)

    def test_says_why_there_is_no_result(self) -> None:
        for crashed, body, *options in (
                (r"^signal 40 \(.+\)$", "os.kill(os.getpid(), 40)"),
                ("has not the shape of a result: there is no testsuites", "open(out, 'w').write('{}')"),
                ("longer than 0.5 seconds", "time.sleep(60)", "--timeout", "0.5"),
                ("^it ended without writing a result$", ""),
                ("1 of its 2 tests ran", self.writes(passing("A", "B")).replace("{", '{"tests_in_program": "2",', 1)),
                ("exit status 23", self.writes(passing("A", "B")) + "sys.exit(23)")):
            with self.subTest(crashed):
                kept = self.run_program(body, *options)[1]
                self.assertRegex(kept.pop("crashed", "it has a result"), crashed)
                self.assertEqual(kept, {})

    def test_an_interrupt_ends_it_and_leaves_nothing(self) -> None:
        self.write("score_properties", HEAD + "os.kill(os.getppid(), 2)\ntime.sleep(5)")
        (self.root / "score_properties").chmod(0o755)
        done = subprocess.run([sys.executable, WEAVE, "record", self.root / "score_properties", self.root / "fresh/x"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr, (self.root / "fresh").exists()), (130, "", False))

    def test_notes_a_missing_program(self) -> None:
        out = self.root / "x.json"
        self.run_weave("record", self.root / "none_properties", out)
        self.assertIn("could not be started", json.loads(out.read_text())["crashed"])
