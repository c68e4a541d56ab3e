# SPDX-License-Identifier: BSL-1.0
"""The steps of .github/workflows/release.yml up to the upload, run in a clone of a bare clone that has the tag.

As a test, something quick stands in for tools/verify;
`python3 tests/rehearsal_test.py --whole` renders the book, which takes long. Nothing is installed, and `gh` only writes down what it is told.
"""

import json
import os
import re
import shutil
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
    "tools/verify": """mkdir -p build/book build/release
        echo "<html>" > build/book/index.html
        version=$(sed -n 's/^  VERSION //p' CMakeLists.txt)
        cmake -D "SOURCE=$PWD" -D "VERSION=$version" -D "ADDRESS=$SQRTDK_ADDRESS" -D "OUT=$PWD/build/release" \\
          -P cmake/SqrtdkRevision.cmake""",
}


def scripts(text: str) -> list[str]:
    """The scripts of the steps of a workflow, or of a part of it, in order."""
    return [textwrap.dedent(block) or line for block, line in RUN.findall(text)]


def command(path: Path, does: str) -> None:
    """Write a program that stands in for another."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{textwrap.dedent(does)}\n", encoding="utf-8")
    path.chmod(0o755)


@unittest.skipUnless((ROOT / ".git").exists(), "needs a git checkout")
class Rehearsal(unittest.TestCase):

    whole = False

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.told = self.folder / "told"
        self.checkout = self.folder / "checkout"
        for name in ("apt-get", "gh"):
            command(self.folder / "programs" / name, STANDS_IN[name])
        who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.environment = {**os.environ, **who, "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
                            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"), "TOLD": str(self.told),
                            "GITHUB_WORKSPACE": str(self.checkout), "SQRTDK_ADDRESS": ADDRESS}
        found = re.search(r"^  VERSION ([\d.]+)$", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        self.version = found[1]
        self.push(f"v{self.version}")

    def push(self, tag: str) -> None:
        """What a maintainer does, and then the runner: the tag comes to the bare clone, and from there."""
        bare, own = self.folder / "bare", self.folder / "own"
        self.shell(f'git clone -q --bare "{ROOT}" "{bare}" && git clone -q "{bare}" "{own}"', self.folder)
        if not self.whole:
            command(own / "tools/verify", STANDS_IN["tools/verify"])
            self.shell("git commit -qam x", own)
        self.shell(f"git tag -f {tag} && git push -qf origin {tag}", own)
        self.shell(f'git -c advice.detachedHead=false clone -q --branch {tag} "{bare}" "{self.checkout}"', self.folder)

    def shell(self, script: str, folder: Path, **environment: str) -> None:
        """Run a script as a runner does; it must not fail."""
        subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, check=True,
                       env={**self.environment, **environment}, stdout=None if self.whole else subprocess.DEVNULL)

    def run_job(self, job: str, folder: Path, **environment: str) -> None:
        for script in scripts(JOBS[job]):
            self.shell(script, folder, GITHUB_REF_NAME=f"v{self.version}", **environment)

    def downloaded(self) -> Path:
        """What the first job uploads, as the second finds it."""
        folder = self.folder / "downloaded"
        folder.mkdir()
        for patterns in UPLOADED.findall(JOBS["book"]):
            for pattern in patterns.split():
                for file in self.checkout.glob(pattern):
                    shutil.copy(file, folder)
        return folder

    def test_a_tag_becomes_a_release_once(self) -> None:
        self.assertIn("SQRTDK_ADDRESS: ${{ vars.SQRTDK_ADDRESS ||", JOBS["book"])
        self.run_job("book", self.checkout)
        revision = json.loads((self.checkout / "build/release/revision.json").read_text(encoding="utf-8"))
        self.assertEqual((revision["version"], revision["address"]), (self.version, ADDRESS))
        folder = self.downloaded()
        self.assertTrue((folder / "notes.md").read_text(encoding="utf-8").strip())
        tag, archive = f"v{self.version}", f"sqrtdk-book-{self.version}.tar.xz"
        create = f"release|create|{tag}|--verify-tag|--title|sqrtdk {self.version}|--notes-file|notes.md|"
        upload = f"release|upload|{tag}|--clobber|{archive}|{archive}.sha256|"
        for released, told in (("", [create, upload]), ("yes", [upload])):
            with self.subTest(released=released):
                self.told.unlink(missing_ok=True)
                self.run_job("archive", folder, RELEASED=released)
                self.assertEqual(self.told.read_text(encoding="utf-8").splitlines(), [f"release|view|{tag}|", *told])
        (folder / archive).write_bytes(b"damaged")
        self.told.unlink()
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_job("archive", folder)
        self.assertFalse(self.told.exists(), "something damaged was uploaded")

    def test_a_commit_without_the_tag_is_no_release(self) -> None:
        self.shell(f"git tag -d v{self.version}", self.checkout)
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_job("book", self.checkout)
        self.assertFalse((self.checkout / "build").exists())


if __name__ == "__main__":
    if "--whole" in sys.argv:
        sys.argv.remove("--whole")
        Rehearsal.whole = True
    unittest.main()
