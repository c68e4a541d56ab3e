"""The woven pages and the tables."""

import json
import re

from project import REVISION, ProjectTest, TextTest, failing, failing_without, passing, scored

from weave.base import elements
from weave.base.elements import tag
from weave.base.words import sentence
from weave.reading.book import read_book
from weave.writing.blocks import BLOCKS
from weave.writing.markup import escape, power_of_two, source_url


class Markup(TextTest):

    def test_reads_names_as_sentences(self) -> None:
        self.assert_values(sentence, {
            "HoldsForAllDistributions": "Holds for all distributions", "IsOneAtD64": "Is one at d 64",
            "AgreesWithS2": "Agrees with S2", "an_ordinary_sentence": "An ordinary sentence",
            "HasNoNaN": "Has no NaN", "Value/3": "Value (3)"})

    def test_links_to_highlighted_lines(self) -> None:
        self.assertEqual(source_url("properties/score/ScoreVariance.cpp", 42), "ScoreVariance_8cpp_source.html#l00042")
        self.assertEqual(source_url('x/"><a href="@evil.cpp', 7),
                         "%22%3E%3Ca%20href%3D%22%40evil_8cpp_source.html#l00007")

    def test_escapes_markup(self) -> None:
        self.assertEqual(escape(r"a_b <c> \ref @x #1 *p* `q`"),
                         "a\\_b &lt;c&gt; \\\\\u200dref \\@x \\#1 \\*p\\* \\`q\\`")

    def test_elements_escape_their_text_and_keep_the_order_of_their_attributes_but_those_without_a_value(self) -> None:
        self.assertEqual(tag("p", "a < b & \"c\"", tag("b", "<d>"), elements.Markup("<br/>")),
                         "<p>a &lt; b &amp; &quot;c&quot;<b>&lt;d&gt;</b><br/></p>")
        self.assertEqual(tag("a", "x", href="b.html#c", class_="d e", title="", aria_label='"f"'),
                         '<a href="b.html#c" class="d e" aria-label="&quot;f&quot;">x</a>')

    def test_writes_powers_of_two(self) -> None:
        self.assert_values(power_of_two, {str(2.0 ** -40): "2<sup>−40</sup>", "0.001": "2<sup>−10</sup>",
                                          str(3 * 2.0 ** -40): "2<sup>−38.4</sup>", "": ""})


class WovenPages(ProjectTest):

    def test_all_headers_of_a_claim_are_quoted_its_chapters_own_first(self) -> None:
        self.write("src/sqrtdk/a_part.hpp", self.source("src/sqrtdk/score.hpp"))
        self.assert_in_order(self.weave_page("theory/score.md"),
                             r"\snippet{trimleft} src/sqrtdk/score.hpp ScoreVariance",
                             r"\snippet{trimleft} src/sqrtdk/a_part.hpp ScoreVariance")

    def test_claim_has_its_parts_in_order(self) -> None:
        page = self.weave_page("theory/score.md")
        self.assert_in_order(
            page, "{#ScoreVariance}", "claim-meta", '<a class="badge badge-exact" href="how-to-read.html#words">',
            ">ours, implied by them</span> · 1 min · <a", 'class="permalink" href="#ScoreVariance"',
            '<script type="application/json" class="claim-tools">', "@misc{sqrtdk:ScoreVariance",
            "*In short.*", "### What the documents say", '<div class="statement">', "### Statement", "### Proof",
            '<details class="fold machinery"><summary>', "deliberately broken versions were caught",
            "### Implementation", r'\ref sqrtdk/score.hpp "sqrtdk/score.hpp"',
            r"\snippet{trimleft} src/sqrtdk/score.hpp ScoreVariance",
            "### The check in words", '<p class="indent-0">for every d up to a limit:</p>',
            '<p class="indent-1">V ← the variance, d &lt; 1 &amp; all</p>', '<p class="indent-2">exactly</p>',
            "### Property", r"\snippet{trimleft} properties/score/ScoreVariance.cpp ScoreVariance",
            "### Evidence of this run", "Holds for all", "✓ held", "<td>2</td>",
            'Together the tests catch 2 of 3 \\ref mutants', "### Run this check",
            "### Uses and used by", r"**Uses** \ref ProductMean.",
            "**Used by** nothing.\n\n\\htmlonly[block]\n</details>", '<div class="prevnext">')
        for once in ("### Uses", "### The check in words"):
            self.assertEqual(page.count(once), 1)
        self.assert_lacks(page, "### Hypotheses", "None.")  # it says none

    def test_the_words_of_a_check_are_explained_where_there_is_a_page_for_it(self) -> None:
        link = "### The check in words\n\n\\ref words-of-checks \"What these words mean\"\n\n"
        self.assertNotIn("words-of-checks", self.weave_page("theory/score.md"))
        self.write("docs/words-of-checks.md", "# The words {#words-of-checks}\n")
        self.assertIn(link, self.weave_page("theory/score.md"))

    def test_a_claim_that_fails_shows_its_evidence_at_once_and_its_verdict_everywhere(self) -> None:
        verdict = r'  <span class="verdict">\ref ProductMean <span class="labels">✓ exact</span></span>'
        self.assertIn(verdict, self.weave_page("docs/line-by-line.md"))
        self.assertNotIn("machinery\" open", self.read("theory/moments.md"))
        self.record("moments", failing("ProductMean", "HoldsForAll", "no"))
        self.assertIn('<span class="labels">✗ failed</span>', self.weave_page("docs/line-by-line.md"))
        self.assert_has(self.read("theory/moments.md"), '<details class="fold machinery" open><summary>', "1 failed")

    def test_macros_are_replaced_outside_of_code(self) -> None:
        self.assertIn(r"At 64 it is 64; `[64](run:not.a.macro)`.", self.weave_page("theory/score.md"))
        self.assertIn('<table class="claims-table cards">', self.read("docs/mainpage.md"))

    def test_what_the_run_says_of_documents_stands_before_their_passages_and_behind_their_names(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll", corrects="S2\t3\t4"),
                    failing_without("independent"))
        self.assert_has(self.weave_page("docs/line-by-line.md"), "- Nothing is claimed here.",
                        '- <span class="badge badge-right-if">◐ right if …</span> "Why so."',
                        '- <span class="badge badge-wrong">✎ wrong</span> It prints "3',
                        '- <span class="badge badge-right">✓ right</span> A mean')
        self.edit("docs/line-by-line.md", "and more", "and **independent**")
        self.assertIn(r'\ref S1 "S1" <span class="judged">◐ conditional</span>, '
                      r'\ref S2 "S2" <span class="judged">✎ corrected</span>, \ref S3 "S3" ·',
                      self.weave_page("theory/moments.md"))

    def test_neighbours_follow_the_reading_order(self) -> None:
        self.assertIn(r'<span>← \ref index "Contents"</span> <span>\ref score →</span>',
                      self.weave_page("theory/moments.md"))
        self.assertIn(r'<div class="prevnext"><span>← \ref moments</span></div>', self.read("theory/score.md"))
        self.assertNotIn("prevnext", self.read("docs/mainpage.md"))

    def test_failed_claim_is_rendered_with_its_message_and_one_whose_results_are_lost_as_not_run(self) -> None:
        self.record("score", failing("ScoreVariance", "HoldsForAll", "Expected: <4>\n\\ref x"))
        self.assert_has(self.weave_page("theory/score.md"), "badge-failed", '<tr class="status-failed">',
                        '<pre class="fragment">Expected: &lt;4&gt;\n&#92;ref x\n</pre>', "At 64 it is ?;")
        self.write("results/score_properties.json", '{"crashed": "signal 11 (SIGSEGV)"}')
        self.assert_has(self.weave_page("theory/score.md"), "badge-not-run",
                        "○ Not run: its program gave no results: signal 11 (SIGSEGV).")

    def test_numbers_of_the_documents(self) -> None:
        self.record("score", scored(agrees="S1\t64", corrects="S3\t63\t64"))
        self.assert_has(self.weave_page("theory/score.md"), r'<tr><td>\ref S1 "S1"</td><td>64</td><td>agrees</td>',
                        r'<tr><td>\ref S3 "S3"</td><td>63</td><td>corrected: 64</td>')

    def test_machine_readable_table(self) -> None:
        claim, other = json.loads(self.weave_page("claims.json"))
        expected = {"id": "ProductMean", "chapter": "moments", "documents": ["S1", "S2", "S3"], "level": "exact",
                    "status": "held", "uses": [], "cases": 104, "mutants": 3, "mutants_killed": 2}
        self.assertEqual({key: claim[key] for key in expected}, expected)
        self.assertEqual(other["uses"], ["ProductMean"])

    def test_only_what_changed_is_rewritten(self) -> None:
        self.weave()
        before = {path: path.stat().st_mtime_ns for path in self.woven.rglob("*.*")}
        self.weave()
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in before})
        self.write("docs/new.md", "# New {#new}\n")
        self.weave()
        self.assertTrue((self.woven / "docs/new.md").exists())
        (self.root / "docs/new.md").unlink()
        self.weave()
        self.assertFalse((self.woven / "docs/new.md").exists())

    def test_refuses_to_write_among_other_files(self) -> None:
        self.woven = self.root / "docs"
        self.assert_problem("holds something other than woven pages")

    def test_woven_text_names_no_place_on_this_machine_and_no_time_that_a_test_took(self) -> None:
        self.weave()
        for path in self.woven.rglob("*.*"):
            self.assertNotRegex(path.read_text(encoding="utf-8"), rf"{self.root}|\b0\.001s")


class Blocks(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.record("moments", passing("ProductMean", "HoldsForAll", level="statistical", alpha=str(2.0 ** -40),
                                       n="1000"),
                    failing_without("independent", corrects="S2\t3\t4", alpha=str(2.0 ** -40)), compiler="clang")

    def block(self, name: str) -> str:
        return BLOCKS[name](self.book())

    def test_every_block_has_text_with_and_without_results(self) -> None:
        for results in (True, False):
            for name in BLOCKS:
                with self.subTest(name, results=results):
                    self.assertTrue(self.block(name).strip())
            for path in self.results.glob("*"):
                path.unlink()

    def test_the_table_of_claims_counts_what_was_compared_or_says_why_nothing(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll", cases="1200", values="1500", enumerated="9"),
                    passing("ProductMean", "Samples", cases="", level="statistical", n="10\n20\n30", about="beside"),
                    passing("ProductMean", "Refuses", about="refusal"),
                    failing_without("independent", level="bounded", cases="7"))
        self.record("score", passing("ScoreVariance", "HoldsForAll", cases="", values=""))
        self.edit("theory/score.md", "        exactly\n```\n", "        exactly\n```\n\\noproperty{One *d*.}\n")
        self.assert_has(self.block("claims"),
                        '<td><span data-sort="1200">1,200 cases</span></td><td><span data-sort="1503">✓&nbsp;1,500 · '
                        '∿&nbsp;3 samples</span></td>',
                        '<td><span data-sort="0" class="said">none: One *d*.</span></td><td></td>')

    def test_four_tiles_count_claims_passages_and_mutants_and_show_what_failed_and_was_not_run(self) -> None:
        text = self.block("tiles")
        self.assertEqual(text.count('<a class="tile'), 4)
        self.assert_has(text, 'href="claims.html"><b>2 of 2</b> claims held in the run that made these pages</a>',
                        'href="errata.html"><b>1</b> of these passages are wrong',
                        '<a class="tile status-failed" href="mutants.html"><b>4 of 6</b> versions')
        self.record("moments", failing("ProductMean", "HoldsForAll", "no"))
        (self.results / "score_properties.json").unlink()
        self.assertIn('<a class="tile status-failed" href="claims.html"><b>0 of 2</b> claims held in the run that made '
                      'these pages; 1 failed; 1 not run</a>', self.block("tiles"))

    def test_the_book_is_cited_as_the_file_for_citations_says(self) -> None:
        self.write("CITATION.cff", 'title: "a: book"\nversion: 1.2\nreferences:\n  - title: other\n')
        text = self.block("citation")
        self.assert_has(text, "@misc{sqrtdk,", "= {{a: book}}", "= {Version 1.2}")
        self.assert_lacks(text, "url", "other")

    def test_kill_matrix_marks_killed_spared_and_aimed_and_who_met_its_killer_alone(self) -> None:
        self.assert_has(self.block("mutants"), "<tr><td>one</td><td><b>†</b></td><td><b>†</b></td></tr>",
                        "<tr><td>three</td><td>·</td><td>·</td></tr>", "In all, 4 of 6 mutants killed.")
        met = {"killed": "one", "spared": "two", "aimed": "one\ntwo"}
        self.record("score", passing("ScoreVariance", "HoldsForAll", **met))
        self.record("moments", passing("ProductMean", "FailsWhenEqual", **met))
        self.assert_has(self.block("mutants"), "<tr><td>one</td><td><b>†</b> <a href=",
                        "<tr><td>two</td><td><b>·</b> <a href=")

    def test_errata_list_values_and_hypotheses_with_every_passage_that_leaves_them_out(self) -> None:
        self.assert_has(self.block("errata"),
                        r'<tr><td>\ref S2 "S2", \ref lines-s2-proving "Proving It"</td><td>3</td><td>4</td>'
                        r'<td><a href="ProductMean_8cpp_source.html#l00002">Fails when equal</a>, '
                        r"in \ref ProductMean</td></tr>",
                        "**Wrong as printed or worded**: 1 row, at 1 passage",
                        r'<tr><td>\ref S1 "S1", \ref lines-s1-question "Question"</td>'
                        r"<td><b>independent</b>, in \ref ProductMean</td><td>\f$ |X| \f$ fails.</td>")
        passage = "- Without **independent** it fails.\n  \\verdict{ProductMean}\n"
        self.edit("docs/line-by-line.md", "## S2: an article {#lines-s2}",
                  f"{passage}\n### Answer {{#lines-s1-answer}}\n\n{passage}\n## S2: an article {{#lines-s2}}")
        self.assert_has(self.block("errata"), "that is left out**: 1 row, at 3 passages",
                        r'<td>\ref S1 "S1", \ref lines-s1-question "Question", \ref lines-s1-answer "Answer"</td>')

    def test_errata_come_in_the_order_of_the_documents(self) -> None:
        self.record("score", scored(corrects="S3\t63\t64"))
        self.record("moments", passing("ProductMean", "FailsWhenEqual",
                                       corrects="S3\tA mean\tThe mean\nS2\t3\t4\nS2\tof them\t5"))
        text = self.block("errata")
        self.assertIn("<td>3, of them</td><td>4, 5</td>", text)
        self.assert_in_order(text, *(f"<td>{words}</td>" for words in ("3, of them", "A mean", "63")))

    def test_hypotheses_say_what_fails_and_errata_are_shown_by_checks_that_passed(self) -> None:
        self.assert_has(self.block("hypotheses"), "Fails when equal",
                        r"<td><b>independent</b></td><td>\f$ |X| \f$ fails.</td>")
        self.record("moments", {**failing("ProductMean", "FailsWhenEqual", "no"), "corrects": "S2\t3\t4"})
        self.assertEqual(self.block("errata").count("None in this run."), 4)

    def test_build_names_version_commit_and_address_as_far_as_they_are_known(self) -> None:
        commit, version = "0123456789" * 4, {"version": "1.2-dev+g0123456789"}
        others = {**version, "date of the commit": "2026-01-02",
                  "published at": '<a href="https://example.org/a_b">https\u200d://example.org/a\\_b</a>'}
        files = REVISION["dir"]
        for known, rows in (({"modified": "0"}, {**others, "commit": commit,
                                                 "identifiers": f"swh:1:rev:{commit} {files}"}),
                            ({"modified": "1", "rev": "", "dir": ""},
                             {**others, "commit": f"{commit}, with changes that are not committed"}),
                            ({"commit": "", "date": "", "address": "", "rev": ""},
                             {**version, "commit": "unknown commit", "identifiers": files})):
            self.write("revision.json", json.dumps({**REVISION, **known}))
            text = BLOCKS["build"](read_book(self.root, self.results, self.root / "revision.json"))
            shown = dict(re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>all</td></tr>", text))
            self.assertEqual({what: shown[what] for what in shown if what != "compiler"}, rows)

    def test_build_tells_programs_apart_only_where_they_differ(self) -> None:
        self.assertIn("<td>compiler</td><td>clang</td><td>moments</td>", self.block("build"))
        self.record("moments", compiler="g++")
        self.assertIn("<td>compiler</td><td>g++</td><td>all</td>", self.block("build"))

    def test_a_first_look_has_the_page_why_with_numbers_of_the_last_run_and_the_first_chapter(self) -> None:
        self.write("docs/why.md", "# Why {#why}\n\nAt 64 it is [64](run:ScoreVariance.HoldsForAll.at64).\n")
        (self.results / "score_properties.json").unlink()
        self.assert_woven("--first-look")
        self.assert_has(self.read("docs/why.md"), "At 64 it is 64.", "numbers of the last run")
        self.assertIn("ProductMean", self.read("theory/moments.md"))
        self.assertFalse((self.woven / "theory/score.md").exists())
        self.assertIn(r"\subpage why", self.read("docs/mainpage.md"))
        self.edit("docs/mainpage.md", "- \\subpage moments", "- \\subpage why\n- \\subpage moments")
        self.assertIn("At 64 it is ?.", self.weave_page("docs/why.md"))  # a run whose program was lost
