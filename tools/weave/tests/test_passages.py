"""The documents, line by line: what passages and claims owe each other."""

from itertools import product

from project import ProjectTest, failing, failing_without, passing

from weave.reading.judgements import judgements
from weave.reading.passages import LINES, passages

MOMENTS_TESTS = "properties/moments/ProductMean.cpp"


class Passages(ProjectTest):

    def test_reads_passages_below_the_documents_headings(self) -> None:
        self.edit(LINES, "## S3", "## How to read it\n\n### In short {#short}\n\n- Like this.\n\n## S3")
        found = passages(self.book())
        self.assertEqual([(one.document, one.heading, one.anchor, one.line, one.names()) for one in found], [
            ("S1", "Question", "lines-s1-question", 7, ["ProductMean"]),
            ("S2", "Proving It", "lines-s2-proving", 14, []),
            ("S2", "Proving It", "lines-s2-proving", 15, ["ProductMean"]),
            ("S3", "Variance", "lines-s3-variance", 27, ["ProductMean", "ScoreVariance"])])
        self.assertEqual(found[0].lacks(), ["independent"])
        self.assertTrue(found[2].quotes("3 _ of them"))

    def test_missing_page(self) -> None:
        (self.root / LINES).unlink()
        self.assert_problem(f"{LINES}:1: there is no page that goes through the documents")

    def test_what_passages_and_pages_owe_each_other(self) -> None:
        self.assert_slips(
            (LINES, '"Why so." Because; without **independent** it fails.\n  \\verdict{ProductMean}', "Nothing.",
             "theory/moments.md:5: ProductMean comes from S1, but no passage of S1", "Write '→ [ProductMean]'"),
            ("theory/moments.md", "- S1, S3, *where*", "- S3, *where*",
             f"{LINES}:7: a passage of S1 refers to ProductMean", "Put a bullet '- S1, *heading*: …'",
             "theory/moments.md:5"),
            ("theory/score.md", "- implied: by all.", "- S2: variance.",
             f"{LINES}:21: a passage of S3 refers to ScoreVariance"),
            (LINES, " {#lines-s3-variance}", "", f"{LINES}:21: the heading above, 'Variance', has no anchor"),
            (LINES, "and more.", "and more. Right, of course.", f"{LINES}:15: the passage is called '. Right' by hand"),
            (LINES, "**independent**", "**fair**",
             f"{LINES}:7: 'fair' is in bold, but no claim that the passage names", "Add the '→ [Claim]'"),
            (LINES, "**independent** it fails.", "it fails. \\vague",
             f"{LINES}:7: the passage is marked \\vague, and lacks no hypothesis", "Name in bold"),
            *((LINES, '"Why so."', asks, f"{LINES}:7: the passage asks, or is a bare heading", r"Write '\question'")
              for asks in ('"Why so?"', "Why so.", "The heading", '\\ref exercise-1 "1"')))

    def test_what_a_test_says_of_a_document_stands_in_a_passage_of_it(self) -> None:
        for record, words, problem in (
                ({"corrects": "S2\t4,5\t6"}, "4,5", "HoldsForAll corrects '4,5' in S2"),
                ({"undecided": "S2\talike"}, "alike", "HoldsForAll does not decide 'alike' in S2")):
            with self.subTest(problem):
                self.record("moments", passing("ProductMean", "HoldsForAll", **record), failing_without("independent"))
                self.assert_problem(f"{MOMENTS_TESTS}:2: ProductMean.{problem}")
                self.edit(LINES, "and more", f"and {words}")
                self.assert_woven()
                self.edit(LINES, f"and {words}", "and more")

    def words(self) -> list[str]:
        """The words of the passages that have one."""
        return [judgement.word for judgement in judgements(self.book()).values()]

    def test_a_question_is_answered(self) -> None:
        self.edit(LINES, '"Why so."', '"Why so?" \\question')
        self.assertNotIn("\\question", self.weave_page(LINES))
        self.assertEqual(self.words(), ["answered", "right", "right"])

    def test_what_is_in_bold_is_a_hypothesis_that_the_passage_lacks(self) -> None:
        self.assertEqual(self.words(), ["right if", "right", "right"])
        self.edit(LINES, "fails.", "fails. \\vague")
        self.assertEqual(self.words(), ["made precise", "right", "right"])
        self.assertNotIn("\\vague", self.weave_page(LINES))

    def test_nothing_is_held_against_an_opinion_or_a_question(self) -> None:
        for record, kind in product(({"corrects": "S1\tWhy\tHow"}, {"undecided": "S1\tWhy"}),
                                    ("\\question", "\\opinion")):
            with self.subTest(record=record, kind=kind):
                self.record("moments", passing("ProductMean", "HoldsForAll"), failing_without("independent", **record))
                self.assert_woven()
                self.assert_slips((LINES, '"Why so."', f'"Why so." {kind}',
                                   f"{MOMENTS_TESTS}:2: ProductMean.FailsWhenEqual is held against {LINES}:7"))

    def test_who_says_that_he_simplifies_leaves_nothing_out(self) -> None:
        self.edit(LINES, '- "Why so."', '- In short. \\disclaimer\n- "Why so."')
        self.assert_woven()
        self.assertEqual(self.words(), ["made precise", "right", "right"])

    def test_what_rests_on_sources_alone_is_cited(self) -> None:
        self.edit(LINES, "- Nothing is claimed here.", "- A paper says so \\cite paper2017.")
        self.assertEqual(self.words(), ["right if", "cited", "right", "right"])
        self.record("moments", passing("ProductMean", "HoldsForAll", level="cited"), failing_without("independent"))
        self.assertEqual(self.words(), ["right if"] + ["cited"] * 3)

    def test_each_passage_has_the_gravest_word(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll", undecided="S2\tof them\nS1\tWhy"),
                    failing_without("independent", corrects="S2\t3\t4"))
        self.assertEqual(self.words(), ["not decided", "wrong", "right"])
        self.edit(LINES, "A mean,", "A mean \\opinion,")
        self.assertEqual(self.words(), ["not decided", "wrong", "opinion"])
        self.record("moments", failing("ProductMean", "HoldsForAll", "no"))
        self.assertEqual(self.words(), ["failed", "failed", "opinion"])
        (self.results / "moments_properties.json").unlink()
        self.assertEqual(self.words(), ["not run", "not run", "opinion"])

    def test_failed_checks_owe_no_place(self) -> None:
        self.record("moments", {**failing("ProductMean", "HoldsForAll", "no"), "corrects": "S2\tnowhere\t6"})
        self.assert_woven()
