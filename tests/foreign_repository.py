"""A repository of somebody else's, which has all that is here as its submodule third_party/sqrtdk.

    python3 tests/foreign_repository.py FOLDER   makes it below FOLDER, or brings it up to date
    python3 tests/foreign_repository.py          breaks a claim in one, and checks what its owner reads (minutes)
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUBMODULE = "outside/third_party/sqrtdk"
NOBODY = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
          for what, value in (("NAME", "x"), ("EMAIL", "x"), ("DATE", "2000-01-01T00:00:00Z"))}


def git(*arguments: str | Path) -> str:
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(["git", *arguments], env={**theirs, **NOBODY}, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def make(folder: Path) -> Path:
    """Its submodule. FOLDER/commit.cmake names the commit, which is another only if a file is."""
    kept, submodule = folder / "sqrtdk.git", folder / SUBMODULE
    if not kept.exists():
        git("init", "-q", "--bare", kept)
    git("--git-dir", kept, "--work-tree", ROOT, "add", "-A")
    commit = git("--git-dir", kept, "commit-tree", "-m", "sqrtdk", git("--git-dir", kept, "write-tree"))
    git("--git-dir", kept, "update-ref", "HEAD", commit)
    if not submodule.exists():
        git("init", "-q", folder / "outside")
        git("-C", folder / "outside", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", kept.as_uri(),
            "third_party/sqrtdk")
    git("-C", submodule, "fetch", "-q")
    git("-C", submodule, "checkout", "-q", "--force", commit)
    (folder / "commit.cmake").write_text(f'set(SQRTDK_COMMIT {commit} CACHE STRING "")\n', encoding="utf-8")
    return submodule


class BrokenOnPurpose(unittest.TestCase):

    def test_its_owner_reads_which_claim_failed_and_what_replays_it(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            sqrtdk = make(Path(name))
            header = sqrtdk / "src/sqrtdk/moments.hpp"
            right = header.read_text(encoding="utf-8")
            wrong = right.replace("return variance / (divisor * divisor);", "return variance / divisor;")
            self.assertNotEqual(right, wrong)
            header.write_text(wrong, encoding="utf-8")
            run = subprocess.run(["third_party/sqrtdk/tools/ci", "--chapters", "moments", "--junit", "claims.xml",
                                  "--summary", "summary.md"], cwd=Path(name) / "outside", check=False)
            self.assertEqual(run.returncode, 1)
            cases = list(ET.parse(Path(name) / "outside/claims.xml").iter("testcase"))
            self.assertGreater(len(cases), 1)
            self.assertEqual([case.get("name") for case in cases if case.find("failure") is not None],
                             ["VarianceUnderScaling"])
            summary = (Path(name) / "outside/summary.md").read_text(encoding="utf-8")
            print(summary)
            self.assertIn("### `VarianceUnderScaling` failed", summary)
            replay = re.search(r"replay: (SQRTDK_SEED=\d+ \S+ --gtest_filter=\S+)", summary)
            if replay is None:
                self.fail("no line replays it")
            again = subprocess.run(["bash", "-c", replay.group(1)], cwd=sqrtdk, check=False, capture_output=True)
            self.assertEqual(again.returncode, 1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        make(Path(sys.argv[1]).resolve())
    else:
        unittest.main()
