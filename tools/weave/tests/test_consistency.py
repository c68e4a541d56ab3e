"""Each breach of consistency is found, with its place and what to do."""

import re

from project import HEADER, ProjectTest, failing_without, passing, properties, scored

MAIN, MOMENTS, SCORE, SCORE_HEADER = "docs/mainpage.md", "theory/moments.md", "theory/score.md", "src/sqrtdk/score.hpp"
SCORE_TESTS = "properties/score/ScoreVariance.cpp"


class Consistency(ProjectTest):

    def test_lists_all_problems(self) -> None:
        self.assert_woven()
        self.edit(SCORE, "### Proof", "### Proved")
        self.edit(MAIN, "- \\subpage score\n", "")
        self.assertEqual(len(self.weave().stderr.splitlines()), 2)

    def test_a_slip_in_a_page_or_a_source(self) -> None:
        own = "STATEMENT(ScoreVariance"
        self.assert_slips(
            (SCORE, "### The check in words", "### The check in other words", f"{SCORE}:7: ScoreVariance has no "
             "'### The check in words'. Say what its property tries and requires"),
            (SCORE, " {#ScoreVariance}", "", f"{SCORE_TESTS}:3: the suite ScoreVariance belongs to no claim"),
            (SCORE, "{#ScoreVariance}", "{#ProductMean}", f"{SCORE}:7: ProductMean is already declared at {MOMENTS}:5"),
            (MOMENTS, "- **independent**: \\f", "- **uncorrelated**: \\f", f"{MOMENTS}:18: ",
             "what fails without 'independent'"),
            (MOMENTS, "- **independent**: \\f", "- **uncorrelated**: \\f",
             f"{MOMENTS}:25: 'uncorrelated' is not among the hypotheses"),
            (MOMENTS, "Sum.", r"By \ref ScoreVariance.", f"{MOMENTS}:", "ProductMean → ScoreVariance → ProductMean"),
            (MAIN, "- \\subpage score\n", "", f"{SCORE}:1: the page 'score' is not in the reading order",
             f"Add '- [The score](../theory/score.md)' to {MAIN}"),
            (MAIN, "- \\subpage moments\n- \\subpage score", "- \\subpage score\n- \\subpage moments",
             f"{SCORE}:18: ScoreVariance rests on ProductMean, which stands after it, at {MOMENTS}:5. Move one of the "
             "two"),
            (SCORE_TESTS, f"{own}, HoldsForAll) {{}}\n", f"{own}, HoldsForAll) {{}}\n\nTEST(\n    Orphan, One) {{}}\n",
             f"{SCORE_TESTS}:6: the suite Orphan belongs to no claim"),
            (SCORE_TESTS, own, f"TEST(ProductMean, Again) {{}}\n{own}",
             f"{SCORE_TESTS}:3: the suite ProductMean is not in the file of its claim. "
             "Move it to properties/moments/ProductMean.cpp."),
            (SCORE_TESTS, "properties::ScoreVariance", "properties::ScoreVariances",
             f"{SCORE_TESTS}:2: what is defined here is not in the namespace of ScoreVariance"),
            (SCORE_TESTS, own, f"int x = ProductMean::helper();\n{own}",
             f"{SCORE_TESTS}:3: this borrows from the file of ProductMean. Move what both need into"),
            *((SCORE_TESTS, own, f"{code}\n{own}", f"{SCORE_TESTS}:3: this borrows from the file of ProductMean")
              for code in ("using namespace sqrtdk::properties::ProductMean;", "using namespace ProductMean;",
                           "namespace means = sqrtdk::properties::ProductMean;", "using ProductMean::helper;")),
            (SCORE_TESTS, properties("ScoreVariance", "HoldsForAll"), "STATEMENT(ScoreVariance, HoldsForAll) {}\n",
             f"{SCORE}:7: {SCORE_TESTS} does not quote"),
            (SCORE_HEADER, HEADER.format(claim="ScoreVariance"), "\n// [ScoreVariance]\nint f();\n",
             f"{SCORE_HEADER}:2: the tag [ScoreVariance] stands 1 times"),
            (SCORE_HEADER, r"\implements{", r"\implements{ScoreVariances,",
             rf"{SCORE_HEADER}:2: \implements{{ScoreVariances}} names no claim"),
            (SCORE_HEADER, r"\implements{ScoreVariance}", "",
             f"{SCORE_HEADER}:3: no declaration implements ScoreVariance", r"\implements{Score"))

    def test_unknown_macros(self) -> None:
        self.write("docs/page.md", "# Page\n\nMACRO\n")
        for macro, wrong in (("[64](run:ScoreVariance.HoldsForAll.at65)", "recorded no 'at65'"),
                             ("[64](run:ScoreVariance.Nothing.at64)", "names no test of this run"),
                             ("[64](run:ScoreVariance.at64)", "has not the form Suite.Test.key"),
                             (r"\verdict{Unknown}", "names no claim"),
                             (r"\weave{everything}", "there is no block"),
                             (r"See \weave{claims}", "shares its line with other text")):
            self.assert_slips(("docs/page.md", "MACRO", macro, "docs/page.md:3: ", wrong))

    def test_claim_without_suite(self) -> None:
        self.write(SCORE_TESTS, "// [ScoreVariance]\n// [ScoreVariance]\n")
        self.record("score")
        self.assert_problem(f"{SCORE}:7: ScoreVariance has no suite",
                            f"Write STATEMENT(ScoreVariance, …) in {SCORE_TESTS}")

    def test_suite_in_the_folder_of_another_chapter(self) -> None:
        (self.root / SCORE_TESTS).rename(self.root / "properties/moments/ScoreVariance.cpp")
        self.assert_problem("properties/moments/ScoreVariance.cpp:3: the suite ScoreVariance is not in the file of its "
                            f"claim. Move it to {SCORE_TESTS}.")

    def test_a_tag_may_stand_in_another_header_or_one_of_the_kit(self) -> None:
        self.write(SCORE_HEADER, "#pragma once\n")
        for file in ("src/sqrtdk/other.hpp", "src/sqrtdk/testing/checks.hpp"):
            self.write(file, HEADER.format(claim="ScoreVariance"))
            self.assert_woven()
            (self.root / file).unlink()
        self.assert_problem(f"{SCORE}:7: no header quotes ScoreVariance")

    def test_what_is_no_breach(self) -> None:
        self.edit(SCORE, "By \\ref ProductMean.", "By \\ref ProductMean and \\ref S1.")
        self.write("properties/support/main.cpp", "TEST(Stray, IsNotRead) {}\n")
        self.record("gone", passing("Gone", "One"))
        self.edit(MAIN, "- \\subpage moments\n", "")
        self.edit(MAIN, "- \\subpage score", "- \\subpage score\n**Numerics and evidence**:\n\n- \\subpage moments")
        self.assert_woven()

    def test_what_tests_record_amiss(self) -> None:
        suite, holds = "ScoreVariance", ":2: ScoreVariance.HoldsForAll"
        by_hand = passing("ScoreVariance", "ByHand", cases="", line=7)
        unstated = (":2: no test of ScoreVariance checks its statement. Write STATEMENT(…) instead of ASIDE(…) for "
                    "the test that does")
        malformed = scored(level="certain", corrects="S1 1 2", alpha="2^-40")
        for tests, problem in (
                ([scored(counterexample="large d")], f"{holds} has a counterexample for 'large d'"),
                ([scored(level="", about="")], f"{holds} has no evidence of its own. "
                 "Write STATEMENT(…) or ASIDE(…) instead of TEST(…)"),
                ([scored(about="implementation")], f"{holds} is about 'implementation'. Record one of statement"),
                ([scored(about="beside")], unstated),
                ([scored(about="counterexample")], unstated),
                ([scored(aimed="three")], f"{holds} kills no mutant"),
                ([scored(spared="")], ":2: ScoreVariance has 2 of 3 mutants"),
                ([malformed], f"{holds} recorded the level 'certain'. Record one of exact, bounded"),
                ([malformed], f"{holds} recorded 'S1 1 2' as corrects. Record 3 values"),
                ([malformed], f"{holds} recorded the alpha '2^-40'"),
                ([scored(level="")], f"{holds} passed and has no evidence. Compare by "
                 "EXPECT_EXACTLY(…), or name what it rests on: evidence().rests_on("),
                ([scored(), passing(suite, "HoldsForMore", result="SKIPPED")],
                 ":2: ScoreVariance.HoldsForMore was not run, but others of its claim were"),
                ([scored(values=""), by_hand], ":7: ScoreVariance has an exact check, and its page quotes no test that "
                 "does. Put '//! [ScoreVariance: exact check]' before and after one, such as ByHand"),
                ([scored(line=9), by_hand],
                 ":9: ScoreVariance has random cases, and its page quotes no test that does")):
            with self.subTest(problem):
                self.record("score", *tests)
                self.assert_problem(f"{SCORE_TESTS}{problem}")
        self.record("score", scored(), passing("Made", "ByMacro"))
        self.assert_problem("properties/score/Made.cpp:2: the suite Made belongs to no claim")
        self.record("score", scored(), passing(suite, "RefusesZero", level="", about="refusal", refusals="1"))
        self.assert_woven()

    def test_counterexample_that_is_missing_or_says_it_checks_the_statement(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll"))
        self.assert_problem(f"{MOMENTS}:18: no test of ProductMean shows that 'independent' is needed")
        self.record("moments", passing("ProductMean", "HoldsForAll"), failing_without("independent", about="statement"))
        self.assert_problem("properties/moments/ProductMean.cpp:2: ProductMean.FailsWhenEqual is a counterexample and "
                            "says that it checks the statement")

    def test_column_that_is_empty_for_no_reason(self) -> None:
        self.record("score", scored(cases="", values=""))
        self.assert_problem(f"{SCORE}:20: ScoreVariance does not have random cases", r"'\noproperty{why not}'")
        self.assert_problem(f"{SCORE}:20: ScoreVariance does not have an exact check", r"'\noexactcheck{why not}'")
        self.edit(SCORE, "        exactly\n```\n", "        exactly\n```\n\n\\noproperty{There is \\f$ "
                  "d_{k} \\f$ alone.}\n\\noexactcheck{It is [64](run:ScoreVariance.HoldsForAll.at64).}\n")
        page = self.weave_page(SCORE)
        self.assertIn("<b>No random cases:</b> There is \\f$ d_{k} \\f$ alone.\n\n<b>No exact check:</b> It is 64.\n",
                      page)
        self.assertNotIn("noproperty", page)

    def test_reason_that_is_none(self) -> None:
        end = "        exactly\n```\n"
        self.assert_slips(
            (SCORE, end, f"{end}\\noproperty{{For fun.}}\n", rf"{SCORE}:27: \noproperty says why ScoreVariance does "
             "not have random cases, but it has. Remove that line"),
            (SCORE, end, f"{end}\\noproperty{{}}\n", rf"{SCORE}:27: \noproperty of ScoreVariance gives no reason"),
            (SCORE, end, f"{end}\\noexactcheck{{So.}}\n\\noexactcheck{{And so.}}\n",
             rf"{SCORE}:28: ScoreVariance has \noexactcheck twice"))
        self.edit(SCORE, "It is d.", "It is d.\n\\noexactcheck{So.}")
        self.assertRegex(self.weave().stderr,
                         rf"^{SCORE}:16: \\noexactcheck of ScoreVariance gives no reason that can be read.*\n$")

    def test_implements_of_what_no_page_quotes(self) -> None:
        self.write("src/sqrtdk/other.hpp", "// \\implements{ScoreVariance}\n")
        self.assert_problem("src/sqrtdk/other.hpp:1: this implements ScoreVariance, whose page does not quote other")
        self.write("src/sqrtdk/other.cpp", "// [ScoreVariance]\n// [ScoreVariance]\n")
        self.assert_woven()

    def test_files_that_say_what_they_may_not_until_they_do_not(self) -> None:
        exact = "template <>\nstruct sqrtdk::testing::is_exact<sqrtdk::Wide> : std::true_type {};\n"
        unnamed = "#pragma once\nnamespace sqrtdk {\nnamespace {\nint x;\n}\n}\n"
        named = unnamed.replace("namespace {", "namespace detail {")
        for file, text, told, better in (
                ("properties/score/fixture.hpp", exact, ":2: this says that Wide is exact",
                 exact.replace("Wide", "PiFraction")),
                *((file, unnamed, ":3: a header has an unnamed namespace. Give it a name", named)
                  for file in ("properties/score/fixture.hpp", "src/sqrtdk/detail/parts.hpp", "tests/helper.hpp")),
                ("properties/score/ScoreVariance_helpers.hpp", "#pragma once\nnamespace {\n}\n",
                 ":2: what is defined here is not in the namespace of ScoreVariance. Put all of it into 'namespace "
                 "sqrtdk::properties::ScoreVariance {'",
                 "#pragma once\nnamespace sqrtdk::properties::ScoreVariance {\n}\n")):
            with self.subTest(file, text=text):
                self.write(file, text)
                self.assert_problem(f"{file}{told}")
                self.write(file, better)
                self.assert_woven()

    def test_nothing_is_defined_outside_the_namespace_of_its_claim(self) -> None:
        own = self.source(SCORE_TESTS)
        block = "namespace sqrtdk::properties::ScoreVariance"
        for before in ("int helper();", "namespace sqrtdk::properties {", "namespace {", "using namespace sqrtdk;",
                       f"{block} {{\n}}  // {block}\nSTATEMENT(ScoreVariance, Outside) {{"):
            self.write(SCORE_TESTS, f"{before}\n}}\n{own}")
            self.assert_problem(f"{SCORE_TESTS}:{before.count(chr(10)) + 1}: ")
        self.write(SCORE_TESTS, own.replace("{\n", "{\nnamespace {\n}  // namespace\n", 1) +
                   "\n// It says why.\n#include <vector>\n\ntemplate <>\nstruct Other<int> : Base {\n  int x;\n};\n")
        self.assert_woven()

    def test_slip_is_told_once_and_nothing_that_follows_from_it(self) -> None:
        tag = "// [ScoreVariance]\n"
        suite = self.source(SCORE_TESTS)
        for file, old, new, told in (
                (SCORE_HEADER, r"\implements{ScoreVariance}", r"\implements{ScoreVarience}", re.escape(
                    rf"{SCORE_HEADER}:2: \implements{{ScoreVarience}} names no claim (ScoreVariance?). "
                    "Correct the name, or declare the claim in theory/.")),
                (SCORE_TESTS, suite, suite.replace(tag, "", 1),
                 r"[^\n]*: the tag \[ScoreVariance\] stands 1 times\..*"),
                (SCORE_TESTS, tag, "", rf"[^\n]*: {SCORE_TESTS} does not quote ScoreVariance\..*"),
                (MOMENTS, "### Statement\n", "", re.escape(
                    f"{MOMENTS}:5: ProductMean has no '### Statement'. Add it; the order is What the documents say, "
                    "Statement, Hypotheses, Proof, Without the hypotheses, The check in words.")),
                (MOMENTS, self.source(MOMENTS), re.sub("### (What the doc|State).*\n", "", self.source(MOMENTS)),
                 ".*has no '### What the documents say' and no '### Statement'.*")):
            with self.subTest(told):
                text = self.source(file)
                self.edit(file, old, new)
                self.assertRegex(self.weave().stderr, rf"^{told}\n$")
                self.write(file, text)
        for record, told in (({"about": "", "aimed": ""}, "has no evidence of its own"),
                             ({"level": ""}, "passed and has no evidence")):
            self.record("score", scored(**record))
            self.assertRegex(self.weave().stderr, rf"^[^\n]*: ScoreVariance.HoldsForAll {told}[^\n]*\n$")

    def test_a_claim_beyond_the_documents_says_what_the_field_says(self) -> None:
        self.edit(SCORE, "### What the documents say\n- implied: by all.",
                  "### What the field says\n- Somebody scales by something else.")
        self.assertRegex(self.weave_page(SCORE), r"(?s)beyond.*### What the field says")

    def test_missing_main_page(self) -> None:
        (self.root / MAIN).unlink()
        self.assert_problem("docs/mainpage.md:1: there is no main page")

    def test_cited_claim_needs_neither_suite_nor_tags(self) -> None:
        self.edit(SCORE, "### Proof", "### Cited")
        self.edit(SCORE, "At 64 it is [64](run:ScoreVariance.HoldsForAll.at64); ", "")
        for file in (SCORE_HEADER, SCORE_TESTS):
            (self.root / file).unlink()
        self.assert_problem(f"{SCORE}:20: ScoreVariance has no suite, but '### The check in words'",
                            "Remove the section, or write the suite")
        self.write(SCORE, self.source(SCORE).partition("### The check in words\n")[0])
        self.assertIn("❝ cited", self.weave_page(SCORE))

    def test_exact_checks_are_found_beside_the_property(self) -> None:
        self.write(SCORE_TESTS, properties("ScoreVariance", "HoldsForAll") +
                   "// [ScoreVariance: by hand]\n// [ScoreVariance: by hand]\n")
        self.assertIn("### By hand\n\n\\snippet{trimleft} properties/score/ScoreVariance.cpp "
                      "ScoreVariance: by hand", self.weave_page(SCORE))
