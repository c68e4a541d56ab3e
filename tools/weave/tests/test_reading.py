"""The time that a text takes, and the stars of a claim."""

import unittest

from project import ProjectTest

from weave.writing.reading_time import (SECONDS_DISPLAYED, SECONDS_INLINE, WORDS_A_MINUTE, known, minutes, rule,
                                        seconds, star_count)

WORD = 60 / WORDS_A_MINUTE


class Seconds(unittest.TestCase):

    def assert_takes(self, text: str, expected: float) -> None:
        self.assertAlmostEqual(seconds(text, {"Claim": "A title of five words"}), expected)

    def test_words_take_their_time(self) -> None:
        self.assert_takes("Three plain words.", 3 * WORD)
        self.assert_takes("### A heading {#its-name}", 2 * WORD)
        self.assert_takes("S2's, well-known 1.5 — and **bold**", 5 * WORD)

    def test_formulas_take_theirs_whatever_is_in_them(self) -> None:
        self.assert_takes("two words \\f$ a + b + c \\f$", 2 * WORD + SECONDS_INLINE)
        self.assert_takes("\\f[ a\n = b \\f]\n\\f{align*} x \\f}", 2 * SECONDS_DISPLAYED)

    def test_a_reference_is_read_as_what_it_shows(self) -> None:
        self.assert_takes('\\ref Claim and \\ref other "two words"', 8 * WORD)
        self.assert_takes("\\verdict{Claim}: [64](run:A.B.c)", 6 * WORD)

    def test_code_markup_and_what_only_the_blind_hear_take_none(self) -> None:
        self.assert_takes("\\snippet file.cpp tag of it\n\\weave{claims}\n\\cite key\n<b>x</b>\n| -- | :-- |", WORD)
        self.assert_takes("\\figure{NAME}\nIt shows.\n\\seen A very\nlong text.\n\\endfigure\nEnd", 3 * WORD)


class OfABook(ProjectTest):

    def test_minutes_are_whole_and_at_least_one(self) -> None:
        self.assertEqual(minutes(self.book(), "ScoreVariance"), 1)
        self.edit("theory/score.md", "It is d.", "word " * (5 * WORDS_A_MINUTE))
        self.assertEqual(minutes(self.book(), "ScoreVariance"), 5)
        self.assertEqual(minutes(self.book(), "score"), 5)

    def test_what_is_folded_does_not_count(self) -> None:
        self.edit("theory/score.md", "for every d up", f"{'word ' * 999}\nfor every d up")
        self.assertEqual(minutes(self.book(), "score"), 1)

    def test_names_of_pages_and_claims_are_known(self) -> None:
        self.assertTrue(known(self.book(), "score") and known(self.book(), "ScoreVariance"))
        self.assertFalse(known(self.book(), "nowhere"))

    def test_a_star_for_a_long_proof_and_one_for_analysis(self) -> None:
        self.assertEqual(star_count(self.book(), self.book().claims["ScoreVariance"]), 1)
        self.edit("theory/score.md", "By \\ref ProductMean.", f"By \\ref ProductMean. {'word ' * 2 * WORDS_A_MINUTE}")
        self.assertEqual(star_count(self.book(), self.book().claims["ScoreVariance"]), 2)
        self.edit("theory/score.md", "It is d.", "It is \\f$ \\int_0^1 f \\f$.")
        self.assertEqual(star_count(self.book(), self.book().claims["ScoreVariance"]), 3)

    def test_minutes_are_a_macro_and_its_name_is_checked(self) -> None:
        self.edit("theory/score.md", "It is d.", "It is d, in \\minutes{ScoreVariance} min.")
        self.assertEqual(self.weave().returncode, 0)
        self.assertIn("in 1 min.", self.read("theory/score.md"))
        self.edit("theory/score.md", "\\minutes{ScoreVariance}", "\\minutes{Nowhere}")
        done = self.weave()
        self.assertEqual(done.returncode, 2)
        self.assertIn("minutes:Nowhere names neither a page nor a claim", done.stderr)

    def test_a_chapter_opens_with_its_claims(self) -> None:
        self.weave()
        page = self.read("theory/score.md")
        self.assertIn('<p class="reading">1 minute · 1 claim</p>', page)
        self.assertIn('<li class="claim-exact"><span class="badge badge-exact">✓ exact</span> '
                      '<a href="#ScoreVariance">The variance is d</a>', page)
        self.assertLess(page.index("chapter-claims"), page.index("## In passing"))

    def test_the_rule_tells_its_constants(self) -> None:
        for number in (WORDS_A_MINUTE, SECONDS_INLINE, SECONDS_DISPLAYED):
            self.assertIn(str(number), rule(self.book()))
