# SPDX-License-Identifier: BSL-1.0
"""The full-text index."""

import json

from project import ProjectTest

PAGE = """<html><head><title>no</title><script>var no;</script></head><body>
<div class="header"><div class="title">The score</div></div>
<div class="contents"><p>Opening <b>w</b>ords.</p>
<h1><a class="anchor" id="Variance"></a>
The variance</h1><p>It is d &amp; more.</p>
<h2><a class="anchor" id="autotoc_md1"></a>Proof</h2><p>By sums.</p><p>Done.</p>
<div class="fragment"><div class="line">no code</div></div>
<h2>Empty</h2>
<h1><a class="anchor" id="Mean"></a>The mean</h1><p>Zero.</p>
</div></body></html>
"""


class Search(ProjectTest):

    def index(self) -> list[dict]:
        self.assertEqual(self.run_weave("index", self.root / "html").returncode, 0)
        text = (self.root / "html/search-index.js").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("const SEARCH_INDEX=[") and text.endswith("];\n"))
        return json.loads(text.removeprefix("const SEARCH_INDEX=").removesuffix(";\n"))

    def test_has_an_entry_for_each_section(self) -> None:
        self.write("html/score.html", PAGE)
        self.assertEqual(self.index(), [
            {"title": "The score", "url": "score.html", "section": "", "text": "Opening words."},
            {"title": "The variance", "url": "score.html#Variance", "section": "The score",
             "text": "It is d & more."},
            {"title": "Proof", "url": "score.html#autotoc_md1",
             "section": "The score › The variance", "text": "By sums. Done."},
            {"title": "The mean", "url": "score.html#Mean", "section": "The score",
             "text": "Zero."}])

    def test_skips_pages_that_only_list(self) -> None:
        for name in ("files", "dir_1", "score_8hpp_source", "functions_func", "namespaces"):
            self.write(f"html/{name}.html", PAGE)
        self.assertEqual(self.index(), [])
