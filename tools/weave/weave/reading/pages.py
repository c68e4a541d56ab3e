"""The grammar of pages: which claims a theory page declares, and the reading order of the book.

A claim is a second-level heading with a CamelCase anchor; below it stand a paragraph that says it in
a sentence, and the third-level headings of SECTIONS, once each and in that order. Before the last of
them free sections may stand; one of these says in words what the claim's suite checks. Everything else
on a page is free prose.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from weave.base.diagnostics import Diagnostic
from weave.reading.forge import Lines

MAINPAGE = "docs/mainpage.md"

SENTENCE = "*In short.*"
SENTENCE_WORDS = 45
DOCUMENTS = "What the documents say"
FIELD = "What the field says"
"""In the place of DOCUMENTS, for a claim that goes beyond them."""
STATEMENT = "Statement"
HYPOTHESES = "Hypotheses"
PROOF = "Proof"
CITED = "Cited"
WITHOUT = "Without the hypotheses"
SECTIONS = (DOCUMENTS, STATEMENT, HYPOTHESES, PROOF, WITHOUT)
OPTIONAL = {HYPOTHESES, WITHOUT}
"""Sections that a claim lacks if it has no hypotheses."""
IMPLIED = "implied"
BEYOND = "beyond"
DOCUMENTS_FORM = f"'- S1, S3, *heading*: …' for the documents that make the claim, or '- {IMPLIED}: …' if none does"
CHECK = "The check in words"
CHECK_LINES = 6
CHECK_COLUMNS = 76

FORMULA = re.compile(r"\\f\$.*?\\f\$")
HEADING = re.compile(r"(#{1,6})\s+(.*?)(?:\s+\{#([^}\s]+)\})?\s*$")
CLAIM_ANCHOR = re.compile(r"[A-Z][A-Za-z0-9]*\Z")
PROSE_ANCHOR = re.compile(r"[a-z][a-z0-9-]*\Z")
FENCE = re.compile(r"(?:\s|>|\d+[.)]\s|[-*+]\s)*(```|~~~)")
CHECK_FENCES = ("```text", "```")
BULLET = re.compile(r"[-*]\s+(.*)")
NAMED_BULLET = re.compile(r"\*\*(.+?)\*\*:\s*(.*)")
SOURCES_BULLET = re.compile(r"((?:S\d|implied)\b(?:,\s*(?:S\d|implied)\b)*)")
REFERENCE = re.compile(r"[\\@]ref\s+(\w+)")
REASON = re.compile(r"\\(noproperty|noexactcheck)\{(.*)\}")
"""Why a claim has no random case, or no exact check: alone on a line below its check in words."""
PART = re.compile(r"\*\*(.+?)\*\*")
"""The beginning of a list of chapters on the main page."""
SUBPAGE = re.compile(r"[\\@]subpage\s+([\w-]+)")


@dataclass(frozen=True)
class Bullet:
    """A list item joined to one line of text, and where it starts."""

    line: int
    text: str


@dataclass
class Claim:
    """A claim as its page declares it; every mapping keeps the page's order."""

    name: str
    title: str
    stem: str
    file: str
    line: int
    end: int
    """The last line of the claim's section."""
    sentence: str = ""
    """The words that a good teacher would say of it aloud."""
    cited: bool = False
    parts: dict[str, range] = field(default_factory=dict)
    """The lines of what stands below the heading: the sentence, named "", then the sections that say
    something, each with its heading."""
    check: list[str] = field(default_factory=list)
    """The check of its suite, in words, line by line."""
    documents: list[str] = field(default_factory=list)
    """Those that make it, by name; or IMPLIED alone, or BEYOND."""
    hypotheses: dict[str, Bullet] = field(default_factory=dict)
    without: dict[str, Bullet] = field(default_factory=dict)
    references: dict[str, int] = field(default_factory=dict)
    """Names that the proof refers to, and the lines where it first does."""
    uses: dict[str, int] = field(default_factory=dict)
    """Those of them that are claims."""
    reasons: dict[str, Bullet] = field(default_factory=dict)
    """Why it has no random case (noproperty) or no exact check (noexactcheck)."""
    lacks: set[str] = field(default_factory=set)
    """Its sections and reasons that are missing or cannot be read. What follows from that is not reported again."""


@dataclass
class Page:
    """A page of theory/ or docs/: its text and, for a chapter, its claims."""

    file: str
    lines: list[str]
    title: str = ""
    anchor: str = ""
    claims: list[Claim] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The file that Doxygen writes for it."""
        return f"{self.anchor}.html" if self.file != MAINPAGE else "index.html"

    @cached_property
    def prose(self) -> Lines:
        """Its lines that do not belong to a fenced code block."""
        return list(outside_code(self.lines))

    @cached_property
    def headings(self) -> list[tuple[int, re.Match[str]]]:
        """Its headings, and the numbers of their lines."""
        return [(number, heading) for number, line in self.prose if (heading := HEADING.match(line))]


def outside_code(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines of a page that do not belong to a fenced code block."""
    fence = ""
    for number, line in enumerate(lines, start=1):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1) == fence:
            fence = ""
        elif not fence:
            yield number, line


def parse_page(file: str, text: str) -> Page:
    """A page without its claims: title and anchor from its first heading."""
    page = Page(file, text.removesuffix("\n").split("\n"))
    for _, heading in page.headings[:1]:
        page.title, page.anchor = heading[2], heading[3] or ""
    return page


def parse_chapter(file: str, stem: str, text: str) -> tuple[Page, list[Diagnostic]]:
    """A page of theory/ with its claims, and what its grammar lacks."""
    page = parse_page(file, text)
    problems: list[Diagnostic] = []
    if page.anchor != stem:
        problems.append(Diagnostic(file, 1, f"the page's anchor is '{page.anchor}', not '{stem}'",
                                   "Begin the page with '# Title'"))
    starts = [(number, heading) for number, heading in page.headings if len(heading[1]) == 2]
    ends = [number - 1 for number, _ in starts[1:]] + [len(page.lines)]
    for (number, heading), end in zip(starts, ends):
        title, anchor = heading.group(2), heading.group(3)
        if anchor and CLAIM_ANCHOR.match(anchor):
            claim = Claim(anchor, title, stem, file, number, end)
            problems += _read_claim(claim, page.lines)
            page.claims.append(claim)
        elif anchor and not PROSE_ANCHOR.match(anchor):
            problems.append(Diagnostic(
                file, number, f"the anchor '{anchor}' is neither a claim's nor a prose section's",
                "Write CamelCase for a claim, lower-case-with-hyphens for prose"))
    return page, problems


def reading_order(mainpage: str) -> list[str]:
    """The anchors of the book's pages, in the order of the main page's \\subpage commands."""
    lines = mainpage.splitlines()
    return [name for _, line in outside_code(lines) for name in SUBPAGE.findall(line)]


def chapters_of_part(mainpage: str, part: str) -> set[str]:
    """The anchors of the pages that the main page lists under a part's name in bold."""
    inside, found = False, set()
    for _, line in outside_code(mainpage.splitlines()):
        name = PART.match(line)
        inside = name[1] == part if name else inside and not HEADING.match(line)
        found |= set(SUBPAGE.findall(line)) if inside else set()
    return found


def bullets(lines: Lines) -> list[Bullet]:
    """The top-level list items of a section, continuation lines joined."""
    items: list[Bullet] = []
    for number, line in lines:
        start = BULLET.match(line)
        if start:
            items.append(Bullet(number, start.group(1).strip()))
        elif items and line.startswith(" ") and line.strip():
            items[-1] = Bullet(items[-1].line, f"{items[-1].text} {line.strip()}")
    return items


def _read_claim(claim: Claim, lines: list[str]) -> list[Diagnostic]:
    """Fill in a claim from its section of the page."""
    sections, problems = _split(claim, lines)
    claim.cited = CITED in sections
    problems += _read_sentence(claim, sections[""])
    proof = sections.get(CITED if claim.cited else PROOF, [])
    for number, line in proof:
        for name in REFERENCE.findall(line):
            claim.references.setdefault(name, number)
    if FIELD in sections:
        claim.documents = [BEYOND]
    else:
        problems += _read_documents(claim, sections.get(DOCUMENTS))
    problems += _read_named(claim, HYPOTHESES, sections.get(HYPOTHESES), claim.hypotheses)
    problems += _read_named(claim, WITHOUT, sections.get(WITHOUT), claim.without)
    problems += _read_check(claim, lines)
    problems += _read_reasons(claim, lines)
    return problems


def _split(claim: Claim, lines: list[str]) -> tuple[dict[str, Lines], list[Diagnostic]]:
    """A claim's third-level sections by name (what stands before them has none), and what is
    missing, repeated or out of order."""
    body: Lines = []
    sections: dict[str, Lines] = {"": body}
    problems: list[Diagnostic] = []
    places: list[tuple[str, int]] = []
    for number, line in outside_code(lines[:claim.end]):
        if number <= claim.line:
            continue
        heading = HEADING.match(line)
        if not heading or len(heading.group(1)) != 3:
            body.append((number, line))
            continue
        name, body = heading.group(2), []
        if name in sections:
            problems.append(Diagnostic(claim.file, number,
                                       f"{claim.name} has '### {name}' twice", "Merge the two"))
            continue
        sections[name] = body
        places.append((name, number))
    starts = [("", claim.line + 1), *places]
    ends = [number for _, number in starts[1:]] + [claim.end + 1]
    claim.parts = {name: range(start, end) for (name, start), end in zip(starts, ends)}
    instead = {one: other for one, other in ((PROOF, CITED), (DOCUMENTS, FIELD)) if other in sections}
    wanted = [instead.get(name, name) for name in SECTIONS]
    claim.lacks = set(wanted) - set(sections) - OPTIONAL
    if claim.lacks:
        missing = " and no ".join(f"'### {name}'" for name in wanted if name in claim.lacks)
        return sections, [*problems, Diagnostic(claim.file, claim.line, f"{claim.name} has no {missing}",
                                                f"Add it; {_order(wanted)}")]
    return sections, problems + _misplaced(claim, places, wanted)


def _order(wanted: list[str]) -> str:
    return f"the order is {', '.join([*wanted, CHECK])}"


def _misplaced(claim: Claim, places: list[tuple[str, int]], wanted: list[str]) -> list[Diagnostic]:
    """Sections out of order, and free sections anywhere but at the end."""
    problems = []
    reached, free = 0, ""
    for name, number in places:
        if name in wanted:
            if free:
                problems.append(Diagnostic(claim.file, number, f"'### {name}' of {claim.name} is below '### {free}'",
                                           f"Move it; {_order(wanted)}"))
            elif wanted.index(name) < reached:
                problems.append(Diagnostic(claim.file, number,
                                           f"'### {name}' of {claim.name} is out of order",
                                           f"Move it; {_order(wanted)}"))
            reached = max(reached, wanted.index(name))
        else:
            free = name
    return problems


def _read_sentence(claim: Claim, lines: Lines) -> list[Diagnostic]:
    """The paragraph below the heading, without the words that introduce it."""
    text = " ".join(line.strip() for _, line in lines if line.strip())
    claim.sentence = text.removeprefix(SENTENCE).strip()
    words = len(FORMULA.sub("formula", claim.sentence).split())
    if not text.startswith(SENTENCE) or not words:
        return [Diagnostic(claim.file, claim.line, f"{claim.name} is not said in a sentence",
                           f"Write '{SENTENCE} …' below its heading, as a good teacher would say it aloud")]
    if words > SENTENCE_WORDS:
        return [Diagnostic(claim.file, lines[0][0], f"{claim.name} is said in {words} words",
                           f"Say it aloud in {SENTENCE_WORDS} at most")]
    return []


def _read_documents(claim: Claim, lines: Lines | None) -> list[Diagnostic]:
    """Reads the documents that make the claim, from the leading words of the bullets."""
    if lines is None:
        return []
    problems = []
    found: set[str] = set()
    items = bullets(lines)
    for item in items:
        leading = SOURCES_BULLET.match(item.text)
        if leading:
            found.update(re.split(r",\s*", leading.group(1)))
        else:
            problems.append(Diagnostic(claim.file, item.line,
                                       f"'{item.text[:40]}' does not begin with a document",
                                       f"Write {DOCUMENTS_FORM}"))
    if not items:
        problems.append(Diagnostic(claim.file, lines[0][0] if lines else claim.line,
                                   f"'### {DOCUMENTS}' of {claim.name} has no bullet", f"Write {DOCUMENTS_FORM}"))
    claim.documents = sorted(found)
    return _read(claim, DOCUMENTS, problems)


def _read_named(claim: Claim, section: str, lines: Lines | None,
                found: dict[str, Bullet]) -> list[Diagnostic]:
    """Bullets of the form '- **name**: text'."""
    if lines is None:
        return []
    problems = []
    items = bullets(lines)
    for item in items:
        named = NAMED_BULLET.match(item.text)
        if named:
            found[named.group(1)] = Bullet(item.line, named.group(2))
        else:
            problems.append(Diagnostic(claim.file, item.line,
                                       f"'{item.text[:40]}' under '### {section}' has no bold name",
                                       "Write '- **name**: text'"))
    if not items:
        problems.append(Diagnostic(claim.file, lines[0][0] if lines else claim.line,
                                   f"'### {section}' of {claim.name} has no bullet",
                                   "Write '- **name**: text', or leave the section out"))
    return _read(claim, section, problems)


def _read(claim: Claim, section: str, problems: list[Diagnostic]) -> list[Diagnostic]:
    """The problems of a section, which the claim lacks if there are any."""
    claim.lacks |= {section} if problems else set()
    return problems


def _read_check(claim: Claim, lines: list[str]) -> list[Diagnostic]:
    """The lines of the fenced block that says in words what the suite checks."""
    if CHECK not in claim.parts:
        return []
    heading, *body = claim.parts[CHECK]
    block = [(number, line) for number in body if (line := lines[number - 1].rstrip()) and not REASON.match(line)]
    texts = [line for _, line in block]
    if len(texts) < 3 or (texts[0], texts[-1]) != CHECK_FENCES or any(map(FENCE.match, texts[1:-1])):
        return [Diagnostic(claim.file, heading, f"'### {CHECK}' of {claim.name} is not one block of words",
                           f"Begin it with '{CHECK_FENCES[0]}' and end it with '{CHECK_FENCES[1]}'")]
    claim.check = texts[1:-1]
    problems = [Diagnostic(claim.file, number, f"a line of {claim.name}'s check in words has {len(line)} characters",
                           f"Say it in {CHECK_COLUMNS} at most: it is read on phones")
                for number, line in block[1:-1] if len(line) > CHECK_COLUMNS]
    if len(claim.check) > CHECK_LINES:
        problems.append(Diagnostic(claim.file, heading,
                                   f"the check of {claim.name} is said in {len(claim.check)} lines",
                                   f"Say it in {CHECK_LINES} at most"))
    return problems


def _read_reasons(claim: Claim, lines: list[str]) -> list[Diagnostic]:
    """Why the claim has no random case or no exact check."""
    problems = []
    for number, line in outside_code(lines[:claim.end]):
        reason = REASON.match(line)
        if number <= claim.line or not reason:
            continue
        macro, text = reason[1], reason[2].strip()
        if macro in claim.reasons:
            problems.append(Diagnostic(claim.file, number, rf"{claim.name} has \{macro} twice", "Merge the two"))
        elif not text or reason.end() != len(line.rstrip()) or number not in claim.parts.get(CHECK, ()):
            problems.append(Diagnostic(claim.file, number,
                                       rf"\{macro} of {claim.name} gives no reason that can be read",
                                       rf"Write '\{macro}{{reason}}' alone on a line below the block of '### {CHECK}'"))
        claim.reasons[macro] = Bullet(number, text)
        claim.lacks |= {macro} if problems else set()
    return problems
