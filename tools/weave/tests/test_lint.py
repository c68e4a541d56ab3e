"""Faults of a finished book, and what is none."""

from project import ProjectTest


class Lint(ProjectTest):

    def lint(self, body: str) -> list[str]:
        self.write("html/page.html", f"<html><body>\n{body}\n</body></html>\n")
        done = self.run_weave("lint", self.root / "html")
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr.splitlines()

    def test_accepts_a_good_page(self) -> None:
        self.write("html/other.html", '<p><a name="old"></a><a id="new"></a></p>')
        self.write("html/a.svg", '<svg><a xlink:href="page.html#x"><text>x</text></a></svg>')
        self.assertEqual(self.lint(
            '<h2 id="x">Title</h2> <a href="other.html#old">a</a> <a href="other.html#new">b</a>'
            '<a href="#x">c</a> <a href="https://example.org/none">d</a> <img src="a.svg" alt="A">'
            r'<code>\run{a.b.c} \f$ \(x\)</code> <span data-tex="\begin{aligned}">x</span>'
            r'<div class="fragment"><div class="line">\ref | |</div></div> [1] [Fig. 2]'), [])

    def test_finds_what_doxygen_left_as_it_was(self) -> None:
        leftovers = (r"\f$ x", r"\f[ x", r"\weave{claims}", r"\run{a.b.c}", r"\ref x", "@ref x", r"\cite vaswani", "x`",
                     "[DotProductVariance] doubles", r"\_form#3", "**Bold", "*Words", "*(w)",
                     "[ScoreMean: exact check]")
        formulas = (r"\(x", r"x\)", r"\[ x", r"x \]", r"\begin{aligned} x", r"x \end{aligned}")
        for message, texts in ("markup is left over", leftovers), ("a formula was not set", formulas):
            for text in texts:
                with self.subTest(text):
                    self.assertRegex("\n".join(self.lint(f"<p>line\n{text}</p>")), rf"^page\.html:3: {message}.*$")

    def test_finds_dead_links(self) -> None:
        self.write("html/other.html", "<p></p>")
        self.write("html/a.svg", '<svg>\n<a xlink:href="page.html#gone"><text>x</text></a></svg>')
        found = self.lint('<a href="none.html">a</a>\n<a href="other.html#none">b</a>\n<a href="#none">c</a>')
        self.assertEqual([line.split(". ")[0] for line in found], [
            "a.svg:2: the link 'page.html#gone' leads to no anchor",
            "page.html:2: the link 'none.html' leads to no file",
            "page.html:3: the link 'other.html#none' leads to no anchor",
            "page.html:4: the link '#none' leads to no anchor"])

    def test_finds_what_is_missing_broken_or_shows(self) -> None:
        self.write("html/a.png", "")
        self.write("html/doxygen.svg", '<svg><a xlink:href="none">x</a></svg>')  # of others, which is left alone
        for body, told in {
                "<p>| a | | b |</p>": "a table is broken", "<p>|---|:--|</p>": "a table is broken",
                '<img src="a.png">': "has no alternative text",
                '<object data="a.png"></object>': "has no alternative text",
                "<p>Reference: _home_a_properties_support</p>": "a group has no title",
                "<code>#include &lt;<a>/home/a/x.hpp</a>&gt;</code>": "a path of this machine is shown: #include",
                '<p id="a">1</p>\n<p id="a">2</p>': "page.html:3: the id 'a' is used twice",
                '<h2><a id="x"></a> </h2>': "the heading <h2> is empty",
                "<p>&lt;sub&gt;2</p>": "page.html:2: HTML is shown as text",
                "<p>x&lt;/b&gt;</p>": "page.html:2: HTML is shown as text",
                "<p>&amp;nbsp;</p>": "page.html:2: HTML is shown as text"}.items():
            with self.subTest(body):
                self.assertIn(told, (self.lint(body) or ["nothing"])[0])
        for body in ("", "<p>Reference: Softmax</p>", "<code>#include &lt;sqrtdk/softmax.hpp&gt;</code>",
                     '<object data="a.png">A</object>', "<p>a &lt; b &gt; c <code>&lt;sub&gt;</code></p>"):
            self.assertEqual(self.lint(body), [])

    def test_finds_lists_within_sentences(self) -> None:
        for before in ("<p>It lies at</p>", "<ul><li>It is <em>at</em>", "<div>at"):
            self.assertIn("page.html:3: a list begins within a sentence",
                          self.lint(f'{before}\n<ol start="55"><li>So it is.</li></ol>')[0])
        for before in ("<p>In order:</p>", "<p>It is (so.)</p>", "<h2>Title</h2>", "<nav><a>So</a>",
                       "<details><summary>Claims</summary>", "<p>a.</p><table><tr><td>b</td></tr></table>", ""):
            self.assertEqual(self.lint(f"{before}<ol><li>One.</li></ol>"), [])
