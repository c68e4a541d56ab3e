"""Sentences that the weave refuses, and those that it lets stand."""

from project import ProjectTest

LONG = "It " + "is so and " * 13 + "so."  # 41 words


class Prose(ProjectTest):

    def complaints(self, paragraph: str) -> str:
        """The complaints of the weave about a paragraph on the page of moments."""
        self.edit("theory/moments.md", "Opening.", paragraph)
        complaints = self.weave().stderr
        self.edit("theory/moments.md", paragraph, "Opening.")
        return complaints

    def test_a_sentence_that_is_too_long_is_refused_at_the_line_of_its_paragraph(self) -> None:
        self.assertIn("theory/moments.md:3: a sentence has 41 words: 'It is so and is so", self.complaints(LONG))
        words = ("\\f$ a + b \\f$", "\\f[\na + b\n\\f]", "[64](run:ScoreVariance.HoldsForAll.at64)", '"one two"',
                 "`a b c`")  # each counts as one
        half = LONG[:-1].replace("is so and ", "", 6)
        for whole in (LONG.replace("is so and ", "", 1), LONG.replace(" and is", ". And is", 1),
                      f"{half}\n- {half}\n- {half}\n\n| {half} |\n|:--|\n| {half} |",
                      *(LONG.replace("is so and", f"{word} of", 1) for word in words)):
            self.assertEqual(self.complaints(whole), "", whole)

    def test_turns_that_send_a_reader_back_are_refused(self) -> None:
        for sentence, complaint in {
                "Decided is that it gains.": "the verb comes before its subject: 'Decided is'",
                "Here. So it is with the number of keys.": "the verb comes before its subject: 'So it is with'",
                "Who listens to everybody hears the average.": "a clause takes the place of a noun",
                "It says by how much they miss.": "a thing says what it shows",
                "The paper that S1 quotes knows another.": "a thing says what it shows",
                "The rate is the best of those tried.": "words are left out",
                "It is exact but for one row.": "two small words are read two ways: 'but for'",
                "It is one just if the matrix is square.": "two small words are read two ways: 'just if'",
                "It is 0 exactly if all are equal.": "two small words are read two ways: 'exactly if'",
                "It is the mean less the root.": "two small words are read two ways: 'less the'",
                "This is what softmax does.": "a clause takes the place of a noun: 'is what'",
                "It holds in the place of the other.": "a turn is not idiomatic: 'in the place of'",
                "It holds from 64 on for all.": "a turn is not idiomatic: 'from 64 on'",
                "It holds for the others, too.": "an afterthought: ', too'",
                "It is the first, and not the second.": "an afterthought: ', and not '",
                "A lead is a factor of 10 digits.": "a number stands as a program prints it: 'factor of 10 digits'",
                "There are 7.9e+13 keys.": "a number stands as a program prints it: '7.9e+13'"}.items():
            self.assertIn(f"theory/moments.md:3: {complaint}", self.complaints(sentence))

    def test_questions_and_what_others_wrote_or_agreed_are_not_judged(self) -> None:
        for sentence in ("Who adds everybody?", "It grows, and not adding it helps.",
                         'S2 says "just if" here.', "Run `law --cdf 1e-400`."):
            self.assertEqual(self.complaints(sentence), "", sentence)
        self.edit("theory/moments.md", "### Hypotheses", f"{LONG}\n\n### Hypotheses")
        self.assertNotIn("words:", self.weave().stderr)
