"""The table of a claim's tests."""

import unittest

from project import ProjectTest, scored

from weave.writing.evidence_table import effects, evidence_table, grouped
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
