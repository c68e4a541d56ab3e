# SPDX-License-Identifier: BSL-1.0
"""The steps of .github/workflows/release.yml up to the upload, run in a clone of a bare clone that has the tag.

As a test, something quick stands in for tools/verify; `python3 tests/rehearsal_test.py --whole` renders the book, which
takes long. Nothing is installed, and `gh` only writes down what it is told.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
JOBS = dict(re.findall(r"^  (\w+):\n((?: {4}.*\n|\n)+)", WORKFLOW.partition("\njobs:\n")[2], re.MULTILINE))
RUN = re.compile(r"^ +(?:- )?run: (?:\|\n((?: {10}.*\n|\n)+)|(.+)\n)", re.MULTILINE)
UPLOADED = re.compile(r"path: \|\n((?: {12}.*\n)+)")
ADDRESS = "https://example.org/book"
STANDS_IN = {
    "apt-get": "",
    "gh": 'printf "%s|" "$@" >> "$TOLD"; echo >> "$TOLD"; [[ $2 != view || -n ${RELEASED:-} ]]',
    "verify": """mkdir -p build/book build/release
        echo "<html>" > build/book/index.html; echo index.html > build/book/.sqrtdk-book
        cmake -D "SOURCE=$PWD" -D "VERSION=${GITHUB_REF_NAME#v}" -D "ADDRESS=$SQRTDK_ADDRESS" -D OUT=build/release \\
          -P cmake/SqrtdkRevision.cmake""",
}


def scripts(text: str) -> list[str]:
    """The scripts of the steps of a workflow, or of a part of it, in order."""
    return [textwrap.dedent(block) or line for block, line in RUN.findall(text)]


@unittest.skipUnless((ROOT / ".git").exists(), "needs a git checkout")
class Rehearsal(unittest.TestCase):

    whole = False

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.told, self.checkout, own = (self.folder / name for name in ("told", "checkout", "own"))
        found = re.search(r"^  VERSION ([\d.]+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        self.version, self.tag = found[1], f"v{found[1]}"
        who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.environment = {**os.environ, **who, "PATH": f"{self.folder}:{os.environ['PATH']}", "TOLD": str(self.told),
                            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"), "SQRTDK_ADDRESS": ADDRESS,
                            "GITHUB_WORKSPACE": str(self.checkout), "GITHUB_REF_NAME": self.tag}
        for name, does in STANDS_IN.items():
            (self.folder / name).write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{does}\n", encoding="utf-8")
            (self.folder / name).chmod(0o755)
        (self.folder / "gitconfig").write_text("[safe]\n\tdirectory = *\n", encoding="utf-8")  # as ci.yml has it
        # The tag goes from a maintainer to the server, and from there to the runner.
        self.shell(f'git clone -q --bare "{ROOT}" bare && git clone -q bare own')
        if not self.whole:
            self.shell("cp ../verify tools/verify && git commit -qam x", own)
        self.shell(f"git tag -f {self.tag} && git push -qf origin {self.tag}", own)
        self.shell(f"git -c advice.detachedHead=false clone -q --branch {self.tag} bare checkout")

    def shell(self, script: str, folder: Path | None = None, **environment: str) -> None:
        """Run a script as a runner does; it must not fail."""
        subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], check=True,
                       cwd=folder or self.folder, env={**self.environment, **environment},
                       stdout=None if self.whole else subprocess.DEVNULL)

    def run_job(self, job: str, folder: Path, **environment: str) -> None:
        for script in scripts(JOBS[job]):
            self.shell(script, folder, **environment)

    def test_a_tag_becomes_a_release_once(self) -> None:
        self.assertIn("SQRTDK_ADDRESS: ${{ vars.SQRTDK_ADDRESS ||", JOBS["book"])
        self.run_job("book", self.checkout)
        revision = json.loads((self.checkout / "build/release/revision.json").read_text(encoding="utf-8"))
        self.assertEqual((revision["version"], revision["address"]), (self.version, ADDRESS))
        downloaded = self.folder / "downloaded"
        downloaded.mkdir()
        self.shell(f"cp -t ../downloaded {' '.join(UPLOADED.findall(JOBS['book'])[0].split())}", self.checkout)
        archive = f"sqrtdk-book-{self.version}.tar.xz"
        create = f"release|create|{self.tag}|--verify-tag|--title|sqrtdk {self.version}|--notes-file|notes.md|"
        upload = f"release|upload|{self.tag}|--clobber|{archive}|{archive}.sha256|"
        for released, told in (("", [create, upload]), ("yes", [upload])):
            self.run_job("archive", downloaded, RELEASED=released)
            self.assertEqual(self.told.read_text(encoding="utf-8").splitlines(), [f"release|view|{self.tag}|", *told])
            self.told.unlink()
        (downloaded / archive).write_bytes(b"damaged")
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_job("archive", downloaded)
        self.assertFalse(self.told.exists(), "something damaged was uploaded")

    def test_a_commit_without_the_tag_is_no_release(self) -> None:
        self.shell(f"git tag -d {self.tag}", self.checkout)
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_job("book", self.checkout)
        self.assertFalse((self.checkout / "build").exists())


if __name__ == "__main__":
    Rehearsal.whole = "--whole" in sys.argv
    unittest.main(argv=[argument for argument in sys.argv if argument != "--whole"])
