"""Figures: their homes, numbers and captions, and their drawings in the finished book."""

import json

from project import ProjectTest, scored

from weave.drawing.scripts import palette
from weave.rendered.drawings import draw_in
from weave.rendered.tree import first, parsed, written

HOME = r"""\figure{walks}
**Most steps undo \f$ each \f$ other.** A walk of [64](run:ScoreVariance.HoldsForAll.at64) steps.
\seen Lines "spread"
from 0 to [64](run:ScoreVariance.HoldsForAll.at64).
\endfigure
"""
COMMON = 'blue = "#0063a3"\nink = "#1e2125"\n'


class Figures(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.write("docs/figures/common.gp", COMMON)
        self.write("docs/figures/walks.gp", "plot data\n")
        self.edit("theory/score.md", "At 64 it is", HOME + "\nAt 64 it is")

    def test_home_has_number_anchor_caption_description_and_files(self) -> None:
        page = self.weave_page("theory/score.md")
        self.assert_has(page, '<figure class="figure" id="figure-walks">',
                        '<a class="figure-number" href="#figure-walks">Figure 2.1</a> <b>Most',
                        "A walk of 64 steps.", 'data-seen="Lines &quot;spread&quot; from 0 to 64."',
                        '"name":"Figure 2.1","link":"score.html#figure-walks"', '<a href="walks.svg">SVG</a>',
                        '<a href="walks.png">PNG</a>', '<a href="walks.dat">data</a>', "CC BY 4.0")
        self.assert_lacks(page, r"\seen", r"\endfigure")
        self.assertEqual(page.count("spread"), 1)

    def test_a_value_of_the_run_ends_no_description(self) -> None:
        self.record("score", scored(level="empirical", value_at64='"><b>\\endhtmlonly @endhtmlonly'))
        seen = self.weave_page("theory/score.md").partition('data-seen="')[2].partition('</div>')[0]
        self.assertRegex(seen, r'^Lines [^"<>\\@]*endhtmlonly [^"<>\\@]*endhtmlonly\.">$')

    def test_shown_again_it_leads_home_and_has_no_anchor(self) -> None:
        self.edit("theory/moments.md", "Opening.", "Opening, see \\figureref{walks}.\n\n\\showfigure{walks}\n")
        page = self.weave_page("theory/moments.md")
        self.assert_has(page, 'see <a href="score.html#figure-walks">Figure 2.1</a>.', 'data-figure="walks"',
                        'href="score.html#figure-walks">Figure 2.1</a> <b>Most steps undo')
        self.assert_lacks(page, 'id="figure-walks"', "A walk of")

    def test_all_figures_stand_on_one_page_in_the_order_of_the_book(self) -> None:
        for name in ("bars", "boxes"):
            self.write(f"docs/figures/{name}.gp", "plot data\n")
        self.edit("theory/moments.md", "Opening.", HOME.replace("walks", "bars"))
        self.write("docs/notation.md", "# Notation {#notation}\n\n" + HOME.replace("walks", "boxes"))
        self.write("docs/figures.md", "# All figures {#figures}\n\n\\weave{figures}\n")
        self.assert_in_order(self.weave_page("docs/figures.md"), 'href="moments.html#figure-bars">Figure 1.1',
                             "<b>Most steps", 'href="score.html#figure-walks">Figure 2.1')
        self.assertIn("Figure N.1", self.read("docs/notation.md"))

    def test_what_a_figure_lacks(self) -> None:
        seen = "\\seen Lines \"spread\"\nfrom 0 to [64](run:ScoreVariance.HoldsForAll.at64).\n"
        for old, new, wrong in (("**Most steps undo \\f$ each \\f$ other.** A", "A",
                                 "does not begin with its point in bold"),
                                (seen, "", r"has no \seen"), (seen, "\\seen\n", r"has no \seen"),
                                ("\\endfigure\n", "", r"has no \endfigure")):
            self.assert_slips(("theory/score.md", old, new, "theory/score.md:5: ", "the figure walks", wrong))

    def test_commands_that_belong_to_no_figure(self) -> None:
        for text, wrong in ((r"\showfigure{bars}", "the figure bars has no home"),
                            (r"\seen A line.", r"\seen belongs to no figure"),
                            (r"\endfigure", r"\endfigure belongs to no figure"),
                            (r"See \showfigure{walks}", "shares its line"),
                            (r'\image html walks.svg "A line."', r"\image has neither number nor caption"),
                            (r"As \figureref{bars} shows.", "figure:bars names no figure")):
            self.assert_slips(("theory/moments.md", "Opening.", text, "theory/moments.md:3: ", wrong))
        self.edit("theory/moments.md", "Opening.", "`\\showfigure{bars}` and\n\n~~~\n\\seen\n\\figure{bars}\n~~~\n")
        self.assert_woven()  # in code, they are none

    def test_homes_and_scripts_belong_together(self) -> None:
        self.assert_slips(("theory/moments.md", "Opening.", HOME, r"\showfigure{walks}",
                           "theory/score.md:5: the figure walks is at home at theory/moments.md:3"))
        (self.root / "docs/figures/walks.gp").rename(self.root / "docs/figures/bars.gp")
        self.assert_problem("docs/figures/bars.gp:1: no page is the home of the figure bars")
        self.assert_problem("theory/score.md:5: nothing draws the figure walks")

    def test_two_pages_with_one_letter(self) -> None:
        for name in ("bars", "boxes"):
            self.write(f"docs/figures/{name}.gp", "plot data\n")
            self.write(f"docs/{name}.md", f"# Bars {{#{name}}}\n\n{HOME.replace('walks', name)}")
        self.assert_problem("docs/boxes.md:3: Figure B.1 is on docs/bars.md, too")

    def drawn(self, body: str) -> str:
        """A page of a book with its drawings."""
        page = parsed(f"<html><head></head><body>{body}</body></html>")
        self.assertEqual(draw_in(page, self.root, palette(COMMON)), 1)
        return written(page)

    def test_data_of_a_figure_that_moves_are_no_markup(self) -> None:
        self.write("walks.json", '{"columns":["</script><script>evil()</script>", "a\\\\(b"]}')
        self.write("walks.svg", '<svg viewBox="0 0 560 360">\n</svg>\n')
        page = self.drawn('<figure class="figure" id="figure-walks" data-movable="walks">'
                          '<div class="drawing-place" data-figure="walks" data-seen=""></div>')
        data = page.partition('type="application/json">')[2].partition("</script>")[0]
        self.assertEqual(json.loads(data)["data"]["columns"], ["</script><script>evil()</script>", "a\\(b"])
        self.assert_has(page, '<script src="movable.js" defer></script></head>',
                        '<script src="walks.js" defer></script>')

    def test_drawings_become_a_part_of_the_page(self) -> None:
        self.write("walks.svg",
                   '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 360" width="560">\n<desc>x</desc>\n'
                   '<style>y</style>\n<rect width="100%" height="100%" fill="#ffffff"/>\n<path stroke="#0063a3" d="M0 '
                   '0L1 1"/>\n</svg>\n')
        page = self.drawn('<p>a</p><div class="drawing-place" data-figure="walks" data-seen=\'Lines "up" <b>\'></div>')
        svg = first(parsed(page), "//svg")
        self.assertEqual((svg.get("role"), svg.get("aria-label")), ("img", 'Lines "up" <b>'))
        self.assert_has(page, 'viewBox="0 0 560 360"', 'stroke="var(--figure-blue,#0063a3)"')
        self.assert_lacks(page, "drawing-place", "<rect", "xmlns", "<desc>", "<style>")
