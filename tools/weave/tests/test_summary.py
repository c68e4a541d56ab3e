"""The summary of a job on a run of ctest. The outputs are those of real runs, shortened."""

import os
from html import escape

from project import ProjectTest
from weave.record.summary import LINE_LENGTH, MESSAGE_LINES

BEGINNING = """master seed 20170612
Note: Google Test filter = {0}.*
[==========] Running 1 test from 1 test suite.
"""
PROPERTY = """[ RUN      ] Sums.{0}
{1}/src/sqrtdk/testing/property.hpp:130: Failure
Failed
Falsifiable after 46 tests and 24 shrinks

scores <x> & |y|:
[0x1p+0 = 1, 0x1.00001p-4 = 0.06250006]

Expands to:
0x1.2p+0 = 1.125 == 0x1.200002p+0 = 1.1250001
replay: SQRTDK_SEED=20170612 {1}/build/properties/sums --gtest_filter=Sums.{0}
[  FAILED  ] Sums.{0} (4 ms)
"""
COMMUTE = PROPERTY.format("Commute", "/x")
STATISTICAL = """[ RUN      ] Draws.AreNormal
statistics.hpp:78: Failure
the draws contradict the distribution
  n         13974
  replay    SQRTDK_SEED=7 draws --gtest_filter=Draws.AreNormal
[  FAILED  ] Draws.AreNormal (3 ms)
"""
CLAIM = "x.cpp:7: Failure\nFailed\nclaim: Sums\nsays: {0}\npage: sums.html#Sums\n[  FAILED  ] "
PASSES = "[ RUN      ] {0}.Holds\n[       OK ] {0}.Holds (0 ms)\n"
END = " 1 FAILED TEST\n"


def case(name: str, status: str, output: str, child: str = "") -> str:
    return (f'<testcase name="{name}" classname="{name}" time="0" status="{status}">{child}'
            f"<system-out>{escape(output)}</system-out></testcase>\n")


def failed(name: str, output: str) -> str:
    return case(name, "fail", BEGINNING.format(name) + output, '<failure message=""/>')


class Summary(ProjectTest):

    def summary(self, *cases: str) -> str:
        # CTest counts no missing program among the failures, and so neither does this heading.
        self.write("claims.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="(empty)" failures="0">\n'
                   + "".join(cases) + "</testsuite>\n")
        done = self.run_weave("summary", self.root / "claims.xml")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_counts(self) -> None:
        text = self.summary(case("A", "run", PASSES.format("A")), failed("Sums", COMMUTE + END),
                            case("B", "notrun", "", '<skipped message="Unable to find executable"/>'),
                            case("C", "disabled", "Disabled"))
        self.assert_has(text, "## 4 tests: 1 passed, 1 failed, 1 not run, 1 disabled\n",
                        "### `B` not run\n```text\nUnable to find executable\n```\n")
        self.assert_lacks(text, "`A`", "`C`")

    def test_a_run_without_failures_is_one_line(self) -> None:
        self.assertEqual(self.summary(case("A", "run", PASSES.format("A"))), "## 1 test: 1 passed\n")
        self.assertEqual(self.summary(), "## 0 tests: nothing was run\n")

    def test_shows_the_case_and_the_line_that_replays_it(self) -> None:
        self.assertIn("""### `Sums` failed
```text
Sums.Commute
/x/src/sqrtdk/testing/property.hpp:130: Failure
Falsifiable after 46 tests and 24 shrinks
scores <x> & |y|:
[0x1p+0 = 1, 0x1.00001p-4 = 0.06250006]
Expands to:
0x1.2p+0 = 1.125 == 0x1.200002p+0 = 1.1250001
replay: SQRTDK_SEED=20170612 /x/build/properties/sums --gtest_filter=Sums.Commute
```
""", self.summary(failed("Sums", PASSES.format("Sums") + COMMUTE + END)))

    def test_a_claim_is_named_whole_whatever_the_length(self) -> None:
        says = "In any order, a + b is the same. " * 20
        for output in (COMMUTE, COMMUTE.replace("Expands", "x\n" * 99 + "Expands")):
            text = self.summary(failed("Sums", output.replace("[  FAILED  ] ", CLAIM.format(says))))
            for line in ("claim: Sums", f"says: {says[:-1]}", "page: sums.html#Sums", "replay: SQRTDK_SEED=20170612"):
                self.assertEqual(text.count(f"\n{line}"), 1, line)

    def test_a_message_keeps_lines_that_begin_like_the_end(self) -> None:
        begins = "page 1 differs\npage: 2 differs\nsays nothing here\nreplay what was lost\nclaim: another\nExpands"
        text = self.summary(failed("Sums", COMMUTE.replace("Expands", begins)
                                   .replace("[  FAILED  ] ", CLAIM.format("So."))))
        self.assert_has(text, f"\n{begins}",
                        "\nclaim: Sums\nsays: So.\npage: sums.html#Sums\nreplay: SQRTDK_SEED=20170612")

    def test_what_a_failure_shows(self) -> None:
        lines = "\n".join(f"line {number}" for number in range(100))
        for sentence, test, shown, hidden in (
                ("a statistical check replays as well", failed("Draws", STATISTICAL + END),
                 ["  n         13974\nreplay    SQRTDK_SEED=7 draws"], "./tools/test"),
                ("paths begin where the command runs", failed("Sums", PROPERTY.format("Commute", os.getcwd()) + END),
                 ["\nreplay: SQRTDK_SEED=20170612 build/properties/sums --gtest_filter"], f"\n{os.getcwd()}"),
                ("a crash is replayed with its seed",
                 failed("Crash", PASSES.format("Crash") + "[ RUN      ] Crash.Happens\n"),
                 ["Crash.Happens\nIt did not end: it crashed or ran out of time.\n",
                  "replay: SQRTDK_SEED=20170612 ./tools/test -R '^Crash$'\n"], "Crash.Holds"),
                ("of another program the end is shown",
                 case("weave_tests", "fail", lines, '<failure message=""/>'),
                 ["line 99\n```\n", "replay: ./tools/test -R '^weave_tests$'"], "line 50\n"),
                ("GoogleTest's own file is read, too",
                 '<testcase name="Commute" classname="Sums" status="run"><failure>file:3\nno\n'
                 "replay: SQRTDK_SEED=7 sums</failure></testcase>",
                 ["### `Sums.Commute` failed\n```text\nSums.Commute\nfile:3\nno\nreplay: SQRTDK_SEED=7 sums\n```\n"],
                 "testcase"),
                ("nothing in a message is markup",
                 failed("Sums", "[ RUN      ] Sums.A\n```\n<b>\n````\n[  FAILED  ] Sums.A (0 ms)\n"),
                 ["`````text\nSums.A\n```\n<b>\n````\n`````\n"], "&lt;")):
            with self.subTest(sentence):
                text = self.summary(test)
                self.assert_has(text, *shown)
                self.assertNotIn(hidden, text)

    def test_a_failure_that_is_there_twice_is_shown_once(self) -> None:
        output = "x.py\nno\n"
        self.assertEqual(self.summary(case("A", "fail", output, f'<failure message="no">{output}</failure>')),
                         self.summary(case("A", "fail", output, '<failure message=""/>')))

    def test_is_bounded(self) -> None:
        long = ("[ RUN      ] Sums.A\n" + f"{'x' * 5000}\n" * 500
                + "replay: SQRTDK_SEED=7 sums\n[  FAILED  ] Sums.A (0 ms)\n")
        text = self.summary(failed("Sums", long * 5))
        self.assertLess(len(text), 3 * MESSAGE_LINES * (LINE_LENGTH + 100))
        self.assertIn("… and 476 more lines\nreplay: SQRTDK_SEED=7 sums\n", text)
        self.assertIn("2 more tests of it failed.", text)
        many = [failed(f"Sums{number}", "[ RUN      ] Sums.A\n" + "√" * 300 + "\n") for number in range(2000)]
        text = self.summary(*many)
        self.assertLess(len(text.encode()), 1 << 20)
        self.assertRegex(text, r"\n\d+ more are not shown here: the JUnit file has them\.\n$")

    def test_says_what_is_no_result(self) -> None:
        self.write("broken.xml", "<testsuite>")
        self.write("other.xml", "<coverage/>")
        for name, message in {"none.xml": "there is no .*none.xml: ctest was not reached",
                              "broken.xml": "is no JUnit file", "other.xml": "begins with <coverage>"}.items():
            with self.subTest(name):
                done = self.run_weave("summary", self.root / name)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, message)

    def test_several_runs_have_their_names(self) -> None:
        self.write("clang.xml", f"<testsuite>{case('A', 'run', '')}</testsuite>")
        self.write("release.xml", "<testsuite/>")
        done = self.run_weave("summary", self.root / "clang.xml", self.root / "release.xml")
        self.assertEqual(done.stdout, "## `clang`: 1 test: 1 passed\n\n## `release`: 0 tests: nothing was run\n")
