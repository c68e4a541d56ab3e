# SPDX-License-Identifier: BSL-1.0
"""The grammar of pages."""

import unittest

from project import MOMENTS

from weave.reading.pages import parse_chapter, reading_order


def problems(text: str) -> list[str]:
    return [str(problem) for problem in parse_chapter("theory/moments.md", "moments", text)[1]]


class Grammar(unittest.TestCase):

    def assert_problem(self, old: str, new: str, *expected: str) -> None:
        self.assertIn(old, MOMENTS)
        found = problems(MOMENTS.replace(old, new))
        for part in expected:
            self.assertTrue(any(part in problem for problem in found), f"{part!r} not in {found}")

    def test_reads_a_claim(self) -> None:
        page, wrong = parse_chapter("theory/moments.md", "moments", MOMENTS)
        self.assertEqual(wrong, [])
        self.assertEqual((page.title, page.anchor), ("Moments", "moments"))
        claim = page.claims[0]
        self.assertEqual((claim.name, claim.title, claim.line),
                         ("ProductMean", "The mean of a product", 5))
        self.assertEqual(claim.sentence, "The mean of a product is the product of the means "
                                         "if the factors know nothing of each other.")
        self.assertEqual(claim.documents, ["S1", "S2", "S3"])
        self.assertEqual(claim.check, ["for random factors:", "    require  the mean is the product"])
        self.assertEqual(claim.hypotheses["independent"].text, "of each other.")
        self.assertEqual(list(claim.without), ["independent"])
        self.assertEqual(claim.uses, {})
        self.assertFalse(claim.cited)

    def test_reads_references_of_the_proof_and_uses(self) -> None:
        text = MOMENTS.replace("Sum.", r"By \ref Other.").replace(
            "### Uses\nNone.", "### Uses\n- \\ref Other")
        claim = parse_chapter("theory/moments.md", "moments", text)[0].claims[0]
        self.assertEqual(list(claim.references), ["Other"])
        self.assertEqual(list(claim.uses), ["Other"])

    def test_accepts_cited_in_place_of_proof(self) -> None:
        page, wrong = parse_chapter("theory/moments.md", "moments",
                                    MOMENTS.replace("### Proof", "### Cited"))
        self.assertEqual(wrong, [])
        self.assertTrue(page.claims[0].cited)

    def test_refuses_a_claim_that_is_not_said_in_a_sentence(self) -> None:
        self.assert_problem("*In short.* The", "The", "moments.md:5", "is not said in a sentence",
                            "as a good teacher would say it aloud")
        self.assert_problem("if the factors", "if " + "very " * 40 + "the factors", "is said in", "Say it aloud in 45")

    def test_refuses_a_missing_section(self) -> None:
        self.assert_problem("### Statement", "", "theory/moments.md:5: ",
                            "has no '### Statement'. Add it; the order is")

    def test_refuses_sections_out_of_order(self) -> None:
        text = MOMENTS.replace("### Statement", "### X").replace("### Hypotheses", "### Statement")
        found = problems(text.replace("### X", "### Hypotheses"))
        self.assertTrue(any("'### Statement' of ProductMean is out of order" in p for p in found))

    def test_refuses_a_section_twice(self) -> None:
        self.assert_problem("### Remarks", "### Proof", "'### Proof' twice")

    def test_refuses_free_sections_elsewhere(self) -> None:
        self.assert_problem("### Proof", "### Aside\n\n### Proof", "stands in the wrong place")

    def test_refuses_other_anchors(self) -> None:
        self.assert_problem("{#ProductMean}", "{#Product_Mean}", "neither a claim's nor a prose")

    def test_refuses_an_anchor_that_is_not_the_stem(self) -> None:
        self.assert_problem("{#moments}", "{#moment}", "theory/moments.md:1: ", "not 'moments'")

    def test_refuses_bullets_without_a_document(self) -> None:
        self.assert_problem("- S2, *Pro", "- S9x, *Pro", "does not begin with a document")

    def test_refuses_hypotheses_without_a_bold_name(self) -> None:
        self.assert_problem("- **independent**: of", "- independent: of", "has no bold name")

    def test_refuses_neither_bullets_nor_none(self) -> None:
        self.assert_problem("### Uses\nNone.", "### Uses\nNothing.", "neither bullets nor 'None.'")
        self.assert_problem("- **independent**: of each\n  other.", "Many.",
                            "'### Hypotheses' of ProductMean has neither")

    def test_refuses_a_check_in_words_that_is_no_block(self) -> None:
        for old, new in (("```text\nfor random", "for random"), ("```text", "```"), ("product\n```\n", "product\n"),
                         ("product\n```", "product\n```\n\nAnd more."), ("factors:\n", "factors:\n```\n\n```text\n")):
            self.assert_problem(old, new, "'### The check in words' of ProductMean is not one block of words. "
                                          "Begin it with '```text' and end it with '```'")

    def test_refuses_a_check_in_too_many_words(self) -> None:
        self.assert_problem("factors:", "factors:" + 5 * "\n    draw",
                            "theory/moments.md:30: the check of ProductMean is said in 7 lines. Say it in 6 at most")
        self.assert_problem("product\n```", "product" + 45 * "!" + "\n```",
                            "theory/moments.md:33: a line of ProductMean's check in words has 81 characters. "
                            "Say it in 76 at most: it is read on phones")
        wide = "for random factors:" + 57 * "←"
        self.assertEqual(problems(MOMENTS.replace("for random factors:", wide)), [])

    def test_ignores_headings_in_code(self) -> None:
        self.assertEqual(problems(MOMENTS.replace("Free.", "```\n### Not a heading\n```")), [])

    def test_what_the_field_says_is_free(self) -> None:
        text = MOMENTS.replace("What the documents say\n- S2", "What the field says\nMuch.\n- Them")
        page, wrong = parse_chapter("theory/moments.md", "moments", text, beyond=True)
        self.assertEqual(wrong, [])
        self.assertEqual((page.claims[0].documents, page.claims[0].made_by), (["beyond"], []))
        self.assertIn("has no '### What the documents say'", problems(text)[0])
        self.assertIn("has no '### What the field says'",
                      str(parse_chapter("theory/moments.md", "moments", MOMENTS, beyond=True)[1][0]))

    def test_finds_the_reading_order(self) -> None:
        self.assertEqual(reading_order("- \\subpage a\n```\n\\subpage b\n```\n1. \\subpage c-d"),
                         ["a", "c-d"])
