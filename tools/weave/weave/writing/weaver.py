"""Woven pages: every page with its macros replaced and every claim with its evidence."""

import html
import json
import re

from weave.base.words import plural, sentence
from weave.reading.book import Book
from weave.reading.judgements import judgements, labels_of_documents
from weave.reading.pages import CHECK, DOCUMENTS, FIELD, MAINPAGE, STATEMENT, Claim, Page
from weave.reading.passages import LINES
from weave.reading.sources import suite_file
from weave.record.claims import CLAIMS_FILE
from weave.record.results import FAILED, Test
from weave.record.verdicts import HELD
from weave.writing.claim_tools import tools
from weave.writing.claims_data import claim_data, claims_data
from weave.writing.evidence_table import evidence_table
from weave.writing.figure_blocks import figure_lines
from weave.writing.folds import folds
from weave.writing.formal import Formal
from weave.writing.graph import chapter_graph
from weave.writing.macros import expand
from weave.writing.markup import (badges, documents, escape, html_block, preformatted, source_url, table, test_link,
                                  word_badge)
from weave.writing.opening import opening
from weave.writing.reading_time import minutes, stars
from weave.writing.rerun import rerun
from weave.writing.slides import slide_lines
from weave.writing.tasks import references


WORDS = "words-of-checks"
"""The page that says what the words of a check mean."""

CHECK_INDENT = 4
"""By how many spaces a line of a check in words is indented below the one that it belongs to."""

NONE = {"noproperty": "No random cases", "noexactcheck": "No exact check"}
"""The gap that a claim's reason explains, by its macro."""

DESCRIPTION = re.compile(r"\\description\{(.*)\}")
"""The words that tell others of a page before they open it."""

MEANING = "how-to-read.html#words"
"""The address to which a badge below a claim's heading leads."""


FIRST_LOOK = ("The rest of the book is being made. Until then links to it lead nowhere, and the page on the root "
              "shows numbers of the last run. Load this page again when `tools/verify` has ended.")


class Weaver:
    """Renders one book, which must be consistent."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.tasks = references(book)
        self.formal = Formal(book)

    def files(self) -> dict[str, str]:
        """Every file of the woven directory by its name in it."""
        book = self.book
        claims = json.dumps(claims_data(book), ensure_ascii=False, indent=1)
        return {CLAIMS_FILE: f"{claims}\n",
                **{page.file: self._page(page) for page in book.chapters + book.pages}}

    def first_files(self) -> dict[str, str]:
        """The same with the page that says why, the first chapter, and a main page without the rest."""
        why = next(page for page in self.book.pages if page.anchor == "why")
        first = [why, self.book.chapters[0]]
        links = "\n".join(f"- \\subpage {page.anchor}" for page in first)
        main = f"# A first look {{#mainpage}}\n\n{FIRST_LOOK}\n\n{links}\n"
        return {CLAIMS_FILE: "[]\n", MAINPAGE: main, **{page.file: self._page(page) for page in first}}

    def _page(self, page: Page) -> str:
        """A page in reading order, with macros replaced, evidence added, and links to its neighbours."""
        visible = {number for number, _ in page.prose}
        order = _reading_order(page)
        begins = {claim.line: claim for claim in page.claims}
        ends = {_shown(claim)[-1]: claim for claim in page.claims}
        folded = folds(page)
        judged = judgements(self.book) if page.file == LINES else {}
        drawn = figure_lines(self.book, page, lambda text, shown: expand(self.book, text, shown))
        drawn |= slide_lines(self.book, page, lambda text: expand(self.book, text))
        title = _title_line(page)
        statements = {edge: tag for claim in page.claims for edge, tag in _statement(claim).items()}
        woven: list[str] = []
        for number in order:
            if (number, "before") in statements:
                woven += [statements[number, "before"], ""]
            line = page.lines[number - 1]
            shown = drawn[number] if number in drawn else expand(self.book, line) if number in visible else line
            if said := DESCRIPTION.fullmatch(line):
                shown = html_block(f'<div data-description="{html.escape(said[1])}"></div>')
            if number in judged:
                shown = f"- {word_badge(judged[number].word, judged[number].label)} {shown[2:]}"
            woven.append(shown)
            if number == title:
                woven += ["", opening(self.book, page)]
                if self.book.is_first_look and not page.claims:
                    woven += ["", f"*{FIRST_LOOK}*"]
            if (number, "after") in statements:
                woven += ["", statements[number, "after"], ""]
            if number in begins:
                woven += ["", self._meta(begins[number])]
            if number in ends:
                woven += ["", "\n\n".join([*self.formal.fold(ends[number]), self._evidence(ends[number])])]
            if number in folded:
                woven.append(folded[number])
        if page.claims:
            woven += ["", chapter_graph(self.book, page)]
        return "\n".join([*woven, *self._neighbours(page), ""])

    def _meta(self, claim: Claim) -> str:
        """The line below a claim's heading."""
        return (f'<div class="claim-meta">{badges(self.book.verdicts[claim.name], MEANING)}{self.formal.mark(claim)} '
                f"{documents(claim.documents, labels_of_documents(self.book, claim))} · "
                f"{minutes(self.book, claim.name)} min · {stars(self.book, claim)} · <code>{claim.name}</code> "
                f'<a class="permalink" href="#{claim.name}" title="Permanent link to this claim">'
                f"¶</a> {tools(self.book, claim)}</div>")

    def _evidence(self, claim: Claim) -> str:
        """Everything that stands below a claim's own text; it is folded if the claim holds."""
        parts = [self._relations(claim)]
        if self.book.needs_suite(claim):
            held = self.book.verdicts[claim.name].status == HELD
            parts = [html_block(f'<details class="fold machinery"{"" if held else " open"}>'
                                f"<summary>{self._checked(claim)}</summary>"),
                     *self._quotations(claim), *self._run(claim), *parts, html_block("</details>")]
        return "\n\n".join(parts) + "\n"

    def _checked(self, claim: Claim) -> str:
        """A sentence on how a claim was checked, which folds its code and its table away."""
        data = claim_data(self.book, claim)
        if not data["tests"]:
            return "Not run. Code, evidence, relations"
        failed = sum(test["status"] == FAILED for test in data["tests"])
        parts = [plural(len(data["tests"]), "test")]
        if data["cases"]:
            parts.append(f"{data['cases']:,} cases" if data["cases"] > 1 else "1 case")
        if failed:
            parts.append(f"{failed} failed")
        broken, caught = data["mutants"], data["mutants_killed"]
        verdict = f"; {'all' if caught == broken else f'{caught} of'} {broken} deliberately broken versions were caught"
        return f"{', '.join(parts)}{verdict if broken else ''}. Code, evidence, relations"

    def _quotations(self, claim: Claim) -> list[str]:
        """The implementation, the check in words, the property and the other checks, quoted by tag."""
        sources = self.book.sources
        suite = suite_file(claim.stem, claim.name)
        parts = ["### Implementation"]
        for header in sources.headers_of(claim.stem, claim.name):
            include = header.removeprefix("src/")
            parts += [rf'\ref {include} "{include}" · {_line_link(self.book, header, claim.name)}',
                      _snippet(header, claim.name)]
        parts += [*self._words(claim),
                 "### Property",
                 _line_link(self.book, suite, claim.name) + (
                     rf' · \ref {WORDS} "the words of this code"' if self._explains_words() else ""),
                 _snippet(suite, claim.name)]
        for tag in sources.tags[suite]:
            if tag.startswith(f"{claim.name}: "):
                title = tag.removeprefix(f"{claim.name}: ")
                parts += [f"### {title[:1].upper()}{title[1:]}", _snippet(suite, tag)]
        return parts

    def _words(self, claim: Claim) -> list[str]:
        """The property's check, for those who do not read C++, and the meaning of its words."""
        if not claim.check:
            return []
        return [f"### {CHECK}",
                *([rf'\ref {WORDS} "What these words mean"'] if self._explains_words() else []),
                html_block("\n".join(['<div class="check-words">', *map(_indented, claim.check), "</div>"]))]

    def _explains_words(self) -> bool:
        """True if the book has a page about the words of checks."""
        return any(page.anchor == WORDS for page in self.book.pages)

    def _run(self, claim: Claim) -> list[str]:
        """The findings of the run: the table of tests, failures, the documents' numbers, and how to run it again."""
        tests = self.book.tests_of(claim)
        parts = ["### Evidence of this run"]
        if not tests:
            why = escape(self.book.why_not_run(claim))
            return [*parts, f'<div class="status-not-run">○ Not run: {why}.</div>', *rerun(self.book, claim)]
        parts += [f"<b>{NONE[macro]}:</b> {expand(self.book, reason.text)}" for macro, reason in claim.reasons.items()]
        parts.append(evidence_table(tests))
        parts += [f'<div class="status-failed">\n✗ {escape(sentence(test.name))}\n\n'
                  f"{preformatted(test.first_failure())}\n</div>"
                  for test in tests if test.failures]
        printed = _printed(tests)
        return [*parts, *([printed] if printed else []), *rerun(self.book, claim)]

    def _relations(self, claim: Claim) -> str:
        """The claims before and after this one in the order of proof."""
        def listed(names: list[str]) -> str:
            return ", ".join(rf"\ref {name}" for name in names) or "nothing"
        tasks = [self.tasks[task.name] for task in self.book.tasks.values()
                 if task.claim == claim.name and task.name in self.tasks]
        return ("### Uses and used by\n\n"
                f"**Uses** {listed(list(claim.uses))}. "
                f"**Used by** {listed(self.book.users_of(claim))}."
                + (f" **Exercises** {', '.join(tasks)}." if tasks else ""))

    def _neighbours(self, page: Page) -> list[str]:
        """Previous and next page of the reading order."""
        order = self.book.order
        if page.anchor not in order:
            return []
        place = order.index(page.anchor)
        previous = order[place - 1] if place > 0 else 'index "Contents"'
        links = [rf"<span>← \ref {previous}</span>"]
        if place + 1 < len(order):
            links.append(rf"<span>\ref {order[place + 1]} →</span>")
        return ["", f'<div class="prevnext">{" ".join(links)}</div>']


def _title_line(page: Page) -> int:
    """The number of the line with a page's title; 0 if it has none."""
    return next((number for number, _ in page.headings), 0)


def _statement(claim: Claim) -> dict[tuple[int, str], str]:
    """The tags that set a claim's statement off, by the line of the page that they stand before or after."""
    lines = claim.parts.get(STATEMENT)
    if not lines:
        return {}
    return {(lines[0], "before"): html_block('<div class="statement">'), (lines[-1], "after"): html_block("</div>")}


def _reading_order(page: Page) -> list[int]:
    """The numbers of a page's lines as a reader meets them.

    A claim opens with its sentence; the documents' words, which are folded, come before its statement. Left out are
    sections that say nothing, its check in words, which stands above the property, and its list of uses,
    which stands below its evidence with its users.
    """
    order: list[int] = []
    done = 0
    for claim in page.claims:
        order += [*range(done + 1, claim.line + 1), *_shown(claim)]
        done = claim.end
    return [*order, *range(done + 1, len(page.lines) + 1)]


def _shown(claim: Claim) -> list[int]:
    """The numbers of the lines below a claim's heading that a reader sees, in order."""
    first = [name for name in ("", DOCUMENTS, FIELD, STATEMENT) if name in claim.parts]
    rest = [name for name in claim.parts if name not in (*first, CHECK)]
    return [number for name in first + rest for number in claim.parts[name]]


def _indented(line: str) -> str:
    """A line of a check in words, which may wrap, at its indentation."""
    text = line.lstrip(" ")
    return f'<p class="indent-{(len(line) - len(text)) // CHECK_INDENT}">{html.escape(text)}</p>'


def _snippet(file: str, tag: str) -> str:
    return rf"\snippet{{trimleft}} {file} {tag}"


def _line_link(book: Book, file: str, tag: str) -> str:
    line = book.sources.lines_of(file, tag)[0] + 1
    return f'<a href="{source_url(file, line)}">{escape(file)}, line {line}</a>'


def _printed(tests: list[Test]) -> str:
    """The documents' printed words on a claim, and whether the run agrees."""
    rows = []
    for test in tests:
        rows += [[documents([document]), escape(printed), "agrees", test_link(test)]
                 for document, printed in test.rows("agrees")]
        rows += [[documents([document]), escape(printed), f"corrected: {escape(right)}",
                  test_link(test)] for document, printed, right in test.rows("corrects")]
    return table("book cards", ["Document", "Printed", "This run", "Check"], rows) if rows else ""
