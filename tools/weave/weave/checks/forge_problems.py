"""Faults of pages on a forge: commands, formulas that Markdown takes apart, links that lead nowhere."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.reading.forge import COMMAND_LINE, DEFINITION, FORMULA, NAME, Source, read_source, without_code

PAGES = ("*.md", "theory/*.md", "docs/**/*.md", "python/*.md", "tests/bench/*.md")
MARKUP = re.compile(r"\\[^A-Za-z]|[*<|~]|(?<![A-Za-z0-9])_")
"""Signs that Markdown takes for its own in a formula between bare dollars."""
REFUSED = re.compile(r"\\(?:operatorname|mbox|[hv]?phantom|(?:re)?newcommand|def|DeclareMathOperator)(?![A-Za-z])")
"""Commands that GitHub does not set."""
SHOWN = re.compile(r"\\f\W|\\[A-Za-z]\w*|\{#[\w-]+\}")
LINK = re.compile(r"\[(?P<words>[^\[\]\n]*)\]\((?P<target>[^()\s:]+)(?:\s+\"[^\"]*\")?\)")
CLAIM = re.compile(r"[A-Z][a-z]+\d*[A-Z]\w*")
"""A name that only a claim has."""
Fault = tuple[str, str]


def forge_problems(root: Path) -> Iterator[Diagnostic]:
    """The faults of a checkout's pages where they are read."""
    files = [path.relative_to(root).as_posix() for pattern in PAGES for path in sorted(root.glob(pattern))]
    sources = {file: read_source(root, file) for file in files}
    places = {anchor for source in sources.values() for anchor in source.anchors}
    for source in sources.values():
        for number, line in source.of_kind("prose"):
            text = without_code(line)
            for fault in (*_formula_faults(text), *_command_faults(FORMULA.sub("", text)),
                          *_name_faults(source, FORMULA.sub("", text), places),
                          *(fault for found in LINK.finditer(text)
                            for fault in _link_faults(root, source, found, sources))):
                yield Diagnostic(source.file, number, *fault)
        for number, line in source.of_kind("formula"):
            for fault in _refused(line):
                yield Diagnostic(source.file, number, *fault)
        for label, target in source.targets.items():
            for fault in _target_faults(root, source, target, sources) if ":" not in target else ():
                yield Diagnostic(source.file, len(source.lines) + 1, f"[{label}]: {fault[0]}", fault[1])
        if source.open_fence:
            yield Diagnostic(source.file, source.open_fence, "nothing closes this fence", "Close it with the same sign")


def _refused(formula: str) -> Iterator[Fault]:
    for command in REFUSED.findall(formula):
        yield f"GitHub refuses {command}", r"Write \mathrm{…}, which the book sets as an operator"


def _formula_faults(line: str) -> Iterator[Fault]:
    for found in FORMULA.finditer(line):
        tex = found["guarded"] or found["formula"]
        yield from _refused(tex)
        if found["formula"] and (markup := MARKUP.search(tex)):
            yield f"Markdown takes '{markup[0]}' in ${tex}$ for its own", f"Write $`{tex}`$"
        if line.startswith("|") and "|" in tex:
            yield f"the formula ${tex}$ ends a cell of its table", r"Write \lvert or \mid"
        if re.search(r"[^\s(]$", line[:found.start()]) or re.match(r"\w", line[found.end():]):
            yield f"the formula ${tex}$ touches what is beside it, so a forge shows dollars", "Leave a space"


def _command_faults(line: str) -> Iterator[Fault]:
    if re.fullmatch(COMMAND_LINE, line):
        return
    if "<!--\\" in line:
        yield "a command of the book shares its line", "Put it at the end of a line of its own, after words for a forge"
    for shown in SHOWN.findall(line):
        yield f"a forge shows '{shown}'", "Use the forms in tools/weave/weave/reading/forge.py"
    if re.search(r"(?<!\\)\$", line):
        yield "a dollar is alone on its line", "Begin and end a formula on one line, or write the sign as `$`"
    if DEFINITION.fullmatch(line):
        yield "a link is defined within the page", "Define it at the end"


def _name_faults(source: Source, line: str, places: set[str]) -> Iterator[Fault]:
    for found in NAME.finditer(line):
        name = found[1]
        if name not in source.targets and (name in places or CLAIM.fullmatch(name)):
            yield (f"[{name}] leads nowhere", "Let `python3 tools/weave update` define it" if name in places
                   else "Correct the name of the claim")
        elif name in source.targets and re.match(r"[\w'’]", line[found.end():]):
            yield f"the name [{name}] touches a word", "Leave a space"


def _link_faults(root: Path, source: Source, found: re.Match[str], sources: dict[str, Source]) -> Iterator[Fault]:
    if "$" in found["words"]:
        yield f"a forge sets no formula in the words of a link: [{found['words']}]", "Put the formula beside it"
    yield from _target_faults(root, source, found["target"], sources)


def _target_faults(root: Path, source: Source, target: str, sources: dict[str, Source]) -> Iterator[Fault]:
    file, _, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source.file), file)) if file else source.file
    if not (root / path).exists():
        yield f"the link to {target} names no file", "Correct it"
    elif anchor and path in sources and anchor not in sources[path].anchors:
        yield f"the link to {target} names no place of {path}", "Correct it"
