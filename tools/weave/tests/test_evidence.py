# SPDX-License-Identifier: BSL-1.0
"""The table of a claim's tests, and the graphs of claims."""

import unittest

from project import ProjectTest, passing, scored

from weave.writing.evidence_table import effects, evidence_table, grouped
from weave.writing.graph import chapter_dot, chapter_graph, dot, graph_block
from weave.writing.markup import as_people_write, odds


class Words(unittest.TestCase):

    def test_chances_are_said_in_words(self) -> None:
        for number, text in ((0.05, "1 in 20"), (2.0 ** -10, "1 in 1,000"), (2.0 ** -20, "1 in 1 million"),
                             (2.0 ** -27.4, "1 in 180 million"), (2.0 ** -30, "1 in 1.1 billion")):
            self.assertIn(f">{text}<", odds(str(number)))
        self.assertIn('title="2^−30"', odds(str(2.0 ** -30)))
        self.assertEqual(odds(""), "")

    def test_numbers_are_written_as_people_write_them(self) -> None:
        for recorded, text in {"4.24e+06": "4.24·10⁶", "4e-19 (1.4e-19)": "4·10⁻¹⁹ (1.4·10⁻¹⁹)",
                               "9127323": "9,127,323",
                               "51847.4505": "51,847.4505", "1024": "1024", "0.00001": "0.00001",
                               "seed 10000": "seed 10000", "2^-26": "2⁻²⁶", "x^2 a2^3": "x^2 a2^3",
                               "0x1.62e42ep+6 = 88.72283": "0x1.62e42ep+6 = 88.72283", "the 2e": "the 2e"}.items():
            self.assertEqual(as_people_write(recorded), text)

    def test_equal_neighbours_are_counted(self) -> None:
        self.assertEqual(grouped(["5", "5", "7", "5"]), "2&nbsp;×&nbsp;5, 7, 5")
        self.assertEqual(effects(["a difference of 1", "a difference of 2", "a difference of 2", "a ratio of 2"]),
                         "a difference of 1, 2&nbsp;×&nbsp;2, a ratio of 2")


class Evidence(ProjectTest):

    def rows(self, **record: str) -> str:
        self.record("score", scored(**record))
        return evidence_table(self.book().tests["ScoreVariance"])

    def test_columns_without_a_value_are_left_out(self) -> None:
        self.assertNotIn("Discards", self.rows(discards="0", cases="200"))
        self.assertNotIn("Effect", self.rows())
        self.assertIn("<td>12</td>", self.rows(discards="12"))

    def test_a_test_catches_and_all_together_catch(self) -> None:
        text = self.rows(seed="7")
        self.assertIn("<td>2</td>", text)
        self.assertIn('Together the tests catch 2 of 3 \\ref mutants "deliberately broken versions".', text)
        self.assertIn("the seed 7.", text)

    def test_a_row_says_what_its_test_is_about(self) -> None:
        self.assertIn('Holds for all</a></td><td>refusal</td><td>', self.rows(about="refusal", level=""))
        self.assertNotIn(">Of<", self.rows(about="beside"))

    def test_samples_are_grouped(self) -> None:
        self.assertIn("<td>2&nbsp;×&nbsp;91,958, 14,687</td>", self.rows(n="91958\n91958\n14687"))


class Graphs(ProjectTest):

    def test_chapters_stand_in_reading_order(self) -> None:
        source = dot(self.book())
        self.assertIn("ProductMean -> ScoreVariance [style=invis", source)
        self.assertLess(source.index("cluster_moments"), source.index("cluster_score"))

    def test_a_chapter_shows_its_neighbours_in_others(self) -> None:
        book = self.book()
        source = chapter_dot(book, book.chapters[1])
        self.assertRegex(source, r'ProductMean \[.*class="badge-exact other"\]')
        self.assertRegex(source, r'ScoreVariance \[.*class="badge-exact"\]')

    def test_a_failed_claim_is_told_by_its_class_and_its_glyph(self) -> None:
        self.record("score", {**passing("ScoreVariance", "HoldsForAll"), "failures": [{"failure": "no", "type": ""}]})
        book = self.book()
        for text in (dot(book), chapter_dot(book, book.chapters[0])):
            self.assertRegex(text, r'ScoreVariance \[label="✗ failed.*class="badge-failed')

    def test_the_list_says_what_the_arrows_say(self) -> None:
        text = graph_block(self.book())
        self.assertIn('used by <a class="claim-exact" href="score.html#ScoreVariance">✓ The variance is d</a>', text)
        self.assertIn('rests on <a class="claim-exact" href="moments.html#ProductMean">', text)

    def test_a_drawing_has_the_colours_of_the_style_sheet_and_no_names_that_could_clash(self) -> None:
        book = self.book()
        drawn = chapter_graph(book, book.chapters[1])
        self.assertNotRegex(drawn, r'fill="#|stroke="#|<g id=')
        self.assertIn("What rests on what", drawn)

    def test_a_chapter_whose_claims_stand_alone_has_no_graph(self) -> None:
        self.edit("theory/score.md", "- \\ref ProductMean", "None.")
        self.edit("theory/score.md", "By \\ref ProductMean.", "Clear.")
        book = self.book()
        self.assertEqual(chapter_graph(book, book.chapters[0]), "")
