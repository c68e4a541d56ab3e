"""The table of a claim's tests."""

from project import ProjectTest, TextTest, scored

from weave.writing.evidence_table import effects, evidence_table, grouped
from weave.writing.markup import as_people_write, odds


class Words(TextTest):

    def test_chances_are_said_in_words(self) -> None:
        for number, text in ((0.05, "1 in 20"), (2.0 ** -10, "1 in 1,000"), (2.0 ** -20, "1 in 1 million"),
                             (2.0 ** -27.4, "1 in 180 million"), (2.0 ** -30, "1 in 1.1 billion")):
            self.assertIn(f">{text}<", odds(str(number)))
        self.assertIn('title="2^−30"', odds(str(2.0 ** -30)))
        self.assertEqual(odds(""), "")

    def test_numbers_are_written_as_people_write_them(self) -> None:
        self.assert_values(as_people_write, {
            "4.24e+06": "4.24·10⁶", "4e-19 (1.4e-19)": "4·10⁻¹⁹ (1.4·10⁻¹⁹)", "9127323": "9,127,323",
            "51847.4505": "51,847.4505", "1024": "1024", "0.00001": "0.00001", "seed 10000": "seed 10000",
            "2^-26": "2⁻²⁶", "x^2 a2^3": "x^2 a2^3", "the 2e": "the 2e",
            "0x1.62e42ep+6 = 88.72283": "0x1.62e42ep+6 = 88.72283"})

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

    def test_a_test_catches_and_all_together_catch(self) -> None:
        self.assert_has(self.rows(seed="7"), "<td>2</td>", "the seed 7.",
                        'Together the tests catch 2 of 3 \\ref mutants "deliberately broken versions".')

    def test_a_row_says_what_its_test_is_about_and_groups_its_samples(self) -> None:
        self.assertNotIn(">Of<", self.rows(about="beside"))
        self.assert_has(self.rows(about="refusal", level="", discards="12", n="91958\n91958\n14687"),
                        'Holds for all</a></td><td>refusal</td><td>', "<td>12</td>",
                        "<td>2&nbsp;×&nbsp;91,958, 14,687</td>")
