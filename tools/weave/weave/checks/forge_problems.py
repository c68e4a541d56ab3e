# SPDX-License-Identifier: BSL-1.0
"""What a forge would not show as it is meant: commands, formulas that Markdown takes apart, links that lead nowhere."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.reading.forge import FORMULA, LINK, NAME, Source, read_source, without_code

MARKUP = re.compile(r"\\[^A-Za-z]|[*<|~]|(?<![A-Za-z0-9])_")
"""What Markdown takes for its own in a formula between bare dollars."""
REFUSED = re.compile(r"\\(?:operatorname|mbox|phantom|newcommand|def)(?![A-Za-z])")
"""Commands that GitHub does not set."""
COMMAND = re.compile(r"(?P<shown>^ *<!--.*-->.)|<!--\\.*?(?:-->)?$|(?P<own>\\f\W|\\[A-Za-z]\w*|\{#[\w-]+\})")
UPDATE = "let `python3 tools/weave update` define it"


def forge_problems(root: Path) -> Iterator[Diagnostic]:
    """What is wrong with the pages of a checkout where they are read."""
    files = [path.relative_to(root).as_posix() for pattern in ("*.md", "theory/*.md", "docs/**/*.md")
             for path in sorted(root.glob(pattern))]
    sources = {file: read_source(root, file) for file in files}
    places = {anchor for source in sources.values() for anchor in source.anchors}
    for source in sources.values():
        for number, line in source.of_kind("prose"):
            text = without_code(line)
            for fault in (*_formula_faults(text), *_command_faults(FORMULA.sub("", text)),
                          *_link_faults(root, source, text, sources, places)):
                yield Diagnostic(source.file, number, *fault)
        for number, line in source.of_kind("formula"):
            for fault in _refused(line):
                yield Diagnostic(source.file, number, *fault)


def _refused(formula: str) -> Iterator[tuple[str, str]]:
    for command in REFUSED.findall(formula):
        yield f"GitHub refuses {command}", r"Write \mathrm{…}, which the book sets as an operator"


def _formula_faults(line: str) -> Iterator[tuple[str, str]]:
    for found in FORMULA.finditer(line):
        tex = found["guarded"] or found["formula"]
        yield from _refused(tex)
        if found["formula"] and (markup := MARKUP.search(tex)):
            yield f"Markdown takes '{markup[0]}' in ${tex}$ for its own", f"Write $`{tex}`$"
        if re.search(r"[\w)>-]$", line[:found.start()]) or re.match(r"\w", line[found.end():]):
            yield f"the formula ${tex}$ touches a word, so a forge shows its dollars", "Put a space between them"


def _command_faults(line: str) -> Iterator[tuple[str, str]]:
    for found in COMMAND.finditer(line):
        if found["shown"]:
            yield "a forge shows the words behind a comment as they are", "Put them before it"
        if found["own"]:
            yield f"a forge shows '{found['own']}'", "Use the forms in tools/weave/weave/reading/forge.py"
    if re.search(r"(?<!\\)\$", line):
        yield "a dollar is alone on its line", "Begin and end a formula on one line, or write the sign as `$`"


def _link_faults(root: Path, source: Source, line: str, sources: dict[str, Source], places: set[str]
                 ) -> Iterator[tuple[str, str]]:
    for name in NAME.findall(FORMULA.sub("", line)):
        if name in places and name not in source.targets:
            yield f"[{name}] leads nowhere", f"L{UPDATE[1:]}"
    for found in LINK.finditer(line):
        target, words = found["target"], found["words"]
        file, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source.file), file)) if file else source.file
        if "$" in words:
            yield f"a forge sets no formula in the words of a link: [{words}]", "Put the formula beside it"
        if not (root / path).exists():
            yield f"the link to {target} names no file", "Correct it"
        elif anchor and path in sources and anchor not in sources[path].anchors:
            yield f"the link to {target} names no place of {path}", "Correct it"
