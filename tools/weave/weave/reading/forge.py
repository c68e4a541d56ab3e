r"""Pages as forges render them, in the form that the weave and Doxygen read.

A source is Markdown that can be read where it is: formulas between dollars or in fences, links to files. A forge shows
nothing of what only the book needs:

  words <!--\command …-->       a command at the end of a line; the words before it are for a forge alone
  [25.9](run:Suite.Test.key)    a value of the run, and the last one; within a claim its own suite may be left out
  [words](cpp:name)             a name of the library; figure:name is a figure, minutes:anchor the minutes of a page
  [Claim]                       a claim or a document, if it is defined at the end of the page; `weave update` does that
  - [Title](page.md)            alone in an item of a list: this page is above that one
  [@key]                        a source of docs/references.bib
  *In the picture:* …           what a figure shows, in words
  → [Claim]                     at the beginning of a line, a claim that a passage makes
  *(opinion)*                   at the end of a passage, its kind
"""

import posixpath
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

Lines = list[tuple[int, str]]
"""Lines with their numbers."""

FENCE = re.compile(r"((?:\s|>|\d+[.)]\s|[-*+]\s)*)(`{3,}(?=[^`]*$)|~{3,})(.*)")
HEADING = re.compile(r'(?P<text>#{1,6} .*?)(?:\s*<a id="(?P<anchor>[^"]+)"></a>)?\s*')
DEFINITION = re.compile(r"\[([^\]@]+)\]:\s+(\S+)\s*")
ANCHOR = re.compile(r'\bid="([\w-]+)"|\\figure\{(\w+)\}')
TAG = re.compile(r"\s*</?(?:div|details|summary)\b.*>\s*")
"""A line of HTML alone, which Doxygen passes on as it is."""
PLACE = re.compile(r"\s*(?:<a id=\"[^\"]*\"></a>\s*)+")
"""A line that only links lead to."""
FORMULA = re.compile(r"\$`(?P<guarded>[^`\n]+)`\$|(?<![\\$])\$(?P<formula>[^\s$`](?:[^$\n]*?[^\s$])?)\$")
CODE = re.compile(r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))")
PIECE = re.compile(f"{FORMULA.pattern}|{CODE.pattern}")
EMPHASIS = re.compile(r"(?<![\w*\\])\*(?P<emphasis>(?=[^\s*])"
                      r"(?:\$[^$\n]+\$|`[^`\n]+`|(?!\n\s*\n)[^*`$])+(?<=\S))\*(?![\w*])")
LINK = re.compile(r"\[(?P<words>[^\[\]\n]*)\]\((?P<target>[^()\s:]*\.\w+(?:#[\w-]+)?|#[\w-]+)\)")
VALUE = re.compile(r"\[(?P<value>[^\]\n]*)\]\((?P<scheme>run|figure|minutes|cpp|count):(?P<path>[^()\s]*(?:\(\))?)\)")
COMMAND_LINE = r"(?P<before> *)(?:[^\s<#|>+-][^<\n]* )?<!--(?P<command>\\(?:(?!-->).)*)-->"
"""A command at the end of a line, and before it words that are no part of a list, a quotation, a table or a heading."""
INLINE = "|".join((
    rf"^{COMMAND_LINE}$",
    FORMULA.pattern, CODE.pattern, LINK.pattern, VALUE.pattern,
    r"\[@(?P<cite>\w+)\](?P<cited>(?=[.,;:]))?",
    r"^(?P<indent> *)→ \[(?P<verdict>\w+)\]",
    r"\*\((?P<kind>opinion|question|vague|disclaimer)\)\*",
    r"^(?P<seen>\*In the picture:\*)",
    EMPHASIS.pattern))
NAME = re.compile(r"\[([A-Z]\w*)\](?![(\[])")
"""A possible name, which a definition leads to its place."""
PAGE_ITEM = re.compile(r"(?:-|\d+\.) \[[^\]\n]*\]\([\w./-]*\.(?:md|bib)\)(?:\n|\Z)")
"""An item of a list that is a link to a page: the page is below this one."""
OPERATOR = re.compile(r"\\mathrm\{([A-Za-z]{2,})\}|\\(mathbb [EP])(?![A-Za-z])")
"""The name of a function, which forges set upright and the book with the space that it needs."""
SOURCES = "references.bib"


@dataclass
class Source:
    """A page as it is in the checkout."""

    file: str
    lines: list[str]
    """Without the definitions of links at its end."""
    targets: dict[str, str] = field(default_factory=dict)
    """The targets of the names of these definitions."""

    @property
    def parts(self) -> list[tuple[int, str, str]]:
        """Each line with its number and its kind: prose, code, formula, or fence, which is that of a formula."""
        return self._read[0]

    @property
    def open_fence(self) -> int:
        """The line of a fence that nothing closes, or 0."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[list[tuple[int, str, str]], int]:
        found: list[tuple[int, str, str]] = []
        fence = kind = ""
        opened = 0
        for number, line in enumerate(self.lines, start=1):
            mark = FENCE.fullmatch(line)
            if fence and re.fullmatch(rf"[\s>]*{fence}{fence[0]}*\s*", line):
                found.append((number, "fence" if kind == "formula" else kind, line))
                fence = ""
            elif fence or not mark:
                found.append((number, kind if fence else "prose", line))
            else:
                opened = number
                fence, kind = mark[2], "formula" if mark[3].strip() == "math" else "code"
                found.append((number, "fence" if kind == "formula" else kind, line))
        return found, opened if fence else 0

    def of_kind(self, wanted: str) -> Lines:
        """The lines that belong to it."""
        return [(number, line) for number, kind, line in self.parts if kind == wanted]

    @cached_property
    def names(self) -> set[str]:
        """The words that are names, if they are defined."""
        return {name for _, line in self.of_kind("prose") for name in NAME.findall(FORMULA.sub("", without_code(line)))}

    @cached_property
    def anchors(self) -> set[str]:
        """The places that links can lead to: those of the page's own, and its headings as forges name them."""
        headings = {re.sub(r"[^\w\- ]", "", line.strip("# ").lower()).replace(" ", "-")
                    for _, line in self.of_kind("prose") if line.startswith("#") and 'id="' not in line}
        return headings | {f"figure-{figure}" if figure else anchor for _, line in self.of_kind("prose")
                for anchor, figure in ANCHOR.findall(line)}


def read_source(root: Path, file: str) -> Source:
    """A page of a checkout."""
    return source_of(file, (root / file).read_text(encoding="utf-8"))


def source_of(file: str, text: str) -> Source:
    """A page with this text."""
    lines = text.replace("\r\n", "\n").split("\n")  # other signs end no line of Markdown
    targets: dict[str, str] = {}
    while lines and (not lines[-1].strip() or DEFINITION.fullmatch(lines[-1])):
        if found := DEFINITION.fullmatch(lines.pop()):
            targets[found[1]] = found[2]
    return Source(file, lines, dict(reversed(targets.items())))


def read_page(root: Path, file: str) -> str:
    """The text of a page of a checkout in Doxygen's form, line by line."""
    return doxygen_form(read_source(root, file))


def anchor_of(file: str) -> str:
    """The anchor of a page, which follows from its file."""
    path = PurePosixPath(file)
    numbered = re.search(r"exercises/(\d+)-", file)
    if path.name == SOURCES:
        return "citelist"
    if numbered:
        return f"exercise-{numbered[1]}"
    if path.parent.name == "exercises":
        return f"exercises-{path.stem.replace('_', '-')}"
    return path.stem


def doxygen_form(source: Source) -> str:
    """The text of a page in Doxygen's form."""
    reader = _Reader(source)
    for _, kind, line in source.parts:
        reader.take(kind, line)
    reader.end_prose()
    return "\n".join([*reader.written, ""])


class _Reader:
    """Reads the lines of one page."""

    def __init__(self, source: Source) -> None:
        self.source = source
        names = [rf"\[(?P<name>{'|'.join(map(re.escape, source.targets))})\](?!\()"] * bool(source.targets)
        self.inline = re.compile("|".join([INLINE, *names]), re.MULTILINE)
        self.written: list[str] = []
        self.prose: list[str] = []
        self.begun = -1
        """The number of lines above the formula that is read."""
        self.claim = ""
        self.has_title = False

    def take(self, kind: str, line: str) -> None:
        """The next line."""
        self.claim = claim_after(kind, line, self.claim)
        heading = HEADING.fullmatch(line) if kind == "prose" and line.startswith("#") else None
        if kind == "prose" and not heading:
            self.prose.append(line)
            return
        self.end_prose()
        if heading:
            self._head(heading["text"], heading["anchor"])
        elif kind == "fence" and self.begun < 0:
            self.begun = len(self.written)
            self.written.append(line.partition("`")[0].partition("~")[0].rstrip())
        elif kind == "fence":
            self._display()
        else:
            self.written.append(line)

    def end_prose(self) -> None:
        """Completes the prose that was read since the last fence or heading."""
        if self.prose:
            text = self.inline.sub(self._inline, "\n".join(self.prose))
            self.written += map(_html, text.split("\n"))
            self.prose.clear()

    def _display(self) -> None:
        """A formula is complete: the lines of its fence are left empty, as Doxygen needs them."""
        item, *formula = self.written[self.begun:] + [""] * (len(self.written) == self.begun + 1)
        text = formula[0].lstrip()
        formula[0] = rf"{formula[0][:len(formula[0]) - len(text)]}\f[ {text}"
        formula[-1] += r" \f]"
        if item:  # of a list, which Doxygen knows by its first line
            item, formula[0] = f"{item} {formula[0].strip()}", ""
        self.written[self.begun:] = [item, *map(_operators, formula), ""]
        self.begun = -1

    def _head(self, text: str, anchor: str | None) -> None:
        if not anchor and text.startswith("# ") and not self.has_title:
            anchor = anchor_of(self.source.file)
        self.has_title = True
        text = self.inline.sub(self._inline, text)
        self.written.append(f"{text} {{#{anchor}}}" if anchor and "{#" not in text else text)

    def _inline(self, found: re.Match[str]) -> str:
        group = found.groupdict()
        if formula := group["guarded"] or group["formula"]:
            return rf"\f$ {_operators(formula)} \f$"
        if group["cite"]:
            return rf"\cite {group['cite']}" + " " * (group["cited"] is not None)
        if group["verdict"]:
            return rf"{group['indent']}\verdict{{{group['verdict']}}}"
        if group["command"]:
            return group["before"] + self.inline.sub(self._inline, group["command"])
        if group["target"]:
            return self._link(found, group["words"], group["target"])
        if group["scheme"]:
            return self._value(group["value"], group["scheme"], group["path"])
        if group["kind"]:
            return f"\\{group['kind']}"
        if group["seen"]:
            return r"\seen"
        if group["ticks"] == "`" and "'" in group["code"]:  # which would end it
            return f"`{group['code']}`"
        if (words := group["emphasis"]) and re.search(r"^\(|[$\[]", words):  # Doxygen sees it in plain words alone
            return f"<em>{self.inline.sub(self._inline, words)}</em>"
        if name := group.get("name"):
            target = self.source.targets[name]
            if not re.search(r"^#|^[^:]*\.(md|bib)\b", target):
                return f"[{name}]({target})"
            if re.fullmatch(r"S\d", name):
                return rf'\ref {name} "{name}"'
            stops = found.string[found.end():found.end() + 1] in tuple(".,;:!?")
            return rf"\ref {self._anchor(target)}" + " " * stops  # the book calls it by its title
        return found[0]

    def _anchor(self, target: str) -> str:
        file, _, anchor = target.partition("#")
        return anchor or anchor_of(posixpath.normpath(posixpath.join(posixpath.dirname(self.source.file), file)))

    def _link(self, found: re.Match[str], words: str, target: str) -> str:
        """A link to a page or a place in it; of other files only the words."""
        words = self.inline.sub(self._inline, words)
        if not re.search(r"^#|\.(md|bib)\b", target):
            return words
        file, _, anchor = target.partition("#")
        if PurePosixPath(file).name == "mainpage.md":  # which has no sections that Doxygen knows
            return f'<a class="el" href="index.html{f"#{anchor}" if anchor else ""}">{words}</a>'
        if PAGE_ITEM.match(found.string, found.string.rfind("\n", 0, found.start()) + 1):
            return rf"\subpage {self._anchor(target)}"
        words = words.replace('"', "&quot;")
        return rf'\ref {self._anchor(target)} "{words}"'

    def _value(self, words: str, scheme: str, path: str) -> str:
        if scheme == "run":
            return f"[{words}](run:{full_path(path, self.claim)})"
        own = {"figure": rf"\figureref{{{path}}}", "minutes": rf"\minutes{{{path}}}"}
        return own.get(scheme, rf'\ref {path} "{words}"')


def claim_after(kind: str, line: str, claim: str) -> str:
    """The claim in whose section a line of some kind is, if the line above is in that of `claim`; empty for none."""
    if kind != "prose" or not re.match("##? ", line):
        return claim
    heading = re.fullmatch(r'## .*<a id="([A-Z]\w*)"></a>\s*', line)
    return heading[1] if heading else ""


def full_path(path: str, claim: str) -> str:
    """The path of a value, as it is within a claim's section, with its suite."""
    return f"{claim}.{path}" if claim and path.count(".") == 1 else path


def without_code(line: str) -> str:
    """A line of prose without the code in it."""
    return PIECE.sub(lambda found: "" if found["code"] else found[0], line)


def _html(line: str) -> str:
    if PLACE.fullmatch(line):
        return " ".join(rf"\anchor {anchor}" for anchor, _ in ANCHOR.findall(line))
    return rf"\htmlonly[block]{line}\endhtmlonly" if TAG.fullmatch(line) else line


def _operators(formula: str) -> str:
    return OPERATOR.sub(lambda found: rf"\operatorname{{{found[1] or chr(92) + found[2]}}}", formula)
