"""The grammar of pages."""

import unittest

from project import MOMENTS

from weave.reading.pages import parse_chapter, reading_order


def problems(text: str) -> list[str]:
    return [str(problem) for problem in parse_chapter("theory/moments.md", "moments", text)[1]]


class Grammar(unittest.TestCase):

    def test_reads_a_claim(self) -> None:
        page, wrong = parse_chapter("theory/moments.md", "moments", MOMENTS)
        self.assertEqual(wrong, [])
        self.assertEqual((page.title, page.anchor), ("Moments", "moments"))
        claim = page.claims[0]
        self.assertEqual((claim.name, claim.title, claim.line), ("ProductMean", "The mean of a product", 5))
        self.assertEqual(claim.sentence, "The mean of a product is the product of the means "
                                         "if the factors know nothing of each other.")
        self.assertEqual(claim.documents, ["S1", "S2", "S3"])
        self.assertEqual(claim.check, ["for random factors:", "    require  the mean is the product"])
        self.assertEqual(claim.hypotheses["independent"].text, "of each other.")
        self.assertEqual((list(claim.without), claim.uses, claim.cited), (["independent"], {}, False))

    def test_reads_references_of_the_proof_and_what_is_cited_in_place_of_one(self) -> None:
        for old, new, references, cited in (("Sum.", r"By \ref Other.", ["Other"], False),
                                            ("### Proof", "### Cited", [], True)):
            page, wrong = parse_chapter("theory/moments.md", "moments", MOMENTS.replace(old, new))
            claim = page.claims[0]
            self.assertEqual((wrong, list(claim.references), claim.cited), ([], references, cited))

    def test_refuses_what_is_not_of_the_grammar(self) -> None:
        no_block = ("'### The check in words' of ProductMean is not one block of words. Begin it with '```text' and "
                    "end it with '```'")
        for old, new, *expected in (
                ("*In short.* The", "The", "moments.md:5", "is not said in a sentence",
                 "as a good teacher would say it aloud"),
                ("if the factors", "if " + "very " * 40 + "the factors", "is said in", "Say it aloud in 45"),
                ("### Statement", "", "theory/moments.md:5: ", "has no '### Statement'. Add it; the order is"),
                ("### Remarks", "### Proof", "'### Proof' twice"),
                ("### Proof", "### Aside\n\n### Proof", "'### Proof' of ProductMean is below '### Aside'"),
                ("{#ProductMean}", "{#Product_Mean}", "neither a claim's nor a prose"),
                ("{#moments}", "{#moment}", "theory/moments.md:1: ", "not 'moments'"),
                ("- S2, *Pro", "- S9x, *Pro", "does not begin with a document"),
                ("- **independent**: of", "- independent: of", "has no bold name"),
                ("- **independent**: of each\n  other.", "Many.", "'### Hypotheses' of ProductMean has no bullet"),
                ("```text\nfor random", "for random", no_block), ("```text", "```", no_block),
                ("product\n```\n", "product\n", no_block), ("product\n```", "product\n```\n\nAnd more.", no_block),
                ("factors:\n", "factors:\n```\n\n```text\n", no_block),
                ("factors:", "factors:" + 5 * "\n    draw",
                 "theory/moments.md:30: the check of ProductMean is said in 7 lines. Say it in 6 at most"),
                ("product\n```", "product" + 45 * "!" + "\n```",
                 "theory/moments.md:33: a line of ProductMean's check in words has 81 characters. "
                 "Say it in 76 at most: it is read on phones")):
            with self.subTest(expected):
                self.assertIn(old, MOMENTS)
                found = "\n".join(problems(MOMENTS.replace(old, new)))
                for part in expected:
                    self.assertIn(part, found)

    def test_refuses_sections_out_of_order(self) -> None:
        text = MOMENTS.replace("### Statement", "### X").replace("### Hypotheses", "### Statement")
        found = "\n".join(problems(text.replace("### X", "### Hypotheses")))
        self.assertIn("'### Statement' of ProductMean is out of order", found)

    def test_accepts_a_line_of_a_check_that_fills_a_phone_and_headings_in_code(self) -> None:
        for old, new in (("for random factors:", "for random factors:" + 57 * "←"),
                         ("Free.", "```\n### Not a heading\n```")):
            self.assertEqual(problems(MOMENTS.replace(old, new)), [])

    def test_finds_the_reading_order(self) -> None:
        self.assertEqual(reading_order("- \\subpage a\n```\n\\subpage b\n```\n1. \\subpage c-d"), ["a", "c-d"])
