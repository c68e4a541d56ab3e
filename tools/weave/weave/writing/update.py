# SPDX-License-Identifier: BSL-1.0
"""Pages brought up to date: the values of a run, and the definitions of their links."""

import posixpath
import re

from weave.reading.book import Book
from weave.reading.forge import VALUE, Source, full_path, read_source
from weave.writing.macros import find_test
from weave.writing.markup import as_people_write


def updated(book: Book) -> dict[str, str]:
    """The text of each page of which values or links are not those of the book, by its file."""
    sources = [read_source(book.root, page.file) for page in book.chapters + book.pages]
    places = {anchor: source.file for source in sources for anchor in source.anchors}
    texts = {source.file: _text(book, source, places) for source in sources}
    return {file: text for file, text in texts.items() if text != (book.root / file).read_text(encoding="utf-8")}


def _text(book: Book, source: Source, places: dict[str, str]) -> str:
    claim = ""
    lines = []
    for _, kind, line in source.parts:
        if kind == "prose" and re.match("##? ", line):
            anchor = re.search(r'<a id="([A-Z]\w*)"></a>', line)
            claim = anchor[1] if anchor else ""
        lines.append(_with_values(book, line, claim) if kind == "prose" else line)
    links = [f"[{name}]: {_target(source.file, places[name], name)}" for name in sorted(source.names & set(places))]
    return "\n".join([*lines, *["", *links][:1 + len(links) if links else 0], ""])


def _target(file: str, place: str, name: str) -> str:
    return f"#{name}" if place == file else f"{posixpath.relpath(place, posixpath.dirname(file))}#{name}"


def _with_values(book: Book, line: str, claim: str) -> str:
    def written(found: re.Match[str]) -> str:
        path = full_path(found["path"], claim)
        test, key = find_test(book, path) if found["scheme"] == "run" and path.count(".") == 2 else (None, "")
        value = test.value(key) if test else None
        return found[0] if value is None else f"[{as_people_write(value)}](run:{found['path']})"
    return VALUE.sub(written, line)
