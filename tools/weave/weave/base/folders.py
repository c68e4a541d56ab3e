# SPDX-License-Identifier: BSL-1.0
"""Folders that somebody names and we fill: one that holds other things is refused, and nothing of others is lost."""

import errno
import shutil
from pathlib import Path

BOOK_MARK = ".sqrtdk-book"
"""Written into each rendered book: only a folder that has it is removed."""


class NotOurs(Exception):
    """A folder holds something that was not made here."""


def require_ours(folder: Path, mark: str, what: str) -> None:
    """Refuse a folder unless it does not exist, is empty, or has the file `mark`, as `what` has it."""
    if not folder.exists() or (folder / mark).is_file():
        return
    begun = f".{mark}."  # how write_whole begins the name of a file that it was killed in
    if not folder.is_dir() or any(not entry.name.startswith(begun) for entry in folder.iterdir()):
        raise NotOurs(f"{folder} holds something other than {what}: it has no {mark}, and only what has it is "
                      "replaced. Name a new or an empty folder, or remove it yourself")


def require_book(folder: Path) -> None:
    """Refuse a folder that is to be replaced by a book, unless it is one, or nothing."""
    require_ours(folder, BOOK_MARK, "a rendered book")


def place(rendered: Path, book: Path) -> None:
    """Let `rendered` become the folder `book`, also on another file system. What was there is aside until it is.

    Killed at any moment, it leaves at `book` the old one, the new one or nothing; the next call takes away what lies
    aside.
    """
    book = book.resolve()  # a link stays, and what it names is replaced
    new, old = (book.parent / f".{book.name}.{age}" for age in ("new", "old"))
    for folder in (book, new, old):
        require_book(folder)
    book.parent.mkdir(parents=True, exist_ok=True)
    (rendered / BOOK_MARK).touch()
    _remove(new)
    try:
        rendered.rename(new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        new.mkdir()
        (new / BOOK_MARK).touch()  # before all others
        shutil.copytree(rendered, new, symlinks=True, dirs_exist_ok=True)
        _remove(rendered)
    _remove(old)
    if book.exists():
        book.rename(old)
    new.rename(book)
    _remove(old)


def _remove(book: Path) -> None:
    """Remove a book, its mark at last, so that half of it is still known as ours."""
    if not book.exists():
        return
    for entry in book.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != BOOK_MARK:
            entry.unlink()
    (book / BOOK_MARK).unlink(missing_ok=True)
    book.rmdir()
