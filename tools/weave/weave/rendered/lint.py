# SPDX-License-Identifier: BSL-1.0
"""Faults of a finished book that Doxygen does not report."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from weave.base.diagnostics import Diagnostic
from weave.rendered.files import VOID, pages
from weave.rendered.outline import outline_problems

LEFTOVERS = re.compile(r"\\f[$\[({]|[\\@](?:weave|run|verdict|output|figure|showfigure|figureref|minutes)\{"
                       r"|[\\@](?:ref|cite|snippet|subpage)\b|\[(?:[A-Z][a-z0-9]+){2,}(?:: [^\]]*)?\]")
"""Commands that Doxygen did not know or did not see, and tags of quoted lines."""
BROKEN_TABLE = re.compile(r"\|\s*\||\|\s*:?-{3,}")
TEX = re.compile(r"\\[()\[\]]|\\(?:begin|end)\{")
"""What surrounds a formula that tools/typeset has not set."""
CODE = {"code", "pre", "script", "style", "tt"}
LINKS = {"href", "src", "data", "xlink:href"}
OF_DOXYGEN = "MSearch"
"""Doxygen's own search box: its images are decoration and its frame is empty."""


@dataclass
class Element:
    """An element that is still open, and the text that it has had so far."""

    tag: str
    line: int
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Document:
    """What linting needs to know of a file: its anchors, its links, and faults within itself."""

    file: str
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)


class Reader(HTMLParser):
    """Reads one HTML or SVG file into a Document."""

    def __init__(self, file: str) -> None:
        super().__init__(convert_charrefs=True)
        self.document = Document(file)
        self.ids: set[str] = set()
        self.open: list[Element] = []
        self.texts: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        attributes = {key: value or "" for key, value in attrs}
        self._collect(tag, attributes, line)
        if tag == "img" and not attributes.get("alt") and not _is_decoration(attributes):
            self._wrong(line, f"the image {attributes.get('src', '')} has no alternative text",
                        "Give it a caption or an alt attribute")
        if tag not in VOID:
            self.open.append(Element(tag, line, attributes))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if all(element.tag != tag for element in self.open):
            return
        while self.open:
            element = self.open.pop()
            self._close(element)
            if element.tag == tag:
                break

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data
        if not any(_is_code(element) for element in self.open):
            self.texts.append((self.getpos()[0], data))

    def finish(self) -> Document:
        """The document, once the whole text has been fed."""
        self.close()
        for line, text in self.texts:
            self._check_text(line, text)
        return self.document

    def _collect(self, tag: str, attributes: dict[str, str], line: int) -> None:
        """Note the anchors and links of an element."""
        name = attributes.get("id")
        if name:
            if name in self.ids:
                self._wrong(line, f"the id '{name}' is used twice", "Rename one of the two")
            self.ids.add(name)
            self.document.anchors.add(name)
        if tag == "a" and attributes.get("name"):
            self.document.anchors.add(attributes["name"])
        self.document.links += [(line, attributes[key]) for key in sorted(LINKS & set(attributes))]

    def _close(self, element: Element) -> None:
        """Check an element whose text is now complete."""
        if re.fullmatch(r"h[1-6]", element.tag) and not element.text.strip():
            self._wrong(element.line, f"the heading <{element.tag}> is empty",
                        "Give it words or remove it")
        named = any(element.attributes.get(key) for key in ("aria-label", "title"))
        if (element.tag in ("object", "iframe") and not element.text.strip() and not named
                and not _is_decoration(element.attributes)):
            self._wrong(element.line, f"the <{element.tag}> has no alternative text",
                        "Put text into it or give it a title")

    def _check_text(self, line: int, text: str) -> None:
        for pattern, message, hint in (
                (LEFTOVERS, "markup is left over",
                 "Correct the command, or keep a tag out of documentation comments"),
                (TEX, "a formula was not set", "Close it, or write code as code"),
                (BROKEN_TABLE, "a table is broken", "Write bars in formulas as \\lvert or \\mid")):
            for match in pattern.finditer(text):
                self._wrong(line + text.count("\n", 0, match.start()),
                            f"{message}: '{match.group(0)}'", hint)

    def _wrong(self, line: int, message: str, hint: str) -> None:
        self.document.problems.append(Diagnostic(self.document.file, line, message, hint))


def lint(directory: Path) -> list[Diagnostic]:
    """All faults of the book in `directory`, sorted by place."""
    documents = {path: _read(directory, path) for path in pages(directory, "html", "svg")}
    problems = [problem for document in documents.values() for problem in document.problems]
    for path, document in documents.items():
        problems += _dead_links(path, document, documents)
        problems += outline_problems(document.file, path.read_text(encoding="utf-8"))
    return sorted(set(problems))


def _read(directory: Path, path: Path) -> Document:
    reader = Reader(path.relative_to(directory.resolve()).as_posix())
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.finish()


def _dead_links(path: Path, document: Document, documents: dict[Path, Document]
                ) -> Iterator[Diagnostic]:
    """Links of one document to files or anchors that do not exist."""
    for line, link in document.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link in ("", "#"):
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        anchor = unquote(parts.fragment)
        if not target.exists():
            yield Diagnostic(document.file, line, f"the link '{link}' leads to no file",
                             "Correct it, or add the file to the book")
        elif anchor and target in documents and anchor not in documents[target].anchors:
            yield Diagnostic(document.file, line, f"the link '{link}' leads to no anchor",
                             f"Correct it, or give the place in {target.name} that name")


def _is_code(element: Element) -> bool:
    return element.tag in CODE or "fragment" in element.attributes.get("class", "").split()


def _is_decoration(attributes: dict[str, str]) -> bool:
    return (attributes.get("id", "").startswith(OF_DOXYGEN)
            or attributes.get("role") == "presentation"
            or attributes.get("aria-hidden") == "true")
