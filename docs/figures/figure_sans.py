#!/usr/bin/env python3
"""Makes figure-sans.ttf and figure-sans.woff2 of Adobe's TTF/SourceSans3-Regular.ttf: the letters that figures use.

    docs/figures/figure_sans.py SourceSans3-Regular.ttf

Needed only if a figure needs another letter; asks for fontTools and brotli. The name is another because the licence
reserves that of the original for the original.
"""

import sys
from pathlib import Path

from fontTools import subset

LETTERS = ("".join(map(chr, range(0x20, 0x7F))) + "äéöüßÄÖÜ§°±·×÷½¼¾¹²³«»…–—‘’“”†‡•−√∞≈≠≤≥∑∏∂∫←→↑↓↔ΓΔΘΛΠΣΦΨΩ"
           "αβγδεζηθικλμνξπρσςτυφχψω⅓⅔⅛⁰⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉ᵀ′″‰ \u2009\u00a0✓✗")
NAMES = {1: "Figure Sans", 3: "Figure Sans Regular", 4: "Figure Sans", 6: "FigureSans-Regular", 16: "Figure Sans"}

for flavour, kind in ((None, "ttf"), ("woff2", "woff2")):
    options = subset.Options(hinting=False, layout_features=["kern", "mark"], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
                             flavor=flavour, notdef_outline=True, recalc_timestamp=False)
    font = subset.load_font(sys.argv[1], options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=LETTERS)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in NAMES:
            font["name"].setName(NAMES[record.nameID], record.nameID, record.platformID, record.platEncID,
                                 record.langID)
    subset.save_font(font, Path(__file__).with_name(f"figure-sans.{kind}"), options)
