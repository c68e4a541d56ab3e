"""tools/release in a small repository of its own."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from foreign_repository import git

RELEASE = Path(__file__).resolve().parent.parent / "tools/release"

FILES = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(sqrtdk\n  VERSION 1.2.3\n  LANGUAGES CXX)\n",
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2026-01-02\n",
    "CHANGELOG.md": "# Changelog\n\n## [1.2.3] - 2026-01-02\n### Added\n- A.\n\n## [1.2.2] - 2026-01-01\n- B.\n",
    "README.md": "find_package(sqrtdk 1.2 REQUIRED)\n",
    ".gitignore": "/build/\n",
}
BOOK = {"index.html": "<html>", "score.html": "√d", "search-index.js": "x" * 5000}


class Release(unittest.TestCase):

    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        self.archive = self.root / "build/sqrtdk-book-1.2.3.tar.gz"
        for name, text in FILES.items():
            self.write(name, text)
        (self.root / "tools").mkdir()
        shutil.copy(RELEASE, self.root / "tools/release")
        self.git("init", "-q")
        self.commit()

    def git(self, *arguments: str) -> str:
        return git("-C", self.root, *arguments)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        self.write(name, (self.root / name).read_text(encoding="utf-8").replace(old, new))
        self.commit()

    def render(self, modified: str = "0") -> None:
        for name, text in BOOK.items():
            self.write(f"build/book/{name}", text)
        self.write("build/book/.sqrtdk-book", "".join(f"{name}\n" for name in BOOK))
        self.write("build/release/revision.json",
                   json.dumps({"commit": self.git("rev-parse", "HEAD"), "modified": modified}))

    def release(self, *arguments: str, umask: int = 0o022) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.root / "tools/release", *arguments], umask=umask, check=False,
                              capture_output=True, text=True, encoding="utf-8")

    def packs(self, umask: int = 0o022) -> bytes:
        done = self.release(umask=umask)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.archive.read_bytes()

    def refuses(self, message: str, *arguments: str) -> None:
        done = self.release(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(message, done.stderr)

    def test_accepts_files_that_agree(self) -> None:
        for arguments in (["--check"], ["--check", "v1.2.3"]):
            done = self.release(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, "release: 1.2.3 may be tagged v1.2.3\n", ""))

    def test_names_the_file_that_disagrees(self) -> None:
        self.edit("CITATION.cff", "version: 1.2.3", "version: 1.2.4")
        self.refuses("CMakeLists.txt has version 1.2.3, CITATION.cff has 1.2.4", "--check")
        self.edit("CITATION.cff", "version: 1.2.4", "version: 1.2.3")
        self.edit("CITATION.cff", "-02", "-03")
        self.refuses("CHANGELOG.md has no heading '## [1.2.3] - 2026-01-03'", "--check")
        self.edit("CHANGELOG.md", "## [1.2.3] - 2026-01-02\n### Added\n- A.\n", "## [1.2.3] - 2026-01-03\n")
        self.refuses("CHANGELOG.md has nothing on 1.2.3", "--check")

        self.edit("README.md", "sqrtdk 1.2", "sqrtdk 1.1")
        self.refuses("README.md shows find_package(sqrtdk 1.1), but the version is 1.2.3", "--check")

    def test_names_the_tag_that_disagrees(self) -> None:
        self.refuses("the tag is v1.2.4, but CMakeLists.txt has version 1.2.3: its tag is v1.2.3", "--check", "v1.2.4")
        self.refuses("the tag is 1.2.3, but", "--check", "1.2.3")

    def test_refuses_what_is_not_committed(self) -> None:
        self.write("new.md", "")
        self.refuses("?? new.md", "--check")

    def test_prints_the_notes_of_the_version(self) -> None:
        self.assertEqual(self.release("--notes").stdout, "### Added\n- A.\n")

    def test_packs_the_same_bytes_again(self) -> None:
        self.render()
        before = self.packs()
        for path in [self.root / "build/book", *(self.root / "build/book").rglob("*")]:
            os.utime(path, (1, 1))
            path.chmod(0o700)
        self.assertEqual(self.packs(umask=0o077), before)
        self.assertEqual(Path(f"{self.archive}.sha256").read_text(encoding="utf-8"),
                         f"{hashlib.sha256(before).hexdigest()}  {self.archive.name}\n")
        self.assertEqual(sorted(path.name for path in (self.root / "build").iterdir()),
                         ["book", "release", self.archive.name, f"{self.archive.name}.sha256"])

    def test_packs_every_page_and_nothing_of_this_machine(self) -> None:
        self.render()
        self.write("build/book/figures/.secret", "")
        self.packs()
        with tarfile.open(self.archive) as packed:
            members = packed.getmembers()
            page = packed.extractfile("sqrtdk-book-1.2.3/score.html")
            assert page
            self.assertEqual(page.read().decode(), "√d")
        self.assertEqual({member.name for member in members}, {f"sqrtdk-book-1.2.3/{name}" for name in BOOK})
        self.assertEqual({(member.uid, member.gid, member.uname, member.gname, member.mtime) for member in members},
                         {(0, 0, "", "", 946684800)})
        self.assertEqual({member.mode for member in members}, {0o644})

    def test_packs_nothing_where_a_page_is_missing(self) -> None:
        self.render()
        self.packs()
        (self.root / "build/book/index.html").unlink()
        before = sorted((self.root / "build").iterdir())
        done = self.release()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("index.html", done.stderr)
        self.assertEqual(sorted((self.root / "build").iterdir()), before)

    def test_packs_no_book_of_another_commit(self) -> None:
        self.refuses("there is no whole book in build/book: run ./tools/verify")
        self.render()
        self.write("build/book/.sqrtdk-book", "index.html\nwhy.html\n")
        self.refuses("there is no whole book")
        self.render(modified="1")
        self.refuses("files that are not committed")
        self.render()
        self.edit("CHANGELOG.md", "A.", "A!")
        self.refuses("the book is not that of this commit: run ./tools/verify")
        self.assertFalse(self.archive.exists())


if __name__ == "__main__":
    unittest.main()
