"""The search's data on a book: its entries, and the tables of words that it shares with readers."""

import json
from typing import Any

from project import ProjectTest

HEAD = ('<html><head><title>no</title><script>var no;</script></head><body><nav>no</nav>'
        '<div class="header"><div class="headertitle"><p>no</p><h1 class="title">')
CHAPTER = HEAD + """The score</h1></div></div>
<div class="contents"><p>Opening <b>w</b>ords.</p>
<h2><a class="anchor" id="ScoreVariance"></a>
The variance<a class="permalink" href="#ScoreVariance">no</a></h2>
<div class="claim-meta"><span class="badge badge-exact">no</span> <code>no</code></div>
<p><em>In short.</em> It is d &amp; more.</p>
<h3><a class="anchor" id="ScoreVariance-statement"></a>Statement</h3><p>It is \\( \\Var(q \\cdot k) = \\sqrt{d} \\).</p>
<h3><a class="anchor" id="ScoreVariance-proof"></a>Proof</h3><p>By <a href="moments.html#Sum">sums</a>.</p><p>Done.</p>
<pre class="fragment">int no;</pre>
<details class="fold machinery"><summary>no</summary><h3>Property</h3><p>no</p></details>
<h2><a class="anchor" id="afterwards"></a>Afterwards</h2><p>Zero.</p>
<h3><a class="anchor" id="further"></a>Further</h3><p>One.</p>
<h4><a class="anchor" id="autotoc_md7"></a>Hint</h4><p>Two.</p>
</div></body></html>
"""
CLAIMS = [{"id": "ScoreVariance", "chapter": "score", "glyph": "✓", "level": "exact", "status": "held",
           "tests": [{"name": "HoldsForAllDistributions", "status": "passed", "at": "x.cpp:1"}]}]
PAGE = HEAD + """Use</h1></div></div><div class="contents">
<h2><a class="anchor" id="run"></a>To run it</h2>
<pre class="fragment">./run --all</pre><pre class="fragment">int f();</pre>
<p>It says</p><div class="fragment"><div class="line">replay: SEED=1 ./run</div></div>
<h3><a class="anchor" id="empty"></a>Empty</h3></div></body></html>
"""
LIBRARY = HEAD + """Reference: Tests</h1></div></div>
<div class="contents"><p>All of it. <a href="#details">More...</a></p>
<p>no</p><table class="memberdecls"><tr><td>no</td></tr></table>
<h2 class="groupheader">Function Documentation</h2>
<a id="a1"></a>
<h2 class="memtitle" id="mean"><span class="permalink"><a href="#a1">&#9670;&nbsp;</a></span>mean()<span class="overload">[1/2]</span></h2>
<div class="memitem"><div class="memproto">no</div><div class="memdoc"><p>The mean.</p></div></div>
<a id="a2"></a>
<h2 class="memtitle" id="mean2"><span class="permalink"><a href="#a2">&#9670;&nbsp;</a></span>mean()<span class="overload">[2/2]</span></h2>
<div class="memitem"><div class="memdoc"><p>no</p></div></div></div></body></html>
"""
NAMES = HEAD + """Notation</h1></div></div>
<div class="contents"><h2><a id="synonyms"></a>Same</h2><p>Prose.</p>
<table><tr><th>here</th><th>elsewhere</th></tr>
<tr><td>score \\(s\\)</td>
<td>logit, "Energy"; something that has far too many words, (no) <code>scores</code></td></tr></table>
<h2><a id="near-names"></a>Near</h2><table>
<tr><td>flash attention, Flash</td>
<td><a class="el" href="a.html#B">b</a> and <a href="#synonyms">c</a></td></tr></table></div></body></html>"""


class Index(ProjectTest):

    def index(self, **pages: str) -> dict[str, Any]:
        """The search's data on these pages."""
        for name, text in pages.items():
            self.write(f"html/{name}.html", text)
        self.write("claims.json", json.dumps(CLAIMS))
        done = self.run_weave("index", self.root / "html", "--claims", self.root / "claims.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.source("html/search-index.js")
        self.assertTrue(text.startswith("const SEARCH_INDEX={") and text.endswith("};\n"))
        index: dict[str, Any] = json.loads(text.removeprefix("const SEARCH_INDEX=").removesuffix(";\n"))
        return index

    def test_a_claim_is_one_entry_with_its_parts_and_a_section_is_one_if_its_name_is_permanent(self) -> None:
        self.assertEqual(self.index(score=CHAPTER)["entries"], [
            {"kind": "page", "title": "The score", "url": "score.html", "names": ["score_properties"],
             "text": "Opening words."},
            {"kind": "claim", "title": "The variance", "url": "score.html#ScoreVariance", "verdict": "✓ exact",
             "names": ["ScoreVariance", "HoldsForAllDistributions"], "text": "It is d & more.",
             "parts": [["Statement", "-statement", "It is Var(q·k) = √d."], ["Proof", "-proof", "By sums. Done."]]},
            {"kind": "section", "title": "Afterwards", "url": "score.html#afterwards", "text": "Zero."},
            {"kind": "section", "title": "Further", "url": "score.html#further", "below": "Afterwards", "text": "One.",
             "parts": [["Hint", "autotoc_md7", "Two."]]}])

    def test_commands_and_messages_are_found_and_code_is_not(self) -> None:
        _, section = self.index(use=PAGE)["entries"]
        self.assertEqual(section["text"], "./run --all It says replay: SEED=1 ./run")

    def test_of_the_library_the_first_of_overloads_is_found_and_its_first_sentence(self) -> None:
        page = "group__testing__reference.html"
        self.assertEqual(self.index(group__testing__reference=LIBRARY)["entries"], [
            {"kind": "library", "title": "Reference: Tests", "url": page, "text": "All of it."},
            {"kind": "library", "title": "mean()", "url": f"{page}#a1", "text": "The mean."}])

    def test_skips_pages_that_only_list_and_what_one_test_uses(self) -> None:
        skipped = ("files", "dir_1", "score_8hpp_source", "functions_func", "namespaces", "classA-members",
                   "score_2fixture_8hpp", "namespacesqrtdk", "modules")
        self.assertEqual(self.index(**dict.fromkeys(skipped, CHAPTER)), {"entries": [], "terms": []})

    def test_reads_the_tables_that_readers_see_and_does_not_find_them_as_text(self) -> None:
        index = self.index(notation=NAMES)
        self.assertEqual(index["terms"], [
            {"typed": ["logit", "energy", "scores"], "here": ["score"], "places": [], "near": False},
            {"typed": ["flash attention", "flash"], "here": [], "places": ["a.html#B", "notation.html#synonyms"],
             "near": True}])
        self.assertEqual([(entry["title"], entry.get("text")) for entry in index["entries"]],
                         [("Notation", None), ("Same", "Prose.")])
