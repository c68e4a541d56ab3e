"""The woven pages and the tables."""

import json
import re
import unittest

from project import REVISION, ProjectTest, failing, failing_without, passing, scored

from weave.base.words import sentence
from weave.reading.book import read_book
from weave.writing.blocks import BLOCKS
from weave.writing.citation import of_claim
from weave.writing.markup import escape, power_of_two, source_url


class Markup(unittest.TestCase):

    def test_reads_names_as_sentences(self) -> None:
        for name, text in (("HoldsForAllDistributions", "Holds for all distributions"),
                           ("IsOneAtD64", "Is one at d 64"),
                           ("AgreesWithS2", "Agrees with S2"),
                           ("an_ordinary_sentence", "An ordinary sentence"),
                           ("HasNoNaN", "Has no NaN"),
                           ("Value/3", "Value (3)")):
            self.assertEqual(sentence(name), text)

    def test_links_to_highlighted_lines(self) -> None:
        self.assertEqual(source_url("properties/score/ScoreVariance.cpp", 42), "ScoreVariance_8cpp_source.html#l00042")

    def test_escapes_markup(self) -> None:
        self.assertEqual(escape(r"a_b <c> \ref @x #1 *p* `q`"),
                         "a\\_b &lt;c&gt; \\\\\u200dref \\@x \\#1 \\*p\\* \\`q\\`")

    def test_writes_powers_of_two(self) -> None:
        self.assertEqual(power_of_two(str(2.0 ** -40)), "2<sup>−40</sup>")
        self.assertEqual(power_of_two("0.001"), "2<sup>−10</sup>")
        self.assertEqual(power_of_two(str(3 * 2.0 ** -40)), "2<sup>−38.4</sup>")
        self.assertEqual(power_of_two(""), "")


class WovenPages(ProjectTest):

    def weave_page(self, file: str) -> str:
        done = self.weave()
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read(file)

    def test_all_headers_of_a_claim_are_quoted_its_chapters_own_first(self) -> None:
        tagged = (self.root / "src/sqrtdk/score.hpp").read_text(encoding="utf-8")
        self.write("src/sqrtdk/a_part.hpp", tagged)
        page = self.weave_page("theory/score.md")
        own = page.index(r"\snippet{trimleft} src/sqrtdk/score.hpp ScoreVariance")
        self.assertLess(own, page.index(r"\snippet{trimleft} src/sqrtdk/a_part.hpp ScoreVariance"))

    def test_claim_has_its_parts_in_order(self) -> None:
        page = self.weave_page("theory/score.md")
        parts = ["{#ScoreVariance}", "claim-meta", '<a class="badge badge-exact" href="how-to-read.html#words">',
                 ">ours, implied by them</span> · 1 min · <a", 'class="permalink" href="#ScoreVariance"',
                 '<script type="application/json" class="claim-tools">', "@misc{sqrtdk:ScoreVariance",
                 "*In short.*", "### What the documents say", '<div class="statement">', "### Statement",
                 "### Proof",
                 '<details class="fold machinery"><summary>', "deliberately broken versions were caught",
                 "### Implementation", r'\ref sqrtdk/score.hpp "sqrtdk/score.hpp"',
                 r"\snippet{trimleft} src/sqrtdk/score.hpp ScoreVariance",
                 "### The check in words", '<p class="indent-0">for every d up to a limit:</p>',
                 '<p class="indent-1">V ← the variance, d &lt; 1 &amp; all</p>', '<p class="indent-2">exactly</p>',
                 "### Property",
                 r"\snippet{trimleft} properties/score/ScoreVariance.cpp ScoreVariance",
                 "### Evidence of this run", "Holds for all", "✓ held", "<td>2</td>",
                 'Together the tests catch 2 of 3 \\ref mutants', "### Run this check",
                 "### Uses and used by", r"**Uses** \ref ProductMean.",
                 "**Used by** nothing.\n\n\\htmlonly[block]\n</details>", '<div class="prevnext">']
        places = [page.find(part) for part in parts]
        self.assertNotIn(-1, places, dict(zip(parts, places)))
        self.assertEqual(places, sorted(places))
        self.assertEqual(page.count("### Uses"), 1)
        self.assertEqual(page.count("### The check in words"), 1)
        self.assertNotIn("### Hypotheses", page)  # it says none
        self.assertNotIn("None.", page)

    def test_the_words_of_a_check_are_explained_where_there_is_a_page_for_it(self) -> None:
        link = "### The check in words\n\n\\ref words-of-checks \"What these words mean\"\n\n"
        self.assertNotIn("words-of-checks", self.weave_page("theory/score.md"))
        self.write("docs/words-of-checks.md", "# The words {#words-of-checks}\n")
        self.assertIn(link, self.weave_page("theory/score.md"))

    def test_a_claim_that_fails_shows_its_evidence_at_once(self) -> None:
        self.assertNotIn("machinery\" open", self.weave_page("theory/moments.md"))
        self.record("moments", failing("ProductMean", "HoldsForAll", "no"))
        page = self.weave_page("theory/moments.md")
        self.assertIn('<details class="fold machinery" open><summary>', page)
        self.assertIn("1 failed", page)

    def test_macros_are_replaced_outside_of_code(self) -> None:
        page = self.weave_page("theory/score.md")
        self.assertIn(r"At 64 it is 64; `[64](run:not.a.macro)`.", page)
        self.assertIn('<table class="claims-table cards">', self.read("docs/mainpage.md"))

    def test_verdicts_of_other_claims_are_links(self) -> None:
        self.assertIn(r'  <span class="verdict">\ref ProductMean <span class="labels">✓ exact</span></span>',
                      self.weave_page("docs/line-by-line.md"))
        self.record("moments", failing("ProductMean", "HoldsForAll", "no"))
        self.assertIn('<span class="labels">✗ failed</span>', self.weave_page("docs/line-by-line.md"))

    def test_passages_begin_with_their_own_verdict(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll", corrects="S2\t3\t4"),
                    failing_without("independent"))
        page = self.weave_page("docs/line-by-line.md")
        self.assertIn('- <span class="badge badge-right-if">◐ right if …</span> "Why so."', page)
        self.assertIn('- <span class="badge badge-wrong">✎ wrong</span> It prints "3', page)
        self.assertIn('- <span class="badge badge-right">✓ right</span> A mean', page)
        self.assertIn("- Nothing is claimed here.", page)

    def test_what_the_run_says_of_documents_stands_behind_their_names(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll", corrects="S2\t3\t4"),
                    failing_without("independent"))
        self.edit("docs/line-by-line.md", "and more", "and **independent**")
        self.assertIn(r'\ref S1 "S1" <span class="judged">◐ conditional</span>, '
                      r'\ref S2 "S2" <span class="judged">✎ corrected</span>, \ref S3 "S3" ·',
                      self.weave_page("theory/moments.md"))

    def test_neighbours_follow_the_reading_order(self) -> None:
        self.assertIn(r'<span>← \ref index "Contents"</span> <span>\ref score →</span>',
                      self.weave_page("theory/moments.md"))
        self.assertIn(r'<div class="prevnext"><span>← \ref moments</span></div>', self.read("theory/score.md"))
        self.assertNotIn("prevnext", self.read("docs/mainpage.md"))

    def test_failed_claim_is_rendered_with_its_message(self) -> None:
        self.record("score", failing("ScoreVariance", "HoldsForAll", "Expected: <4>\n\\ref x"))
        page = self.weave_page("theory/score.md")
        self.assertIn("badge-failed", page)
        self.assertIn('<tr class="status-failed">', page)
        self.assertIn('<pre class="fragment">Expected: &lt;4&gt;\n&#92;ref x\n</pre>', page)
        self.assertIn("At 64 it is ?;", page)

    def test_lost_results_are_rendered_as_not_run(self) -> None:
        self.write("results/score_properties.json", '{"crashed": "signal 11 (SIGSEGV)"}')
        page = self.weave_page("theory/score.md")
        self.assertIn("badge-not-run", page)
        self.assertIn("○ Not run: its program gave no results: signal 11 (SIGSEGV).", page)

    def test_numbers_of_the_documents(self) -> None:
        self.record("score", scored(agrees="S1\t64", corrects="S3\t63\t64"))
        page = self.weave_page("theory/score.md")
        self.assertIn(r'<tr><td>\ref S1 "S1"</td><td>64</td><td>agrees</td>', page)
        self.assertIn(r'<tr><td>\ref S3 "S3"</td><td>63</td><td>corrected: 64</td>', page)

    def test_machine_readable_table(self) -> None:
        claim, other = json.loads(self.weave_page("claims.json"))
        self.assertEqual(
            {key: claim[key] for key in ("id", "chapter", "documents", "level", "status", "uses",
                                         "cases", "mutants", "mutants_killed")},
            {"id": "ProductMean", "chapter": "moments", "documents": ["S1", "S2", "S3"],
             "level": "exact", "status": "held", "uses": [], "cases": 104, "mutants": 3,
             "mutants_killed": 2})
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
        done = self.weave()
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds something other than woven pages", done.stderr)

    def test_woven_text_names_no_place_on_this_machine_and_no_time_that_a_test_took(self) -> None:
        self.weave()
        for path in self.woven.rglob("*.*"):
            self.assertNotRegex(path.read_text(encoding="utf-8"), rf"{self.root}|\b0\.001s")


class Blocks(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.record("moments", passing("ProductMean", "HoldsForAll", level="statistical",
                                       alpha=str(2.0 ** -40), n="1000"),
                    failing_without("independent", corrects="S2\t3\t4",
                            alpha=str(2.0 ** -40)), compiler="clang")

    def test_every_block_has_text(self) -> None:
        for name, block in BLOCKS.items():
            with self.subTest(name):
                self.assertTrue(block(self.book()).strip())

    def test_every_block_has_text_without_results(self) -> None:
        for path in self.results.glob("*"):
            path.unlink()
        for name, block in BLOCKS.items():
            with self.subTest(name):
                self.assertTrue(block(self.book()).strip())

    def test_the_table_of_claims_counts_what_was_compared_or_says_why_nothing(self) -> None:
        self.record("moments", passing("ProductMean", "HoldsForAll", cases="1200", values="1500", enumerated="9"),
                    passing("ProductMean", "Samples", cases="", level="statistical", n="10\n20\n30", about="beside"),
                    passing("ProductMean", "Refuses", about="refusal"),
                    failing_without("independent", level="bounded", cases="7"))
        self.record("score", passing("ScoreVariance", "HoldsForAll", cases="", values=""))
        self.edit("theory/score.md", "        exactly\n```\n", "        exactly\n```\n\\noproperty{One *d*.}\n")
        text = BLOCKS["claims"](self.book())
        self.assertIn('<td><span data-sort="1200">1,200 cases</span></td><td><span data-sort="1503">✓&nbsp;1,500 · '
                      '∿&nbsp;3 samples</span></td>', text)
        self.assertIn('<td><span data-sort="0" class="said">none: One *d*.</span></td><td></td>', text)

    def test_four_tiles_count_claims_passages_and_mutants(self) -> None:
        text = BLOCKS["tiles"](self.book())
        self.assertEqual(text.count('<a class="tile'), 4)
        self.assertIn('href="claims.html"><b>2 of 2</b> claims held in the run that made these pages</a>', text)
        self.assertIn('href="errata.html"><b>1</b> of these passages are wrong', text)
        self.assertIn('<a class="tile status-failed" href="mutants.html"><b>4 of 6</b> versions', text)

    def test_a_tile_shows_what_failed_and_what_was_not_run(self) -> None:
        self.record("moments", failing("ProductMean", "HoldsForAll", "no"))
        (self.results / "score_properties.json").unlink()
        text = BLOCKS["tiles"](self.book())
        self.assertIn('<a class="tile status-failed" href="claims.html"><b>0 of 2</b> claims held in the run that made '
                      'these pages; 1 failed; 1 not run</a>', text)

    def test_the_book_is_cited_as_the_file_for_citations_says(self) -> None:
        (self.root / "CITATION.cff").write_text('title: "a: book"\nversion: 1.2\nreferences:\n  - title: other\n',
                                                encoding="utf-8")
        text = BLOCKS["citation"](self.book())
        self.assertIn("@misc{sqrtdk,", text)
        self.assertIn("= {{a: book}}", text)
        self.assertIn("= {Version 1.2}", text)
        self.assertNotIn("url", text)
        self.assertNotIn("other", text)

    def test_a_title_in_bibtex_keeps_its_capitals_and_is_latex(self) -> None:
        self.edit("theory/score.md", "## The variance is d {",
                  "## Jacobians: c², d − 1 of \\f$ \\sqrt{d_k} \\f$, 1 % {")
        self.edit("theory/score.md", "# The score {#score}", "# The score {#the_score}")
        text = of_claim(self.book(), self.book().claims["ScoreVariance"])
        self.assertIn(r"= {{Jacobians: c$^{2}$, d $-$ 1 of $ \sqrt{d_k} $, 1 \%}}", text)
        self.assertIn(r"(the\_score.html\#ScoreVariance)}", text)

    def test_kill_matrix_marks_killed_spared_and_aimed(self) -> None:
        text = BLOCKS["mutants"](self.book())
        self.assertIn("<tr><td>one</td><td><b>†</b></td><td><b>†</b></td></tr>", text)
        self.assertIn("<tr><td>three</td><td>·</td><td>·</td></tr>", text)
        self.assertIn("In all, 4 of 6 mutants killed.", text)

    def test_mutants_that_met_their_killer_alone_are_listed(self) -> None:
        met = {"killed": "one", "spared": "two", "aimed": "one\ntwo"}
        self.record("score", passing("ScoreVariance", "HoldsForAll", **met))
        self.record("moments", passing("ProductMean", "FailsWhenEqual", **met))
        text = BLOCKS["mutants"](self.book())
        self.assertIn("<tr><td>one</td><td><b>†</b> <a href=", text)
        self.assertIn("<tr><td>two</td><td><b>·</b> <a href=", text)

    def test_errata_list_values_and_hypotheses(self) -> None:
        text = BLOCKS["errata"](self.book())
        self.assertIn(r'<tr><td>\ref S2 "S2", \ref lines-s2-proving "Proving It"</td><td>3</td>'
                      '<td>4</td><td><a href="ProductMean_8cpp_source.html#l00002">'
                      r"Fails when equal</a>, in \ref ProductMean</td></tr>", text)
        self.assertIn("**Wrong as printed or worded**: 1 row, at 1 passage", text)
        self.assertIn(r'<tr><td>\ref S1 "S1", \ref lines-s1-question "Question"</td>'
                      r"<td><b>independent</b>, in \ref ProductMean</td>"
                      r"<td>\f$ |X| \f$ fails.</td>", text)

    def test_a_hypothesis_names_every_passage_that_leaves_it_out(self) -> None:
        passage = "- Without **independent** it fails.\n  \\verdict{ProductMean}\n"
        self.edit("docs/line-by-line.md", "## S2: an article {#lines-s2}",
                  f"{passage}\n### Answer {{#lines-s1-answer}}\n\n{passage}\n## S2: an article {{#lines-s2}}")
        text = BLOCKS["errata"](self.book())
        self.assertIn(r'<td>\ref S1 "S1", \ref lines-s1-question "Question", \ref lines-s1-answer "Answer"</td>', text)
        self.assertIn("that is left out**: 1 row, at 3 passages", text)

    def test_errata_come_in_the_order_of_the_documents(self) -> None:
        self.record("score", scored(corrects="S3\t63\t64"))
        self.record("moments", passing("ProductMean", "FailsWhenEqual",
                                       corrects="S3\tA mean\tThe mean\nS2\t3\t4\nS2\tof them\t5"))
        text = BLOCKS["errata"](self.book())
        self.assertIn("<td>3, of them</td><td>4, 5</td>", text)
        places = [text.find(f"<td>{words}</td>") for words in ("3, of them", "A mean", "63")]
        self.assertNotIn(-1, places)
        self.assertEqual(places, sorted(places))

    def test_errata_are_shown_by_checks_that_passed(self) -> None:
        failed = {**failing("ProductMean", "FailsWhenEqual", "no"), "corrects": "S2\t3\t4"}
        self.record("moments", failed)
        self.assertEqual(BLOCKS["errata"](self.book()).count("None in this run."), 4)

    def test_hypotheses_say_what_fails(self) -> None:
        text = BLOCKS["hypotheses"](self.book())
        self.assertIn(r"<td><b>independent</b></td><td>\f$ |X| \f$ fails.</td>", text)
        self.assertIn("Fails when equal", text)

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

    def test_a_first_look_has_the_page_why_with_numbers_of_the_last_run_and_the_first_chapter(self) -> None:
        self.write("docs/why.md", "# Why {#why}\n\nAt 64 it is [64](run:ScoreVariance.HoldsForAll.at64).\n")
        (self.results / "score_properties.json").unlink()
        self.assert_woven("--first-look")
        self.assertIn("At 64 it is 64.", self.read("docs/why.md"))
        self.assertIn("numbers of the last run", self.read("docs/why.md"))
        self.assertIn("ProductMean", self.read("theory/moments.md"))
        self.assertFalse((self.woven / "theory/score.md").exists())
        self.assertIn(r"\subpage why", self.read("docs/mainpage.md"))
        self.edit("docs/mainpage.md", "- \\subpage moments", "- \\subpage why\n- \\subpage moments")
        self.assertIn("At 64 it is ?.", self.weave_page("docs/why.md"))  # a run whose program was lost

    def test_build_tells_programs_apart_only_where_they_differ(self) -> None:
        text = BLOCKS["build"](self.book())
        self.assertIn("<td>compiler</td><td>clang</td><td>moments</td>", text)
        self.record("moments", compiler="g++")
        self.assertIn("<td>compiler</td><td>g++</td><td>all</td>", BLOCKS["build"](self.book()))
