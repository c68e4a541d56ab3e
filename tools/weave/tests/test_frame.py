"""The frame of a finished page, on small pages as Doxygen writes them."""

import json
import re
import unittest
from tempfile import TemporaryDirectory
from pathlib import Path
from typing import Any

from lxml import etree
from project import REVISION, TextTest

from weave.rendered.finish import drop_repeated_ids, finish, frame
from weave.rendered.frame import open_trees
from weave.rendered.headings import nest
from weave.rendered.lint import lint, read
from weave.rendered.quotes import curl
from weave.rendered.sidebar import read_contents, sidebar
from weave.rendered.tree import Element, parsed, written

SHELL = """<html><head><title>{title} · sqrtdk</title></head><body>
<a class="skip-link" href="#doc-content">Skip</a>
<div id="top"><header><span id="where"></span></header>
{trail}</div><!-- top -->
{header}<div class="contents">
{body}
</div><!-- contents -->
{end}<footer id="page-footer"><span class="version"></span></footer>
</body></html>
"""
HEADER = """<div><div class="header">
  <div class="headertitle"><div class="title">{title} </div></div>
</div><!--header-->
"""
INDEX = """<div class="textblock"><div class="book-title">The root,<br/>claim by claim</div>
<p >See <a class="el" href="score.html">Score</a>.</p>
<h1 id="contents">Contents</h1>
<p ><b>Start</b></p>
<ul><li><a class="el" href="notation.html">Notation</a></li></ul>
<p ><b>Chapters</b>, in order:</p>
<ol type="1">
<li><a class="el" href="moments.html">Moments</a></li>
<li><a class="el" href="score.html">Score</a></li>
</ol>
<p ><b>Exercises</b></p>
<ul><li><a class="el" href="exercises.html">Exercises</a></li></ul>
<p ><b>Library</b></p>
<ul><li><a class="el" href="reference.html">Reference</a></li></ul>
</div>"""
SCORE = """<p >A sentence that stands here without any formula in it, "said" once.</p>
<h1><a class="anchor" id="ScoreVariance"></a>
The variance is d</h1>
<div class="claim-meta"><a class="badge badge-exact" href="x">✓ exact</a></div>
<h2><a class="anchor" id="autotoc_md7"></a>
What the documents say</h2>
<table class="book cards">
<tr><th>A</th><th>B &amp; C</th><th> </th></tr>
<tr><td>1</td><td class="x">2</td><td>3</td></tr>
</table>
<h1><a class="anchor" id="Broken"></a>
It fails</h1>
<div class="claim-meta"><a class="badge badge-failed" href="x">✗ failed</a></div>
<div class="prevnext"><span>← <a class="el" href="moments.html">Moments</a></span></div>"""


def page(title: str, body: str, trail: str = "") -> str:
    """A page as Doxygen writes it with the book's header and footer."""
    header = HEADER.format(title=title) if title else ""
    return SHELL.format(title=title or "Main Page", header=header, body=body, trail=trail,
                        end="</div><!-- PageDoc -->\n" if title else "")


PAGES = {
    "index.html": page("", INDEX),
    "notation.html": page("Notation", '<p>By <a class="el" href="score.html#Broken">It fails</a> and '
                                      '<a class="el" href="score.html#ScoreVariance">the other</a></p>'),
    "score.html": page("Score", SCORE),
    "exercises.html": page("Exercises", '<ol type="1">\n<li><a class="el" href="exercise-1.html">Exercise 1</a></li>\n'
                                        '<li><a class="el" href="exercises-score.html">Of the score</a></li>\n'
                                        '<li><a class="el" href="score.html">Score</a></li>\n</ol>'),
    "score_8hpp.html": page("score.hpp", "<p>x</p>", '<div id="nav-path" class="navpath">\n  <ul>\n<li class="navelem">'
                                                     '<a class="el" href="files.html">src</a></li>  </ul>\n</div>\n'),
    **{f"{name}.html": page(title, "<p>x</p>") for name, title in (
        ("moments", "Moments"), ("exercises-score", "Of the score"), ("exercise-1", "Exercise 1: a &amp; b"),
        ("reference", "Reference"), ("files", "Files"))},
}
CLAIMS: list[Any] = [
    {"id": "ScoreVariance", "chapter": "score", "title": "The variance is d", "level": "exact", "status": "held",
     "glyph": "✓"},
    {"id": "Broken", "chapter": "score", "title": "It's wrong", "level": "", "status": "failed", "glyph": "✗"}]


def trees() -> dict[str, Element]:
    return {name: parsed(text) for name, text in PAGES.items()}


def inner(element: Element) -> str:
    """The HTML between the tags of an element."""
    return str(etree.tostring(element, method="html", encoding="unicode"))[len("<div>"):-len("</div>")]


def finished(directory: Path, pages: dict[str, str], revision: dict[str, str]) -> None:
    for name, text in {**pages, "jquery.js": "", "common.gp": 'ink = "#1e2125"\n',
                       "woven.json": json.dumps(CLAIMS)}.items():
        (directory / name).write_text(text, encoding="utf-8")
    finish(directory, directory / "common.gp", directory / "woven.json", revision)


class Contents(unittest.TestCase):

    def test_groups_are_the_lists_of_the_first_page_and_the_ordered_ones_number_their_chapters(self) -> None:
        contents = read_contents(trees(), CLAIMS)
        self.assertEqual([(name, [entry.title for entry in group]) for name, group in contents.groups.items()],
                         [("Start", ["Notation"]), ("Chapters", ["Moments", "Score"]), ("Exercises", ["Exercises"]),
                          ("Library", ["Reference"])])
        self.assertEqual([entry.number for entry in contents.entries()], [0, 1, 2, 0, 0, 0, 0])

    def test_what_a_page_lists_and_claims_stands_below_it(self) -> None:
        entries = {entry.file: entry for entry in read_contents(trees(), CLAIMS).entries()}
        self.assertEqual([child.file for child in entries["exercises.html"].children], ["exercise-1.html"])
        self.assertEqual([claim["id"] for claim in entries["score.html"].claims], ["ScoreVariance", "Broken"])
        self.assertEqual(entries["moments.html"].claims, [])


class Sidebar(TextTest):

    def shown(self, file: str) -> str:
        return written(sidebar(read_contents(trees(), CLAIMS), file, set(PAGES)))

    def test_the_current_page_is_marked_alone_and_only_it_shows_its_claims_and_which_failed(self) -> None:
        text = self.shown("score.html")
        self.assertEqual(re.findall(r'href="([^"]*)" aria-current="page"', text), ["score.html"])
        self.assert_has(text, '<span class="number">2</span> Score', '<li class="claim-failed"><a href="#Broken">',
                        '<span class="visually-hidden">failed: </span>It\'s wrong')
        self.assertNotIn("nav-claims", self.shown("moments.html"))

    def test_the_exercises_of_a_chapter_are_below_it_while_it_is_open(self) -> None:
        self.assert_values(lambda file: 'href="exercises-score.html"' in self.shown(file), {
            "score.html": True, "exercises-score.html": True,
            "moments.html": False, "exercises.html": False, "exercise-1.html": False})

    def test_an_entry_alone_in_its_group_shows_what_is_below_it(self) -> None:
        self.assertIn("Exercise 1: a &amp; b", self.shown("moments.html"))
        self.assertIn('href="exercises.html" class="within"', self.shown("exercise-1.html"))

    def test_pages_about_code_belong_to_the_library(self) -> None:
        text = self.shown("score_8hpp.html")
        self.assertIn('<a href="files.html" class="within">Files</a>', text)
        self.assertIn('<a href="reference.html" class="within">', self.shown("group__score__reference.html"))
        self.assertNotIn("annotated.html", text)  # this book has none


class Parts(unittest.TestCase):

    def test_a_name_that_doxygen_gives_twice_stays_where_the_function_is_explained(self) -> None:
        row, item = '<tr><td><a id="f" name="f"></a>{}</td></tr>', '<a id="f" name="f"></a><p>{}</p>'
        root = parsed(f"<table>{row.format(1)}</table>{item.format(2)}{item.format(3)}<a id='g' name='g'></a>")
        drop_repeated_ids(root)
        self.assertEqual([anchor.getnext().text for anchor in root.xpath("//a[@id='f']")], ["2"])
        self.assertEqual(len(root.xpath("//a[@id='g']")), 1)
        rows = parsed("<table><tr id='r_f'><td>1</td></tr><tr id='r_f'><td>2</td></tr></table>")
        drop_repeated_ids(rows)
        self.assertEqual(["1"], rows.xpath("//tr[@id]/td/text()"))

    def test_an_icon_becomes_a_link_to_the_source_in_either_form_of_doxygen(self) -> None:
        icon = '<a href="a_source.html"><span class="icondoc"></span></a>'
        for between in ("", "&#160;</td><td>"):
            listing = parsed(f"<table><tr><td>{icon}{between}<a href='a.html'>a.hpp</a></td></tr></table>")
            open_trees(listing)
            link = listing.xpath("//a[@class='source']")[0]
            self.assertEqual((link.text, link.get("aria-label")), ("source", "Source of a.hpp"))


class Headings(TextTest):

    def nested(self, text: str) -> str:
        root = parsed(text)
        nest(root)
        return written(root)

    def test_levels_nest_below_the_title(self) -> None:
        text = self.nested('<div class="headertitle"><div class="title">T</div></div>'
                           "<h2>a</h2><h4>b</h4><h1>c</h1><h2>d</h2><h3>e</h3><h2>f</h2>")
        self.assertEqual(re.findall(r"<h(\d)[^>]*>(\w)", text),
                         [("1", "T"), ("2", "a"), ("3", "b"), ("2", "c"), ("3", "d"), ("4", "e"), ("3", "f")])

    def test_parts_of_a_claim_are_named_by_it_and_names_that_exist_stay(self) -> None:
        text = self.nested(PAGES["score.html"])
        self.assert_has(text, 'id="ScoreVariance"', 'id="ScoreVariance-what-the-documents-say"',
                        'href="#ScoreVariance-what-the-documents-say" aria-label="Link to “What the documents say”"')
        self.assertNotIn("autotoc", text)

    def test_no_name_is_given_twice(self) -> None:
        text = self.nested('<h1><a class="anchor" id="A"></a>A</h1><h2><a class="anchor" id="autotoc_md1"></a>B</h2>'
                           '<h2><a class="anchor" id="autotoc_md2"></a>B</h2>')
        names = re.findall(r'id="([^"]+)"', text)
        self.assertEqual(len(names), len(set(names)))


class Quotes(TextTest):

    def curled(self, text: str) -> str:
        root = parsed(f"<html><body><div>{text}</div></body></html>").body[0]
        curl(root)
        return inner(root)

    def test_turn_to_their_side(self) -> None:
        self.assert_values(self.curled, {
            '<p>"a" (&quot;b&quot;) it\'s <em>"c"</em></p>': "<p>“a” (“b”) it’s <em>“c”</em></p>",
            '<p>so "<b>x</b>", "\\( q \\)" and</p>': "<p>so “<b>x</b>”, “\\( q \\)” and</p>",
            "<li>'a' is S2's, a test&#x27;s</li>": "<li>‘a’ is S2’s, a test’s</li>"})

    def test_code_formulas_and_attributes_keep_theirs(self) -> None:
        for text in ("<code>'a' \"b\"</code>", "<pre>it's</pre>", "\\( f'(x) \\)", "<p>\\[ f''\n \\]</p>",
                     '<a title="it\'s">x</a>',
                     '<div class="fragment"><div class="line">"s"</div></div><!-- fragment -->'):
            self.assertEqual(self.curled(text), text)


class Frame(TextTest):

    directory: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.directory = Path(cls.enterClassContext(TemporaryDirectory()))  # pylint: disable=consider-using-with
        finished(cls.directory, PAGES, REVISION)

    def framed(self, body: str) -> str:
        """A page with this body as it is framed in this book."""
        root = parsed("<!DOCTYPE html>\n" + page("Score", body))
        frame(root, "score.html", read_contents(trees(), CLAIMS), set(PAGES))
        return written(root)

    def read(self, name: str) -> str:
        return (self.directory / name).read_text(encoding="utf-8")

    def test_every_page_has_its_landmarks_and_one_title(self) -> None:
        for name in PAGES:
            with self.subTest(name):
                text = self.read(name)
                for once in ("<main ", "</main>", '<nav id="side-nav" aria-label=', "<h1", "<footer"):
                    self.assertEqual(text.count(once), 1, once)
                self.assert_in_order(text, "</nav>", "<main ", "<h1")
                self.assert_in_order(text, "</main>", "<footer")

    def test_no_link_is_dead_and_what_no_page_asks_for_is_gone(self) -> None:
        dead = [str(problem) for problem in lint(self.directory) if "'x'" not in str(problem)]
        self.assertEqual([text for text in dead if "leads to no" in text], [])
        self.assertFalse((self.directory / "jquery.js").exists())

    def test_every_page_says_its_version_and_its_address_if_it_has_one(self) -> None:
        for name, address in (("score.html", "score.html"), ("index.html", "")):
            self.assert_has(self.read(name), f'<link rel="canonical" href="https://example.org/a_b/{address}">',
                            '<span class="version">1.2-dev+g0123456789</span></footer>')
        with TemporaryDirectory() as folder:
            finished(Path(folder), {"score.html": PAGES["score.html"]}, {**REVISION, "address": ""})
            self.assertNotIn("canonical", Path(folder, "score.html").read_text(encoding="utf-8"))

    def test_what_a_finished_page_says(self) -> None:
        for sentence, (name, *parts) in {
                "the first page is named by its title": (
                    "index.html", "<title>The root, claim by claim · sqrtdk</title>", '<h1 class="book-title">'),
                "a page is described by a sentence without a formula": (
                    "score.html", '<meta name="description" content="A sentence that stands here without any formula '
                    'in it, “said” once.">'),
                "a chapter has its number beside its title and in the bar": (
                    "score.html", '<p class="chapter-number">Chapter 2</p><h1 class="title">Score</h1>',
                    '<span id="where"><span class="chapter">2 Score</span><span class="claim"></span></span>'),
                "cells of cards know their heads": (
                    "score.html", '<td data-label="A">1</td><td class="x" data-label="B &amp; C">2</td>'),
                "a failed claim is marked wherever it is named": (
                    "notation.html", '<a class="el claim-failed" href="score.html#Broken">',
                    '<a class="el" href="score.html#ScoreVariance">'),
                "neighbours are navigation": (
                    "score.html", '<nav class="prevnext" aria-label="Previous and next page">'),
                "a trail is navigation": (
                    "score_8hpp.html", '<nav id="nav-path" aria-label="Where this page stands"><ul>')}.items():
            with self.subTest(sentence):
                self.assert_has(self.read(name), *parts)
        self.assertNotIn("<th> </th>", self.read("score.html"))

    def test_a_table_of_markdown_is_made_cards_from_outside(self) -> None:
        table = ('<table class="markdownTable">\n<tr><th>A</th><th>\\( B_1 \\) at most</th></tr>\n'
                 "<tr><td>1</td><td>2</td></tr>\n</table>")
        text = self.framed(f'<div class="cards">\n\n<p> </p>\n{table}</div>\n{table}')
        self.assertIn('<table class="markdownTable cards">', text)
        self.assertEqual(text.count('<td data-label="B₁ at most">2</td>'), 1)

    def test_no_space_stands_between_a_reference_and_the_end_of_its_sentence(self) -> None:
        text = self.framed('<p>See <a class="el" href="moments.html">Moments</a> . And <a href="x">this</a> : .5 of '
                           'it, <a href="x">f</a> .x</p>')
        self.assert_has(text, 'Moments</a>. And <a href="x">this</a>: .5', '>f</a> .x')

    def test_what_is_no_html_of_old_stays_as_it_is(self) -> None:
        kept = ('<svg viewBox="0 0 1 1"><path d="M0 0"></path></svg><script>if (a < b && c) "x";</script>'
                "<p>\\( a &lt; b &amp; c \\) &amp;amp; \u00a0é<br></p><details open><summary>s</summary></details>")
        text = self.framed(kept)
        self.assertIn(kept, text)
        self.assertTrue(text.startswith("<!DOCTYPE html>\n<html>"))


class Outline(TextTest):

    def wrong(self, body: str) -> list[str]:
        framed = f'<nav id="side-nav"></nav><main>{body}</main><footer></footer>'
        return [problem.message for problem in read("a.html", framed).problems]

    def test_gaps_missing_titles_and_empty_heads_are_found_and_a_page_without_a_frame_is_not_judged(self) -> None:
        self.assert_values(self.wrong, {
            "<h1>a</h1><h2>b</h2><h3>c</h3><h2>d</h2>": [],
            "<h1>a</h1><h3>b</h3>": ["the heading 'b' of level 3 stands below one of level 1"],
            "<h1>a</h1><h1>b</h1>": ["the page has 2 titles"],
            "<h1>a</h1><table><tr><th> </th></tr></table>": ["the head of a column is empty"],
            "<h1>a</h1><main></main>": ["the page has 2 of <main>"]})
        self.assertEqual(read("a.html", "<h3>a</h3>").problems, [])
