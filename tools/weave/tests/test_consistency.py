# SPDX-License-Identifier: BSL-1.0
"""Each breach of consistency is found, with its place and what to do."""

import re

from project import HEADER, ProjectTest, failing, failing_without, passing, properties

SCORE_TESTS = "properties/score/ScoreVariance.cpp"


class Consistency(ProjectTest):

    def assert_problem(self, *parts: str) -> None:
        """Weaving fails with one line that has all parts, and writes nothing."""
        done = self.weave()
        self.assertEqual(done.returncode, 2, done.stdout)
        lines = done.stderr.splitlines()
        self.assertTrue(any(all(part in line for part in parts) for line in lines), done.stderr)
        self.assertFalse(self.woven.exists())

    def assert_woven(self) -> None:
        done = self.weave()
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_accepts_the_good_project(self) -> None:
        self.assert_woven()

    def test_lists_all_problems(self) -> None:
        self.edit("theory/score.md", "- \\ref ProductMean", "None.")
        self.edit("docs/mainpage.md", "- \\subpage score\n", "")
        self.assertEqual(len(self.weave().stderr.splitlines()), 2)

    def test_claim_without_suite(self) -> None:
        self.write(SCORE_TESTS, "// [ScoreVariance]\n// [ScoreVariance]\n")
        self.record("score")
        self.assert_problem("theory/score.md:7: ScoreVariance has no suite",
                            "Write TEST(ScoreVariance, …) in properties/score/ScoreVariance.cpp")

    def test_claim_whose_check_is_not_said_in_words(self) -> None:
        self.edit("theory/score.md", "### The check in words", "### The check in other words")
        self.assert_problem("theory/score.md:7: ScoreVariance has no '### The check in words'. "
                            "Say before '### Uses' what its property tries and requires")

    def test_suite_without_claim(self) -> None:
        self.edit(SCORE_TESTS, "TEST(ScoreVariance, HoldsForAll) {}\n",
                  "TEST(ScoreVariance, HoldsForAll) {}\n\nTEST(\n    Orphan, One) {}\n")
        self.assert_problem(f"{SCORE_TESTS}:6: the suite Orphan belongs to no claim")

    def test_removed_section(self) -> None:
        self.edit("theory/score.md", " {#ScoreVariance}", "")
        self.assert_problem(f"{SCORE_TESTS}:3: the suite ScoreVariance belongs to no claim")

    def test_suite_in_the_file_of_another_claim(self) -> None:
        self.edit(SCORE_TESTS, "TEST(ScoreVariance", "TEST(ProductMean, Again) {}\nTEST(ScoreVariance")
        self.assert_problem(f"{SCORE_TESTS}:3: the suite ProductMean is not in the file of its claim. "
                            "Move it to properties/moments/ProductMean.cpp.")

    def test_suite_in_the_folder_of_another_chapter(self) -> None:
        (self.root / SCORE_TESTS).rename(self.root / "properties/moments/ScoreVariance.cpp")
        self.assert_problem("properties/moments/ScoreVariance.cpp:3: the suite ScoreVariance is not in the file of its "
                            "claim. Move it to properties/score/ScoreVariance.cpp.")

    def test_what_chapters_share_has_no_suites(self) -> None:
        self.write("properties/support/main.cpp", "TEST(Stray, IsNotRead) {}\n")
        self.assert_woven()

    def test_suite_known_from_results_alone(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64"),
                    passing("Made", "ByMacro"))
        self.assert_problem("properties/score/Made.cpp:2: the suite Made belongs to no claim")

    def test_claim_declared_twice(self) -> None:
        self.edit("theory/score.md", "{#ScoreVariance}", "{#ProductMean}")
        self.assert_problem("theory/score.md:7: ProductMean is already declared at "
                            "theory/moments.md:5")

    def test_missing_tags(self) -> None:
        self.write("src/sqrtdk/score.hpp", "#pragma once\n")
        self.assert_problem("theory/score.md:7: no header quotes ScoreVariance")
        self.write(SCORE_TESTS, "TEST(ScoreVariance, HoldsForAll) {}\n")
        self.assert_problem("theory/score.md:7: properties/score/ScoreVariance.cpp does not quote")

    def test_tag_that_is_not_closed(self) -> None:
        self.write("src/sqrtdk/score.hpp", "\n// [ScoreVariance]\nint f();\n")
        self.assert_problem("src/sqrtdk/score.hpp:2: the tag [ScoreVariance] stands 1 times")

    def test_tag_in_another_header(self) -> None:
        self.write("src/sqrtdk/score.hpp", "#pragma once\n")
        self.write("src/sqrtdk/other.hpp", HEADER.format(claim="ScoreVariance"))
        self.assert_woven()

    def test_tag_in_a_header_of_the_kit(self) -> None:
        self.write("src/sqrtdk/score.hpp", "#pragma once\n")
        self.write("src/sqrtdk/testing/checks.hpp", HEADER.format(claim="ScoreVariance"))
        self.assert_woven()

    def test_cycle(self) -> None:
        self.edit("theory/moments.md", "Sum.", r"By \ref ScoreVariance.")
        self.edit("theory/moments.md", "### Uses\nNone.", "### Uses\n- \\ref ScoreVariance")
        self.assert_problem("theory/moments.md:",
                            "ProductMean → ScoreVariance → ProductMean")

    def test_proof_refers_to_an_unlisted_claim(self) -> None:
        self.edit("theory/score.md", "- \\ref ProductMean", "None.")
        self.assert_problem("theory/score.md:21: the proof of ScoreVariance refers to ProductMean")

    def test_uses_lists_what_the_proof_does_not(self) -> None:
        self.edit("theory/score.md", "By \\ref ProductMean.", "Clear.")
        self.assert_problem("theory/score.md:35: ScoreVariance lists ProductMean")

    def test_uses_lists_an_unknown_claim(self) -> None:
        self.edit("theory/score.md", "- \\ref ProductMean", "- \\ref ProductMean\n- \\ref Unknown")
        self.assert_problem("theory/score.md:36: ScoreVariance uses Unknown, which is no claim")

    def test_proof_may_refer_to_what_is_no_claim(self) -> None:
        self.edit("theory/score.md", "By \\ref ProductMean.", "By \\ref ProductMean and \\ref S1.")
        self.assert_woven()

    def test_hypothesis_without_its_bullet_and_the_reverse(self) -> None:
        self.edit("theory/moments.md", "- **independent**: \\f", "- **uncorrelated**: \\f")
        self.assert_problem("theory/moments.md:18: ", "what fails without 'independent'")
        self.assert_problem("theory/moments.md:25: 'uncorrelated' is not among the hypotheses")

    def test_hypothesis_without_counterexample(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll"))
        self.assert_problem("theory/moments.md:18: no test of ProductMean shows that "
                            "'independent' is needed")

    def test_counterexample_without_hypothesis(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64",
                                     counterexample="large d"))
        self.assert_problem(f"{SCORE_TESTS}:2: ", "counterexample for 'large d'")

    def test_left_out_hypothesis_that_the_page_does_not_have(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64",
                                     left_out_by="S1\tlarge d"))
        self.assert_problem("S1 leaves out 'large d'")

    def test_test_without_evidence(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", level=""))
        self.assert_problem(f"{SCORE_TESTS}:2: ScoreVariance.HoldsForAll passed and has no evidence. Compare by "
                            "EXPECT_EXACTLY(…), or name what it rests on: evidence().rests_on(")
        self.assertEqual(len(self.weave().stderr.splitlines()), 1)
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64"),
                    passing("ScoreVariance", "RefusesZero", level="", about="refusal", refusals="1"))
        self.assert_woven()

    def test_test_without_a_frame(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", level="", about=""))
        self.assert_problem("ScoreVariance.HoldsForAll has no evidence of its own. ",
                            "Put its check into check_statement(…)")

    def test_test_that_is_skipped(self) -> None:
        skipped = passing("ScoreVariance", "HoldsForMore") | {"result": "SKIPPED"}
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64"), skipped)
        self.assert_problem("ScoreVariance.HoldsForMore was not run, but others of its claim were")

    def test_test_of_which_it_is_not_known_what_it_is_about(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", about="implementation"))
        self.assert_problem(f"{SCORE_TESTS}:2: ScoreVariance.HoldsForAll is about 'implementation'. Record one of "
                            "statement")

    def test_counterexample_that_says_it_checks_the_statement(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll"), failing_without("independent", about="statement"))
        self.assert_problem("properties/moments/ProductMean.cpp:2: ProductMean.FailsWhenEqual is a counterexample and "
                            "says that it checks the statement")

    def test_claim_without_a_test_of_its_statement(self) -> None:
        for about in "beside", "counterexample":
            self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", about=about))
            self.assert_problem(f"{SCORE_TESTS}:2: no test of ScoreVariance checks its statement. Write "
                                "check_statement(…) in the place of check_with_mutants(…) in the test that does")

    def test_column_that_is_empty_for_no_reason(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", cases="", values=""))
        self.assert_problem("theory/score.md:26: ScoreVariance does not have random cases", r"'\noproperty{why not}'")
        self.assert_problem("theory/score.md:26: ScoreVariance does not have an exact check",
                            r"'\noexactcheck{why not}'")
        self.edit("theory/score.md", "        exactly\n```\n", "        exactly\n```\n\n\\noproperty{There is \\f$ "
                  "d_{k} \\f$ alone.}\n\\noexactcheck{It is \\run{ScoreVariance.HoldsForAll.at64}.}\n")
        self.assertIn("<b>No random cases:</b> There is \\f$ d_{k} \\f$ alone.\n\n<b>No exact check:</b> It is "
                      "64.\n", self.weave_page())
        self.assertNotIn("noproperty", self.weave_page())

    def test_reason_that_is_none(self) -> None:
        self.edit("theory/score.md", "        exactly\n```\n", "        exactly\n```\n\\noproperty{For fun.}\n")
        self.assert_problem(r"theory/score.md:33: \noproperty says why ScoreVariance does not have random cases, but "
                            "it has. Remove that line")
        self.edit("theory/score.md", "{For fun.}", "{}")
        self.assert_problem(r"theory/score.md:33: \noproperty of ScoreVariance gives no reason")
        self.edit("theory/score.md", r"\noproperty{}", "\\noexactcheck{So.}\n\\noexactcheck{And so.}")
        self.assert_problem(r"theory/score.md:34: ScoreVariance has \noexactcheck twice")
        self.edit("theory/score.md", "\\noexactcheck{So.}\n\\noexactcheck{And so.}\n", "")
        self.edit("theory/score.md", "It is d.", "It is d.\n\\noexactcheck{So.}")
        self.assertRegex(self.weave().stderr,
                         r"^theory/score.md:16: \\noexactcheck of ScoreVariance gives no reason that can be read.*\n$")

    def test_what_the_page_quotes_shows_a_property_and_an_exact_check(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", values=""),
                    passing("ScoreVariance", "ByHand", cases="") | {"line": 7})
        self.assert_problem(f"{SCORE_TESTS}:7: ScoreVariance has an exact check, and its page quotes no test that does."
                            " Put '//! [ScoreVariance: exact check]' before and after one, such as ByHand")
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64") | {"line": 9},
                    passing("ScoreVariance", "ByHand", cases=""))
        self.assert_problem(f"{SCORE_TESTS}:9: ScoreVariance has random cases, and its page quotes no test that does")

    def test_proof_that_rests_on_a_later_claim(self) -> None:
        self.edit("docs/mainpage.md", "- \\subpage moments\n", "")
        self.edit("docs/mainpage.md", "- \\subpage score", "- \\subpage score\n- \\subpage moments")
        self.assert_problem("theory/score.md:35: ScoreVariance rests on ProductMean, which stands after it, at "
                            "theory/moments.md:5. Move one of the two")
        self.edit("docs/mainpage.md", "- \\subpage moments", "**Numerics and evidence**:\n\n- \\subpage moments")
        self.assert_woven()

    def test_implements_that_names_no_claim_or_what_no_page_quotes(self) -> None:
        self.edit("src/sqrtdk/score.hpp", r"\implements{", r"\implements{ScoreVariances,")
        self.assert_problem(r"src/sqrtdk/score.hpp:2: \implements{ScoreVariances} names no claim")
        self.edit("src/sqrtdk/score.hpp", r"\implements{ScoreVariances,ScoreVariance}", "")
        self.assert_problem("src/sqrtdk/score.hpp:3: no declaration implements ScoreVariance", r"\implements{Score")
        self.write("src/sqrtdk/other.hpp", "// \\implements{ScoreVariance}\n")
        self.assert_problem("src/sqrtdk/other.hpp:1: this implements ScoreVariance, whose page does not quote other")
        self.write("src/sqrtdk/other.cpp", "// [ScoreVariance]\n// [ScoreVariance]\n")
        self.assert_woven()

    def test_claim_without_a_namespace_of_its_own(self) -> None:
        self.write("properties/score/ScoreVariance_mutants.hpp", "#pragma once\nnamespace {\n}\n")
        self.assert_problem("properties/score/ScoreVariance_mutants.hpp:2: what is defined here is not in",
                            "Put all of it into 'namespace sqrtdk::properties::ScoreVariance {'")
        self.edit(SCORE_TESTS, "properties::ScoreVariance", "properties::ScoreVariances")
        self.assert_problem(f"{SCORE_TESTS}:2: what is defined here is not in the namespace of ScoreVariance")

    def test_a_header_has_no_unnamed_namespace(self) -> None:
        files = ("properties/score/fixture.hpp", "src/sqrtdk/detail/parts.hpp", "tests/helper.hpp")
        for file in files:
            self.write(file, "#pragma once\nnamespace sqrtdk {\nnamespace {\nint x;\n}\n}\n")
        for file in files:
            self.assert_problem(f"{file}:3: a header has an unnamed namespace. Give it a name")
            self.edit(file, "namespace {", "namespace detail {")
        self.assert_woven()

    def test_nothing_is_defined_before_or_after_that_namespace(self) -> None:
        own = (self.root / SCORE_TESTS).read_text(encoding="utf-8")
        block = "namespace sqrtdk::properties::ScoreVariance"
        for before in ("int helper();", "namespace sqrtdk::properties {", "namespace {", "using namespace sqrtdk;",
                       f"{block} {{\n}}  // {block}\nTEST(ScoreVariance, Outside) {{"):
            self.write(SCORE_TESTS, f"{before}\n}}\n{own}")
            self.assert_problem(f"{SCORE_TESTS}:{before.count(chr(10)) + 1}: ")
        self.write(SCORE_TESTS, own.replace("{\n", "{\nnamespace {\n}  // namespace\n", 1) +
                   "\n// It says why.\n#include <vector>\n\ntemplate <>\nstruct Other<int> : Base {\n  int x;\n};\n")
        self.assert_woven()

    def test_what_another_claims_file_defines_is_not_borrowed(self) -> None:
        self.edit(SCORE_TESTS, "TEST(ScoreVariance", "int x = ProductMean::helper();\nTEST(ScoreVariance")
        self.assert_problem(f"{SCORE_TESTS}:3: this borrows from the file of ProductMean. Move what both need into")
        for code in ("using namespace sqrtdk::properties::ProductMean;", "using namespace ProductMean;",
                     "namespace means = sqrtdk::properties::ProductMean;", "using ProductMean::helper;"):
            text = (self.root / SCORE_TESTS).read_text(encoding="utf-8").splitlines()
            self.write(SCORE_TESTS, "\n".join([*text[:2], code, *text[3:]]) + "\n")
            self.assert_problem(f"{SCORE_TESTS}:3: this borrows from the file of ProductMean")

    def test_a_chapter_does_not_call_a_class_exact(self) -> None:
        code = "template <>\nstruct sqrtdk::testing::is_exact<sqrtdk::Wide> : std::true_type {};\n"
        self.write("properties/score/fixture.hpp", code)
        self.assert_problem("properties/score/fixture.hpp:2: this says that Wide is exact")
        self.write("properties/score/fixture.hpp", code.replace("Wide", "PiFraction"))
        self.assert_woven()

    def test_slip_is_told_once_and_nothing_that_follows_from_it(self) -> None:
        self.edit("src/sqrtdk/score.hpp", r"\implements{ScoreVariance}", r"\implements{ScoreVarience}")
        self.assertEqual(self.weave().stderr, r"src/sqrtdk/score.hpp:2: \implements{ScoreVarience} names no claim "
                         "(ScoreVariance?). Correct the name, or declare the claim in theory/.\n")
        self.edit("src/sqrtdk/score.hpp", "Varience", "Variance")
        text = (self.root / SCORE_TESTS).read_text(encoding="utf-8")
        self.write(SCORE_TESTS, text.replace("// [ScoreVariance]\n", "", 1))
        self.assertRegex(self.weave().stderr, r"^[^\n]*: the tag \[ScoreVariance\] stands 1 times\.[^\n]*\n$")
        self.write(SCORE_TESTS, text.replace("// [ScoreVariance]\n", ""))
        self.assertRegex(self.weave().stderr, rf"^[^\n]*: {SCORE_TESTS} does not quote ScoreVariance\.[^\n]*\n$")
        self.write(SCORE_TESTS, text)
        self.record("score", passing("ScoreVariance", "HoldsForAll", about="", aimed="", value_at64="64"))
        self.assertRegex(self.weave().stderr, r"^[^\n]*: ScoreVariance.HoldsForAll has no evidence of its own[^\n]*\n$")

    def test_missing_section_is_told_once_and_nothing_that_follows_from_it(self) -> None:
        self.edit("theory/moments.md", "### Hypotheses\n", "")
        done = self.weave()
        self.assertEqual(done.stderr, "theory/moments.md:5: ProductMean has no '### Hypotheses'. Add it; the order is "
                         "What the documents say, Statement, Hypotheses, Proof, Without the hypotheses, The check in "
                         "words, Uses.\n")
        self.edit("theory/moments.md", "### Without the hypotheses\n", "")
        self.edit("theory/moments.md", "### What the documents say\n", "")
        self.assertIn("has no '### What the documents say' and no '### Hypotheses' and no '### Without",
                      self.weave().stderr)
        self.assertEqual(len(self.weave().stderr.splitlines()), 1)

    def test_a_claim_beyond_the_documents_says_what_the_field_says(self) -> None:
        self.edit("theory/score.md", "### What the documents say\n- implied: by all.",
                  "### What the field says\n- Somebody scales by something else.")
        done = self.weave()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.woven / "theory" / "score.md").read_text(encoding="utf-8")
        self.assertIn("### What the field says", page)
        self.assertIn("beyond", page)

    def test_malformed_records(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64",
                                     level="certain", corrects="S1 1 2", alpha="2^-40"))
        self.assert_problem("recorded the level 'certain'. Record one of exact, bounded")
        self.assert_problem("recorded 'S1 1 2' as corrects. Record 3 values")
        self.assert_problem("recorded the alpha '2^-40'")

    def test_unknown_macros(self) -> None:
        for macro, wrong in ((r"\run{ScoreVariance.HoldsForAll.at65}", "recorded no 'at65'"),
                             (r"\run{ScoreVariance.Nothing.at64}", "names no test of this run"),
                             (r"\run{ScoreVariance.at64}", "has not the form Suite.Test.key"),
                             (r"\verdict{Unknown}", "names no claim"),
                             (r"\weave{everything}", "there is no block"),
                             (r"See \weave{claims}", "shares its line with other text")):
            with self.subTest(macro):
                self.write("docs/page.md", f"# Page\n\n{macro}\n")
                self.assert_problem("docs/page.md:3: ", wrong)

    def test_page_outside_the_reading_order(self) -> None:
        self.edit("docs/mainpage.md", "- \\subpage score\n", "")
        self.assert_problem("theory/score.md:1: the page 'score' is not in the reading order",
                            r"Add '- \subpage score' to docs/mainpage.md")

    def test_missing_main_page(self) -> None:
        (self.root / "docs/mainpage.md").unlink()
        self.assert_problem("docs/mainpage.md:1: there is no main page")

    def test_test_without_a_mutant_that_it_kills(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64",
                                     aimed="three"))
        self.assert_problem(f"{SCORE_TESTS}:2: ScoreVariance.HoldsForAll kills no mutant")

    def test_fewer_than_three_mutants(self) -> None:
        self.record("score", passing("ScoreVariance", "HoldsForAll", value_at64="64", spared=""))
        self.assert_problem(f"{SCORE_TESTS}:2: ScoreVariance has 2 of 3 mutants")

    def test_failed_and_missing_results_are_no_breach(self) -> None:
        self.record("score", failing("ScoreVariance", "HoldsForAll", "no"))
        self.write("results/moments_properties.json", '{"crashed": "signal 11"}')
        self.assert_woven()

    def test_cited_claim_needs_neither_suite_nor_tags(self) -> None:
        self.edit("theory/score.md", "### Proof", "### Cited")
        self.edit("theory/score.md", "At 64 it is \\run{ScoreVariance.HoldsForAll.at64}; ", "")
        for file in ("src/sqrtdk/score.hpp", SCORE_TESTS):
            (self.root / file).unlink()
        self.assert_problem("theory/score.md:26: ScoreVariance has no suite, but '### The check in words'",
                            "Remove the section, or write the suite")
        page = (self.root / "theory/score.md").read_text(encoding="utf-8")
        self.write("theory/score.md", re.sub("### The check in words\n.*?(?=### Uses)", "", page, flags=re.DOTALL))
        self.assert_woven()
        self.assertIn("❝ cited", self.weave_page())

    def weave_page(self) -> str:
        self.weave()
        return self.read("theory/score.md")

    def test_stale_results_of_a_removed_program_are_ignored(self) -> None:
        self.record("gone", passing("Gone", "One"))
        self.assert_woven()

    def test_exact_checks_are_found_beside_the_property(self) -> None:
        self.write(SCORE_TESTS, properties("ScoreVariance", "HoldsForAll") +
                   "// [ScoreVariance: by hand]\n// [ScoreVariance: by hand]\n")
        self.assertIn("### By hand\n\n\\snippet{trimleft} properties/score/ScoreVariance.cpp "
                      "ScoreVariance: by hand", self.weave_page())
