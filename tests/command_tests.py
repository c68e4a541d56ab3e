# SPDX-License-Identifier: BSL-1.0
"""What `sqrtdk` promises on the command line: its answers, its words, its exit status, its files.

CTest names the program, its sources and what it was built from in the environment; by hand:
SQRTDK=build/release/tools/sqrtdk SQRTDK_TOOLS=tools SQRTDK_REVISION=build/release/revision.json \\
python3 tests/command_tests.py
"""

import json
import os
import re
import resource
import shlex
import stat
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

PROGRAM = str(Path(os.environ["SQRTDK"]).resolve())
TOOLS = Path(os.environ["SQRTDK_TOOLS"]).resolve()
VERSION = json.loads(Path(os.environ["SQRTDK_REVISION"]).read_text(encoding="utf-8"))["version"]

RANGE = "a number is 0, or between 5e-324 and 1.7976931348623157e+308 in size"

BAD_ARGUMENTS = {
    "": "sqrtdk: The command law is required",
    "foo": "sqrtdk: The following argument was not expected: foo",
    "''": "sqrtdk: The following argument was not expected: ",
    "8": "sqrtdk: The following argument was not expected: 8",
    "--foo": "sqrtdk: The following argument was not expected: --foo",
    "--json law 8": "sqrtdk: The following argument was not expected: --json",
    "law": "sqrtdk law: d is required",
    "law --json": "sqrtdk law: d is required",
    "law --cdf 1 8": "sqrtdk law: d is required",
    "law --": "sqrtdk law: d is required",
    "law abc": "sqrtdk law: d: 'abc' is not a number",
    "law ''": "sqrtdk law: d: '' is not a number",
    "law ' 8'": "sqrtdk law: d: ' 8' is not a number",
    "law 8x": "sqrtdk law: d: '8x' is not a number",
    "law -8x": "sqrtdk law: d: '-8x' is not a number",
    "law 1,5": "sqrtdk law: d: '1,5' is not a number",
    "law 0x10": "sqrtdk law: d: '0x10' is not a number",
    "law +-8": "sqrtdk law: d: '+-8' is not a number",
    "law -": "sqrtdk law: d: '-' is not a number",
    "law nan": "sqrtdk law: d: 'nan' is not a number",
    "law inf": "sqrtdk law: d: inf is not a positive, finite number",
    "law -inf": "sqrtdk law: The following argument was not expected: -inf",
    "law 0": "sqrtdk law: d: 0 is not a positive, finite number",
    "law -3": "sqrtdk law: d: -3 is not a positive, finite number",
    "law -- -3": "sqrtdk law: d: -3 is not a positive, finite number",
    "law -- --json": "sqrtdk law: d: '--json' is not a number",
    "law 1e400": f"sqrtdk law: d: '1e400' is out of range: {RANGE}",
    "law 1e-400": f"sqrtdk law: d: '1e-400' is out of range: {RANGE}",
    "law 8 9": "sqrtdk law: The following argument was not expected: 9",
    "law 8 law": "sqrtdk law: The following argument was not expected: law",
    "law 8 --foo": "sqrtdk law: The following argument was not expected: --foo",
    "law 8 -x": "sqrtdk law: The following argument was not expected: -x",
    "law 8 --cd 3": "sqrtdk law: The following arguments were not expected: 3 --cd",
    "law 8 --=3": "sqrtdk law: The following argument was not expected: --=3",
    "law --version": "sqrtdk law: The following argument was not expected: --version",
    "law 8 --cdf": "sqrtdk law: --cdf: 1 required number missing",
    "law 8 --cdf --json": "sqrtdk law: --cdf: '--json' is not a number",
    "law 8 --cdf=": "sqrtdk law: --cdf: 1 required number missing",
    "law 8 --cdf ''": "sqrtdk law: --cdf: '' is not a number",
    "law 8 --cdf {}": "sqrtdk law: --cdf: '{}' is not a number",
    "law 8 --cdf 1 -inf": "sqrtdk law: The following argument was not expected: -inf",
    "law 8 --cdf abc": "sqrtdk law: --cdf: 'abc' is not a number",
    "law 8 --cdf=abc": "sqrtdk law: --cdf: 'abc' is not a number",
    "law 8 --pdf 8x": "sqrtdk law: --pdf: '8x' is not a number",
    "law 8 --pdf [1,2]": "sqrtdk law: --pdf: '[1,2]' is not a number",
    "law 8 --sf 1 nan": "sqrtdk law: --sf: 'nan' is not a number",
    "law 8 --sf -nan": "sqrtdk law: --sf: '-nan' is not a number",
    "law 8 --sf 1e400": f"sqrtdk law: --sf: '1e400' is out of range: {RANGE}",
    "law 8 --sf -1e-400": f"sqrtdk law: --sf: '-1e-400' is out of range: {RANGE}",
    "law 8 --quantile 2": "sqrtdk law: --quantile: 2 is no probability; give one between 0 and 1",
    "law 8 --quantile .5 -1": "sqrtdk law: --quantile: -1 is no probability; give one between 0 and 1",
    "law 8 --quantile inf": "sqrtdk law: --quantile: inf is no probability; give one between 0 and 1",
    "law 8 --quantile nan": "sqrtdk law: --quantile: 'nan' is not a number",
    "law 8 --json=false": "sqrtdk law: json was given a disallowed flag override",
    "law 8 --plot": "sqrtdk law: --plot: 1 required file name missing",
    "law 8 --plot ''": "sqrtdk law: --plot: '' is no file name",
    "law 8 --plot=": "sqrtdk law: --plot: 1 required file name missing",
    "law 8 --plot --json": "sqrtdk law: --plot: '--json' is no file name",
    "law 8 --plot -": "sqrtdk law: --plot: '-' is no file name",
    "law 8 --plot a.svg --plot b.svg": "sqrtdk law: --plot: At Most 1 required but received 2",
    "law 8 --plot a.svg b.svg": "sqrtdk law: The following argument was not expected: b.svg",
    "law 8 --plot a.svg --cdf x": "sqrtdk law: --cdf: 'x' is not a number",
}

TITLE = "score of standard normal query and key, d = "
ANSWERS = {  # regular expressions, after the title
    "law 64 --cdf 8": r"64\n  P\(X <= 8\)  0\.84321200012609\d*\n",
    "law 64 --sf 80": r"64\n  P\(X > 80\)  3\.2274009825351\d*e-17\n",
    "law 64 --quantile 0.99": r"64\n  quantile\(0\.99\)  18\.7839115876812\d*\n",
    "law 64": r"64\n  mean                 0\n  variance             64\n  standard deviation   8\n"
              r"  excess kurtosis      0\.09375\n  E\|X\|                 6\.3\d*\n  distance to N\(0, d\)  "
              r"0\.002\d*\n",
    # d = 2: Laplace's law, of density e^{-|x|}/2
    "law 2 --sf 0 --pdf 0 --cdf 0": r"2\n  pdf\(0\)     0\.5\n  P\(X <= 0\)  0\.5\n  P\(X > 0\)   0\.5\n",
    "law 2 --pdf 1 -1": r"2\n  pdf\(1\)   (0\.1839397205857\d*)\n  pdf\(-1\)  \1\n",
    "law --pdf=0 -- 2": r"2\n  pdf\(0\)  0\.5\n",
    "law +2 --pdf +0": r"2\n  pdf\(0\)  0\.5\n",
    "law 2 --cdf -.5 -1": r"2\n  P\(X <= -0\.5\)  0\.303265329856\d*\n  P\(X <= -1\)    0\.1839397205857\d*\n",
    "law 2 --cdf -inf inf": r"2\n  P\(X <= -inf\)  0\n  P\(X <= inf\)   1\n",
    "law 2 --quantile 0 0.5 1": r"2\n  quantile\(0\)    -inf\n  quantile\(0\.5\)  0\n  quantile\(1\)    inf\n",
    "law 1 --pdf 0": r"1\n  pdf\(0\)  inf\n",
    "law 1.5 --pdf 0": r"1\.5\n  pdf\(0\)  0\.\d+\n",
    # about d/(2|x|), which no double holds
    "law 1e-10 --pdf 1e-320": r"1e-10\n  pdf\(1e-320\)  inf\n",
    "law 5e-324 --cdf 1": r"5e-324\n  P\(X <= 1\)  1\n",
    "law 1e308 --cdf 0": r"1e\+308\n  P\(X <= 0\)  0\.5\n",
}


class CommandTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

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
        self.assertRegex(text, r"^usage: sqrtdk law D \[OPTION\]\.\.\.\n")
        for arguments in ("-h", "law --help", "law -h", "law 8x --foo --help", "--help law"):
            with self.subTest(f"sqrtdk {arguments}"):
                self.assertEqual(self.run_sqrtdk(arguments), (0, text, ""))

    def test_gives_an_example_that_works(self) -> None:
        _, text, _ = self.run_sqrtdk("--help")
        example, = re.findall(r"^Example: sqrtdk (.*)$", text, re.MULTILINE)
        self.assertEqual(self.run_sqrtdk(example)[0], 0)

    def test_fits_into_a_terminal(self) -> None:
        _, text, _ = self.run_sqrtdk("--help")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_names_the_options_that_the_manual_page_and_the_completion_name(self) -> None:
        def options(text: str) -> set[str]:
            return set(re.findall(r"(?<![\w-])--[a-z]+", text))

        _, text, _ = self.run_sqrtdk("--help")
        manual = (TOOLS / "sqrtdk.1").read_text(encoding="utf-8").replace("\\-", "-")
        completion = (TOOLS / "sqrtdk.bash").read_text(encoding="utf-8")
        offered = "\n".join(re.findall(r"-W '(.*)'", completion))
        self.assertEqual(options(manual), options(text), "sqrtdk.1 and sqrtdk --help")
        self.assertEqual(options(offered), options(text), "sqrtdk.bash and sqrtdk --help")

    def test_version_is_the_projects(self) -> None:
        self.assertEqual(self.run_sqrtdk("--version"), (0, f"sqrtdk {VERSION}\n", ""))


class Json(CommandTest):
    def test_has_the_numbers_of_the_table(self) -> None:
        (_, at, value), = self.answers_of("law 64 --cdf 8")
        self.assertEqual(at, 8)
        self.assertEqual(self.run_sqrtdk("law 64 --cdf 8")[1], f"{TITLE}64\n  P(X <= 8)  {value!r}\n")

    def test_names_answers_by_their_options_and_moments_by_words(self) -> None:
        self.assertEqual([what for what, *_ in self.answers_of("law 2 --sf 1 --pdf 1 --cdf 1 --quantile .1")],
                         ["pdf", "cdf", "sf", "quantile"])
        self.assertEqual([what for what, at, _ in self.answers_of("law 2") if at is None],
                         ["mean", "variance", "standard_deviation", "kurtosis_excess", "mean_absolute",
                          "normal_distance"])

    def test_has_strings_for_infinities_that_read_back_as_such(self) -> None:
        self.assertEqual(self.answers_of("law 1 --pdf 0 --quantile 0 1 --cdf inf"),
                         [("pdf", 0, "Infinity"), ("cdf", "Infinity", 1), ("quantile", 0, "-Infinity"),
                          ("quantile", 1, "Infinity")])
        self.assertEqual(float("-Infinity"), -float("inf"))


class Output(CommandTest):
    def test_that_cannot_be_written_is_an_error(self) -> None:
        for arguments, speaker in {"law 8": "sqrtdk law", "law 8 --json": "sqrtdk law", "--help": "sqrtdk",
                                   "--version": "sqrtdk"}.items():
            with self.subTest(f"sqrtdk {arguments} > /dev/full"), open("/dev/full", "w", encoding="utf-8") as full:
                status, _, err = self.run_sqrtdk(arguments, stdout=full)
                self.assertEqual((status, err),
                                 (1, f"{speaker}: cannot write to standard output: No space left on device\n"))

    def test_that_is_closed_is_an_error_and_a_picture_does_not_get_it(self) -> None:
        status, _, err = self.run_sqrtdk("law 8 --plot law.svg", preexec_fn=lambda: os.close(1), stdout=None)
        self.assertEqual((status, err), (1, "sqrtdk law: cannot write to standard output: Bad file descriptor\n"))
        xml.etree.ElementTree.parse(self.folder / "law.svg")


class Picture(CommandTest):
    def expect_refused(self, file: str, reason: str, **options: Any) -> None:
        before = self.files()
        self.assertEqual(self.run_sqrtdk(f"law 8 --plot {file}", **options),
                         (1, "", f"sqrtdk law: --plot: cannot write {file}: {reason}\n"))
        self.assertEqual(self.files(), before, "files were left behind, or lost")

    def test_is_well_formed_and_finite_at_every_dimension(self) -> None:
        for d in ("5e-324", "0.5", "1", "64", "1e308"):
            with self.subTest(d=d):
                status, out, err = self.run_sqrtdk(f"law {d} --plot law.svg")
                self.assertEqual((status, err), (0, ""))
                self.assertTrue(out.endswith("drawn: law.svg\n"), out)
                picture = xml.etree.ElementTree.parse(self.folder / "law.svg")
                curves = picture.findall("{http://www.w3.org/2000/svg}polyline")
                points = [curve.get("points", "") for curve in curves]
                self.assertEqual([len(pairs.split()) for pairs in points], [641, 641])
                self.assertNotRegex("".join(points), "nan|inf")

    def test_replaces_an_old_one_and_is_as_readable_as_any_new_file(self) -> None:
        file = self.folder / ("x" * 251 + ".svg")  # the longest name that there is
        file.write_text("old", encoding="utf-8")
        status, *_ = self.run_sqrtdk(f"law 8 --plot {file.name}", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(status, 0)
        self.assertIn("<svg", file.read_text(encoding="utf-8"))
        self.assertEqual(stat.filemode(file.stat().st_mode), "-rw-r-----")
        self.assertEqual(self.files(), [file.name])

    def test_that_does_not_fit_leaves_the_old_one_and_nothing_else(self) -> None:
        (self.folder / "law.svg").write_text("old", encoding="utf-8")
        self.expect_refused("law.svg", "File too large",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual((self.folder / "law.svg").read_text(encoding="utf-8"), "old")

    def test_is_not_written_to_where_no_file_can_be(self) -> None:
        (self.folder / "folder").mkdir()
        self.expect_refused("folder", "Is a directory")
        self.expect_refused("folder/", "Is a directory")
        self.expect_refused("nowhere/law.svg", "No such file or directory")
        self.expect_refused("x" * 256, "File name too long")

    def test_takes_the_place_of_no_pipe_or_link(self) -> None:
        os.mkfifo(self.folder / "pipe")
        self.expect_refused("pipe", "it is no regular file")
        (self.folder / "link").symlink_to("elsewhere")
        self.expect_refused("link", "it is no regular file")

    def test_goes_through_no_link_that_was_laid_for_it(self) -> None:
        victim = self.folder / "victim"
        victim.write_text("precious", encoding="utf-8")
        for name in ("law.svg.new", "law.svg.tmp", ".sqrtdk-XXXXXX"):
            (self.folder / name).symlink_to(victim)
        before = self.files()
        self.assertEqual(self.run_sqrtdk("law 8 --plot law.svg")[0], 0)
        self.assertTrue(victim.read_text(encoding="utf-8") == "precious", "the file behind a link was written to")
        self.assertEqual(self.files(), sorted([*before, "law.svg"]))


class Completion(CommandTest):
    def complete(self, *words: str) -> list[str]:
        """What bash offers for the last of the words, parted as bash parts them."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  '"$(complete -p sqrtdk | sed "s/.*-F \\([^ ]*\\).*/\\1/")"; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", TOOLS / "sqrtdk.bash", *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_offers_commands_options_and_files(self) -> None:
        for name in ("law.svg", "law and order.svg", "other"):
            (self.folder / name).touch()
        for words, offered in {
            ("sqrtdk", ""): ["law", "--help", "--version"],
            ("sqrtdk", "l"): ["law"],
            ("sqrtdk", "law", "8", "--q"): ["--quantile"],
            ("sqrtdk", "law", "8", "--"): ["--pdf", "--cdf", "--sf", "--quantile", "--plot", "--json", "--help"],
            ("sqrtdk", "law", ""): [""],
            ("sqrtdk", "law", "8", "--cdf", ""): [""],
            ("sqrtdk", "law", "8", "--plot", "law"): ["law and order.svg", "law.svg"],
            ("sqrtdk", "law", "8", "--plot", "=", "o"): ["other"],
            ("sqrtdk", "law", "8", "--plot", "="): ["law and order.svg", "law.svg", "other"],
        }.items():
            with self.subTest(words=words):
                self.assertEqual(sorted(self.complete(*words)), sorted(offered))


class ManualPage(unittest.TestCase):
    def test_is_typeset_without_a_warning(self) -> None:
        try:
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", TOOLS / "sqrtdk.1"], capture_output=True,
                                  text=True, timeout=60, check=False)
        except FileNotFoundError:
            self.skipTest("groff is not installed")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
