# SPDX-License-Identifier: BSL-1.0
"""The frame of every finished page: sidebar, landmarks, one title, headings that nest, names for what had none.

HTML in, HTML out: what is not replaced stays as Doxygen wrote it, byte for byte.
"""

import html
import re
from pathlib import Path

from weave.base.files import write_whole
from weave.base.tex import readable
from weave.record.results import FAILED
from weave.rendered.files import pages
from weave.rendered.headings import plain, with_headings
from weave.rendered.quotes import curled
from weave.rendered.sidebar import Contents, read_contents, sidebar

TOP = "</div><!-- top -->"
BREADCRUMBS = re.compile(r'<div id="nav-path" class="navpath">\s*(?P<list><ul>.*?</ul>)\s*</div>\s*'
                         r"(?=</div><!-- top -->)", re.DOTALL)
VERSION = '<span class="version">'
FOOTER = '<footer id="page-footer">'
NEIGHBOURS = re.compile(r'<div class="prevnext">(?P<links>.*?)</div>', re.DOTALL)
EMPTY_HEAD = re.compile(r"<th(?P<attributes>(?:\s[^>]*)?)>(?P<text>(?:\s|&#160;|<p\s*>|</p>|<br\s*/?>)*)</th>")
OF_BOOK = "<!-- PageDoc -->"
"""Marks a page that somebody wrote; the others list and describe code."""
CONTENTS = '<div class="contents">'
TITLE = re.compile(r"<title>(?P<text>.*?) · ")
PARAGRAPH = re.compile(r"<p\s*>(?P<text>.*?)</p>", re.DOTALL)
FORMULA = re.compile(r"\\\(|\\\[")
INLINE = re.compile(r"\\\((?P<tex>.*?)\\\)")
SENTENCE = re.compile(r".*?[.?!](?=\s|$)", re.DOTALL)
SHORTEST, LONGEST = 40, 300
"""Characters of a description."""
FIRST_TITLE = "<title>Main Page ·"

CARDS = re.compile(r'<table class="[^"]*\bcards\b[^"]*">.*?</table>', re.DOTALL)
"""Tables whose rows a phone shows as cards."""
IN_CARDS = re.compile(r'(<div class="cards">\s*(?:<p\s*>\s*</p>\s*)?<table class="markdownTable)(?=")')
"""A table of Markdown, which can only be marked from outside."""
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
HEAD = re.compile(r"<th\b[^>]*>(?P<text>.*?)</th>", re.DOTALL)
CELL = re.compile(r"<td(?=[ >])")

REFERENCE = re.compile(r'<a class="el" href="(?P<file>[\w-]+\.html)?#(?P<name>[A-Z]\w*)">')
"""A claim that is named."""

BEFORE_MARK = re.compile(r"(?<=</a>) (?=[.,:;](?:\s|<))")
"""The space that parts the name after a reference from the mark of the sentence, for Doxygen only."""

TREE = (
    (re.compile(r'<div class="levels">.*?</div>', re.DOTALL), ""),
    (re.compile(r'<span id="arr_[^"]*" class="arrow"[^>]*>.*?</span>'), ""),
    (re.compile(r' onclick="toggleFolder\([^"]*"'), ""),
    (re.compile(r'(<tr id="row_[^>]*?) style="display:none;"'), r"\1"),
    (re.compile(r'<a href="([^"]+)"><span class="icondoc"></span></a><b>([^<]+)</b>'),
     r'<a class="el" href="\1">\2</a>'),
    (re.compile(r'<a href="([^"]+)"><span class="icondoc"></span></a>(<a [^>]*>([^<]+)</a>)'),
     r'\2 <a class="source" href="\1" aria-label="Source of \3">source</a>'),
)
"""Doxygen's trees of files and classes, all open: what would fold them is its script."""

UNUSED = ("jquery.js", "dynsections.js", "tabs.css", "bc_s.png", "bdwn.png", "closed.png", "open.png", "nav_f.png",
          "nav_g.png", "nav_h.png", "splitbar.png", "sync_off.png", "sync_on.png", "tab_a.png", "tab_b.png",
          "tab_h.png",
          "tab_s.png")
"""What Doxygen copies whether or not a page asks for it."""


def frame(directory: Path, revision: dict[str, str]) -> int:
    """Frame every page of the book in `directory`, which says which version it is; how many there are."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in pages(directory, "html")}
    contents = read_contents(texts)
    for name, text in texts.items():
        write_whole(directory / name, _identified(framed(text, name, contents, set(texts)), name, revision))
    for name in UNUSED:
        (directory / name).unlink(missing_ok=True)
    return len(texts)


def framed(page: str, file: str, contents: Contents, files: set[str]) -> str:
    """One page with everything that surrounds its text."""
    page = with_headings(page)
    if "<h1" not in page:  # Doxygen's lists of members have no title
        name = TITLE.search(page)
        title = name["text"] if name else "sqrtdk"
        page = page.replace(CONTENTS, f'<h1 class="visually-hidden">{title}</h1>\n{CONTENTS}', 1)
    if OF_BOOK in page or file == "index.html":
        page = curled(BEFORE_MARK.sub("", page))
    page = EMPTY_HEAD.sub(r"<td\g<attributes>>\g<text></td>", page)
    page = NEIGHBOURS.sub(r'<nav class="prevnext" aria-label="Previous and next page">\g<links></nav>', page)
    for pattern, replacement in TREE:
        page = pattern.sub(replacement, page)
    page = IN_CARDS.sub(r"\1 cards", page)
    page = CARDS.sub(lambda table: _labelled(table.group()), page)
    page = REFERENCE.sub(lambda link: _warned(link, contents), page)
    page = _landmarks(page, curled(sidebar(contents, file, files)))
    return _described(_placed(page, file, contents))


def _identified(page: str, file: str, revision: dict[str, str]) -> str:
    """A page with its version, and the one address under which it is known if the book has an address."""
    page = page.replace(VERSION, VERSION + html.escape(revision.get("version", "")))
    if not revision.get("address"):
        return page
    address = html.escape(f"{revision['address']}/{file.removesuffix('index.html')}")
    return page.replace("</title>", f'</title>\n<link rel="canonical" href="{address}"/>', 1)


def _warned(link: re.Match[str], contents: Contents) -> str:
    """A link to a claim, which says so if the claim failed."""
    entry = contents.entry(link["file"] or "")
    failed = entry and any(claim.name == link["name"] and claim.word == FAILED for claim in entry.claims)
    return link.group().replace('class="el"', 'class="el claim-failed"', 1) if failed else link.group()


def _labelled(table: str) -> str:
    """A table whose cells know their heads, which stand beside them where there is no room for columns."""
    heads = [html.escape(INLINE.sub(lambda formula: readable(formula["tex"].strip()), plain(head["text"])))
             for head in HEAD.finditer(table)]

    def row(match: re.Match[str]) -> str:
        names = iter(heads)
        return CELL.sub(lambda cell: f'{cell.group()} data-label="{next(names, "")}"', match.group())
    return ROW.sub(row, table)


def _landmarks(page: str, navigation: str) -> str:
    """The sidebar inside the head of the page, and everything up to its foot as its main part."""
    trail = BREADCRUMBS.search(page)
    path = f'<nav id="nav-path" aria-label="Where this page stands">{trail["list"]}</nav>\n' if trail else ""
    page = BREADCRUMBS.sub("", page)
    page = page.replace(TOP, f'{navigation}\n{TOP}\n<main id="doc-content" tabindex="-1">\n{path}', 1)
    return page.replace(FOOTER, f"</main>\n{FOOTER}", 1)


def _placed(page: str, file: str, contents: Contents) -> str:
    """The page's place in the book: beside its title, and in the bar of a phone."""
    entry = contents.entry(file)
    number = entry.number if entry else 0
    if number:
        above = f'<p class="chapter-number">Chapter {number}</p>'
        page = page.replace('<h1 class="title">', f'{above}<h1 class="title">', 1)
    title = re.search(r'<h1 class="title">(.*?)</h1>', page, re.DOTALL)
    name = html.escape(plain(title.group(1))) if title else ""
    where = f'<span class="chapter">{f"{number} " if number else ""}{name or "sqrtdk"}</span>'
    return page.replace('<span id="where"></span>', f'<span id="where">{where}<span class="claim"></span></span>', 1)


def _described(page: str) -> str:
    """A title for the first page, and a description for those who find a page from outside."""
    first = re.search(r'<h1 class="book-title">(.*?)</h1>', page, re.DOTALL)
    if first:
        page = page.replace(FIRST_TITLE, f"<title>{html.escape(plain(first.group(1).replace('<br/>', ' ')))} ·", 1)
    said = _description(page)
    meta = f'</title>\n<meta name="description" content="{html.escape(said)}"/>'
    return page.replace("</title>", meta, 1) if said else page


def _description(page: str) -> str:
    """The first sentence of the page that needs no formula."""
    if OF_BOOK not in page and "book-title" not in page:
        return ""
    for paragraph in PARAGRAPH.finditer(page, max(0, page.find(CONTENTS))):
        text = plain(paragraph["text"])
        for sentence in map(str.strip, SENTENCE.findall(text)):
            if not FORMULA.search(sentence) and SHORTEST <= len(sentence) <= LONGEST:
                return sentence
    return ""
