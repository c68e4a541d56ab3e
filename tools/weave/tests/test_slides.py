"""Slides: their minutes, what they quote, and the page that stands alone."""

from pathlib import Path
from tempfile import TemporaryDirectory

from project import REVISION, ProjectTest, TextTest

from weave.rendered.deck import STYLES, stand_alone
from weave.rendered.tree import parsed, written

PAGE, TEACH_PAGE = "docs/slides.md", "docs/teach.md"
NOTES = "\\notes\n\nSay it.\n"
SLIDES = f"""# Slides: the score {{#slides}}

\\slide{{30, moments}}

Why?

{NOTES}
## It is d {{#slides-d}}

\\slide{{60, ScoreVariance, ProductMean}}

\\quote{{ProductMean, Statement}}

{NOTES}"""
TEACH = """# Teaching {#teach}

| minutes | what |
|--:|:--|
| 30 | guess |
| 60 | \\ref score |

## Parts {#teach-parts}

One.

1. Two,

   with a line.
2. Three.

| a | b |
|---|---|
| [64](run:ScoreVariance.HoldsForAll.at64) | c |
"""


class Slides(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.write(PAGE, SLIDES)
        self.write(TEACH_PAGE, TEACH)

    def test_a_slide_shows_its_claims_verdicts_and_minutes(self) -> None:
        page = self.weave_page(PAGE)
        self.assert_has(page, '<span class="badge badge-exact">✓ exact</span> \\ref ScoreVariance</span>',
                        "1 / 2 · min 0–30", "2 / 2 · min 30–90")
        self.assertEqual(page.count('<details class="slide-notes">'), 2)
        self.assertEqual(page.count("</details>"), 2)
        self.assertNotIn(r"\notes", page)

    def test_a_statement_is_that_of_the_claim(self) -> None:
        self.assertIn("E XY = E X \\cdot E Y", self.weave_page(PAGE))
        self.edit("theory/moments.md", "E XY = E X", "E XY = F X")
        self.assertIn("E XY = F X", self.weave_page(PAGE))

    def test_parts_are_paragraphs_items_and_tables(self) -> None:
        part = "Why?"
        for quote, shown, hidden in (
                ("\\quote{teach-parts, 2-3}", "1. Two,\n\n   with a line.\n2. Three.\n", "One."),
                ("\\quote{teach-parts, table}", "| 64 | c |", "Two")):
            self.edit(PAGE, part, quote)
            part, page = quote, self.weave_page(PAGE)
            self.assertIn(shown, page)
            self.assertNotIn(hidden, page)

    def test_the_clock(self) -> None:
        self.edit(TEACH_PAGE, "One.", "\\weave{clock}")
        self.assert_has(self.weave_page(TEACH_PAGE), "2 slides are planned for 90 minutes",
                        '<td>30–90</td><td>\\ref slides-d "It is d"</td>')

    def test_what_is_wrong_with_slides_is_refused(self) -> None:
        self.assert_slips(
            (PAGE, "slide{60", "slide{61", f"{PAGE}:", "the slides take 91 minutes, and not 90"),
            (TEACH_PAGE, "| 30 |", "| 20 |", f"{TEACH_PAGE}:", "ends at minute 20"),
            (PAGE, "ScoreVariance", "ScoreVarianse", f"{PAGE}:13: ScoreVarianse is neither a claim nor a page"),
            (PAGE, "Why?", "\\showfigure{nothing}", f"{PAGE}:5: the figure nothing has no home"),
            (PAGE, "\\slide{30, moments}", "\\slide{30}", f"{PAGE}:1: the slide", "has no \\slide"),
            (PAGE, " {#slides-d}", "", f"{PAGE}:", "has no anchor"),
            (PAGE, NOTES, "", f"{PAGE}:", "has no notes"),
            *((TEACH_PAGE, "One.", f"\\quote{{{wrong}}}", f"{TEACH_PAGE}:", "quotes nothing")
              for wrong in ("Nobody, Statement", "ProductMean, Ztatement", "ProductMean, Statement, 2",
                            "teach-parts, 3-2", "score, table")))

    def test_notes_that_take_too_long_are_refused(self) -> None:
        for file, old, new in ((PAGE, "slide{30", "slide{1"), (PAGE, "slide{60", "slide{89"),
                               (TEACH_PAGE, "| 30 |", "| 1 |"), (TEACH_PAGE, "| 60 |", "| 89 |")):
            self.edit(file, old, new)
        self.assert_woven()
        self.assert_slips((PAGE, "Say it.", "Say it. " * 70, f"{PAGE}:", "takes 1.1 minutes, and it has 1"),
                          (PAGE, "Say it.", "*Draw, 2 minutes.*", f"{PAGE}:", "takes 2.0 minutes, and it has 1"))

FINISHED = """<html><head><title>Slides: a · b</title><link rel="stylesheet" href="book.css"/><script>1</script></head>
<body>
<div id="top">frame</div><div class="header"><div class="headertitle"><div class="title">Slides: a</div></div></div>
<div class="contents"><div class="textblock"><div class="slide-foot">foot <a href="score.html#V">V</a></div><p>Why?</p>
<details class="slide-notes"><summary>Notes</summary></details>
<h1><a class="anchor" id="slides-d"></a>It is d</h1>
<figure class="figure"><figcaption>Point</figcaption></figure><p>Words</p>
</div></div></body></html>"""


class StandAlone(TextTest):

    def finished(self, revision: dict[str, str]) -> str:
        """The page as it stands alone."""
        with TemporaryDirectory() as name:
            for file, text in {**dict.fromkeys(STYLES, "p { src: url(f.woff2); }"), "f.woff2": "font",
                               "slides.js": "keys();"}.items():
                Path(name, file).write_text(text, encoding="utf-8")
            page = parsed(FINISHED)
            stand_alone(page, "slides.html", Path(name), revision)
            return written(page)

    def test_it_has_its_styles_fonts_and_keys_and_no_frame(self) -> None:
        page = self.finished({})
        self.assert_has(page, "url(data:font/woff2;base64,Zm9udA==)", "<script>keys();</script>")
        self.assert_lacks(page, "frame", "stylesheet", "<script>1", "permalink")

    def test_a_heading_begins_a_screen_with_its_foot_at_the_end_and_notes_below(self) -> None:
        page = self.finished({}).replace("\n", "")
        self.assertRegex(page, '<section class="slide" id="slides"><div class="stage"><h1 class="title">A</h1>'
                               '<p>Why[?]</p><div class="slide-foot">.*?</div></div>'
                               '<details class="slide-notes">.*?</details></section>')
        self.assert_has(page, 'id="slides-d"', "<figcaption>Point<p>Words</p></figcaption>")

    def test_links_lead_to_the_published_book(self) -> None:
        self.assertIn('href="score.html#V"', self.finished({}))
        self.assertIn('href="https://example.org/a_b/score.html#V"', self.finished(REVISION))
