"""Results that nobody's program writes: more than a hundred files, each a mutation of a good one.

Whatever they hold, nothing ends in a traceback, nothing in them becomes a link, a script or a command, and what they do
not spoil is told as if they were good.
"""

import copy
import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock
from xml.sax.saxutils import escape, quoteattr

from lxml import etree
from project import WEAVE, ProjectTest, failing, result, scored

from weave.base.files import LARGEST, read_whole, write_whole
from weave.base.shapes import BadData
from weave.checks.consistency import check
from weave.reading.book import read_book
from weave.rendered.tree import Element, parsed, plain
from weave.record.claims import CLAIMS_FILE
from weave.record.results import read_run
from weave.record.summary import summarize
from weave.writing.markup import JOINER
from weave.writing.markup import escape as escaped
from weave.writing.markup import preformatted
from weave.writing.weaver import Weaver

PAYLOADS = (
    "<script>evil()</script>",
    '"><a href="javascript:evil()">evil</a>',
    "[evil](http://evil.example) ![evil](http://evil.example/x.png)",
    "http://evil.example ~~evil~~ `evil` ``` evil",
    r"\endverbatim @endverbatim \endhtmlonly @endhtmlonly \htmlonly<script>evil()</script>\endhtmlonly @endcode",
    r"\include evil @verbinclude evil \ref evil \~evil \(\href{javascript:evil()}{evil}\)",
    r"\weave{mutants} [evil](run:evil) [x](run:a.b.evil) \output{evil}",
    "evil\r\n# evil\n- evil\n\n    evil\n```\nevil\n~~~\n</pre>evil",
    "evil\ud800\u202e\x1b[31m\0 '; evil; echo '$(evil)`evil`",
)
MARKS = ("64", "55.", "7)", "1) x", "- x", "-", "+ 3", "# x", "> x", "===", "---", "***", "*a*", "_a_", "a_b_c",
         "~~a~~", "|", "a|b", "`", "``a``", "[", "<b>", "<sub>2</sub>", "&amp;", "\\ref X", "@ref X", "\\(x\\)",
         "[a](b)", "{#a}", "http://a.b", "a::b", "%a", '"a"', "'a'", "--", "...", "$x$", "\\n", "![a](b)", "- [ ] x",
         "![", "</p>", ":---:", "#a", "^a^", "=")
"""Ways in which a number could be printed."""
PLANTED = """
## Heading [64](run:V), and {{#place{n}}}

[64](run:V). It begins a line, *within emphasis [64](run:V) of* two words, and a line ends before
[64](run:V). So it goes on, and on
[64](run:V)

- [64](run:V). In a list

| [64](run:V) | head |
|----|----|
| [64](run:V) | in [64](run:V) a cell |

<table><tr><td>[64](run:V)</td></tr></table>

> [64](run:V). Quoted

\\figure{{walks{n}}}
**Point [64](run:V).** And then
[64](run:V). It ends.
\\seen It is [64](run:V).
\\endfigure
"""
"""Everywhere that a value can stand."""
RAW = re.compile(r"<script>|<a href=\"java|(?<!\\)\[evil|http://evil|~~evil|^# evil|^```\s*evil|</pre>evil|"
                 r"(?<!\\)(?:\\\\)*[\\@](?:end\w+|htmlonly|include|verbinclude|ref evil|weave|run|output|~|\()",
                 re.MULTILINE)
"""Signs that a payload is still markup or a command."""
BLOCK = re.compile(r'\\htmlonly\[block\]\n<pre class="fragment">(.*?)</pre>\n\\endhtmlonly', re.DOTALL)

TEXTS = ("effect", "statistic", "p_value", "worst_error", "spared", "seed", "value_at64", "level", "about",
         "agrees", "document", "failure", "compiler", "file")
"""The parts of a result that are free text, or nearly."""
WRONG: list[tuple[str, Any]] = [(place, value) for place, values in (
    ("testsuites", (None, {}, "x", [1], [[]])),
    ("testsuites.0.name", (3, None, "a b", PAYLOADS[0])),
    ("testsuites.0.testsuite", (None, {}, "x", [None], [{}])),
    ("testsuites.0.testsuite.0.name", (3, [], "", "../x", PAYLOADS[2])),
    ("testsuites.0.testsuite.0.line", ("2", -1, 2.5, True, None, 10 ** 30, float("inf"), float("nan"))),
    ("testsuites.0.testsuite.0.file", (3, "a\nb", [])),
    ("testsuites.0.testsuite.0.failures", (1, {}, ["x"], [{}], [{"failure": 3}])),
    ("testsuites.0.testsuite.0.cases", ("²", "-1", "1e9", "9" * 5000)),
    ("testsuites.0.testsuite.0.n", ("x", "1\n²", "1" * 40 + "x")),
    ("testsuites.0.testsuite.0.beta", ("0", "2^-9999", "nan", "x^y")),
    ("seed", ("1; evil", "²", PAYLOADS[4])),
    ("program", (3, "a\nb")),
    ("ledger", ("evil", "A.B\t1", "A.B\t1\t9999999", "<b>.B\t1\t2")),
    ("crashed", (3, None, [])),
) for value in values]
"""Values that are not of the kind that they must be, and where they stand."""
VALID = json.dumps(result(scored(), compiler="g++"))
NO_JSON = (*(VALID[:length].encode() for length in range(0, len(VALID), len(VALID) // 12)),
           b"null", b"3", b'"x"', b"[]", b"{}", b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe\x00",
           VALID.encode("utf-16"), b"\xef\xbb\xbf" + VALID.encode(),
           VALID.replace('"line": 2', f'"line": {"1" * 5000}').encode(),
           VALID.replace("{", '{"tests": 1, ', 1).encode())


class HostileResults(ProjectTest):

    def said_of(self, data: Any) -> tuple[str, str]:
        """The problems and, if there are none, the pages of a book with these results of the score."""
        self.write("results/score_properties.json", json.dumps(data))
        book = self.book()
        problems = "\n".join(map(str, check(book)))
        files = {} if problems else Weaver(book).files()
        return problems, "\n".join(text for name, text in files.items() if name != CLAIMS_FILE)

    def assert_harmless(self, text: str) -> None:
        """No command, script or link of a payload is left where a page is text, and preformatted text has none."""
        for block in BLOCK.findall(text):
            self.assertNotRegex(block, r"[\\@<>]")
        text = text.replace(r"`[64](run:not.a.macro)`", "")
        text = re.sub(r'<script type="application/json".*?</script>', "", BLOCK.sub("", text))
        text = re.sub(r"\\(?:html|endhtml)only(?:\[block\])?|\\ref \w+", "", text)
        found = RAW.search(text)
        self.assertIsNone(found and text[max(0, found.start() - 60):found.end() + 60])
        text.encode()

    @mock.patch("weave.writing.graph._drawn", lambda *_: "")
    def test_text_is_text_wherever_it_stands(self) -> None:
        self.write("docs/all.md", "# All {#all}\n\n" + "".join(
            f"\\weave{{{block}}}\n\n" for block in ("build", "mutants", "errata", "hypotheses", "verdicts", "alpha")))
        for key, payload in product(TEXTS, PAYLOADS):
            with self.subTest(key, payload=payload):
                test = scored()
                if key in ("failure", "level"):
                    test = failing("ScoreVariance", "HoldsForAll", payload)
                if key == "document":
                    test["agrees"] = f"{payload}\tx"
                elif key != "compiler":
                    test[key] = f"S1\t{payload}" if key == "agrees" else payload
                data = result(test, compiler=payload if key == "compiler" else "g++",
                              ledger="ScoreVariance.HoldsForAll\t1\t40")
                problems, pages = self.said_of(data)
                self.assertRegex(problems + pages, "evil|has not the shape")
                self.assert_harmless(pages)

    @mock.patch("weave.writing.graph._drawn", lambda *_: "")
    def test_a_wrong_shape_is_told_once_and_loses_no_other_chapter(self) -> None:
        for place, value in WRONG:
            with self.subTest(place, value=value):
                data = json.loads(VALID)
                *path, last = [int(key) if key.isdecimal() else key for key in place.split(".")]
                holder = data
                for key in path:
                    holder = holder[key]
                holder[last] = copy.deepcopy(value)
                problems, pages = self.said_of(data)
                lost = read_run(self.results / "score_properties.json", "score").lost
                self.assertRegex(lost, r"^its result file score_properties.json (has not the shape of a result: "
                                       r"(at |there is no )|is not JSON \()")
                self.assertEqual(problems, "")
                self.assert_has(pages, "badge-exact", escaped(lost))
                self.assert_harmless(pages)

    def test_what_is_no_json_is_told(self) -> None:
        path = self.results / "score_properties.json"
        for content in NO_JSON:
            with self.subTest(content[:40], length=len(content)):
                path.write_bytes(content)
                self.assertRegex(read_run(path, "score").lost, "is not JSON|has not the shape of a result: ")

    def test_the_command_that_runs_a_check_again_is_one_command(self) -> None:
        program = """a b'; evil "$(evil)`evil` \\ @endcode"""
        pages = self.said_of({**json.loads(VALID), "program": program, "seed": "7"})[1]
        command = next(block for block in BLOCK.findall(pages) if "evil" in block)
        self.assertEqual(shlex.split(unescape(command).replace("\\\n", "")),
                         ["SQRTDK_SEED=7", f"./{program}", "--gtest_filter=ScoreVariance.*"])

    def test_a_revision_that_is_cut_and_the_output_of_an_example(self) -> None:
        for text in ("", "[", "[]", '{"commit": "a"}', '{"commit": 1, "date": "", "modified": "0"}'):
            self.write("revision.json", text)
            self.assertRaisesRegex(BadData, "is not JSON|shape of a revision", read_book, self.root, self.results,
                                   self.root / "revision.json")
        self.write("results/examples/x.txt", "")
        (self.results / "examples/x.txt").write_bytes(b"evil \xff")
        self.assertEqual(self.book().outputs, {"x": "evil \ufffd"})

    def test_bytes_that_are_no_text_lose_no_result(self) -> None:
        path = self.results / "score_properties.json"
        path.write_bytes(json.dumps(result(failing("A", "B", "x"))).encode().replace(b'"x"', b'"evil \xff"'))
        run = read_run(path, "score")
        self.assertEqual((run.lost, run.tests[0].failures), ("", ["evil \ufffd"]))

    def test_only_ordinary_files_are_read(self) -> None:
        for path in (self.root, Path("/dev/null")):
            self.assertIn("no ordinary file", read_run(path, "score").lost)
            self.assertIn("no ordinary file", str(summarize([path])[1]))
        big = self.root / "big"
        with big.open("wb") as stream:
            stream.truncate(LARGEST + 1)
        self.assertRaisesRegex(OSError, "more than 256 MiB", read_whole, big)

    def test_the_files_are_many(self) -> None:
        wrong = len(WRONG) + len(NO_JSON) + len(NO_JUNIT)
        self.assertGreaterEqual((len(TEXTS) + len(CASES)) * len(PAYLOADS) + wrong, 200)

    def doxygen(self, source: str, *options: str) -> str:
        """The page that Doxygen makes of a file, without complaint."""
        self.write("Doxyfile", "\n".join((f"INPUT = {source}", "HTML_OUTPUT = .", "GENERATE_LATEX = NO", "QUIET = YES",
                                          *options)))
        done = subprocess.run(["doxygen"], cwd=self.root, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return self.source(f"{Path(source).stem}.html")

    @unittest.skipUnless(shutil.which("doxygen"), "needs Doxygen")
    def test_doxygen_shows_it_as_it_is(self) -> None:
        texts = "\n\n".join(
            f"| a |\n|---|\n| {escaped(text)} |\n\n<table><tr><td>{escaped(text)}</td></tr></table>\n\n"
            f"Text {escaped(text)}\n\n{preformatted(text)}" for text in PAYLOADS).replace("\ud800", "")
        self.write("page.md", f"# Page {{#page}}\n\n{texts}\n\nThe end.\n")
        page = self.doxygen("page.md")
        content = page.partition('<div class="textblock">')[2].partition("<!-- contents -->")[0]
        self.assertIn("The end.", content)
        self.assertLessEqual(set(re.findall(r"<(\w+)", content)), {"p", "a", "table", "tr", "td", "th", "pre", "div"})
        self.assertNotRegex(content, r"<[^>]*\b(?:href|src|on\w+)\s*=")
        self.assertNotRegex(re.sub("<pre.*?</pre>", "", content, flags=re.DOTALL), r"\\[(\[]|\\begin")

    @unittest.skipUnless(shutil.which("doxygen"), "needs Doxygen")
    def test_a_value_is_shown_as_it_is_wherever_it_stands(self) -> None:
        self.record("score", scored(level="empirical", **{f"value_v{n}": mark for n, mark in enumerate(MARKS)}))
        self.write("docs/figures/common.gp", "")
        text = "# Planted {#planted}\n"
        for n in range(len(MARKS)):
            self.write(f"docs/figures/walks{n}.gp", "plot")
            text += PLANTED.replace("V", f"ScoreVariance.HoldsForAll.v{n}").format(n=n)
        self.write("docs/planted.md", text)
        self.assert_woven()
        page = parsed(self.doxygen("woven/docs/planted.md", "USE_MATHJAX = YES"))
        sections = [section_of(page, n) for n in range(len(MARKS))]
        tags, expected = sections[0]
        self.assertEqual(expected.count(MARKS[0]), 13, expected)
        for mark, section in zip(MARKS, sections):
            with self.subTest(mark):
                self.assertEqual(section, (tags, expected.replace(MARKS[0], mark)))


def section_of(page: Element, number: int) -> tuple[list[str], str]:
    """The elements of a section of the planted page, and its text."""
    parts = page.xpath(f"//*[@id='place{number}']/..") or page.xpath(f"//*[@id='place{number}']")
    while (last := parts[-1].getnext()) is not None and not re.fullmatch("h[1-6]", str(last.tag)):
        parts.append(last)
    for part in parts:
        for data in part.xpath(".//script | .//noscript | .//div[@class='figure-files']"):
            data.drop_tree()
    elements = [element.tag for part in parts for element in part.iter(etree.Element)]
    return elements, re.sub(r"Figure P.\d+", "", " ".join(map(plain, parts)).replace(JOINER, ""))


CASES = ("name", "classname", "output", "message", "text", "skipped", "file")
NO_JUNIT = (b"", b"<testsuite>", b"<coverage/>", b"<testsuite/><x/>", b"\xff\xfe<", b"<testsuite>&#xd800;</testsuite>",
            *(f'<?xml version="1.0" encoding="{name}"?><testsuite/>'.encode()
              for name in ("no", "utf-7", "rot13", "shift_jis", "base64")),
            b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuite>&b;</testsuite>', b"{}")


def junit(key: str, payload: str) -> str:
    """A file with a test that failed, which holds something where nobody expects it."""
    legal = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "?", payload)
    given = {name: legal if name == key else "" for name in CASES}
    child = f"<failure message={quoteattr(given['message'])}>{escape(given['text'])}</failure>"
    if key == "skipped":
        child = f"<skipped message={quoteattr(legal)}/>"
    name, suite = (quoteattr(given[key] or "A") for key in ("name", "classname"))
    return (f"<testsuite><testcase name={name} classname={suite}>{child}<system-out>{escape(given['output'])}"
            "</system-out></testcase></testsuite>")


def outside_code(markdown: str) -> str:
    """Markdown without its fences and its code within lines."""
    kept, fence = [], ""
    for line in re.split("\r\n|\r|\n", markdown):
        mark = re.fullmatch(r" {0,3}(`{3,})(.*)", line)
        if fence and mark and len(mark[1]) >= len(fence) and not mark[2].strip():
            fence = ""
        elif not fence and mark and "`" not in mark[2]:
            fence = mark[1]
        elif not fence:
            kept.append(re.sub("`[^`]+`", "", line))
    return "\n".join(kept) + fence


class HostileJUnit(ProjectTest):

    def beside_a_good_one(self, file: str) -> tuple[str, str]:
        """The summary of a file and its problems, beside another, of which nothing is lost."""
        self.write("good.xml", '<testsuite><testcase name="Good"/></testsuite>')
        text, problems = summarize([self.root / file, self.root / "good.xml"])
        self.assertIn("## `good`: 1 test: 1 passed\n", text)
        return text, "\n".join(problems)

    def test_everything_is_shown_as_code_and_nothing_is_lost(self) -> None:
        for key, payload in product(CASES, PAYLOADS):
            with self.subTest(key, payload=payload):
                stem = re.sub("[/\0\ud800]", "", payload) if key == "file" else "x"
                self.write(f"{stem}.xml", junit(key, payload))
                text, problems = self.beside_a_good_one(f"{stem}.xml")
                self.assertEqual(problems, "")
                self.assertIn("evil", text)
                self.assertNotIn("evil", outside_code(text))
                for line in re.findall("^replay: (.*)", text, re.MULTILINE):
                    self.assertEqual(len(shlex.split(line)), 3, line)

    def test_what_is_no_junit_is_told_and_the_others_are_summarized(self) -> None:
        for content in NO_JUNIT:
            with self.subTest(content):
                (self.root / "bad.xml").write_bytes(content)
                text, problems = self.beside_a_good_one("bad.xml")
                self.assertRegex(problems, r"\A.*bad\.xml is no JUnit file \(.+\); name what .*\Z")
                self.assertIn("## `bad`: no results\n```text\n", text)

    def test_reasons_are_shown(self) -> None:
        children = '<failure message="Timeout">\n</failure>', '<error message="Timeout"/>', "<error>Timeout</error>"
        for child, output in product(children, ("", "all well", "[ RUN      ] A.B\nx\n[  FAILED  ] A.B (0 ms)")):
            with self.subTest(child, output=output):
                self.write("a.xml", f'<testsuite><testcase name="A">{child}<system-out>{output}</system-out>'
                                    "</testcase></testsuite>")
                self.assertEqual(summarize([self.root / "a.xml"])[0].count("Timeout"), 1)

    def test_the_status_tells_of_a_bad_file_and_of_a_full_disk(self) -> None:
        self.write("good.xml", "<testsuite/>")
        self.write("bad.xml", "<testsuite>")
        done = self.run_weave("summary", self.root / "bad.xml", self.root / "good.xml")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("0 tests", done.stdout)
        with open("/dev/full", "wb") as full:
            told = subprocess.run([sys.executable, WEAVE, "summary", self.root / "good.xml"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False,
                                  env={**os.environ, "PYTHONUNBUFFERED": ""})
        self.assertEqual((told.returncode, told.stderr), (2, "weave: [Errno 28] No space left on device\n"))

    def test_a_full_disk_leaves_what_was_there_and_nothing_else(self) -> None:
        self.write("out/x.json", "before")
        with mock.patch("os.replace", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))):
            self.assertRaises(OSError, write_whole, self.root / "out/x.json", "after")
        self.assertEqual([path.read_text(encoding="utf-8") for path in (self.root / "out").iterdir()], ["before"])
