"""Two records are the same but for times and places, or every difference is told."""

import json
import shutil
from typing import Any

from project import ProjectTest, failing, passing, scored


class Compare(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.old = self.root / "old"
        shutil.copytree(self.results, self.old)

    def compare(self) -> list[str]:
        """The output of the command, each line with single spaces."""
        done = self.run_weave("compare", self.old, self.results)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0 if lines[-1].startswith("the same record") else 1)
        return [" ".join(line.split()) for line in lines]

    def rerecord(self, **changed: Any) -> None:
        """Change fields of the one test of the chapter on scores."""
        self.record("score", scored(**changed), compiler="g++")

    def test_the_same_record_is_the_same(self) -> None:
        self.assertEqual(self.compare(), ["the same record of 3 tests of 2 claims"])

    def test_times_places_and_compilers_do_not_count(self) -> None:
        self.record("score", scored(time="9s", timestamp="later",
                                     file="properties/score/ScoreVariance.cpp") | {"line": 77}, compiler="clang")
        self.assertEqual(self.compare(), ["the same record of 3 tests of 2 claims"])

    def test_every_other_field_counts(self) -> None:
        for field, value in (("cases", "99"), ("alpha", "2^-30"), ("chance", "0.5"), ("level", "bounded"),
                             ("aimed", "two"),
                             ("spared", "four"), ("value_at64", "65"), ("worst_error", "1e-3"), ("agrees", "S1\t2"),
                             ("p_value", "0.1"), ("seed", "7")):
            with self.subTest(field):
                self.rerecord(**{field: value})
                told = [line for line in self.compare() if line.startswith(f"ScoreVariance.HoldsForAll {field} ")]
                self.assertEqual(len(told), 1)
                self.assertIn(f"→ {' '.join(value.split())}", told[0])

    def test_a_list_shows_the_entry_that_differs(self) -> None:
        self.rerecord(killed="one\nthree\nfour", spared="two")
        lines = self.compare()
        self.assertIn("ScoreVariance.HoldsForAll killed two → three and 1 more", lines)
        self.assertEqual(lines[-1], "2 differences")

    def test_a_failure_changes_verdict_and_outcome(self) -> None:
        self.record("score", failing("ScoreVariance", "HoldsForAll", "63 is not 64"), compiler="g++")
        lines = self.compare()
        self.assertIn("ScoreVariance verdict ✓ exact → ✗ failed", lines)
        self.assertIn("ScoreVariance.HoldsForAll failures nothing → 63 is not 64", lines)
        self.assertIn("ScoreVariance.HoldsForAll outcome passed → failed", lines)

    def test_tests_and_programs_that_come_and_go_are_told(self) -> None:
        self.record("score", passing("ScoreVariance", "Renamed", value_at64="64"), compiler="g++")
        lines = self.compare()
        self.assertIn("ScoreVariance.HoldsForAll outcome passed → nothing", lines)
        self.assertIn("ScoreVariance.Renamed outcome nothing → passed", lines)
        (self.results / "score_properties.json").unlink()
        self.assertIn("score_properties results complete → nothing", self.compare())

    def test_what_a_program_says_of_its_run_counts(self) -> None:
        self.record("score", scored(), compiler="g++", seed="8")
        self.assertEqual(self.compare(), ["score_properties seed nothing → 8", "1 difference"])

    def test_a_crash_is_told(self) -> None:
        self.write("results/score_properties.json", json.dumps({"crashed": "signal 11 (SIGSEGV)"}))
        self.assertIn("score_properties results complete → its program gave no results: signal 11 (SIGSEGV)",
                      self.compare())

    def test_lines_are_aligned(self) -> None:
        self.rerecord(cases="99",
                      value_at64="a much longer value than others, which goes on and on and is cut at some place")
        lines = self.run_weave("compare", self.old, self.results).stdout.splitlines()
        self.assertEqual(lines[0].index("100 →"), lines[1].index("64 →"))
        self.assertTrue(lines[1].endswith("…"))

    def test_a_folder_without_results_is_an_error(self) -> None:
        done = self.run_weave("compare", self.old, self.root / "theory")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("holds no *_properties.json", done.stderr)
