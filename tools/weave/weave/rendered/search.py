# SPDX-License-Identifier: BSL-1.0
"""A full-text index of the book that a page can load from file://.

Made from the finished pages before their formulas are typeset. An entry is a claim with all its parts, a page with the
text before its first heading, a section of prose, or a thing of the library; what only repeats others (tables of all
claims, lists of members, quoted code) is left out. docs/theme/search.js ranks the entries.
"""

import html
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from weave.base.tex import readable
from weave.rendered.files import VOID, pages

INDEX = "search-index.js"
SYNONYMS_PAGE = "notation.html"
"""Has the two tables that the search shares with readers: other names for the same, and names for what is near."""

CLAIM, PAGE, SECTION, RECORD, LIBRARY = "claim", "page", "section", "record", "library"

SKIPPED_PAGES = re.compile(r"(dir_|functions|globals|namespacemembers).*|.*_source|.*-members|annotated|"
                           r"classes|files|graph_legend|hierarchy|namespaces|pages|concepts")
"""Pages that only list what stands on others."""
LIBRARY_PAGES = re.compile(r"(namespace|class|struct|union|concept)\w+|\w+_8\w+")
RECORD_PAGES = re.compile(r"alpha|citelist|claims|corrections|decision-\d+|decisions|errata|graph|hypotheses|licences|"
                          r"line-by-line|md_\w+|mutants")
"""Pages that keep a record and are not read for an explanation."""
REPEATING_PAGES = {"alpha", "claims", "graph", "hypotheses", "mutants"}
"""Pages whose tables and lists repeat what chapters say: their prose is theirs."""
SILENT = {"script", "style", "iframe", "object", "noscript", "nav", "svg"}
SILENT_CLASSES = {"badge", "chapter-claims", "chapter-graph", "cite", "claim-meta", "claim-tools", "claims-table",
                  "definition", "graph-list", "judged", "kill-matrix", "machinery", "memberdecls", "memproto",
                  "permalink",
                  "prevnext", "reading", "toc", "ttc", "verdict"}
LISTS = {"table", "ul", "ol", "details"}
CODE = {"fragment"}
SEPARATE = {"p", "li", "td", "th", "dt", "dd", "div", "br", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}
"""Elements that end a word."""
RELATIONS = "Uses and used by"
REPLAYED = "replay:"
"""Code with this word is a failure's message, which people look for."""
LIBRARY_TEXT = 300
"""Of a thing of the library only so many characters are found: its first sentences."""

FORMULA = re.compile(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)
OVERLOAD = re.compile(r"\s*\[\d+/\d+\]$")
REFERENCE = re.compile(r"((?:\w+::)*([\w.]+)).* Reference")
"""The title of a page of the library: its full name, and its own."""
TEST_SOURCE = re.compile(r"([A-Z]\w*)_8cpp_source\.html")
"""The source of a claim's tests, by the name of the claim."""
CELLS = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)


@dataclass
class Entry:
    """Something that a search can find."""

    kind: str
    title: str
    url: str
    section: str
    level: int
    verdict: str = ""
    names: list[str] = field(default_factory=list)
    """What leads here at once: a claim's name and its tests as sentences, a function's name."""
    parts: list[list[str]] = field(default_factory=list)
    """Heading, address and text; the first part has no heading."""
    links: int = 0
    """How many other entries lead here."""

    def data(self) -> dict[str, Any]:
        """What the index has of it."""
        data = {"kind": self.kind, "title": self.title, "url": self.url, "section": self.section, "links": self.links,
                "verdict": self.verdict, "names": self.names,
                "parts": [part for part in self.parts if part[2] or not part[0]]}
        return {key: value for key, value in data.items() if value}


class Reader(HTMLParser):
    """Splits the contents of one page into entries."""

    def __init__(self, file: str) -> None:
        super().__init__(convert_charrefs=True)
        self.file = file
        self.stem = Path(file).stem
        self.library = bool(LIBRARY_PAGES.fullmatch(self.stem))
        self.record = bool(RECORD_PAGES.fullmatch(self.stem))
        self.entries: list[Entry] = []
        self.links: set[tuple[int, str]] = set()
        """Which entry leads where."""
        self.title = ""
        self.trail: dict[int, str] = {}
        self.heading: int | None = None
        self.heading_text = ""
        self.anchor = ""
        self.stack: list[tuple[str, frozenset[str]]] = []
        self.code = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        styles = frozenset(attributes.get("class", "").split())
        if tag in SEPARATE:
            self.handle_data(" ")
        if tag not in VOID:
            self.stack.append((tag, styles))
        if not self._inside("contents"):
            return
        if not self.entries:
            self._begin_page()
        if "claim-meta" in styles:
            self._begin_claim()
        if re.fullmatch(r"h[1-6]", tag) and not self._silent():
            self.heading, self.heading_text, self.anchor = int(tag[1]), "", attributes.get("id", "")
        href = attributes.get("href", "")
        if self.heading is not None and not self.anchor:
            self.anchor = attributes.get("id") or (href[1:] if href.startswith("#") else "")
        self._follow(href)

    def handle_endtag(self, tag: str) -> None:
        if all(name != tag for name, _ in self.stack):
            return
        while True:
            name, styles = self.stack.pop()
            if (styles & CODE or name == "pre") and not self._in_code():
                self._end_code()
            if name == tag:
                break
        if self.heading is not None and tag == f"h{self.heading}":
            level, self.heading = self.heading, None
            self._begin_section(level, _line(self.heading_text))

    def handle_data(self, data: str) -> None:
        if self._inside("claim-meta") and self.entries:
            self._read_meta(data)
        elif self._inside("evidence") and self._in_element("td") and self._in_element("a"):
            self._name_test(data)
        elif self._inside("status-failed") and self._in_code():
            self.code += data
        elif self._silent():
            return
        elif self.heading is not None:
            self.heading_text += data
        elif self._in_code():
            self.code += data
        elif self._inside("contents"):
            self._write(data)
        elif self._inside("title"):
            self.title += data

    def finish(self) -> list[Entry]:
        """The page and what can be found in it."""
        self.close()
        for entry in self.entries:
            for part in entry.parts:
                part[2] = _text(part[2])[:LIBRARY_TEXT if self.library else None]
            if entry.kind == CLAIM:
                entry.parts[0][2] = entry.parts[0][2].removeprefix("In short. ")
        return [entry for entry in self.entries if entry.title and (
            entry.kind in (CLAIM, LIBRARY) or not entry.level or any(part[2] for part in entry.parts))]

    def _begin_page(self) -> None:
        title, names = _line(self.title), []
        reference = REFERENCE.fullmatch(title) if self.library else None
        if reference:
            title, names = reference[1], [reference[2]]
        kind = LIBRARY if self.library else RECORD if self.record else PAGE
        self.entries.append(Entry(kind, title, self.file, "", 0, names=names, parts=[["", self.file, ""]]))

    def _begin_section(self, level: int, title: str) -> None:
        url = f"{self.file}#{self.anchor}" if self.anchor else self.file
        last = self.entries[-1]
        if last.kind == CLAIM and level > last.level:
            last.parts.append([title, url, ""])
            return
        if self.library:
            self._begin_member(title, url)
            return
        above = {depth: name for depth, name in self.trail.items() if depth < level}
        self.trail = {**above, level: title}
        section = " › ".join([self.entries[0].title, *above.values()])
        kind = RECORD if self.record else SECTION
        self.entries.append(Entry(kind, title, url, section, level, parts=[["", url, ""]]))

    def _begin_member(self, title: str, url: str) -> None:
        """A function or a type; of overloads, the first speaks for all."""
        name = OVERLOAD.sub("", title.removeprefix("◆").strip())
        member = bool(re.fullmatch(r"\w+(\(\))?|operator\W+\(\)", name))
        if member and all(name != entry.title for entry in self.entries):
            self.entries.append(Entry(LIBRARY, name, url, self.entries[0].title, 2, names=[name.removesuffix("()")],
                                      parts=[["", url, ""]]))
        else:
            self.entries.append(Entry(LIBRARY, "", url, "", 2, parts=[["", url, ""]]))

    def _begin_claim(self) -> None:
        entry = self.entries[-1]
        entry.kind, entry.section = CLAIM, self.entries[0].title

    def _read_meta(self, data: str) -> None:
        """The line below a claim's heading: its verdict and its name."""
        entry = self.entries[-1]
        if self._in_element("code"):
            entry.names.insert(0, data.strip())
        elif self._inside("badge") and not self._inside("beside"):
            entry.verdict += data.strip()

    def _name_test(self, data: str) -> None:
        if data.strip():
            self.entries[-1].names.append(_line(data))

    def _follow(self, href: str) -> None:
        """Note where a link leads, and by the links from claims to their tests the name of the chapter's program."""
        tests, program = TEST_SOURCE.match(href), f"{self.stem}_properties"
        if tests and tests[1] in self.entries[-1].names[:1] and program not in self.entries[0].names:
            self.entries[0].names.append(program)
        if ".html" in href and ":" not in href and self.stem not in REPEATING_PAGES | {"index"} and not self.library:
            self.links.add((len(self.entries) - 1, href))
        elif href.startswith("#") and not self._inside("permalink"):
            self.links.add((len(self.entries) - 1, self.file + href))

    def _end_code(self) -> None:
        """Commands are found on pages of prose, messages also where a claim failed; C++, which has semicolons, not."""
        claim = self.entries[-1].kind == CLAIM if self.entries else True
        if REPLAYED in self.code or not (claim or self.library or ";" in self.code):
            self._write(f" {self.code} ")
            if self.code.strip().startswith(REPLAYED):
                self.entries[-1].names.append(REPLAYED.removesuffix(":"))
        self.code = ""

    def _write(self, data: str) -> None:
        self.entries[-1].parts[-1][2] += data

    def _silent(self) -> bool:
        if any(tag in SILENT or SILENT_CLASSES & styles for tag, styles in self.stack):
            return True
        if self.stem in REPEATING_PAGES and any(tag in LISTS for tag, _ in self.stack):
            return True
        return bool(self.entries and self.entries[-1].parts[-1][0] == RELATIONS and self.heading is None
                    and not any(re.fullmatch(r"h[1-6]", tag) for tag, _ in self.stack))

    def _in_code(self) -> bool:
        return any(tag == "pre" or CODE & styles for tag, styles in self.stack)

    def _in_element(self, wanted: str) -> bool:
        return any(tag == wanted for tag, _ in self.stack)

    def _inside(self, style: str) -> bool:
        return any(style in styles for _, styles in self.stack)


def write_index(directory: Path) -> int:
    """Write the index of the book in `directory`; returns the number of its entries."""
    entries: list[Entry] = []
    links: set[tuple[str, str]] = set()
    for path in pages(directory, "html"):
        if SKIPPED_PAGES.fullmatch(path.stem):
            continue
        reader = Reader(path.relative_to(directory.resolve()).as_posix())
        reader.feed(path.read_text(encoding="utf-8"))
        found = reader.finish()
        entries += found
        links |= {(reader.entries[source].url, target) for source, target in reader.links}
    for entry in entries:
        entry.links = sum(target == entry.url != source for source, target in links)
    names = directory / SYNONYMS_PAGE
    same, near = other_names(names.read_text(encoding="utf-8")) if names.is_file() else ({}, {})
    data = {"entries": [entry.data() for entry in entries], "same": same, "near": near}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (directory / INDEX).write_text(f"const SEARCH_INDEX={text};\n", encoding="utf-8")
    return len(entries)


def other_names(page: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The book's words by the words of others, and the places that are nearest to what it does not have."""
    same: dict[str, list[str]] = {}
    for here, elsewhere in _rows(page, "synonyms"):
        for name in _terms(elsewhere):
            same.setdefault(name, []).extend(_terms(here))
    near = {name: re.findall(r'href="([^"]+)"', places) for names, places in _rows(page, "near-names")
            for name in _terms(names)}
    return {name: found for name, found in same.items() if found}, near


def _rows(page: str, anchor: str) -> list[list[str]]:
    """The rows of two cells in the first table below an anchor."""
    below = page.partition(f'id="{anchor}"')[2].partition("</table>")[0]
    return [cells for row in below.split("<tr")[1:] if len(cells := CELLS.findall(row)) == 2]


def _terms(cell: str) -> list[str]:
    """The names in a cell: what stands between commas, without brackets, formulas and explanations of many words."""
    plain = re.sub(r"\([^()]*\)", "", FORMULA.sub("", html.unescape(re.sub(r"<[^>]*>", "", cell))))
    terms = [re.sub(r"[\"“”]", "", _line(term)).lower() for term in re.split(r"[,;]", plain)]
    return [term for term in terms if term and len(term.split()) <= 3 and not term.startswith("of ")]


def _line(text: str) -> str:
    return " ".join(text.split())


def _text(text: str) -> str:
    """Text on one line, its formulas readable."""
    return _line(FORMULA.sub(lambda formula: readable(formula[1] or formula[2]), text))
