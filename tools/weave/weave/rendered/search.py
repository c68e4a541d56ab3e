"""The search's data: the entries of the book and the words of readers, as a script that loads from file://.

Made from the finished pages before their formulas are typeset. An entry is a claim with all its parts, a page with the
text before its first heading, a section of prose, or a thing of the library; what only repeats others (tables of all
claims, lists of members, quoted code) is left out. docs/theme/search.js hands the entries to MiniSearch, which finds
and ranks them.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from weave.base.tex import readable
from weave.record.claims import ClaimData
from weave.rendered.deck import ALONE
from weave.rendered.files import pages
from weave.rendered.headings import LEVELS, UNNAMED
from weave.rendered.tree import Element, first, parsed, plain

INDEX = "search-index.js"
SAME, NEAR = "synonyms", "near-names"
NAMES = {"notation": (SAME, NEAR), "glossary": ("glossary-readers", "glossary-contributors", "glossary-index")}
"""The tables that the search shares with readers, by page and anchor: words, and what they are called here (in SAME the
other way round) or where they lead; what stands in NEAR is not in the book under that name."""

CLAIM, PAGE, SECTION, RECORD, LIBRARY = "claim", "page", "section", "record", "library"

SKIPPED_PAGES = re.compile(r"(dir_|functions|globals|namespacemembers).*|.*_source|.*-members|annotated|"
                           r"classes|files|graph_legend|hierarchy|namespaces?\w*|modules|pages|concepts|"
                           r"\w+__\w+_8hpp|\w+_2fixture_8hpp")
"""Pages that only list things of other pages, and those of files that a claim's tests alone use."""
LIBRARY_PAGES = re.compile(r"(group__|class|struct|union|concept)\w+|\w+_8\w+")
RECORD_PAGES = re.compile(r"alpha|citelist|claims|corrections|decisions|errata|exercises-[\w-]+|graph|"
                          r"hypotheses|licences|line-by-line|md_\w+|mutants")
"""Pages that keep a record, or ask for what others explain."""
LISTS = ("table", "ul", "ol", "details")
REPEATING = {"alpha": LISTS, "claims": LISTS, "graph": LISTS, "hypotheses": LISTS, "mutants": LISTS,
             "corrections": LISTS[:1]}
"""The parts of these pages that repeat what chapters say, or list every test."""
SILENT = ("script style iframe object noscript nav svg .badge .chapter-claims .chapter-graph .cite .claim-meta "
          ".claims-table .definition .graph-list .judged .kill-matrix .machinery .memberdecls .memproto .permalink "
          ".prevnext .reading .slide-foot .toc .ttc .verdict").split()
SEPARATE = {"p", "li", "td", "th", "dt", "dd", "div", "br", "tr", "pre", *LEVELS}
"""Elements that end a word."""
MORE = " More..."
"""Behind the first sentence of a page of the library; then come headers and lists."""
LIBRARY_TEXT = 90
"""Of a thing of the library only so many characters are found: its first sentences."""

LONGEST_TERM = 5
"""Words of a name; what has more explains."""

FORMULA = re.compile(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)
OVERLOAD = re.compile(r"\s*\[\d+/\d+\]$")
MEMBER = re.compile(r"\w+(\(\))?|operator\W+\(\)")
REFERENCE = re.compile(r"([\w.:]+).* Reference")
"""The title of a page of the library, and the name in it."""


@dataclass
class Entry:
    """Something that a search can find."""

    kind: str
    title: str
    url: str
    level: int
    below: str = ""
    """The sections of the page that it is in."""
    verdict: str = ""
    names: list[str] = field(default_factory=list)
    """Words that lead here at once: a claim's name and its tests', a program's; the library is named by its titles."""
    text: str = ""
    parts: list[list[str]] = field(default_factory=list)
    """Heading, anchor and text of what stands below: the parts of a claim, and sections without a name of their own.
    An anchor that begins as that of the entry does has the rest."""

    def data(self) -> dict[str, Any]:
        """Its data for the index."""
        data = {"kind": self.kind, "title": self.title, "url": self.url, "below": self.below, "verdict": self.verdict,
                "names": self.names, "text": self.text, "parts": [part for part in self.parts if part[2]]}
        return {key: value for key, value in data.items() if value}


def write_index(directory: Path, claims: Path) -> int:
    """Write the index of the book in `directory`; returns the number of its entries."""
    trees = {path.stem: parsed(path.read_text(encoding="utf-8")) for path in pages(directory, "html")
             if not SKIPPED_PAGES.fullmatch(path.stem)}
    terms = [term for stem, anchors in NAMES.items() if stem in trees
             for anchor in anchors for term in other_names(trees[stem], f"{stem}.html", anchor)]
    known: dict[str, ClaimData] = {claim["id"]: claim for claim in json.loads(claims.read_text(encoding="utf-8"))}
    entries = [entry for stem, tree in trees.items() for entry in Reader(stem, tree, known).read()]
    data = {"entries": [entry.data() for entry in entries], "terms": terms}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (directory / INDEX).write_text(f"const SEARCH_INDEX={text};\n", encoding="utf-8")
    return len(entries)


class Reader:
    """Splits one page into entries."""

    def __init__(self, stem: str, tree: Element, claims: dict[str, ClaimData]) -> None:
        self.tree, self.claims = tree, claims
        self.stem, self.file = stem, f"{stem}.html"
        self.library = bool(LIBRARY_PAGES.fullmatch(stem))
        self.record = bool(RECORD_PAGES.fullmatch(stem))
        self.trail: dict[int, str] = {}
        """The headings that the present one stands under, by level."""

    def read(self) -> list[Entry]:
        """The page and what can be found in it."""
        contents = first(self.tree, "//*[contains(concat(' ', @class, ' '), ' contents ')]")
        if contents is None:
            return []
        _quieten(contents, self.stem, self.library)
        entries = [self._page()]
        if self.file in ALONE:  # what slides show stands elsewhere in the book, but for the first
            entries[0].text = _text(plain(next(contents.iter("section"), contents)))
            return entries
        for heading, text in _pieces(contents):
            if heading is not None:
                self._begin(heading, entries)
            text = _text(text).removeprefix("In short. ")
            if self.library:
                text = text.partition(MORE)[0][:LIBRARY_TEXT]
            if entries[-1].parts:
                entries[-1].parts[-1][2] = text
            else:
                entries[-1].text = text
        return [entry for entry in entries if entry.title and (
            entry.text or entry.parts or entry.kind in (CLAIM, LIBRARY) or not entry.level)]

    def _page(self) -> Entry:
        found = first(self.tree, "//*[@class='title' or @class='book-title']")
        title = _text(plain(found)) if found is not None else ""
        if self.file in ALONE:
            title = first(self.tree, "//title").text.rpartition(" · ")[0]
        if self.library:
            reference = REFERENCE.fullmatch(title)
            return Entry(LIBRARY, reference[1] if reference else title, self.file, 0)
        chapter = any(claim["chapter"] == self.stem for claim in self.claims.values())
        return Entry(RECORD if self.record else PAGE, title, self.file, 0, names=[f"{self.stem}_properties"] * chapter)

    def _begin(self, heading: Element, entries: list[Entry]) -> None:
        """Begins a part of the entry above the heading, or an entry."""
        level, anchor, title, last = int(heading.tag[1]), _anchor(heading), _text(plain(heading)), entries[-1]
        url = f"{self.file}#{anchor}" if anchor else self.file
        if last.kind == CLAIM and level > last.level or anchor.startswith(UNNAMED):
            last.parts.append([title, anchor.removeprefix(last.url.partition("#")[2]), ""])
        elif self.library:
            name = OVERLOAD.sub("", title.removeprefix("◆").strip())
            new = MEMBER.fullmatch(name) and all(name != entry.title for entry in entries)
            entries.append(Entry(LIBRARY, name if new else "", url, level))  # of overloads, the first speaks for all
        else:
            self.trail = {depth: above for depth, above in self.trail.items() if depth < level}
            below = " › ".join(self.trail.values())
            self.trail[level] = title
            entries.append(self._section(Entry(RECORD if self.record else SECTION, title, url, level, below), anchor))

    def _section(self, entry: Entry, anchor: str) -> Entry:
        if claim := self.claims.get(anchor):
            entry.kind = CLAIM
            entry.verdict = f"{claim['glyph']} {claim['level'] or claim['status']}"
            entry.names = [claim["id"], *(test["name"] for test in claim["tests"])]
        return entry


def _quieten(contents: Element, stem: str, library: bool) -> None:
    """Remove what is not to be found: what repeats or only leads elsewhere, and C++, which has semicolons."""
    silent = {*SILENT, *REPEATING.get(stem, ())}
    tables = [table for anchor in NAMES.get(stem, ())
              for table in contents.xpath(f".//*[@id='{anchor}']/following::table[1]")]

    def is_quiet(element: Element) -> bool:
        names = {element.tag, *(f".{name}" for name in element.get("class", "").split())}
        is_code = names & {"pre", ".fragment"} and (library or ";" in element.text_content())
        return bool(names & silent or is_code or element in tables)

    for element in [*filter(is_quiet, contents.iter(etree.Element))]:
        element.drop_tree()


def _pieces(contents: Element) -> Iterator[tuple[Element, str]]:
    """Each heading, or None for what stands before the first, and the text below it."""
    heading, text = None, [""]
    for kind, element in _walk(contents):
        if kind == "heading":
            yield heading, "".join(text)
            heading, text = element, []
        else:
            text.append(element)
    yield heading, "".join(text)


def _walk(element: Element) -> Iterator[tuple[str, Any]]:
    space = " " if element.tag in SEPARATE else ""
    if element.tag in LEVELS and element.get("class") != "book-title":
        yield "heading", element
    elif isinstance(element.tag, str):
        yield "text", f"{space}{element.text or ''}"
        for child in element:
            yield from _walk(child)
    yield "text", f"{space}{element.tail or ''}"


def _anchor(heading: Element) -> str:
    anchor = first(heading, "@id | .//a/@id")
    if anchor is None or heading.get("class") == "memtitle":
        anchor = first(heading, "preceding-sibling::a[1]/@id") or anchor
    return anchor or ""


def other_names(page: Element, file: str, anchor: str) -> list[dict[str, Any]]:
    """The rows below an anchor: the words of readers, the book's words for them, and the places that they lead to."""
    table = first(page, f"//*[@id='{anchor}']/following::table[1]")
    found = []
    for row in table.xpath(".//tr[td]") if table is not None else []:
        here, there = row.xpath("td")
        places = [href if href[0] != "#" else file + href for href in row.xpath(".//a/@href")]
        typed, called = (there, _terms(here)) if anchor == SAME else (here, [])
        found.append({"typed": _terms(typed), "here": called, "places": places, "near": anchor == NEAR})
    return [term for term in found if term["typed"] and (term["here"] or term["places"])]


def _terms(cell: Element) -> list[str]:
    """The names in a cell: what stands between commas, without brackets, formulas and explanations of many words."""
    text = re.sub(r"\([^()]*\)", "", FORMULA.sub("", plain(cell)))
    terms = [re.sub(r"[\"“”]", "", " ".join(term.split())).lower() for term in re.split(r"[,;]", text)]
    return [term for term in terms if term and len(term.split()) <= LONGEST_TERM]


def _text(text: str) -> str:
    """Text on one line, its formulas readable."""
    return " ".join(FORMULA.sub(lambda formula: readable(formula[1] or formula[2]), text).split())
