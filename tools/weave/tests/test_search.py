# SPDX-License-Identifier: BSL-1.0
"""The full-text index, and what the search makes of it."""

import json
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any

from project import ProjectTest

from weave.rendered.search import other_names

SEARCH = Path(__file__).resolve().parents[3] / "docs/theme/search.js"

HEAD = ('<html><head><title>no</title><script>var no;</script></head><body><nav>no</nav>'
        '<div class="header"><div class="title">')
CHAPTER = HEAD + """The score</div></div>
<div class="contents"><p>Opening <b>w</b>ords.</p>
<h1><a class="anchor" id="ScoreVariance"></a>
The variance</h1>
<div class="claim-meta"><span class="badge badge-exact">✓ exact</span> <span class="badge beside">no</span> no <code>ScoreVariance</code></div>
<p><em>In short.</em> It is d &amp; more.</p>
<h2><a class="anchor" id="autotoc_md1"></a>Statement</h2><p>It is \\( \\Var(q \\cdot k) = \\sqrt{d} \\).</p>
<h2><a class="anchor" id="autotoc_md2"></a>Proof</h2><p>By <a href="moments.html#Sum">sums</a>.</p><p>Done.</p>
<div class="fragment"><div class="line">no code</div></div>
<details class="fold machinery"><summary>no</summary><h2>Property</h2>
<table class="evidence"><tr><th><a href="x.html">no</a></th></tr><tr><td><a href="ScoreVariance_8cpp_source.html#l00001">Holds for all laws</a></td><td>no</td></tr></table>
<div class="status-failed"><pre>replay: SEED=1</pre></div></details>
<h2>Uses and used by</h2><p>no</p>
<h1><a class="anchor" id="afterwards"></a>Afterwards</h1><p>Zero. See <a href="#ScoreVariance">it</a>.</p>
</div></body></html>
"""
PAGE = HEAD + """Use</div></div><div class="contents">
<h1><a class="anchor" id="run"></a>To run it</h1><pre class="fragment">./run --all</pre><pre class="fragment">int f();</pre>
<p>It says</p><pre class="fragment">replay: SEED=1 ./run</pre><h2>Empty</h2></div></body></html>
"""
LIBRARY = HEAD + """sqrtdk Namespace Reference</div></div><div class="contents"><p>All of it.</p>
<table class="memberdecls"><tr><td>no</td></tr></table>
<h2 class="groupheader">Function Documentation</h2>
<h2 class="memtitle"><span class="permalink"><a href="#a1">&#9670;&nbsp;</a></span>mean()<span class="overload">[1/2]</span></h2>
<div class="memitem"><div class="memproto">no</div><div class="memdoc"><p>The mean.</p></div></div>
<h2 class="memtitle"><span class="permalink"><a href="#a2">&#9670;&nbsp;</a></span>mean()<span class="overload">[2/2]</span></h2>
<div class="memitem"><div class="memdoc"><p>no</p></div></div></div></body></html>
"""
NAMES = """<h1><a id="synonyms"></a>Same</h1><table><tr><th>here</th><th>elsewhere</th></tr>
<tr><td>score \\(s\\)</td><td>logit, "Energy"; a scale that some libraries have (<code>x</code>), of the gain</td></tr></table>
<h1><a id="near-names"></a>Near</h1><table>
<tr><td>flash attention, Flash</td><td><a class="el" href="a.html#B">b</a> and <a href="c.html">c</a></td></tr></table>"""


class Index(ProjectTest):

    def index(self) -> dict[str, Any]:
        self.assertEqual(self.run_weave("index", self.root / "html").returncode, 0)
        text = (self.root / "html/search-index.js").read_text(encoding="utf-8")
        self.assertTrue(text.startswith("const SEARCH_INDEX={") and text.endswith("};\n"))
        index: dict[str, Any] = json.loads(text.removeprefix("const SEARCH_INDEX=").removesuffix(";\n"))
        return index

    def test_a_claim_is_one_entry_with_its_parts_and_its_tests(self) -> None:
        self.write("html/score.html", CHAPTER)
        page, claim, section = self.index()["entries"]
        self.assertEqual(page,
                         {"kind": "page", "title": "The score", "url": "score.html", "names": ["score_properties"],
                                "parts": [["", "score.html", "Opening words."]]})
        self.assertEqual(claim, {
            "kind": "claim", "title": "The variance", "url": "score.html#ScoreVariance", "section": "The score",
            "links": 1,
            "verdict": "✓ exact", "names": ["ScoreVariance", "Holds for all laws", "replay"],
            "parts": [["", "score.html#ScoreVariance", "It is d & more."],
                      ["Statement", "score.html#autotoc_md1", "It is Var(q·k) = √d."],
                      ["Proof", "score.html#autotoc_md2", "By sums. Done. replay: SEED=1"]]})
        self.assertEqual((section["kind"], section["title"], section["parts"][0][2]),
                         ("section", "Afterwards", "Zero. See it."))

    def test_commands_and_messages_are_found_and_code_is_not(self) -> None:
        self.write("html/use.html", PAGE)
        _, section = self.index()["entries"]
        self.assertEqual(section["parts"][0][2], "./run --all It says replay: SEED=1 ./run")
        self.assertEqual(section["names"], ["replay"])

    def test_of_the_library_the_first_of_overloads_is_found(self) -> None:
        self.write("html/namespacesqrtdk.html", LIBRARY)
        self.assertEqual([(entry["kind"], entry["title"], entry["names"], entry["parts"][0][2])
                          for entry in self.index()["entries"]],
                         [("library", "sqrtdk", ["sqrtdk"], "All of it."),
                          ("library", "mean()", ["mean"], "The mean.")])

    def test_skips_pages_that_only_list(self) -> None:
        for name in ("files", "dir_1", "score_8hpp_source", "functions_func", "namespaces", "classA-members"):
            self.write(f"html/{name}.html", CHAPTER)
        self.assertEqual(self.index(), {"entries": [], "same": {}, "near": {}})

    def test_reads_other_names_from_the_page_that_readers_see(self) -> None:
        same, near = other_names(NAMES)
        self.assertEqual(same, {"logit": ["score"], "energy": ["score"]})
        self.assertEqual(near, {"flash attention": ["a.html#B", "c.html"], "flash": ["a.html#B", "c.html"]})


ENTRIES = [
    {"kind": "library", "title": "dot_product_variance()", "url": "l.html#v", "names": ["dot_product_variance"],
     "parts": [["", "l.html#v", "The variance of a temperature."]]},
    {"kind": "claim", "title": "The variance of a score", "url": "s.html#DotProductVariance", "verdict": "✓ exact",
     "names": ["DotProductVariance", "Holds for all laws"],
     "parts": [["", "s.html#DotProductVariance", "It grows with the root."],
               ["Proof", "s.html#p", "By counting the entries."]]},
    {"kind": "page", "title": "Temperature", "url": "t.html",
     "parts": [["", "t.html", "A score is divided; it saturates."]]},
    {"kind": "section", "title": "One pass", "url": "o.html#one", "parts": [["", "o.html#one", "In parts."]]},
]
ASK = """
const search = require(process.argv[1]), { index, queries } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const engine = search.prepare(index);
console.log(JSON.stringify(queries.map(query => {
  const { results, marks, notes } = search.find(engine, query);
  const excerpts = results.map(result => search.excerpt(result.entry, marks));
  return { urls: results.map(result => result.entry.url), notes, excerpts };
})));
"""


@unittest.skipUnless(shutil.which("node"), "the search runs in node")
class Ranking(unittest.TestCase):

    def find(self, *queries: str) -> list[dict[str, Any]]:
        index = {"entries": ENTRIES, "same": {"sqrt": ["root"]}, "near": {"flash attention": ["o.html#one"]}}
        done = subprocess.run(["node", "-e", ASK, SEARCH], input=json.dumps({"index": index, "queries": queries}),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    def test_claims_come_before_the_library(self) -> None:
        self.assertEqual(self.find("variance")[0]["urls"], ["s.html#DotProductVariance", "l.html#v"])

    def test_names_are_found_at_once_however_they_are_pasted(self) -> None:
        for found in self.find("DotProductVariance", "dotproductvariance", "DotProductVariance.HoldsForAllLaws",
                               "HoldsForAllLaws",
                               "./x/score_properties --gtest_filter='DotProductVariance.*'", "DotProductVar"):
            self.assertEqual(found["urls"][:1], ["s.html#DotProductVariance"])
        self.assertEqual(self.find("dot_product_variance")[0]["urls"][:1], ["l.html#v"])

    def test_endings_do_not_matter(self) -> None:
        for found in self.find("saturate", "saturation", "saturated"):
            self.assertEqual(found["urls"], ["t.html"])

    def test_spelling_is_corrected_and_said(self) -> None:
        found, = self.find("tempreature")
        self.assertEqual((found["urls"][0], found["notes"]["corrected"]), ("t.html", [["tempreature", "temperature"]]))

    def test_other_names_and_near_names_are_known(self) -> None:
        same, near = self.find("sqrt", "flash attention")
        self.assertEqual((same["urls"], same["notes"]["others"]), (["s.html#DotProductVariance"], [["sqrt", "root"]]))
        self.assertEqual((near["urls"], near["notes"]["near"]), (["o.html#one"], ["flash attention"]))

    def test_nothing_is_said_to_be_nothing(self) -> None:
        found, = self.find("qwxyz")
        self.assertEqual((found["urls"], found["notes"]["missing"]), ([], ["qwxyz"]))

    def test_an_excerpt_shows_the_part_that_has_the_words_and_leads_there(self) -> None:
        self.assertEqual(self.find("counting")[0]["excerpts"][0],
                         {"heading": "Proof", "url": "s.html#p", "text": "By counting the entries."})
        self.assertEqual(self.find("root")[0]["excerpts"][0]["url"], "s.html#DotProductVariance")
