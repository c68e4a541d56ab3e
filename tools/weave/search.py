# SPDX-License-Identifier: BSL-1.0
"""A full-text index of the book that a page can load from file://."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from lint import VOID, pages

INDEX = "search-index.js"
SKIPPED_PAGES = re.compile(r"(dir_|functions|globals|namespacemembers).*|.*_source|annotated|"
                           r"classes|files|graph_legend|hierarchy|namespaces|pages|concepts")
"""Pages that only list what stands on others."""
SILENT = {"script", "style", "iframe", "object", "svg"}
SILENT_CLASSES = {"fragment", "prevnext", "permalink", "toc", "cite"}
SEPARATE = {"p", "li", "td", "th", "dt", "dd", "div", "br", "tr"}
"""Elements that end a word."""


class Sections(HTMLParser):
    """Splits the contents of one page at its headings."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.url = url
        self.entries: list[dict[str, str]] = []
        self.trail: dict[int, str] = {}
        self.title = ""
        self.anchor = ""
        self.heading: int | None = None
        self.heading_text = ""
        self.stack: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in SEPARATE:
            self.handle_data(" ")
        if tag not in VOID:
            self.stack.append((tag, attributes.get("class") or ""))
        if not self.entries and self._inside("contents"):
            self._add(self.title, "", self.url)
        if re.fullmatch(r"h[1-6]", tag) and self._inside("contents"):
            self.heading, self.heading_text, self.anchor = int(tag[1]), "", ""
        if self.heading is not None and not self.anchor:
            href = attributes.get("href") or ""
            self.anchor = attributes.get("id") or (href[1:] if href.startswith("#") else "")

    def handle_endtag(self, tag: str) -> None:
        if all(name != tag for name, _ in self.stack):
            return
        while self.stack.pop()[0] != tag:
            pass
        if self.heading is not None and tag == f"h{self.heading}":
            self._begin_section(self.heading, " ".join(self.heading_text.split()))
            self.heading = None

    def handle_data(self, data: str) -> None:
        silent = any(tag in SILENT or SILENT_CLASSES & set(style.split())
                     for tag, style in self.stack)
        if silent:
            return
        if self.heading is not None:
            self.heading_text += data
        elif self._inside("contents"):
            self.entries[-1]["text"] += data
        elif self._inside("title"):
            self.title += data

    def finish(self) -> list[dict[str, str]]:
        """An entry for the page, and one for each of its sections that has text."""
        self.close()
        for entry in self.entries:
            entry["text"] = " ".join(entry["text"].split())
        return [entry for entry in self.entries if entry["text"] or not entry["section"]]

    def _begin_section(self, level: int, title: str) -> None:
        above = {depth: name for depth, name in self.trail.items() if depth < level}
        self.trail = {**above, level: title}
        url = f"{self.url}#{self.anchor}" if self.anchor else self.url
        self._add(title, " › ".join([self.title, *above.values()]), url)

    def _add(self, title: str, section: str, url: str) -> None:
        self.entries.append({"title": " ".join(title.split()), "url": url, "section":
                             " ".join(section.split()), "text": ""})

    def _inside(self, style: str) -> bool:
        return any(style in classes.split() for _, classes in self.stack)


def write_index(directory: Path) -> int:
    """Write the index of the book in `directory`; returns the number of its entries."""
    entries = []
    for path in pages(directory, "html"):
        if SKIPPED_PAGES.fullmatch(path.stem):
            continue
        reader = Sections(path.relative_to(directory.resolve()).as_posix())
        reader.feed(path.read_text(encoding="utf-8"))
        entries += reader.finish()
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    (directory / INDEX).write_text(f"const SEARCH_INDEX={text};\n", encoding="utf-8")
    return len(entries)
