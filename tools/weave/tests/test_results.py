"""Results as GoogleTest writes them, and the verdicts computed from them."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from project import failing, passing, result

from weave.record.results import FAILED, NOT_RUN, PASSED, Run, read_run, suite_name
from weave.record.verdicts import GLYPHS, LEVELS, MEANINGS, Verdict, judge


def read_text(text: str) -> Run:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "x.json")
        path.write_text(text, encoding="utf-8")
        return read_run(path, "score")


def read(*tests: dict[str, Any], **facts: str) -> Run:
    return read_text(json.dumps(result(*tests, **facts)))


def judged(*tests: dict[str, Any], cited: bool = False) -> Verdict:
    return judge(read(*tests).tests, cited)


class Reading(unittest.TestCase):

    def test_reads_what_tests_recorded(self) -> None:
        run = read(passing("A", "B", file="properties/score/A.cpp", line=42, value_x="1", agrees="S1\t2\nS2\t3"),
                   compiler="g++")
        test = run.tests[0]
        self.assertEqual((run.lost, run.facts), ("", {"compiler": "g++"}))
        self.assertEqual((test.file, test.line), ("properties/score/A.cpp", 42))
        self.assertEqual((test.value("x"), test.value("level"), test.value("y")), ("1", "exact", None))
        self.assertEqual(test.rows("agrees"), [["S1", "2"], ["S2", "3"]])
        self.assertEqual(test.mutants, {"one", "two", "three"})
        test = read(passing("A", "B")).tests[0]  # of which the stem tells the place
        self.assertEqual((test.file, test.line), ("properties/score/A.cpp", 2))

    def test_tells_passed_failed_and_skipped(self) -> None:
        run = read(passing("A", "A"), failing("A", "B", "no"), passing("A", "C", result="SKIPPED"),
                   passing("A", "D", status="NOTRUN", result="SUPPRESSED"))
        self.assertEqual([test.status for test in run.tests], [PASSED, FAILED, NOT_RUN, NOT_RUN])

    def test_repairs_the_bytes_of_utf8(self) -> None:
        for recorded, text in (("√d, …".encode().decode("latin-1"), "√d, …"), ("√é", "√é")):
            self.assertEqual(read(passing("A", "B", effect=recorded)).tests[0].record["effect"], text)

    def test_shows_the_first_failure_and_the_claim(self) -> None:
        claim = "x.cpp:7\nFailed\nclaim: A\nsays: √"
        for messages, shown in ((["1"], "1"), (["1", "2"], "1\n… and 1 more failures of this test"),
                                (["1", claim], "1\nclaim: A\nsays: √"),
                                (["1", "2", claim], "1\n… and 1 more failures of this test\nclaim: A\nsays: √")):
            test = {**failing("A", "B", ""), "failures": [{"failure": message} for message in messages]}
            self.assertEqual(read(test).tests[0].first_failure(), shown)

    def test_says_why_results_are_lost(self) -> None:
        self.assertEqual(read_run(Path("/nowhere.json"), "score").lost, "it was not run")
        self.assertIn("signal 11", read_text('{"crashed": "signal 11"}').lost)
        self.assertIn("not JSON", read_text('{"tests": ').lost)

    def test_names_suites_as_the_source_does(self) -> None:
        self.assertEqual([suite_name(name) for name in ("A", "A/0", "All/A", "All/A/1")], ["A"] * 4)


class Verdicts(unittest.TestCase):

    def test_is_the_weakest_level_among_the_tests_of_the_statement(self) -> None:
        self.assertEqual(judged(passing("A", "B")), Verdict("held", "exact"))
        self.assertEqual(judged(passing("A", "B"), passing("A", "C", level="statistical"),
                                passing("A", "D", level="bounded")), Verdict("held", "statistical"))
        self.assertEqual(judged(passing("A", "B", undecided="S1\tmean zero"),
                                passing("A", "C", corrects="S1\t1\t2")), Verdict("held", "exact"))

    def test_says_what_is_known_beside_the_statement(self) -> None:
        verdict = judged(passing("A", "B"), *(passing("A", "C", level=level, about="beside") for level in LEVELS[:-1]))
        self.assertEqual(verdict.labels, ["✓ exact", "≲ in floating point", "∿ in samples", "⚗ in an experiment"])

    def test_counterexamples_refusals_and_exact_facts_beside_it_do_not_count(self) -> None:
        verdict = judged(passing("A", "B", level="measured"), passing("A", "C", about="counterexample"),
                         passing("A", "D", about="counterexample", level="empirical"),
                         passing("A", "E", about="refusal", level=""), passing("A", "F", about="beside"))
        self.assertEqual(verdict.labels, ["≲ measured"])

    def test_is_failed_if_any_test_failed_not_run_if_none_ran_and_cited_without_a_suite(self) -> None:
        self.assertEqual(judged(passing("A", "B"), failing("A", "C", "no")), Verdict("failed"))
        self.assertEqual(judged(), Verdict("not run"))
        self.assertEqual(judged(passing("A", "B", result="SKIPPED")).shown, "not run")
        self.assertEqual(judged(cited=True), Verdict("held", "cited"))
        self.assertEqual(judged(failing("A", "B", "no"), cited=True).shown, "failed")

    def test_has_a_glyph_and_a_meaning_for_every_word(self) -> None:
        self.assertEqual(set(GLYPHS), set(MEANINGS))
        self.assertEqual(len(set(GLYPHS.values())), len(GLYPHS))
