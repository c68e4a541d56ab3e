"""Faults of a finished book that Doxygen does not report."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree

from weave.base.diagnostics import Diagnostic
from weave.rendered.files import pages
from weave.rendered.headings import LEVELS
from weave.rendered.tree import Element, parsed, plain

LEFTOVERS = re.compile(r"\\f[$\[({]|[\\@](?:weave|run|verdict|output|figure|showfigure|figureref|minutes|slide|quote)\{"
                       r"|(?<![\w(])\*{1,2}(?=[(A-Z])|`|[\\@](?:ref|cite|snippet|subpage|_form)\b"
                       r"|\[(?:[A-Z][a-z0-9]+){2,}(?:: [^\]]*)?\]")
"""Commands that Doxygen did not know or did not see, and tags of quoted lines."""
TEXTS = (
    (LEFTOVERS, "markup is left over", "Correct the command, or keep a tag out of documentation comments"),
    (re.compile(r"</?(?:a|b|br|code|em|i|p|span|strong|su[bp])\b[^>]*>|&(?:amp|[lg]t|nbsp|quot);"),
     "HTML is shown as text", "Close it, or write what it marks in another way"),
    (re.compile(r"^Reference: [^A-Z]\S*$"), "a group has no title", "Give its folder one in tools/group_reference"),
    (re.compile(r"\\[()\[\]]|\\(?:begin|end)\{"), "a formula was not set", "Close it, or write code as code"),
    (re.compile(r"\|\s*\||\|\s*:?-{3,}"), "a table is broken", "Write bars in formulas as \\lvert or \\mid"))
"""Patterns that no text has, what each shows, and what helps."""
CODE = {"code", "pre", "script", "style", "tt"}
LINKS = ("data", "href", "src", "xlink:href")
OF_DOXYGEN = "MSearch"
"""Doxygen's own search box: its images are decoration and its frame is empty."""
LANDMARKS = {"<main>": "//main", "the sidebar": "//nav[@id='side-nav']", "<footer>": "//footer"}
UNFINISHED = ("preceding::text()[normalize-space()][1][not(ancestor::*[self::nav or self::summary or self::td or "
              "self::th or self::b or self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6])]")
"""The text before a list, where it must be a whole sentence."""


@dataclass
class Document:
    """The facts that linting needs of a file: its anchors, its links, and faults within itself."""

    file: str
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    def wrong(self, line: int, message: str, hint: str) -> None:
        """Note a fault."""
        self.problems.append(Diagnostic(self.file, line, message, hint))


def lint(directory: Path) -> list[Diagnostic]:
    """All faults of the book in `directory`, sorted by place."""
    documents = {path: read(path.relative_to(directory.resolve()).as_posix(), path.read_text(encoding="utf-8"))
                 for path in pages(directory, "html", "svg")}
    problems = [problem for document in documents.values() for problem in document.problems]
    for path, document in documents.items():
        problems += _dead_links(path, document, documents)
    return sorted(set(problems))


def read(file: str, text: str) -> Document:
    """One HTML or SVG file as a Document."""
    document, root = Document(file), parsed(text)
    for element in root.iter(etree.Element):
        _look(document, element)
    for line, prose in _texts(root):
        for pattern, message, hint in TEXTS:
            for match in pattern.finditer(prose):
                document.wrong(line + prose.count("\n", 0, match.start()), f"{message}: '{match.group(0)}'", hint)
    if root.xpath("//main"):  # a page without a frame has no outline
        _judge_outline(document, root)
    return document


def _look(document: Document, element: Element) -> None:
    """Note the anchors and links of an element, and what it lacks."""
    tag, line = element.tag, element.sourceline
    if name := element.get("id"):
        if name in document.anchors:
            document.wrong(line, f"the id '{name}' is used twice", "Rename one of the two")
        document.anchors.add(name)
    if tag == "a" and element.get("name"):
        document.anchors.add(element.get("name"))
    document.links += [(line, element.get(key)) for key in LINKS if key in element.keys()]
    if tag == "img" and not element.get("alt") and not _is_decoration(element):
        document.wrong(line, f"the image {element.get('src', '')} has no alternative text",
                       "Give it a caption or an alt attribute")
    if tag == "code" and plain(element).startswith("#include </"):
        document.wrong(line, f"a path of this machine is shown: {plain(element)}", "Strip it, as the Doxyfile does")
    if tag in LEVELS and not plain(element):
        document.wrong(line, f"the heading <{tag}> is empty", "Give it words or remove it")
    if tag in ("object", "iframe") and not (plain(element) or element.get("aria-label") or element.get("title")
                                            or _is_decoration(element)):
        document.wrong(line, f"the <{tag}> has no alternative text", "Put text into it or give it a title")
    if tag == "ol" and any(text.rstrip()[-1].isalnum() for text in element.xpath(UNFINISHED)):
        document.wrong(line, "a list begins within a sentence",
                       "Keep a number with a point off the beginning of a line")


def _texts(root: Element) -> Iterator[tuple[int, str]]:
    """All text that is no code, and on which line it begins."""
    line = 1
    steps = etree.iterwalk(root, events=("start", "end", "comment"))
    for event, element in steps:
        if event != "end":
            line = element.sourceline
        if event == "start" and (element.tag in CODE or "fragment" in element.classes):
            steps.skip_subtree()
            line += element.text_content().count("\n")
            continue
        text = (element.text if event == "start" else element.tail) or ""
        if text.strip():
            yield line, text
        line += text.count("\n")


def _judge_outline(document: Document, root: Element) -> None:
    """Note what a page lacks of an outline: one title, headings that nest below it, landmarks, heads with words."""
    headings = list(root.iter(*LEVELS))
    titles = [heading.tag for heading in headings].count("h1")
    if titles != 1:
        document.wrong(1, f"the page has {titles} titles", "Give it one <h1>: the title of the page")
    for above, heading in zip([0, *(int(heading.tag[1]) for heading in headings)], headings):
        if int(heading.tag[1]) > above + 1:
            document.wrong(heading.sourceline, f"the heading '{plain(heading)}' of level {heading.tag[1]} stands below "
                           f"one of level {above}", "Let weave finish set the level, or close the gap")
    for name, path in LANDMARKS.items():
        if (count := len(root.xpath(path))) != 1:
            document.wrong(1, f"the page has {count} of {name}", "It needs one")
    for head in root.iter("th"):
        if not plain(head) and head.find("*") is None:
            document.wrong(head.sourceline, "the head of a column is empty", "Name the column")


def _dead_links(path: Path, document: Document, documents: dict[Path, Document]
                ) -> Iterator[Diagnostic]:
    """Links of one document to files or anchors that do not exist."""
    for line, link in document.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link in ("", "#"):
            continue
        target = Path(normpath(path.parent / unquote(parts.path))) if parts.path else path
        anchor = unquote(parts.fragment)
        if target not in documents and not target.exists():
            yield Diagnostic(document.file, line, f"the link '{link}' leads to no file",
                             "Correct it, or add the file to the book")
        elif anchor and target in documents and anchor not in documents[target].anchors:
            yield Diagnostic(document.file, line, f"the link '{link}' leads to no anchor",
                             f"Correct it, or give the place in {target.name} that name")


def _is_decoration(element: Element) -> bool:
    return bool(element.get("id", "").startswith(OF_DOXYGEN) or element.get("role") == "presentation"
                or element.get("aria-hidden") == "true")
