"""Folders that somebody names and we fill: one that holds other things is refused, and nothing of others is lost."""

import errno
import shutil
from pathlib import Path

BOOK_MARK = ".sqrtdk-book"
"""Written into each rendered book, with the names of its files: nothing else is removed."""


class NotOurs(Exception):
    """A folder holds something that was not made here."""


def require_ours(folder: Path, mark: str, what: str) -> None:
    """Refuse a folder unless it does not exist, is empty, or has the file `mark`, as `what` has it."""
    if not folder.exists() or (folder / mark).is_file():
        return
    begun = f".{mark}."  # how write_whole begins the name of a file that it was killed in
    if not folder.is_dir() or any(not entry.name.startswith(begun) for entry in folder.iterdir()):
        raise NotOurs(f"{folder} holds something other than {what}: it has no {mark}, and only what has it is "
                      "replaced. Name a new or an empty folder; you may remove a book of an older version, which "
                      "has none")


def require_book(folder: Path) -> None:
    """Refuse a folder that is to be replaced by a book, unless it is one, as it was rendered, or nothing."""
    if folder.is_mount():
        raise NotOurs(f"{folder} is a mount point, which no book can replace. Name a folder within it")
    require_ours(folder, BOOK_MARK, "a rendered book")
    mark = folder / BOOK_MARK
    listed = set(mark.read_text(encoding="utf-8").splitlines()) if mark.exists() else set()
    for name in _files_of(folder):
        if name not in listed:
            raise NotOurs(f"{folder} is a rendered book that also holds {name}, which was not rendered, and would be "
                          "lost when the book is replaced. Move it, or remove it yourself")


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
    (rendered / BOOK_MARK).write_text("".join(f"{name}\n" for name in _files_of(rendered)), encoding="utf-8")
    _remove(new)
    try:
        rendered.rename(new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        new.mkdir()
        shutil.copy(rendered / BOOK_MARK, new / BOOK_MARK)  # before all others
        shutil.copytree(rendered, new, symlinks=True, dirs_exist_ok=True)
        _remove(rendered)
    _remove(old)
    if book.exists():
        book.rename(old)
    new.rename(book)
    _remove(old)


def _files_of(book: Path) -> list[str]:
    """The names of all files within it, but for its mark, and of whatever else is no folder."""
    return sorted(path.relative_to(book).as_posix() for path in book.rglob("*")
                  if (path.is_symlink() or not path.is_dir()) and path != book / BOOK_MARK)


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
