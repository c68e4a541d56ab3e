"""Two records are the same but for times and places, or every difference is told."""

import json
import shutil

from project import ProjectTest, failing, passing, result, scored


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

    def test_times_places_and_compilers_do_not_count(self) -> None:
        same = ["the same record of 3 tests of 2 claims"]
        self.assertEqual(self.compare(), same)
        self.record("score", scored(time="9s", timestamp="later", file="properties/score/ScoreVariance.cpp", line=77),
                    compiler="clang")
        self.assertEqual(self.compare(), same)

    def test_every_other_field_counts(self) -> None:
        for field, value in {"cases": "99", "alpha": "2^-30", "chance": "0.5", "level": "bounded", "aimed": "two",
                             "spared": "four", "value_at64": "65", "worst_error": "1e-3", "agrees": "S1\t2",
                             "p_value": "0.1", "seed": "7"}.items():
            with self.subTest(field):
                self.record("score", scored(**{field: value}), compiler="g++")
                told = [line for line in self.compare() if line.startswith(f"ScoreVariance.HoldsForAll {field} ")]
                self.assertEqual(len(told), 1)
                self.assertIn(f"→ {' '.join(value.split())}", told[0])

    def test_every_difference_is_told(self) -> None:
        test = "ScoreVariance.HoldsForAll"
        for record, *told in (
                (result(scored(killed="one\nthree\nfour", spared="two")),
                 f"{test} killed two → three and 1 more", "2 differences"),
                (result(failing("ScoreVariance", "HoldsForAll", "63 is not 64")),
                 "ScoreVariance verdict ✓ exact → ✗ failed", f"{test} failures nothing → 63 is not 64",
                 f"{test} outcome passed → failed"),
                (result(passing("ScoreVariance", "Renamed", value_at64="64")),
                 f"{test} outcome passed → nothing", "ScoreVariance.Renamed outcome nothing → passed"),
                (result(scored(), seed="8"), "score_properties seed nothing → 8", "1 difference"),
                ({"crashed": "signal 11 (SIGSEGV)"},
                 "score_properties results complete → its program gave no results: signal 11 (SIGSEGV)")):
            with self.subTest(told):
                self.write("results/score_properties.json", json.dumps(record))
                self.assertLessEqual(set(told), set(self.compare()))
        (self.results / "score_properties.json").unlink()
        self.assertIn("score_properties results complete → nothing", self.compare())

    def test_lines_are_aligned(self) -> None:
        long = "a much longer value than others, which goes on and on and is cut at some place"
        self.record("score", scored(cases="99", value_at64=long), compiler="g++")
        lines = self.run_weave("compare", self.old, self.results).stdout.splitlines()
        self.assertEqual(lines[0].index("100 →"), lines[1].index("64 →"))
        self.assertTrue(lines[1].endswith("…"))

    def test_a_folder_without_results_is_an_error(self) -> None:
        done = self.run_weave("compare", self.old, self.root / "theory")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("holds no *_properties.json", done.stderr)
