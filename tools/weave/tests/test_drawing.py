"""Drawings: what is kept of gnuplot's SVG, and colours that can be seen and told apart."""

import math
import re
import shutil
import tempfile
import unittest
from itertools import combinations, product
from pathlib import Path

from project import WEAVE, TextTest

from weave.drawing.draw import draw
from weave.drawing.scripts import palette
from weave.drawing.simplify import MINUS, simplified, thinned

ROOT = WEAVE.parent.parent
COMMON = ROOT / "docs/figures/common.gp"
LIGHT, DARK = "#fffefb", "#16181b"
"""The page, in docs/theme/book.css."""
NORMAL = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
WITHOUT_RED = ((.152286, 1.052583, -.204868), (.114503, .786281, .099216), (-.003882, -.048116, 1.051998))
WITHOUT_GREEN = ((.367322, .860646, -.227968), (.280085, .672501, .047413), (-.011820, .042940, .968881))
"""Views of linear colours: of most, and in Machado, Oliveira and Fernandes' model (2009) of two ways to miss a cone."""
RAW = """<?xml version="1.0" encoding="utf-8"  standalone="no"?>
<svg viewBox="0 0 560 360" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<title>Gnuplot</title><desc>Produced by GNUPLOT</desc>
<g id="gnuplot_canvas"><rect x="0" y="0" width="560" height="360" fill="none"/>
<defs><circle id='gpDot' r='0.5'/></defs>
<g id="gnuplot_plot_1" ><title>data using 1:2</title>
<g fill="none" color="black" stroke="currentColor" stroke-width="2.00" stroke-linecap="butt" stroke-linejoin="miter">
  <path stroke='rgb(  0,  99, 163)'  d='M0.00,0.00 L10.00,10.00 L20.00,20.00 L30.00,20.00
    L40.00,20.02 '/></g></g>
<g fill="none" color="red" stroke="currentColor" stroke-width="1.00"><use xlink:href='#gpPt6' transform='translate(5.00,6.00) scale(4.00)' color='rgb(192,  74,   0)'/></g>
<g fill="none" color="black" stroke="currentColor"><polygon stroke='none' fill='rgb(192,  74,   0)' fill-opacity='0.15' points='0,0 9,0 9,9'/>
  <g transform="translate(5.60,12.44)" stroke="none" fill="black" font-family="Source Sans 3" font-size="19.00" text-anchor="end">
    <text><tspan font-family="Source Sans 3"> 10</tspan><tspan font-family="Source Sans 3" font-size="12.8" dy="-8.00px">-2</tspan></text></g></g>
</g></svg>
"""


class Plain(TextTest):

    def setUp(self) -> None:
        self.colours = palette(COMMON.read_text(encoding="utf-8"))
        self.lines = simplified(RAW, self.colours)

    def test_lines_areas_points_and_words_are_kept_and_nothing_else(self) -> None:
        self.assertEqual(self.lines[1:], [
            '<g fill="none" stroke-linejoin="round">',
            '<path stroke="#0063a3" stroke-width="2" d="M0 0L20 20L40 20"/>',
            '<path fill="#c04a00" d="M1 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"/>',
            '<path fill="#c04a00" fill-opacity="0.15" d="M0 0L9 0L9 9z"/>',
            "</g>",
            '<g stroke="#ffffff" stroke-width="3" stroke-linejoin="round" paint-order="stroke">',
            '<text x="5.6" y="12.4" fill="#1e2125" text-anchor="end">10<tspan dy="-8" '
            'font-size="12.8">−2</tspan></text>',
            "</g>", "</svg>"])
        self.assertNotRegex("\n".join(self.lines), r"\bid=|<title|Gnuplot|GNUPLOT|currentColor")

    def test_what_is_of_no_palette_or_not_known_is_refused(self) -> None:
        for old, new, told in (("rgb(  0,  99, 163)", "rgb( 18,  52,  86)", "#123456 is not a colour of common.gp"),
                               ("<defs>", "<image/><defs>", "<image>")):
            with self.assertRaisesRegex(ValueError, told):
                simplified(RAW.replace(old, new), self.colours)

    def test_minus_signs_and_hyphens(self) -> None:
        self.assert_values(lambda text: MINUS.sub("−", text), {
            "-1": "−1", " -5.4": " −5.4", "GPT-2": "GPT-2", "q-k": "q-k", "(-½, -√d)": "(−½, −√d)", "2-3": "2-3"})

    def test_thinning_keeps_ends_and_corners(self) -> None:
        corner = [(float(i), 0.0) for i in range(50)] + [(49.0, float(i)) for i in range(1, 50)]
        self.assertEqual(thinned(corner), [(0.0, 0.0), (49.0, 0.0), (49.0, 49.0)])
        self.assertEqual(thinned([(1.0, 1.0)]), [(1.0, 1.0)])
        closed = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0), (0.0, 0.0)]
        self.assertEqual(thinned(closed), closed)


class Colours(unittest.TestCase):

    def setUp(self) -> None:
        theme = ROOT / "docs/theme"
        self.light = palette(COMMON.read_text(encoding="utf-8"))
        self.style = (theme / "book.css").read_text(encoding="utf-8")
        dark = self.style.partition("html.dark-mode {")[2].partition("}")[0]
        page = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark))
        given = re.findall(r"--figure-(\w+): (?:(#[0-9a-f]{6})|var\(--([\w-]+)\));",
                           (theme / "figures.css").read_text(encoding="utf-8").partition("html.dark-mode")[2])
        self.dark = {name: colour or page[of_page] for name, colour, of_page in given}

    def test_pages_are_what_they_are_held_against_and_the_dark_has_each_colour_but_paper(self) -> None:
        self.assertEqual(re.findall(r"--page-background-color: (#\w+)", self.style)[:2], [LIGHT, DARK])
        self.assertEqual(set(self.dark), set(self.light) - {"paper"})

    def test_contrast_to_the_page(self) -> None:
        for colours, page in ((self.light, LIGHT), (self.light, "#ffffff"), (self.dark, DARK)):
            for name in colours.keys() - {"rule", "paper"}:
                with self.subTest(name, page=page):
                    self.assertGreaterEqual(contrast(colours[name], page), 3 if name == "haze" else 4.5)

    def test_lines_can_be_told_apart_well_by_most_and_somewhat_by_those_who_lack_a_kind_of_cone(self) -> None:
        names = ("blue", "vermilion", "green", "mauve", "gold", "ink")
        eyes = ((NORMAL, 35), (WITHOUT_RED, 13), (WITHOUT_GREEN, 13))
        for (eye, least), colours, (name, other) in product(eyes, (self.light, self.dark), combinations(names, 2)):
            with self.subTest(name, other=other):
                self.assertGreater(distance(seen(colours[name], eye), seen(colours[other], eye)), least)


class Drawn(unittest.TestCase):

    @unittest.skipUnless(shutil.which("gnuplot") and shutil.which("rsvg-convert"), "needs gnuplot and rsvg-convert")
    def test_two_drawings_have_the_same_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch, "it's; y='' & <b> \\")
            folder.mkdir()
            for file in (COMMON, *COMMON.parent.glob("figure-sans.*")):
                shutil.copy(file, folder)
            script, data = folder / "walks.gp", folder / "walks.dat"
            script.write_text('eval y_title("√d")\nset label "-3" at 1,1 textcolor rgb blue\nplot data with lines\n',
                              encoding="utf-8")
            data.write_text("# x y\n0 0\n1 -2\n2 1\n", encoding="utf-8")
            plain = Path(shutil.copytree(folder, Path(scratch, "plain")))
            for out, where in (("one", folder), ("two", plain)):
                self.assertEqual(draw(where / "walks.dat", where / "walks.gp", folder / out), [])
            for kind in ("svg", "png", "dat"):
                first, second = ((folder / out / f"walks.{kind}").read_bytes() for out in ("one", "two"))
                self.assertEqual(first, second)
            self.assertIn("−3", (folder / "one/walks.svg").read_text(encoding="utf-8"))
            script.write_text("plot daty\n", encoding="utf-8")
            self.assertIn("undefined variable", str(draw(data, script, folder / "one")[0]))

    def test_without_data_there_is_no_figure(self) -> None:
        problem, = draw(Path("nowhere/walks.dat"), COMMON.parent / "walks.gp", Path(tempfile.gettempdir()))
        self.assertIn("there are no data for walks", str(problem))


def channels(colour: str) -> list[float]:
    """Red, green and blue, linear."""
    values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def contrast(one: str, other: str) -> float:
    """The ratio that WCAG defines."""
    lightness = sorted(sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), channels(colour)))
                       for colour in (one, other))
    return (lightness[1] + 0.05) / (lightness[0] + 0.05)


def seen(colour: str, eye: tuple[tuple[float, ...], ...]) -> list[float]:
    """A colour as an eye sees it, linear."""
    return [min(1.0, max(0.0, sum(weight * value for weight, value in zip(row, channels(colour))))) for row in eye]


def distance(one: list[float], other: list[float]) -> float:
    """The difference between two linear colours to the eye, in CIELAB."""
    return math.dist(lab(one), lab(other))


def lab(colour: list[float]) -> tuple[float, float, float]:
    """A linear colour's place in CIELAB."""
    r, g, b = colour
    x, y, z = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
               (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
    x, y, z = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
