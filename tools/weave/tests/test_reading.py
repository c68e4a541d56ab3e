"""The time that a text takes, and the stars of a claim."""

import unittest

from project import ProjectTest

from weave.writing.reading_time import (SECONDS_DISPLAYED, SECONDS_INLINE, WORDS_A_MINUTE, known, minutes, rule,
                                        seconds, star_count)

WORD = 60 / WORDS_A_MINUTE


class Seconds(unittest.TestCase):

    def test_words_and_formulas_take_their_time_and_markup_and_what_only_the_blind_hear_take_none(self) -> None:
        for text, expected in {
                "Three plain words.": 3 * WORD,
                "### A heading {#its-name}": 2 * WORD,
                "S2's, well-known 1.5 — and **bold**": 5 * WORD,
                "two words \\f$ a + b + c \\f$": 2 * WORD + SECONDS_INLINE,
                "\\f[ a\n = b \\f]\n\\f{align*} x \\f}": 2 * SECONDS_DISPLAYED,
                '\\ref Claim and \\ref other "two words"': 8 * WORD,
                "\\verdict{Claim}: [64](run:A.B.c)": 6 * WORD,
                "\\snippet file.cpp tag of it\n\\weave{claims}\n\\cite key\n<b>x</b>\n| -- | :-- |": WORD,
                "\\figure{NAME}\nIt shows.\n\\seen A very\nlong text.\n\\endfigure\nEnd": 3 * WORD}.items():
            with self.subTest(text):
                self.assertAlmostEqual(seconds(text, {"Claim": "A title of five words"}), expected)


class OfABook(ProjectTest):

    def test_minutes_are_whole_and_at_least_one_and_what_is_folded_does_not_count(self) -> None:
        self.edit("theory/score.md", "for every d up", f"{'word ' * 999}\nfor every d up")
        self.assertEqual(minutes(self.book(), "score"), 1)
        self.assertEqual(minutes(self.book(), "ScoreVariance"), 1)
        self.edit("theory/score.md", "It is d.", "word " * (5 * WORDS_A_MINUTE))
        self.assertEqual(minutes(self.book(), "ScoreVariance"), 5)
        self.assertEqual(minutes(self.book(), "score"), 5)

    def test_names_of_pages_and_claims_are_known(self) -> None:
        self.assertEqual([known(self.book(), name) for name in ("score", "ScoreVariance", "nowhere")],
                         [True, True, False])

    def test_a_star_for_a_long_proof_and_one_for_analysis(self) -> None:
        self.assertEqual(star_count(self.book(), self.claim()), 1)
        self.edit("theory/score.md", "By \\ref ProductMean.", f"By \\ref ProductMean. {'word ' * 2 * WORDS_A_MINUTE}")
        self.assertEqual(star_count(self.book(), self.claim()), 2)
        self.edit("theory/score.md", "It is d.", "It is \\f$ \\int_0^1 f \\f$.")
        self.assertEqual(star_count(self.book(), self.claim()), 3)

    def test_minutes_are_a_macro_and_its_name_is_checked(self) -> None:
        self.edit("theory/score.md", "It is d.", "It is d, in \\minutes{ScoreVariance} min.")
        self.assertIn("in 1 min.", self.weave_page("theory/score.md"))
        self.edit("theory/score.md", "\\minutes{ScoreVariance}", "\\minutes{Nowhere}")
        self.assert_problem("minutes:Nowhere names neither a page nor a claim")

    def test_a_chapter_opens_with_its_claims(self) -> None:
        page = self.weave_page("theory/score.md")
        self.assert_has(page, '<p class="reading">1 minute · 1 claim</p>',
                        '<li class="claim-exact"><span class="badge badge-exact">✓ exact</span> '
                        '<a href="#ScoreVariance">The variance is d</a>')
        self.assert_in_order(page, "chapter-claims", "## In passing")

    def test_the_rule_tells_its_constants(self) -> None:
        self.assert_has(rule(self.book()), *map(str, (WORDS_A_MINUTE, SECONDS_INLINE, SECONDS_DISPLAYED)))
