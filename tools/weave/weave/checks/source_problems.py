r"""What the C++ says of claims: \implements{…}, tags of what pages quote, the namespaces of suites."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.sources import LIBRARY, PROPERTIES, Sources, suite_file

UNNAMED = re.compile(r"\s*namespace\s*\{")
NO_DEFINITION = re.compile(r"\s*(?:(?://|#(?:include|pragma once)\b).*)?")
SPECIALIZATION = re.compile(r"^template <>\n(?:struct|class) [\w:]+<[^{};]*\{[^{}]*\};$", re.MULTILINE)
"""Of a template of others, which stands outside of every namespace of ours."""
NAMED = re.compile(r"\b(\w+)(?=\s*::)|(?:(?<=::)|\bnamespace\s+(?:\w+\s*=\s*)?)(\w+)")
"""A name that is looked into, or taken whole by `using` or under another name."""
EXACT_CLASSES = {"OperationCounts", "PiFraction", "TermCounts"}
"""Of the library, with members that are all exact. List any other such class here."""
CALLED_EXACT = re.compile(r"\bis_exact<(?:\w+::)*(\w+)[^;{]*>\s*:")


def source_problems(book: Book) -> Iterator[Diagnostic]:
    """Declarations and tags that do not agree with the claims, and suites without a namespace of their own."""
    yield from _tags(book)
    yield from _implements(book)
    for name, claim in book.claims.items():
        folder = book.root / PROPERTIES / claim.stem
        for path in sorted([*folder.glob(f"{name}.cpp"), *folder.glob(f"{name}_*.hpp")]):
            file, text = path.relative_to(book.root).as_posix(), path.read_text(encoding="utf-8")
            yield from _namespace(file, text, name)
            yield from _borrowed(file, text, {other for other in book.claims if other != name})
    for path in sorted((book.root / PROPERTIES).rglob("*.[ch]pp")):
        yield from _called_exact(path.relative_to(book.root).as_posix(), path.read_text(encoding="utf-8"))
    yield from _unnamed(book.root)


def _tags(book: Book) -> Iterator[Diagnostic]:
    """The tagged lines that a claim's section quotes."""
    sources = book.sources
    for name, claim in book.claims.items():
        if not book.needs_suite(claim):
            continue
        suite = suite_file(claim.stem, name)
        headers = sources.headers_of(claim.stem, name)
        if not headers:
            yield Diagnostic(claim.file, claim.line, f"no header quotes {name}",
                             f"Put '//! [{name}]' before and after the lines of {LIBRARY}/{claim.stem}.hpp that "
                             rf"implement it, and '\implements{{{name}}}' into the comment of the declaration")
        elif name not in sources.implements and not _misspelt(book, headers):
            yield Diagnostic(headers[0], sources.lines_of(headers[0], name)[0], f"no declaration implements {name}",
                             rf"Write '/// \implements{{{name}}}' in the comment of the one that does")
        if suite in sources.tags and not sources.lines_of(suite, name):
            yield Diagnostic(claim.file, claim.line, f"{suite} does not quote {name}",
                             f"Put '//! [{name}]' before and after its main property")
    for file, tags in sources.tags.items():
        for tag, lines in tags.items():
            if len(lines) != 2:
                yield Diagnostic(file, lines[0], f"the tag [{tag}] stands {len(lines)} times",
                                 "Write it twice, before and after the lines to quote")


def _implements(book: Book) -> Iterator[Diagnostic]:
    r"""Each \implements names a claim, whose page quotes that file, or the source of that header."""
    for name, places in book.sources.implements.items():
        for file, line in places:
            if name not in book.claims:
                near = "".join(f" ({match}?)" for match in get_close_matches(name, book.claims, n=1))
                yield Diagnostic(file, line, rf"\implements{{{name}}} names no claim{near}",
                                 "Correct the name, or declare the claim in theory/")
            elif not _quoted(book.sources, file, name):
                yield Diagnostic(file, line, f"this implements {name}, whose page does not quote {Path(file).name}",
                                 f"Put '//! [{name}]' before and after the lines that matter, here or in its source")


def _misspelt(book: Book, headers: list[str]) -> bool:
    r"""Whether one of these headers has an \implements that names no claim, which is said there."""
    return any(file in headers for name, places in book.sources.implements.items() if name not in book.claims
               for file, _ in places)


def _quoted(sources: Sources, file: str, claim: str) -> bool:
    return any(sources.lines_of(Path(file).with_suffix(end).as_posix(), claim) for end in (".hpp", ".cpp"))


def _namespace(file: str, text: str, claim: str) -> Iterator[Diagnostic]:
    """All that is defined in a claim's file is in the namespace of the claim."""
    own = f"namespace {LIBRARY.partition('/')[2]}::{PROPERTIES}::{claim}"
    outside = _first_outside(text, own)
    if outside or f"{own} {{" not in text.splitlines():
        yield Diagnostic(file, outside or 1, f"what is defined here is not in the namespace of {claim}",
                         f"Put all of it into '{own} {{': the claims of a chapter are compiled as one, in which two "
                         "helpers of a name collide, and one of another claim can be called by mistake")


def _first_outside(text: str, own: str) -> int:
    """The first line of code outside of the blocks of a namespace, but for specializations; 0 if there is none."""
    inside = False
    without = SPECIALIZATION.sub(lambda code: "\n" * code[0].count("\n"), text)
    for number, line in enumerate(without.splitlines(), start=1):
        if not inside and line != f"{own} {{" and not NO_DEFINITION.fullmatch(line):
            return number
        inside = line == f"{own} {{" or inside and line != f"}}  // {own}"
    return 0


def _borrowed(file: str, text: str, others: set[str]) -> Iterator[Diagnostic]:
    """A claim's file uses nothing that another claim's file defines."""
    for number, line in enumerate(text.splitlines(), start=1):
        named = {name for names in NAMED.findall(line.partition("//")[0]) for name in names}
        for other in sorted(others & named):
            yield Diagnostic(file, number, f"this borrows from the file of {other}",
                             "Move what both need into the chapter's fixture.hpp")


def _unnamed(root: Path) -> Iterator[Diagnostic]:
    """Headers name their namespaces."""
    for folder in ("src", PROPERTIES, "tests", "examples", "docs/figures", "tools"):
        for path in sorted((root / folder).rglob("*.hpp")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if UNNAMED.match(line):
                    yield Diagnostic(path.relative_to(root).as_posix(), number, "a header has an unnamed namespace",
                                     "Give it a name, in properties/ 'inline namespace chapter_…', and 'inline' to "
                                     "functions and variables: every file that includes the header would have its own")


def _called_exact(file: str, text: str) -> Iterator[Diagnostic]:
    """A chapter does not say which classes EXPECT_EXACTLY takes."""
    for match in CALLED_EXACT.finditer(text):
        if match[1] not in EXACT_CLASSES:
            yield Diagnostic(file, text.count("\n", 0, match.start()) + 1, f"this says that {match[1]} is exact",
                             "Compare its members, or, if all of them are exact, add it to EXACT_CLASSES in "
                             "tools/weave/weave/checks/source_problems.py")
