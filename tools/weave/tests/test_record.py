# SPDX-License-Identifier: BSL-1.0
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
        done, kept = self.run_program(
            self.writes(passing("A", "B"), failing("C", "D", "x is 3")) + "sys.exit(1)")
        self.assertIn("score: 1 of 2 claims held\n  C.D failed (properties/score/C.cpp:3)"
                      "\n    x is 3\n", done.stdout)
        self.assertNotIn("crashed", kept)

    def test_keeps_a_signal(self) -> None:
        done, kept = self.run_program(
            self.writes(passing("A", "B")) +
            "print('last words', flush=True)\nos.kill(os.getpid(), 11)")
        self.assertEqual(kept, {"crashed": "signal 11 (SIGSEGV)"})
        self.assertIn("no results: signal 11 (SIGSEGV)\n  last words", done.stdout)

    def test_keeps_a_signal_without_a_name(self) -> None:
        self.assertRegex(self.run_program("os.kill(os.getpid(), 40)")[1]["crashed"], r"^signal 40 \(.+\)$")

    def test_says_what_is_wrong_with_a_result(self) -> None:
        self.assertIn("has not the shape of a result: there is no testsuites",
                      self.run_program("open(out, 'w').write('{}')")[1]["crashed"])

    def test_an_interrupt_ends_it_and_leaves_nothing(self) -> None:
        self.write("score_properties", HEAD + "os.kill(os.getppid(), 2)\ntime.sleep(5)")
        (self.root / "score_properties").chmod(0o755)
        done = subprocess.run([sys.executable, WEAVE, "record", self.root / "score_properties", self.root / "fresh/x"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr, (self.root / "fresh").exists()), (130, "", False))

    def test_keeps_a_time_out(self) -> None:
        self.assertIn("longer than 0.5 seconds",
                      self.run_program("time.sleep(60)", "--timeout", "0.5")[1]["crashed"])

    def test_notes_a_missing_result(self) -> None:
        self.assertEqual(self.run_program("")[1],
                         {"crashed": "it ended without writing a result"})

    def test_distrusts_a_failure_without_a_failed_test(self) -> None:
        self.assertIn("exit status 23", self.run_program(
            self.writes(passing("A", "B")) + "sys.exit(23)")[1]["crashed"])

    def test_notes_a_missing_program(self) -> None:
        out = self.root / "x.json"
        self.run_weave("record", self.root / "none_properties", out)
        self.assertIn("could not be started", json.loads(out.read_text())["crashed"])
