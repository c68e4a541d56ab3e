"""The promises of `sqrtdk` on the command line: its answers, its words, its exit status.

CTest names the program and what it was built from in the environment; by hand:
SQRTDK=build/release/tools/sqrtdk SQRTDK_REVISION=build/release/revision.json python3 tests/command_tests.py
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

PROGRAM = str(Path(os.environ["SQRTDK"]).resolve())
REVISION = json.loads(Path(os.environ["SQRTDK_REVISION"]).read_text(encoding="utf-8"))

RANGE = "a number is 0, or between 5e-324 and 1.7976931348623157e+308 in size"

BAD_ARGUMENTS = {
    "": "sqrtdk: The command score is required",
    "foo": "sqrtdk: The following argument was not expected: foo",
    "''": "sqrtdk: The following argument was not expected: ",
    "8": "sqrtdk: The following argument was not expected: 8",
    "--foo": "sqrtdk: The following argument was not expected: --foo",
    "--json score 8": "sqrtdk: The following argument was not expected: --json",
    "score": "sqrtdk score: d is required",
    "score --json": "sqrtdk score: d is required",
    "score --cdf 1 8": "sqrtdk score: d is required",
    "score --": "sqrtdk score: d is required",
    "score abc": "sqrtdk score: d: 'abc' is not a number",
    "score ''": "sqrtdk score: d: '' is not a number",
    "score ' 8'": "sqrtdk score: d: ' 8' is not a number",
    "score 8x": "sqrtdk score: d: '8x' is not a number",
    "score -8x": "sqrtdk score: d: '-8x' is not a number",
    "score 1,5": "sqrtdk score: d: '1,5' is not a number",
    "score 0x10": "sqrtdk score: d: '0x10' is not a number",
    "score +-8": "sqrtdk score: d: '+-8' is not a number",
    "score -": "sqrtdk score: d: '-' is not a number",
    "score nan": "sqrtdk score: d: 'nan' is not a number",
    "score inf": "sqrtdk score: d: inf is not a positive, finite number",
    "score -inf": "sqrtdk score: The following argument was not expected: -inf",
    "score 0": "sqrtdk score: d: 0 is not a positive, finite number",
    "score -3": "sqrtdk score: d: -3 is not a positive, finite number",
    "score -- -3": "sqrtdk score: d: -3 is not a positive, finite number",
    "score -- --json": "sqrtdk score: d: '--json' is not a number",
    "score 1e400": f"sqrtdk score: d: '1e400' is out of range: {RANGE}",
    "score 1e-400": f"sqrtdk score: d: '1e-400' is out of range: {RANGE}",
    "score 8 9": "sqrtdk score: The following argument was not expected: 9",
    "score 8 score": "sqrtdk score: The following argument was not expected: score",
    "score 8 --foo": "sqrtdk score: The following argument was not expected: --foo",
    "score 8 -x": "sqrtdk score: The following argument was not expected: -x",
    "score 8 --cd 3": "sqrtdk score: The following arguments were not expected: 3 --cd",
    "score 8 --=3": "sqrtdk score: The following argument was not expected: --=3",
    "score --version": "sqrtdk score: The following argument was not expected: --version",
    "score 8 --cdf": "sqrtdk score: --cdf: 1 required number missing",
    "score 8 --cdf --json": "sqrtdk score: --cdf: '--json' is not a number",
    "score 8 --cdf=": "sqrtdk score: --cdf: 1 required number missing",
    "score 8 --cdf ''": "sqrtdk score: --cdf: '' is not a number",
    "score 8 --cdf {}": "sqrtdk score: --cdf: '{}' is not a number",
    "score 8 --cdf 1 -inf": "sqrtdk score: The following argument was not expected: -inf",
    "score 8 --cdf abc": "sqrtdk score: --cdf: 'abc' is not a number",
    "score 8 --cdf=abc": "sqrtdk score: --cdf: 'abc' is not a number",
    "score 8 --pdf 8x": "sqrtdk score: --pdf: '8x' is not a number",
    "score 8 --pdf [1,2]": "sqrtdk score: --pdf: '[1,2]' is not a number",
    "score 8 --sf 1 nan": "sqrtdk score: --sf: 'nan' is not a number",
    "score 8 --sf -nan": "sqrtdk score: --sf: '-nan' is not a number",
    "score 8 --sf 1e400": f"sqrtdk score: --sf: '1e400' is out of range: {RANGE}",
    "score 8 --sf -1e-400": f"sqrtdk score: --sf: '-1e-400' is out of range: {RANGE}",
    "score 8 --quantile 2": "sqrtdk score: --quantile: 2 is no probability; give one between 0 and 1",
    "score 8 --quantile .5 -1": "sqrtdk score: --quantile: -1 is no probability; give one between 0 and 1",
    "score 8 --quantile inf": "sqrtdk score: --quantile: inf is no probability; give one between 0 and 1",
    "score 8 --quantile nan": "sqrtdk score: --quantile: 'nan' is not a number",
    "score 8 --json=false": "sqrtdk score: json was given a disallowed flag override",
}

TITLE = "score of standard normal query and key, d = "
ANSWERS = {  # regular expressions, after the title
    "score 64 --cdf 8": r"64\n  P\(X <= 8\)  0\.84321200012609\d*\n",
    "score 64 --sf 80": r"64\n  P\(X > 80\)  3\.2274009825351\d*e-17\n",
    "score 64 --quantile 0.99": r"64\n  quantile\(0\.99\)  18\.7839115876812\d*\n",
    "score 64": r"64\n  mean                 0\n  variance             64\n  standard deviation   8\n"
              r"  excess kurtosis      0\.09375\n  E\|X\|                 6\.3\d*\n  distance to N\(0, d\)  "
              r"0\.002\d*\n",
    # d = 2: Laplace's distribution, of density e^{-|x|}/2
    "score 2 --sf 0 --pdf 0 --cdf 0": r"2\n  pdf\(0\)     0\.5\n  P\(X <= 0\)  0\.5\n  P\(X > 0\)   0\.5\n",
    "score 2 --pdf 1 -1": r"2\n  pdf\(1\)   (0\.1839397205857\d*)\n  pdf\(-1\)  \1\n",
    "score --pdf=0 -- 2": r"2\n  pdf\(0\)  0\.5\n",
    "score +2 --pdf +0": r"2\n  pdf\(0\)  0\.5\n",
    "score 2 --cdf -.5 -1": r"2\n  P\(X <= -0\.5\)  0\.303265329856\d*\n  P\(X <= -1\)    0\.1839397205857\d*\n",
    "score 2 --cdf -inf inf": r"2\n  P\(X <= -inf\)  0\n  P\(X <= inf\)   1\n",
    "score 2 --quantile 0 0.5 1": r"2\n  quantile\(0\)    -inf\n  quantile\(0\.5\)  0\n  quantile\(1\)    inf\n",
    "score 1 --pdf 0": r"1\n  pdf\(0\)  inf\n",
    "score 1.5 --pdf 0": r"1\.5\n  pdf\(0\)  0\.\d+\n",
    # about d/(2|x|), which no double holds
    "score 1e-10 --pdf 1e-320": r"1e-10\n  pdf\(1e-320\)  inf\n",
    "score 5e-324 --cdf 1": r"5e-324\n  P\(X <= 1\)  1\n",
    "score 1e308 --cdf 0": r"1e\+308\n  P\(X <= 0\)  0\.5\n",
}


class CommandTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with

    def run_sqrtdk(self, arguments: str, **special: Any) -> tuple[int, str, str]:
        """Status, standard output and standard error of a call, written as in a shell."""
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder, **special}
        done = subprocess.run([PROGRAM, *shlex.split(arguments)], text=True, timeout=60, check=False, **options)
        return done.returncode, done.stdout, done.stderr

    def answers_of(self, arguments: str) -> list[tuple[str, Any, Any]]:
        """Name and value of each answer in JSON, which must be strict."""
        def refuse(constant: str) -> None:
            self.fail(f"{constant} is not JSON")

        status, out, err = self.run_sqrtdk(arguments + " --json")
        self.assertEqual((status, err), (0, ""))
        return [(entry["what"], entry.get("at"), entry["value"])
                for entry in json.loads(out, parse_constant=refuse)["answers"]]

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


class Arguments(CommandTest):
    def test_bad_ones_are_refused_in_words_and_nothing_else_is_done(self) -> None:
        for arguments, message in BAD_ARGUMENTS.items():
            with self.subTest(f"sqrtdk {arguments}"):
                self.assertEqual(self.run_sqrtdk(arguments), (2, "", message + "\n"))
                self.assertEqual(self.files(), [], "a file was written")

    def test_good_ones_are_answered_in_the_order_of_the_options(self) -> None:
        for arguments, expected in ANSWERS.items():
            with self.subTest(f"sqrtdk {arguments}"):
                status, out, err = self.run_sqrtdk(arguments)
                self.assertEqual((status, err), (0, ""))
                self.assertRegex(out, f"^{TITLE}{expected}$")


class Help(CommandTest):
    def test_is_the_same_wherever_it_is_asked_for(self) -> None:
        _, text, _ = self.run_sqrtdk("--help")
        self.assertRegex(text, r"^usage: sqrtdk score D \[OPTION\]\.\.\.\n")
        for arguments in ("-h", "score --help", "score -h", "score 8x --foo --help", "--help score"):
            with self.subTest(f"sqrtdk {arguments}"):
                self.assertEqual(self.run_sqrtdk(arguments), (0, text, ""))

    def test_gives_an_example_that_works(self) -> None:
        _, text, _ = self.run_sqrtdk("--help")
        example, = re.findall(r"^Example: sqrtdk (.*)$", text, re.MULTILINE)
        self.assertEqual(self.run_sqrtdk(example)[0], 0)

    def test_fits_into_a_terminal(self) -> None:
        _, text, _ = self.run_sqrtdk("--help")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_version_is_the_projects_and_has_its_identifiers(self) -> None:
        lines = filter(None, (f"sqrtdk {REVISION['version']}", REVISION["rev"], REVISION["dir"]))
        self.assertEqual(self.run_sqrtdk("--version"), (0, "".join(f"{line}\n" for line in lines), ""))


class Json(CommandTest):
    def test_has_the_numbers_of_the_table(self) -> None:
        (_, at, value), = self.answers_of("score 64 --cdf 8")
        self.assertEqual(at, 8)
        self.assertEqual(self.run_sqrtdk("score 64 --cdf 8")[1], f"{TITLE}64\n  P(X <= 8)  {value!r}\n")

    def test_names_answers_by_their_options_and_moments_by_words(self) -> None:
        self.assertEqual([what for what, *_ in self.answers_of("score 2 --sf 1 --pdf 1 --cdf 1 --quantile .1")],
                         ["pdf", "cdf", "sf", "quantile"])
        self.assertEqual([what for what, at, _ in self.answers_of("score 2") if at is None],
                         ["mean", "variance", "standard_deviation", "kurtosis_excess", "mean_absolute",
                          "normal_distance"])

    def test_has_strings_for_infinities_that_read_back_as_such(self) -> None:
        self.assertEqual(self.answers_of("score 1 --pdf 0 --quantile 0 1 --cdf inf"),
                         [("pdf", 0, "Infinity"), ("cdf", "Infinity", 1), ("quantile", 0, "-Infinity"),
                          ("quantile", 1, "Infinity")])
        self.assertEqual(float("-Infinity"), -float("inf"))


class Output(CommandTest):
    def test_that_cannot_be_written_is_an_error(self) -> None:
        for arguments, speaker in {"score 8": "sqrtdk score", "score 8 --json": "sqrtdk score", "--help": "sqrtdk",
                                   "--version": "sqrtdk"}.items():
            with self.subTest(f"sqrtdk {arguments} > /dev/full"), open("/dev/full", "w", encoding="utf-8") as full:
                status, _, err = self.run_sqrtdk(arguments, stdout=full)
                self.assertEqual((status, err),
                                 (1, f"{speaker}: cannot write to standard output: No space left on device\n"))

    def test_that_is_closed_is_an_error(self) -> None:
        status, _, err = self.run_sqrtdk("score 8", preexec_fn=lambda: os.close(1), stdout=None)
        self.assertEqual((status, err), (1, "sqrtdk score: cannot write to standard output: Bad file descriptor\n"))


if __name__ == "__main__":
    unittest.main()
