"""The ledger: its page, and what it owes the tests."""

from project import ProjectTest, failing_without, passing

from weave.checks.consistency import check
from weave.writing.blocks import BLOCKS

ENTRIES = "ProductMean.HoldsForAll\t1\t40\nKit.Draws\t2\t41"


class Ledger(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.write("tests/statistics/seed_tests.cpp", "\nTEST(Kit,\n     Draws) {}\n")
        self.moments(ENTRIES)

    def moments(self, ledger: str, **sampled: str) -> None:
        """Write the results of a program that was compiled with a ledger."""
        record = {"level": "statistical", "alpha": str(2.0 ** -40), "n": "1000", **sampled}
        self.record("moments", passing("ProductMean", "HoldsForAll", **record), failing_without("independent"),
                    compiler="g++", ledger=ledger)

    def problems(self) -> list[str]:
        return [problem.message for problem in check(self.book())]

    def test_every_entry_is_in_the_sum_those_of_the_kit_too_and_no_fact_of_the_build(self) -> None:
        text = BLOCKS["alpha"](self.book())
        self.assert_has(text, "3 risks in 2 tests, is at most their sum, 2<sup>−39</sup>",
                        "<td>Kit</td><td>Draws</td><td>the kit's own</td>")
        self.assertNotIn("must die", text)
        self.assertNotIn("Kit.Draws", BLOCKS["build"](self.book()))

    def test_mutants_that_sampling_must_kill_are_counted_and_add_no_chance(self) -> None:
        self.moments(ENTRIES, beta="2^-30", aimed="one\nother", killed="one\nother")
        self.assert_has(BLOCKS["alpha"](self.book()), "2 mutants must die by checks that sample",
                        "is at most their sum, 2<sup>−39</sup>")

    def test_refuses_an_entry_for_no_test_of_a_claim_that_has_run(self) -> None:
        self.edit("theory/moments.md", "{#ProductMean}", "{#ProductNotYetRun}")
        self.moments(ENTRIES + "\nProductNotYetRun.Holds\t1\t40\nKit.Drew\t1\t40")
        told = "the ledger has an entry for {}, which is no test"
        self.assertIn(told.format("Kit.Drew"), self.problems())
        self.assertNotIn(told.format("ProductNotYetRun.Holds"), self.problems())

    def test_refuses_a_test_that_may_fail_by_chance_without_an_entry(self) -> None:
        for risk in ("alpha", "chance"):
            with self.subTest(risk):
                self.moments("Kit.Draws\t2\t41", **{risk: "0.001"})
                self.assertIn("ProductMean.HoldsForAll may fail by chance and is not in the ledger", self.problems())
