"""Each breach of consistency is found, with its place and what to do."""

import re

from project import HEADER, ProjectTest, failing, failing_without, passing, properties, scored

MAIN, MOMENTS, SCORE, SCORE_HEADER = "docs/mainpage.md", "theory/moments.md", "theory/score.md", "src/sqrtdk/score.hpp"
SCORE_TESTS = "properties/score/ScoreVariance.cpp"


class Consistency(ProjectTest):

    def test_accepts_the_good_project(self) -> None:
        self.assert_woven()

    def test_lists_all_problems(self) -> None:
        self.edit(SCORE, "### Proof", "### Proved")
        self.edit(MAIN, "- \\subpage score\n", "")
        self.assertEqual(len(self.weave().stderr.splitlines()), 2)

    def test_a_slip_in_a_page_or_a_source(self) -> None:
        self.assert_slips(
            (SCORE, "### The check in words", "### The check in other words", f"{SCORE}:7: ScoreVariance has no "
             "'### The check in words'. Say what its property tries and requires"),
            (SCORE, " {#ScoreVariance}", "", f"{SCORE_TESTS}:3: the suite ScoreVariance belongs to no claim"),
            (SCORE, "{#ScoreVariance}", "{#ProductMean}", f"{SCORE}:7: ProductMean is already declared at {MOMENTS}:5"),
            (MOMENTS, "- **independent**: \\f", "- **uncorrelated**: \\f", f"{MOMENTS}:18: ",
             "what fails without 'independent'"),
            (MOMENTS, "- **independent**: \\f", "- **uncorrelated**: \\f",
             f"{MOMENTS}:25: 'uncorrelated' is not among the hypotheses"),
            (MAIN, "- \\subpage score\n", "", f"{SCORE}:1: the page 'score' is not in the reading order",
             f"Add '- [The score](../theory/score.md)' to {MAIN}"),
            (SCORE_TESTS, "STATEMENT(ScoreVariance, HoldsForAll) {}\n",
             "STATEMENT(ScoreVariance, HoldsForAll) {}\n\nTEST(\n    Orphan, One) {}\n",
             f"{SCORE_TESTS}:6: the suite Orphan belongs to no claim"),
            (SCORE_TESTS, "STATEMENT(ScoreVariance", "TEST(ProductMean, Again) {}\nSTATEMENT(ScoreVariance",
             f"{SCORE_TESTS}:3: the suite ProductMean is not in the file of its claim. "
             "Move it to properties/moments/ProductMean.cpp."),
            (SCORE_HEADER, HEADER.format(claim="ScoreVariance"), "\n// [ScoreVariance]\nint f();\n",
             f"{SCORE_HEADER}:2: the tag [ScoreVariance] stands 1 times"))

    def test_unknown_macros(self) -> None:
        self.write("docs/page.md", "# Page\n\nMACRO\n")
        for macro, *wrong in ((r"[64](run:ScoreVariance.HoldsForAll.at65)", "recorded no 'at65'"),
                              ("[64](run:ScoreVariance.HoldsForAll.at65)", "recorded no 'at65'"),
                              (r"[64](run:ScoreVariance.Nothing.at64)", "names no test of this run"),
                              (r"[64](run:ScoreVariance.at64)", "has not the form Suite.Test.key"),
                              (r"\verdict{Unknown}", "names no claim"),
                              (r"\weave{everything}", "there is no block"),
                              (r"See \weave{claims}", "shares its line with other text")):
            self.assert_slips(("docs/page.md", "MACRO", macro, "docs/page.md:3: ", *wrong))

    def test_claim_without_suite(self) -> None:
        self.write(SCORE_TESTS, "// [ScoreVariance]\n// [ScoreVariance]\n")
        self.record("score")
        self.assert_problem("theory/score.md:7: ScoreVariance has no suite",
                            "Write STATEMENT(ScoreVariance, …) in properties/score/ScoreVariance.cpp")

    def test_suite_in_the_folder_of_another_chapter(self) -> None:
        (self.root / SCORE_TESTS).rename(self.root / "properties/moments/ScoreVariance.cpp")
        self.assert_problem("properties/moments/ScoreVariance.cpp:3: the suite ScoreVariance is not in the file of its "
                            "claim. Move it to properties/score/ScoreVariance.cpp.")

    def test_what_chapters_share_has_no_suites(self) -> None:
        self.write("properties/support/main.cpp", "TEST(Stray, IsNotRead) {}\n")
        self.assert_woven()

    def test_suite_known_from_results_alone(self) -> None:
        self.record("score", scored(), passing("Made", "ByMacro"))
        self.assert_problem("properties/score/Made.cpp:2: the suite Made belongs to no claim")

    def test_missing_tags(self) -> None:
        self.write(SCORE_HEADER, "#pragma once\n")
        self.assert_problem("theory/score.md:7: no header quotes ScoreVariance")
        self.write(SCORE_TESTS, "STATEMENT(ScoreVariance, HoldsForAll) {}\n")
        self.assert_problem("theory/score.md:7: properties/score/ScoreVariance.cpp does not quote")

    def test_a_tag_may_stand_in_another_header_or_one_of_the_kit(self) -> None:
        self.write(SCORE_HEADER, "#pragma once\n")
        for file in ("src/sqrtdk/other.hpp", "src/sqrtdk/testing/checks.hpp"):
            self.write(file, HEADER.format(claim="ScoreVariance"))
            self.assert_woven()
            (self.root / file).unlink()

    def test_cycle(self) -> None:
        self.edit(MOMENTS, "Sum.", r"By \ref ScoreVariance.")
        self.assert_problem("theory/moments.md:", "ProductMean → ScoreVariance → ProductMean")

    def test_proof_may_refer_to_what_is_no_claim(self) -> None:
        self.edit(SCORE, "By \\ref ProductMean.", "By \\ref ProductMean and \\ref S1.")
        self.assert_woven()

    def test_hypothesis_without_counterexample(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll"))
        self.assert_problem("theory/moments.md:18: no test of ProductMean shows that 'independent' is needed")

    def test_what_a_test_records_amiss(self) -> None:
        unstated = ("no test of ScoreVariance checks its statement. Write STATEMENT(…) instead of ASIDE(…) for "
                    "the test that does")
        malformed = {"level": "certain", "corrects": "S1 1 2", "alpha": "2^-40"}
        for record, problem in (
                ({"counterexample": "large d"}, "counterexample for 'large d'"),
                ({"level": "", "about": ""}, "ScoreVariance.HoldsForAll has no evidence of its own. "),
                ({"level": "", "about": ""}, "Write STATEMENT(…) or ASIDE(…) instead of TEST(…)"),
                ({"about": "implementation"}, "HoldsForAll is about 'implementation'. Record one of statement"),
                ({"about": "beside"}, unstated), ({"about": "counterexample"}, unstated),
                ({"aimed": "three"}, "ScoreVariance.HoldsForAll kills no mutant"),
                ({"spared": ""}, "ScoreVariance has 2 of 3 mutants"),
                (malformed, "recorded the level 'certain'. Record one of exact, bounded"),
                (malformed, "recorded 'S1 1 2' as corrects. Record 3 values"),
                (malformed, "recorded the alpha '2^-40'")):
            with self.subTest(problem):
                self.record("score", scored(**record))
                self.assert_problem(f"{SCORE_TESTS}:2: ", problem)

    def test_test_without_evidence(self) -> None:
        self.record("score", scored(level=""))
        self.assert_problem(f"{SCORE_TESTS}:2: ScoreVariance.HoldsForAll passed and has no evidence. Compare by "
                            "EXPECT_EXACTLY(…), or name what it rests on: evidence().rests_on(")
        self.assertEqual(len(self.weave().stderr.splitlines()), 1)
        self.record("score", scored(), passing("ScoreVariance", "RefusesZero", level="", about="refusal", refusals="1"))
        self.assert_woven()

    def test_test_that_is_skipped(self) -> None:
        skipped = passing("ScoreVariance", "HoldsForMore") | {"result": "SKIPPED"}
        self.record("score", scored(), skipped)
        self.assert_problem("ScoreVariance.HoldsForMore was not run, but others of its claim were")

    def test_counterexample_that_says_it_checks_the_statement(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll"), failing_without("independent", about="statement"))
        self.assert_problem("properties/moments/ProductMean.cpp:2: ProductMean.FailsWhenEqual is a counterexample and "
                            "says that it checks the statement")

    def test_column_that_is_empty_for_no_reason(self) -> None:
        self.record("score", scored(cases="", values=""))
        self.assert_problem("theory/score.md:20: ScoreVariance does not have random cases", r"'\noproperty{why not}'")
        self.assert_problem("theory/score.md:20: ScoreVariance does not have an exact check",
                            r"'\noexactcheck{why not}'")
        self.edit(SCORE, "        exactly\n```\n", "        exactly\n```\n\n\\noproperty{There is \\f$ "
                  "d_{k} \\f$ alone.}\n\\noexactcheck{It is [64](run:ScoreVariance.HoldsForAll.at64).}\n")
        self.assertIn("<b>No random cases:</b> There is \\f$ d_{k} \\f$ alone.\n\n<b>No exact check:</b> It is "
                      "64.\n", self.weave_page(SCORE))
        self.assertNotIn("noproperty", self.weave_page(SCORE))

    def test_reason_that_is_none(self) -> None:
        self.edit(SCORE, "        exactly\n```\n", "        exactly\n```\n\\noproperty{For fun.}\n")
        self.assert_problem(r"theory/score.md:27: \noproperty says why ScoreVariance does not have random cases, but "
                            "it has. Remove that line")
        self.edit(SCORE, "{For fun.}", "{}")
        self.assert_problem(r"theory/score.md:27: \noproperty of ScoreVariance gives no reason")
        self.edit(SCORE, r"\noproperty{}", "\\noexactcheck{So.}\n\\noexactcheck{And so.}")
        self.assert_problem(r"theory/score.md:28: ScoreVariance has \noexactcheck twice")
        self.edit(SCORE, "\\noexactcheck{So.}\n\\noexactcheck{And so.}\n", "")
        self.edit(SCORE, "It is d.", "It is d.\n\\noexactcheck{So.}")
        self.assertRegex(self.weave().stderr,
                         r"^theory/score.md:16: \\noexactcheck of ScoreVariance gives no reason that can be read.*\n$")

    def test_what_the_page_quotes_shows_a_property_and_an_exact_check(self) -> None:
        self.record("score", scored(values=""), passing("ScoreVariance", "ByHand", cases="") | {"line": 7})
        self.assert_problem(f"{SCORE_TESTS}:7: ScoreVariance has an exact check, and its page quotes no test that does."
                            " Put '//! [ScoreVariance: exact check]' before and after one, such as ByHand")
        self.record("score", scored() | {"line": 9}, passing("ScoreVariance", "ByHand", cases=""))
        self.assert_problem(f"{SCORE_TESTS}:9: ScoreVariance has random cases, and its page quotes no test that does")

    def test_proof_that_rests_on_a_later_claim(self) -> None:
        self.edit(MAIN, "- \\subpage moments\n", "")
        self.edit(MAIN, "- \\subpage score", "- \\subpage score\n- \\subpage moments")
        self.assert_problem("theory/score.md:18: ScoreVariance rests on ProductMean, which stands after it, at "
                            "theory/moments.md:5. Move one of the two")
        self.edit(MAIN, "- \\subpage moments", "**Numerics and evidence**:\n\n- \\subpage moments")
        self.assert_woven()

    def test_implements_that_names_no_claim_or_what_no_page_quotes(self) -> None:
        self.edit(SCORE_HEADER, r"\implements{", r"\implements{ScoreVariances,")
        self.assert_problem(r"src/sqrtdk/score.hpp:2: \implements{ScoreVariances} names no claim")
        self.edit(SCORE_HEADER, r"\implements{ScoreVariances,ScoreVariance}", "")
        self.assert_problem("src/sqrtdk/score.hpp:3: no declaration implements ScoreVariance", r"\implements{Score")
        self.write("src/sqrtdk/other.hpp", "// \\implements{ScoreVariance}\n")
        self.assert_problem("src/sqrtdk/other.hpp:1: this implements ScoreVariance, whose page does not quote other")
        self.write("src/sqrtdk/other.cpp", "// [ScoreVariance]\n// [ScoreVariance]\n")
        self.assert_woven()

    def test_claim_without_a_namespace_of_its_own(self) -> None:
        self.write("properties/score/ScoreVariance_helpers.hpp", "#pragma once\nnamespace {\n}\n")
        self.assert_problem("properties/score/ScoreVariance_helpers.hpp:2: what is defined here is not in",
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
                       f"{block} {{\n}}  // {block}\nSTATEMENT(ScoreVariance, Outside) {{"):
            self.write(SCORE_TESTS, f"{before}\n}}\n{own}")
            self.assert_problem(f"{SCORE_TESTS}:{before.count(chr(10)) + 1}: ")
        self.write(SCORE_TESTS, own.replace("{\n", "{\nnamespace {\n}  // namespace\n", 1) +
                   "\n// It says why.\n#include <vector>\n\ntemplate <>\nstruct Other<int> : Base {\n  int x;\n};\n")
        self.assert_woven()

    def test_what_another_claims_file_defines_is_not_borrowed(self) -> None:
        self.edit(SCORE_TESTS, "STATEMENT(ScoreVariance", "int x = ProductMean::helper();\nSTATEMENT(ScoreVariance")
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
        self.edit(SCORE_HEADER, r"\implements{ScoreVariance}", r"\implements{ScoreVarience}")
        self.assertEqual(self.weave().stderr, r"src/sqrtdk/score.hpp:2: \implements{ScoreVarience} names no claim "
                         "(ScoreVariance?). Correct the name, or declare the claim in theory/.\n")
        self.edit(SCORE_HEADER, "Varience", "Variance")
        text = (self.root / SCORE_TESTS).read_text(encoding="utf-8")
        self.write(SCORE_TESTS, text.replace("// [ScoreVariance]\n", "", 1))
        self.assertRegex(self.weave().stderr, r"^[^\n]*: the tag \[ScoreVariance\] stands 1 times\.[^\n]*\n$")
        self.write(SCORE_TESTS, text.replace("// [ScoreVariance]\n", ""))
        self.assertRegex(self.weave().stderr, rf"^[^\n]*: {SCORE_TESTS} does not quote ScoreVariance\.[^\n]*\n$")
        self.write(SCORE_TESTS, text)
        self.record("score", scored(about="", aimed=""))
        self.assertRegex(self.weave().stderr, r"^[^\n]*: ScoreVariance.HoldsForAll has no evidence of its own[^\n]*\n$")

    def test_missing_section_is_told_once_and_nothing_that_follows_from_it(self) -> None:
        self.edit(MOMENTS, "### Statement\n", "")
        done = self.weave()
        self.assertEqual(done.stderr, "theory/moments.md:5: ProductMean has no '### Statement'. Add it; the order is "
                         "What the documents say, Statement, Hypotheses, Proof, Without the hypotheses, The check in "
                         "words.\n")
        self.edit(MOMENTS, "### What the documents say\n", "")
        self.assertIn("has no '### What the documents say' and no '### Statement'", self.weave().stderr)
        self.assertEqual(len(self.weave().stderr.splitlines()), 1)

    def test_a_claim_beyond_the_documents_says_what_the_field_says(self) -> None:
        self.edit(SCORE, "### What the documents say\n- implied: by all.",
                  "### What the field says\n- Somebody scales by something else.")
        self.assertRegex(self.weave_page(SCORE), r"(?s)beyond.*### What the field says")

    def test_missing_main_page(self) -> None:
        (self.root / MAIN).unlink()
        self.assert_problem("docs/mainpage.md:1: there is no main page")

    def test_failed_and_missing_results_are_no_breach(self) -> None:
        self.record("score", failing("ScoreVariance", "HoldsForAll", "no"))
        self.write("results/moments_properties.json", '{"crashed": "signal 11"}')
        self.assert_woven()

    def test_cited_claim_needs_neither_suite_nor_tags(self) -> None:
        self.edit(SCORE, "### Proof", "### Cited")
        self.edit(SCORE, "At 64 it is [64](run:ScoreVariance.HoldsForAll.at64); ", "")
        for file in (SCORE_HEADER, SCORE_TESTS):
            (self.root / file).unlink()
        self.assert_problem("theory/score.md:20: ScoreVariance has no suite, but '### The check in words'",
                            "Remove the section, or write the suite")
        page = (self.root / SCORE).read_text(encoding="utf-8")
        self.write(SCORE, re.sub("### The check in words\n.*?\\Z", "", page, flags=re.DOTALL))
        self.assertIn("❝ cited", self.weave_page(SCORE))

    def test_stale_results_of_a_removed_program_are_ignored(self) -> None:
        self.record("gone", passing("Gone", "One"))
        self.assert_woven()

    def test_exact_checks_are_found_beside_the_property(self) -> None:
        self.write(SCORE_TESTS, properties("ScoreVariance", "HoldsForAll") +
                   "// [ScoreVariance: by hand]\n// [ScoreVariance: by hand]\n")
        self.assertIn("### By hand\n\n\\snippet{trimleft} properties/score/ScoreVariance.cpp "
                      "ScoreVariance: by hand", self.weave_page(SCORE))
