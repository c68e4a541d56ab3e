r"""Doxygen-flavoured text: escaping, badges, tables and links.

The classes that the theme may style, all of them:
  claim-meta                 the line below a claim's heading: badge, documents, minutes, stars, permalink
  stars                      the stars of a claim
  reading chapter-claims time  the minutes of a chapter, the list of its claims, the minutes of one
  claim-WORD                 an entry of that list
  statement                  the statement of a claim, set off
  badge badge-WORD           a verdict: WORD is exact, bounded, measured, statistical, empirical, cited, failed or
                             not-run; of a passage: right, right-if, wrong, not-decided, cited,
                             answered or opinion
  badge beside               what is known besides the statement: of the implementation, of samples
  formal                     that a machine has checked theorems about a claim, beside its badge
  judged                     what the run says of a document, behind its name
  ours                       with it: that no document makes the claim
  verdict                    a reference to a claim: its title, which is a link, and its labels without colour
  status-held status-failed status-not-run
                             the outcome of one test (span), a failed test (row, message)
  permalink                  the link of a claim to itself
  check-words                a claim's check in words
  indent-0 indent-1 indent-2 with it: a line by its indentation
  evidence                   the table of a claim's tests
  claims-table               the table of all claims, sortable
  book                       every other generated table
  cards                      with others: a table whose rows a phone shows as cards; data-label is a cell's head there
  filtered filters hypotheses  the ledger of hypotheses, which can be filtered, and its buttons
  name said                  in the table of claims: the name of a claim, its sentence
  errata errata-wrong errata-undecided errata-omitted errata-sharpened
                             with book: the tables of the errata, whose cells a phone stacks
  kill-matrix                with book: mutants × checks
  fold                       a folded part of an exercise
  cite                       the folded citation of a claim or a figure, for readers without scripts
  claim-tools                what can be copied from a claim or a figure, as data for a script
  prevnext                   previous and next page
  tiles tile                 the four numbers of the first page
  claim-graph node           the graph of claims, and a claim in it
"""

import html
import math
import re
from urllib.parse import quote

from weave.base.words import sentence
from weave.reading.pages import BEYOND, IMPLIED
from weave.record.results import FAILED, PASSED, Test
from weave.record.verdicts import Verdict

ESCAPED = {"\\": r"\\", "@": r"\@", "&": "&amp;", "<": "&lt;", ">": "&gt;", "#": r"\#",
           "%": r"\%", "*": r"\*", "_": r"\_", "`": r"\`", "[": r"\[", "]": r"\]", "$": r"\$", '"': "&quot;",
           "|": r"\|"}
MARKED = str.maketrans(ESCAPED)
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
"""Ends of lines, and what turns letters around."""
TOGETHER = re.compile(r"(?<=~)(?=~)|(?<=-)(?=-)|(?=://)|(?<=\\)(?=\S)")
"""The middle of two signs that together strike words out, become a dash, or begin a link or a formula; a joiner,
which nobody sees, parts them."""
SCIENTIFIC = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]?\d+)(?![\w.])")
LONG_NUMBER = re.compile(r"\d{5,}(?=(?:\.\d+)?\Z)")
"""The whole part of a number that is a value alone."""
POWER = re.compile(r"(?<![\w.])(\d+)\^(-?\d+)(?!\w)")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
JOINER = "\u200d"
COMMANDS = str.maketrans({"\\": "&#92;", "@": "&#64;", '"': "&quot;"})
"""The signs that begin a command of Doxygen or end an attribute, within HTML that Doxygen passes on."""

LARGE = ((1e6, "million"), (1e9, "billion"), (1e12, "trillion"))
"""Names of large numbers."""

STATUS = {PASSED: ("held", "✓ held"), FAILED: ("failed", "✗ failed")}
NOT_RUN_STATUS = ("not-run", "○ not run")


def escape(text: str) -> str:
    """Plain text that neither Markdown nor Doxygen takes for markup."""
    return TOGETHER.sub(JOINER, UNSEEN.sub(" ", text)).translate(MARKED).replace("::", r"\::")


def as_people_write(value: str) -> str:
    """A recorded value, with its numbers as people write them: 4.24·10⁶, 2⁻²⁶, 9,127,323."""
    value = POWER.sub(lambda power: power[1] + power[2].translate(SUPERSCRIPTS), value)
    if long := LONG_NUMBER.match(value):
        return f"{int(long[0]):,}{value[long.end():]}"
    return SCIENTIFIC.sub(lambda number: f"{number[1]}·10{str(int(number[2])).translate(SUPERSCRIPTS)}", value)


def html_text(text: str) -> str:
    """Plain text within HTML that Doxygen passes on as it is."""
    return html.escape(text, quote=False).translate(COMMANDS)


def css(word: str) -> str:
    """A verdict's word as part of a class name."""
    return word.replace(" ", "-")


def badge(verdict: Verdict) -> str:
    """Glyph and word of a verdict."""
    return word_badge(verdict.shown, verdict.label)


def word_badge(word: str, label: str, style: str = "badge", meaning: str = "") -> str:
    """A label in the colours of a word, which leads to what it means if that is given."""
    name = f"{style} badge-{css(word)}"
    return f'<a class="{name}" href="{meaning}">{label}</a>' if meaning else f'<span class="{name}">{label}</span>'


def badges(verdict: Verdict, meaning: str = "") -> str:
    """The badge of the statement, and a smaller one for all that is known besides."""
    first, *beside = verdict.labels
    return " ".join([word_badge(verdict.shown, first, meaning=meaning),
                     *(word_badge(level, label, "badge beside", meaning)
                       for (level, _), label in zip(verdict.beside, beside))])


def verdict_link(name: str, verdict: Verdict) -> str:
    """A claim's title, which is a link to it, and what is known of it, without colour."""
    return rf'<span class="verdict">\ref {name} <span class="labels">{" · ".join(verdict.labels)}</span></span>'


def test_status(test: Test) -> str:
    """Glyph and word for the outcome of one test."""
    style, label = STATUS.get(test.status, NOT_RUN_STATUS)
    return f'<span class="status-{style}">{label}</span>'


def test_link(test: Test) -> str:
    """A test's name as a sentence, linked to its highlighted source line."""
    return f'<a href="{source_url(test.file, test.line)}">{escape(sentence(test.name))}</a>'


def source_url(file: str, line: int) -> str:
    """The address where Doxygen puts a line of a source file (CASE_SENSE_NAMES=YES, unique file names)."""
    name = quote(file.rsplit("/", 1)[-1].replace("_", "__").replace(".", "_8"))
    return f"{name}_source.html#l{line:05d}"


def documents(names: list[str], judged: dict[str, str] | None = None) -> str:
    """The documents that make a claim, linked to the page about the documents, and what the run says of them."""
    return ", ".join(_document(name) + _judged((judged or {}).get(name, "")) for name in names)


OURS = {IMPLIED: "ours, implied by them", BEYOND: "ours, beyond them"}
"""The words for a claim that no document makes."""


def _document(name: str) -> str:
    return f'<span class="ours">{OURS[name]}</span>' if name in OURS else rf'\ref {name} "{name}"'


def _judged(label: str) -> str:
    return f' <span class="judged">{label}</span>' if label else ""


def table(style: str, head: list[str], rows: list[list[str]], row_styles: list[str] | None = None
          ) -> str:
    """An HTML table; unlike Markdown's, its cells may hold formulas with bars."""
    styles = row_styles or [""] * len(rows)
    lines = [f'<table class="{style}">', _row("th", head, "")]
    lines += [_row("td", cells, row_style) for cells, row_style in zip(rows, styles)]
    return "\n".join([*lines, "</table>"])


def _row(tag: str, cells: list[str], style: str) -> str:
    opening = f'<tr class="{style}">' if style else "<tr>"
    return opening + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def choices(groups: dict[str, dict[str, str]]) -> str:
    """Buttons above a table, by group and label: the words that a row must have. A script shows them."""
    rows = [f'<div class="filters" role="group" aria-label="{group}" hidden="hidden"><span>{group}</span> ' + " ".join(
            f'<button type="button" aria-pressed="false" data-filter="{words}">{label}</button>'
            for label, words in found.items()) + "</div>" for group, found in groups.items() if found]
    return html_block("\n".join(rows))


def preformatted(text: str, kind: str = "") -> str:
    """Text as it is, in a <pre> of a class; control characters are shown as question marks."""
    shown = "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
    return html_block(f'<pre class="{f"fragment {kind}".strip()}">{html_text(shown)}\n</pre>')


def html_block(text: str) -> str:
    """HTML that Doxygen passes on as it is, between paragraphs."""
    return f"\\htmlonly[block]\n{text}\n\\endhtmlonly"


def odds(number: str) -> str:
    """A recorded probability as '1 in 180 million', to two digits; as a power of two where one points at it."""
    if not number:
        return ""
    once = 1 / float(number)
    power = f"2^{math.log2(float(number)):.1f}".removesuffix(".0").replace("-", "−")
    if once >= LARGE[-1][0] * 1000:
        return power_of_two(number)
    size, name = next(((size, name) for size, name in reversed(LARGE) if once >= size), (1, ""))
    digits = f"{float(f'{once / size:.2g}'):,g}"
    return f'<span title="{power}">1 in {digits}{f" {name}" if name else ""}</span>'


def power_of_two(number: str) -> str:
    """A recorded probability as a power of two, to a tenth of the exponent."""
    if not number:
        return ""
    exponent = f"{math.log2(float(number)):.1f}".removesuffix(".0").replace("-", "−")
    return f"2<sup>{exponent}</sup>"
