"""The replacement of another folder by a rendered book, and the folders that are left alone."""

import errno
import os
import shutil
import signal
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import project  # noqa: F401  # pylint: disable=unused-import  # finds the weave

from weave.base.files import write_whole
from weave.base.folders import BOOK_MARK, NotOurs, place, require_book, require_ours

PAGES = ("index.html", "search/a.js", "search/b.js")
STEPS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "open"}
"""Before each of these is a moment at which a process may be killed."""


def write(folder: Path, text: str) -> None:
    for page in PAGES:
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text, encoding="utf-8")


def read(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.suffix in (".html", ".js")]


class Folders(unittest.TestCase):

    def setUp(self) -> None:
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()  # pylint: disable=consider-using-with
        self.rendered, self.book = self.top / "build/rendering", self.top / "site/book"

    def render(self, text: str) -> None:
        write(self.rendered, text)
        place(self.rendered, self.book)

    def test_replaces_a_book_an_empty_folder_what_a_link_names_and_nothing(self) -> None:
        self.render("first")
        self.render("second")
        self.assertEqual(read(self.book), ["second"] * 3)
        self.assertEqual(os.listdir(self.book.parent), ["book"])
        self.assertFalse(self.rendered.exists())
        link, book, self.book = self.top / "link", self.book, self.top / "link"
        link.symlink_to(book)
        self.render("third")
        self.assertTrue(link.is_symlink())
        self.assertEqual(read(book), ["third"] * 3)
        self.book = self.top / "empty"
        self.book.mkdir()
        self.render("fourth")
        self.assertEqual(read(self.book), ["fourth"] * 3)

    def test_leaves_alone_what_it_did_not_make(self) -> None:
        for aside in ("book", ".book.new", ".book.old"):
            with self.subTest(aside=aside):
                theirs = self.top / "site" / aside / "thesis.tex"
                theirs.parent.mkdir(parents=True)
                theirs.write_text("x", encoding="utf-8")
                with self.assertRaisesRegex(NotOurs, f"{aside} holds something other than a rendered book"):
                    self.render("new")
                self.assertTrue(theirs.exists() and (self.rendered / "index.html").exists())
                shutil.rmtree(theirs.parent)
        self.render("first")
        for name in ("CNAME", "search/notes.txt", "assets", ".git/HEAD"):
            with self.subTest(name=name):
                theirs = self.book / name
                theirs.parent.mkdir(exist_ok=True)
                theirs.symlink_to(self.top)
                with self.assertRaisesRegex(NotOurs, f"also holds {name}, which was not rendered"):
                    self.render("new")
                self.assertEqual(read(self.book), ["first"] * 3)
                theirs.unlink()
        shutil.rmtree(self.book)
        with mock.patch.object(Path, "is_mount", return_value=True), self.assertRaisesRegex(NotOurs, "a mount point"):
            require_book(self.book)
        self.book.write_text("a file", encoding="utf-8")
        self.assertRaises(NotOurs, require_book, self.book)
        self.assertRaises(NotOurs, require_book, Path("/"))

    def test_a_pipe_is_not_replaced_by_a_file(self) -> None:
        os.mkfifo(self.top / "pipe")
        (self.top / "link").symlink_to("pipe")
        self.assertRaisesRegex(OSError, "no ordinary file", write_whole, self.top / "link", "")

    def test_knows_a_folder_in_which_the_first_file_was_begun(self) -> None:
        folder = self.top / "woven"
        folder.mkdir()
        (folder / ".claims.json.x7").touch()
        require_ours(folder, "claims.json", "woven pages")
        (folder / "notes").touch()
        self.assertRaises(NotOurs, require_ours, folder, "claims.json", "woven pages")

    def test_heals_after_a_kill_at_any_step(self) -> None:
        kills = 0
        for elsewhere in (False, True):
            for step in range(1, 200):
                with self.subTest(elsewhere=elsewhere, step=step):
                    self.render("old")
                    write(self.rendered, "new")
                    if not self.killed(step, elsewhere):
                        self.assertEqual(read(self.book), ["new"] * 3)
                        break
                    kills += 1
                    self.assertIn(read(self.book), [[], ["old"] * 3, ["new"] * 3])
                    self.render("newer")
                    self.assertEqual(read(self.book), ["newer"] * 3)
                    self.assertTrue((self.book / BOOK_MARK).exists())
                    self.assertEqual(os.listdir(self.book.parent), ["book"])
        self.assertGreaterEqual(kills, 25)

    def killed(self, step: int, elsewhere: bool) -> bool:
        """True if a process that places the book, as if on another file system, was killed at that step."""
        child = os.fork()
        if child == 0:
            left = [step]

            def count(event: str, _: object) -> None:
                if event in STEPS:
                    left[0] -= 1
                    if left[0] == 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(count)
            rename = Path.rename

            def rename_here(path: Path, target: Path) -> Path:
                if elsewhere and path == self.rendered:
                    raise OSError(errno.EXDEV, "Invalid cross-device link")
                return rename(path, target)

            try:
                with mock.patch.object(Path, "rename", rename_here):
                    place(self.rendered, self.book)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)
        return os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
