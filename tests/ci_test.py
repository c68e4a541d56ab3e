"""tools/ci, and the scripts of action.yml and examples/ci/properties.yml, in a repository whose submodule is sqrtdk."""

import os
import re
import subprocess
import tempfile
import textwrap
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path
from unittest import mock

from foreign_repository import ROOT, make

SCRIPT = re.compile(r"^( *)(?:- )?(?:run|script): \|\n((?:\1 +.*\n|\n)+)", re.MULTILINE)
INPUT = re.compile(r"^ +(\w+): \"?\$(?:\{\{|\[\[) inputs\.(\w+) (?:\}\}|\]\])\"?$", re.MULTILINE)
DEFAULT = re.compile(r"^ +(\w+):\n +description: .*\n(?: +type: .*\n)? +default: \"?(.*?)\"?$", re.MULTILINE)
WAYS = {"action": ROOT / "action.yml", "template": ROOT / "examples/ci/properties.yml"}

# In the place of what takes long or needs rights. They tell what they were asked for; FAILS names what goes wrong.
TELL = '#!/bin/bash\necho "${0##*/} $*" >> "$TOLD"\n[[ ${FAILS:-} != "${0##*/}$2" ]] || exit 1\n'
CTEST = TELL + """echo "SQRTDK_SEED=${SQRTDK_SEED-} SQRTDK_CACHE=${SQRTDK_CACHE-} CCACHE_DIR=${CCACHE_DIR-}" >> "$TOLD"
[[ -z ${GTEST_REPEAT:-} ]] || exit 0
end='status="run">'
[[ ${FAILS:-} != claim ]] || end='status="fail"><failure message=""/><system-out>x:1: Failure
"√" &lt; 2
replay: again
</system-out>'
cases=$(for c in $(grep -o '\\w*' <<< "${5/${LOSES:-^}}"); do echo "<testcase name=\\"$c\\" $end</testcase>"; done)
echo "<testsuite>$cases</testsuite>" > "${@: -1}"
[[ ${FAILS:-} != claim ]] || exit 8
"""
STUBS = {"apt-get": TELL, "sudo": TELL + '"$@"\n', "cmake": TELL, "ccache": TELL, "ctest": CTEST}


class Ci(unittest.TestCase):
    folder: Path
    sqrtdk: Path
    claims: list[list[str]]
    chapters: set[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        cls.sqrtdk = make(cls.folder)
        for name, script in STUBS.items():
            cls.program(cls.folder / "stubs" / name, script)
        cls.program(cls.sqrtdk / "tools/setup", TELL)
        claims = subprocess.run([cls.sqrtdk / "tools/ci", "--list"], check=True, capture_output=True, text=True).stdout
        cls.claims = [line.split() for line in claims.splitlines()]
        cls.chapters = {chapter for chapter, _ in cls.claims}

    @staticmethod
    def program(path: Path, text: str) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def setUp(self) -> None:
        self.job = Path(self.enterContext(tempfile.TemporaryDirectory(dir=self.folder)))  # pylint: disable=consider-using-with

    def run_in_job(self, *command: str | Path, status: int = 0, **variables: str) -> str:
        """What the stubs were asked for, or else the message."""
        told = self.job / "told"
        told.write_text("", encoding="utf-8")
        ours = {name: value for name, value in os.environ.items() if name not in ("SQRTDK_SEED", "SQRTDK_CACHE")}
        run = subprocess.run(command, cwd=self.job, check=False, capture_output=True, text=True, env={
            **ours, "PATH": f"{self.folder / 'stubs'}:{os.environ['PATH']}", "TOLD": str(told), **variables})
        said = told.read_text(encoding="utf-8") or run.stderr
        self.assertEqual(run.returncode, status, said)
        return said

    def run_ci(self, *options: str, status: int = 0, **variables: str) -> str:
        return self.run_in_job(self.sqrtdk / "tools/ci", *options, status=status, **variables)

    def read(self, name: str) -> str:
        return (self.job / name).read_text(encoding="utf-8")

    def test_only_what_is_asked_for_is_compiled_and_run(self) -> None:
        for options, targets, claims in (
                (["--claims", "DotProductVariance"], "score_properties", "DotProductVariance"),
                (["--claims", " DotProductVariance\nDotProductMean ", "--chapters", ""], "score_properties",
                 "DotProductMean|DotProductVariance"),
                (["--claims", "DotProductMean", "--chapters", "moments"], "moments_properties score_properties",
                 "|".join([claim for chapter, claim in self.claims if chapter == "moments"] + ["DotProductMean"]))):
            with self.subTest(options=options):
                told = self.run_ci(*options)
                self.assertIn(f"cmake --build --preset properties --target {targets}\n", told)
                self.assertIn(f" -R ^({claims})$ ", told)

    def test_shards_share_all_chapters(self) -> None:
        for chapters, parts in ("", 4), ("score trust moments", 3), ("score", 1):
            shared: list[str] = []
            for part in range(1, parts + 1):
                told = self.run_ci("--chapters", chapters, "--shard", f"{part}/{parts}")
                shared += told.partition("--target ")[2].partition("\n")[0].split()
            self.assertEqual(sorted(shared), sorted(f"{chapter}_properties"
                                                    for chapter in set(chapters.split()) or self.chapters))

    def test_what_is_listed_is_what_would_run(self) -> None:
        for options, chapters in ((["--chapters", "score moments", "--list"], 2),
                                  (["--list", "--shard", f"1/{len(self.chapters)}"], 1)):
            for seed in "", "7":
                run = subprocess.run([self.sqrtdk / "tools/ci", *options], check=False, capture_output=True, text=True,
                                     env={**os.environ, "SQRTDK_SEED": seed})
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(len({line.split()[0] for line in run.stdout.splitlines()}), chapters, run.stdout)

    def test_what_is_wrong_is_refused_by_its_name_before_anything_is_built(self) -> None:
        for options, message in (
                (["--chapters", "scores"], "no chapter 'scores'; there are attention "),
                (["--chapters", "score .*"], "no chapter '.*'"),
                (["--claims", "DotProductVarianc"], "no claim 'DotProductVarianc'; perhaps you mean "),
                (["--claims", "$(touch made) `touch made`;touch made"], "no claim '$(touch'"),
                (["--claims", "-e"], "no claim '-e'"),
                (["--shard", "5/4"], "the shard is '5/4'"), (["--shard", "0/4"], "the shard is '0/4'"),
                (["--shard", "a[$(touch made)]/2"], "the shard is 'a["),
                (["--shard", "2/2", "--chapters", "score"], "the shard 2/2 is empty"),
                (["--seed", "often"], "the seed is 'often'"), (["--seed"], "--seed lacks its value"),
                (["--seed", str(2 ** 64)], f"the seed is '{2 ** 64}'"),
                (["--chapter", "score"], "'--chapter' is no option")):
            with self.subTest(options=options):
                told = self.run_ci(*options, status=2)
                self.assertTrue(told.startswith("ci: "), told)
                self.assertIn(message, told)
                self.assertEqual([path.name for path in self.job.iterdir()], ["told"])

    def test_what_happened_is_told_whatever_fails(self) -> None:
        self.program(self.folder / "no_python/python3", "#!/bin/sh\nexit 127\n")
        path = f"{self.folder / 'stubs'}:{os.environ['PATH']}"
        without_python = f"{self.folder / 'no_python'}:{path}"
        for fails, programs, status, junit, summary in (
                ("", path, 0, True, "## 1 test: 1 passed\n"),
                ("claim", path, 1, True, "## 1 test: 1 failed\n\n### `UnionBound` failed\n"),
                ("claim", without_python, 1, True, "## The claims failed\n"),
                ("", without_python, 0, True, "## The claims hold\n"),
                ("cmake--preset", path, 1, False, "## No claim was checked\n")):
            with self.subTest(fails=fails, programs=programs):
                (self.job / "summary").write_text("before\n", encoding="utf-8")
                (self.job / "claims.xml").write_text("of yesterday", encoding="utf-8")
                self.run_ci("--claims", "UnionBound", "--junit", "claims.xml", "--summary", "summary",
                            status=status, FAILS=fails, PATH=programs)
                self.assertEqual((self.job / "claims.xml").exists(), junit)
                self.assertIn(f"before\n{summary}", self.read("summary"))
                self.assertEqual("## What to do" in self.read("summary"), fails == "claim")
                failure = ET.parse(self.job / "claims.xml").find("testcase/failure") if junit else None
                self.assertEqual(None if failure is None else (failure.get("message"), failure.text),
                                 ('"√" < 2', 'x:1: Failure\n"√" < 2\nreplay: again\n') if fails == "claim" else None)

    def test_what_is_no_file_stays_and_is_refused_before_anything_is_built(self) -> None:
        os.mkfifo(self.job / "fifo")
        (self.job / "link").symlink_to("/dev/full")
        for option in ("--junit fifo", "--junit fifo/x", "--junit link", "--junit .", "--summary fifo", "--summary .",
                       "--cache fifo"):
            with self.subTest(option):
                told = self.run_ci("--claims", "UnionBound", *option.split(), status=2)
                self.assertIn(f"ci: {option.split()[0]} names /", told)
        self.run_ci("--claims", "UnionBound", "--summary", "link", status=1)
        self.assertTrue((self.job / "fifo").is_fifo() and (self.job / "link").is_char_device())

    def test_a_claim_that_was_not_run_fails(self) -> None:
        self.run_ci("--chapters", "odds", GTEST_REPEAT="0")  # which ctest does not see
        self.run_ci("--chapters", "odds", LOSES="DotProductWithOdds", status=1)

    def test_another_waits_until_what_a_killed_one_started_has_ended(self) -> None:
        os.mkfifo(self.job / "fifo")
        begins = f"cd {self.sqrtdk}; cmake() {{ :; }}; source tools/environment.sh; configure release > /dev/null; "
        with subprocess.Popen(["bash", "-c", f"{begins} cat {self.job}/fifo; exit"]) as first, \
                (self.job / "fifo").open("w", encoding="utf-8") as end, \
                subprocess.Popen(["bash", "-c", f"{begins} timeout 60 bash -c '{begins}'"],
                                 stderr=subprocess.PIPE) as second:
            first.kill()
            assert second.stderr
            said, waits = second.stderr.readline().decode(), second.poll() is None
            end.close()
        self.assertRegex(said, rf"^waiting until \S+ \(process {first.pid}\) and what it started ")
        self.assertEqual((waits, second.returncode), (True, 0))

    def run_scripts(self, way: str, given: dict[str, str], status: int = 0) -> str:
        """Runs all scripts of a file, with the inputs that are given, or else by default."""
        text = WAYS[way].read_text(encoding="utf-8")
        inputs = {**dict(DEFAULT.findall(text)), "sqrtdk": str(self.sqrtdk), **given}
        variables = {variable: inputs[name] for variable, name in INPUT.findall(text)}
        self.assertLessEqual(set(given), {name for _, name in INPUT.findall(text)})
        scripts = "".join(textwrap.dedent(script) for _, script in SCRIPT.findall(text))
        return self.run_in_job(
            "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", scripts, status=status,
            HOME=str(self.job / "home"), GITHUB_ACTION_PATH=str(self.sqrtdk), GITHUB_OUTPUT=str(self.job / "output"),
            GITHUB_STEP_SUMMARY=str(self.job / "summary"), **variables)

    def test_their_scripts_run_with_all_inputs(self) -> None:
        inputs = {"chapters": "moments score", "claims": "DotProductVariance VarianceOfSum", "seed": "fresh"}
        second_half = {**inputs, "shard": "2/2", "junit": "with a blank/c.xml"}
        for way, given, targets, junit in (("action", second_half, "score_properties", "with a blank/c.xml"),
                                           ("template", inputs, "moments_properties score_properties", "claims.xml")):
            with self.subTest(way=way):
                told = self.run_scripts(way, given)
                self.assertIn("apt-get install -qy --no-install-recommends ccache\n", told)
                self.assertIn(f"--target {targets}\n", told)
                self.assertRegex(told, r"SQRTDK_SEED=fresh SQRTDK_CACHE=\S+/\.cache/\S+ CCACHE_DIR=\S+/\.cache/\S+")
                self.assertTrue((self.job / junit).exists())
        self.assertEqual(self.read("output"), "junit=with a blank/c.xml\noutcome=success\n")
        self.assertRegex(self.read("summary"), r"^## (\d+) tests: \1 passed\n$")

    def test_their_inputs_are_never_run(self) -> None:
        for way, status in ("action", 1), ("template", 2):
            for name in "chapters", "claims", "seed":
                for text in '"; touch made; "', "$(touch made)", "`touch made`", "' ; touch made '":
                    with self.subTest(way=way, name=name, text=text):
                        self.run_scripts(way, {name: text}, status)
                        self.assertFalse((self.job / "made").exists())

    def test_the_action_says_that_a_claim_failed(self) -> None:
        with mock.patch.dict(os.environ, FAILS="claim"):
            self.run_scripts("action", {"summary": "false", "cache": "false"}, status=1)
        self.assertEqual(self.read("output"), "junit=claims.xml\noutcome=failure\n")
        self.assertFalse((self.job / "summary").exists())

    def test_no_script_has_an_expression_in_it(self) -> None:
        for file in *WAYS.values(), *ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("examples/ci/*.yml"):
            text = file.read_text(encoding="utf-8")
            for script in [script for _, script in SCRIPT.findall(text)] + re.findall(r"run: [^|\n].*", text):
                self.assertNotRegex(script, r"\$\{\{|\$\[\[", file.name)

    def test_the_chapters_of_the_examples_are_there(self) -> None:
        for way, example in ("action", "github-actions.yml"), ("template", "gitlab-ci.yml"):
            text = (ROOT / "examples/ci" / example).read_text(encoding="utf-8")
            given = dict(re.findall(r"^ +(chapters): (.*)$", text, re.MULTILINE))
            self.run_scripts(way, given)


if __name__ == "__main__":
    unittest.main()
