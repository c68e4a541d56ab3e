"""Whoever opens the page of a distribution finds there what one calls, and an example."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = "src/sqrtdk/distributions"
OVERRIDDEN = {"INPUT": HEADERS, "WARN_AS_ERROR": "NO", "CITE_BIB_FILES": "", "HTML_HEADER": "", "HTML_FOOTER": "",
              "HTML_EXTRA_STYLESHEET": "", "HTML_EXTRA_FILES": "", "SOURCE_BROWSER": "NO"}
"""Changed settings of the project's Doxyfile: these headers alone, without the book around them."""
OF_EVERY_ONE = ["pdf", "cdf", "quantile", "mean", "median", "mode", "variance", "skewness", "kurtosis",
                "kurtosis_excess", "range", "support"]
OWN: dict[str, list[str]] = {
    "score_distribution": ["logpdf", "logcdf", "central_cdf", "hazard", "chf", "characteristic_function", "cumulant",
                           "absolute_moment", "entropy", "normal_distance"],
    "cosine_similarity_distribution": ["central_cdf", "hazard", "standard_deviation"],
    "rademacher_score_distribution": []}


@unittest.skipUnless(shutil.which("doxygen"), "Doxygen is not installed")
class ClassPages(unittest.TestCase):

    pages: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            settings = [(ROOT / "Doxyfile").read_text(encoding="utf-8"),
                        *(f"{key} = {value}" for key, value in OVERRIDDEN.items())]
            subprocess.run(["doxygen", "-"], input="\n".join(settings), text=True, check=True, capture_output=True,
                           cwd=ROOT, env=os.environ | {"SQRTDK_BOOK": folder, "SQRTDK_WOVEN": folder})
            cls.pages = {path.stem: path.read_text(encoding="utf-8") for path in Path(folder).glob("class*.html")}

    def page(self, name: str) -> str:
        return self.pages["classsqrtdk_1_1" + name.replace("_", "__")]

    def test_each_distribution_has_its_functions_on_its_page(self) -> None:
        self.assertEqual(sorted(path.stem for path in (ROOT / HEADERS).glob("*_distribution.hpp")), sorted(OWN))
        for name, own in OWN.items():
            for function in OF_EVERY_ONE + own:
                with self.subTest(name, function=function):
                    self.assertRegex(unescape(re.sub(r"<[^>]*>", "", self.page(name))),
                                     rf"\b{function}\s\(const {name}<")

    def test_each_distribution_shows_how_tails_are_asked_for(self) -> None:
        for name in OWN:
            with self.subTest(name):
                example = re.search(r'<div class="fragment">(.*?)</div><!-- fragment -->', self.page(name), re.DOTALL)
                assert example, "there is no example"
                self.assertIn("cdf(complement(", re.sub(r"<[^>]*>", "", example[1]).replace(" ", ""))


if __name__ == "__main__":
    unittest.main()
