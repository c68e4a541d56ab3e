"""The table on the terminal."""

from project import ProjectTest, failing


class Report(ProjectTest):

    def test_shows_verdicts_and_the_book(self) -> None:
        self.weave()
        done = self.run_weave("report", "--woven", self.woven, "--book", self.root / "index.html")
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertIn("  ✓ exact  ProductMean    2 tests  104 cases  2/3 mutants", lines)
        self.assertIn("  ✓ exact  ScoreVariance  1 tests  100 cases  2/3 mutants", lines)
        self.assertIn("2 claims: 2 held, 0 failed, 0 not run · 3 tests · 4 of 6 mutants killed", lines)
        self.assertRegex(lines[-1], "the book: file:///.*index.html")
        self.assertNotIn("\033", done.stdout)

    def test_says_what_to_do_about_failures(self) -> None:
        self.record("score", failing("ScoreVariance", "HoldsForAll", "no"))
        self.write("results/moments_properties.json", '{"crashed": "signal 11"}')
        self.weave()
        done = self.run_weave("report", "--woven", self.woven)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "✗ failed +ScoreVariance")
        self.assert_has(done.stdout, "run score_properties --gtest_filter='ScoreVariance.HoldsForAll'",
                        "not run: ProductMean: its program gave no results: signal 11")
