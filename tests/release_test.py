"""tools/release in a small repository of its own."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from collections.abc import Callable
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
        return subprocess.run([sys.executable, self.root / "tools/release", *arguments], umask=umask, check=False,
                              capture_output=True, text=True, encoding="utf-8")

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
        self.refuses("CHANGELOG.md dates 1.2.3 2026-01-02, CITATION.cff has date-released 2026-01-03", "--check")
        self.edit("CHANGELOG.md", "[1.2.3] - 2026-01-02", "[Unreleased]")
        self.refuses("CHANGELOG.md has no section '## [1.2.3] - YYYY-MM-DD'", "--check")
        self.edit("CHANGELOG.md", "## [Unreleased]\n### Added\n- A.\n", "## [1.2.3] - 2026-01-03\n")
        self.refuses("CHANGELOG.md says nothing of 1.2.3", "--check")

    def test_names_the_file_that_shows_another_version(self) -> None:
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
        archive = self.root / "build/sqrtdk-book-1.2.3.tar.xz"
        first = self.release()
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        before = archive.read_bytes()
        for path in [self.root / "build/book", *(self.root / "build/book").rglob("*")]:
            os.utime(path, (1, 1))
            path.chmod(0o700)
        self.release(umask=0o077)
        self.assertEqual(archive.read_bytes(), before)
        self.assertEqual((self.root / "build/sqrtdk-book-1.2.3.tar.xz.sha256").read_text(encoding="utf-8"),
                         f"{hashlib.sha256(before).hexdigest()}  sqrtdk-book-1.2.3.tar.xz\n")
        self.assertEqual(sorted(path.name for path in (self.root / "build").iterdir()),
                         ["book", "release", "sqrtdk-book-1.2.3.tar.xz", "sqrtdk-book-1.2.3.tar.xz.sha256"])

    def test_packs_every_page_and_nothing_of_this_machine(self) -> None:
        self.render()
        self.release()
        with tarfile.open(self.root / "build/sqrtdk-book-1.2.3.tar.xz") as packed:
            members = packed.getmembers()
            page = packed.extractfile("sqrtdk-book-1.2.3/score.html")
            assert page
            self.assertEqual(page.read().decode(), "√d")
        self.assertEqual({member.name.removeprefix("sqrtdk-book-1.2.3/") for member in members if member.isfile()},
                         set(BOOK))
        self.assertEqual({(member.uid, member.gid, member.uname, member.gname, member.mtime) for member in members},
                         {(0, 0, "", "", 946684800)})
        self.assertEqual({member.mode for member in members}, {0o644, 0o755})

    def test_packs_what_the_build_made_and_nothing_else(self) -> None:
        self.render()
        self.assertEqual(self.release().returncode, 0)
        with tarfile.open(self.root / "build/sqrtdk-book-1.2.3.tar.xz") as packed:
            self.assertEqual({Path(member.name).name for member in packed if member.isfile()}, set(BOOK))
        book = self.root / "build/book"
        strange: tuple[tuple[str, Callable[[Path], object], str], ...] = (
                ("print.html", Path.touch, "print.html was not made by the build"),
                ("figures/.secret", Path.touch, "figures/.secret was not made by the build"),
                ("passwd.html", lambda path: path.symlink_to("/etc/passwd"), "passwd.html is no ordinary file"),
                ("others", lambda path: path.symlink_to("/etc"), "others is no ordinary file"),
                ("pipe", os.mkfifo, "pipe is no ordinary file"),
                ("index.html", lambda path: book.joinpath("score.html").rename(path), "score.html is missing"))
        for name, make, message in strange:
            with self.subTest(name):
                shutil.rmtree(book)
                self.render()
                (book / name).parent.mkdir(exist_ok=True)
                make(book / name)
                self.refuses(f"release: build/book/{message}")

    def test_says_that_the_revision_is_cut(self) -> None:
        for text in ("", '{"commit": "ab', "[]", "{}", '{"commit": "ab"}'):
            with self.subTest(text):
                self.render()
                self.write("build/release/revision.json", text)
                self.refuses("build/release/revision.json does not say of which commit the book is: run ./tools/verify")

    def test_packs_no_book_of_another_commit(self) -> None:
        self.refuses("there is no book: run ./tools/verify")
        self.render()
        self.write("build/book/.sqrtdk-book", "index.html\nwhy.html\n")
        self.refuses("only the first pages of a book")
        self.render(modified="1")
        self.refuses("files that are not committed")
        self.render()
        self.edit("CHANGELOG.md", "A.", "A!")
        self.refuses("run ./tools/verify")
        self.assertFalse((self.root / "build/sqrtdk-book-1.2.3.tar.xz").exists())
        self.render()
        os.mkfifo(self.root / "build/sqrtdk-book-1.2.3.tar.xz")
        self.refuses("release: build/sqrtdk-book-1.2.3.tar.xz is no ordinary file")


if __name__ == "__main__":
    unittest.main()
