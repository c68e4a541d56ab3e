"""Pages that can be read where their sources are."""

from project import ProjectTest, scored

from weave.checks.forge_problems import forge_problems
from weave.reading.forge import anchor_of, doxygen_form, source_of
from weave.writing.update import updated

PAGE = """# Sums

A sum $x_1 + x_2$ or $`\\{x\\}`$, not `$x$`, of [VarianceOfSum], see [below](#sums-below),
[the root](../docs/why.md) [@higham2002].
```math
\\mathrm{Var}(X) = \\mathbb E X^2 \\mathrm{d}x
```
then [25.9](run:Suite.Test.key) and [hold](cpp:sqrtdk::hold()).

## They add up <a id="VarianceOfSum"></a>
It is [64](run:Test.key).

1. ```math
   a = b
   ```

[a.cpp](../examples/a.cpp) <!--\\snippet examples/a.cpp part-->
<div class="cards">

- [Why](../docs/why.md)
- [Why](../docs/why.md), too
  → [VarianceOfSum]
- *(opinion)*

*A plain word* and *the sum $x$,
as in [Why](../docs/why.md).* A *(weak)* law of `f('x', 'y')`, $a * b * c$.

<a id="sums-below"></a>
*In the picture:* A line.

```text
$x$ [VarianceOfSum]
```

[VarianceOfSum]: #VarianceOfSum
"""
WOVEN = r"""# Sums {#sums}

A sum \f$ x_1 + x_2 \f$ or \f$ \{x\} \f$, not `$x$`, of \ref VarianceOfSum , see \ref sums-below "below",
\ref why "the root" \cite higham2002 .

\f[ \operatorname{Var}(X) = \operatorname{\mathbb E} X^2 \mathrm{d}x \f]

then [25.9](run:Suite.Test.key) and \ref sqrtdk::hold() "hold".

## They add up {#VarianceOfSum}
It is [64](run:VarianceOfSum.Test.key).

1. \f[ a = b \f]



\snippet examples/a.cpp part
\htmlonly[block]<div class="cards">\endhtmlonly

- \subpage why
- \ref why "Why", too
  \verdict{VarianceOfSum}
- \opinion

*A plain word* and <em>the sum \f$ x \f$,
as in \ref why "Why".</em> A <em>(weak)</em> law of ``f('x', 'y')``, \f$ a * b * c \f$.

\anchor sums-below
\seen A line.

```text
$x$ [VarianceOfSum]
```
"""


class Forge(ProjectTest):

    def faults(self, line: str) -> str:
        """The faults of a page that has this line."""
        self.write("forge/docs/page.md", f'# A page\n\n{line}\n\n## A place <a id="Place"></a>\n')
        return "\n".join(map(str, forge_problems(self.root / "forge")))

    def test_the_book_reads_them_line_by_line(self) -> None:
        self.assertEqual(doxygen_form(source_of("theory/sums.md", PAGE)), WOVEN)

    def test_an_anchor_follows_from_the_file(self) -> None:
        self.assert_values(anchor_of, {
            "theory/sums.md": "sums", "docs/exercises/2-b.md": "exercise-2", "docs/exercises/a_b.md": "exercises-a-b",
            "docs/references.bib": "citelist"})

    def test_what_a_forge_shows_otherwise_is_told(self) -> None:
        for line, fault in {
                r"$\{x\}$": r"takes '\\\{'", "$a < b$": "takes '<'", r"$\hat{x}_1$": "takes '_'",
                "$a * b$": r"takes '\*'", "$x": "a dollar is alone", "a$x$": "touches what", "$x$s": "touches what",
                '"$x$"': "touches what", r"$\operatorname{f}(x)$": r"refuses \\operatorname",
                "```math\n\\mbox{a}\n```": r"GitHub refuses \\mbox", r"see \ref Place": r"shows '\\ref'",
                r"\f$ x \f$": r"shows '\\f\$'", "# A {#a}": r"shows '\{#a\}'", r"<!--\a--> *b*": "shares its line",
                r"- a <!--\x-->": "shares its line", "[Place]": "leads nowhere", "[KernelVew]": "leads nowhere",
                "[a](b.md)": "names no file", "[a](theorie)": "names no file", "[a](page.md#b)": "names no place",
                "[a $x$](#Place)": "no formula in the words", "| $`a|b`$ |": "ends a cell",
                "- ```sh\n  ls": "3: nothing closes this fence", "[Place]: #Place\n\nmore": "defined within"}.items():
            with self.subTest(line):
                self.assertRegex(self.faults(line), fault)

    def test_what_it_shows_is_let_alone(self) -> None:
        self.assert_values(self.faults, dict.fromkeys((
            r"$x_1$, $`\{x\}_1`$ and `$x`", "a [link](#Place), [named](page.md) and [out](https://example.org)",
            r"`code` <!--\snippet a b-->", "an interval [0, 1]", "[1](run:A.B.c)", "```\n\\ref x $\n```",
            "$d$-dimensional ($x$)", "[by the heading](#a-page)", "- ```sh\n  $ ls\n  ```\n\nmore",
            "> ```math\n> a\n> ```", "````text\n```\n$\n````"), ""))

    def test_update_writes_values_and_links(self) -> None:
        page = ('# The score\n\nSee [ProductMean] and [x](run:ScoreVariance.HoldsForAll.at64).\n`[x](run:A.B.c)`\n\n'
                '## It is d <a id="ScoreVariance"></a>\nIt is [?](run:HoldsForAll.at64), so [ScoreVariance].\n')
        self.write("theory/score.md", page + "\n[Gone]: #Gone\n[paper]: https://example.org\n")
        self.write("theory/moments.md", '# Moments\n\n## The mean <a id="ProductMean"></a>\n')
        self.write("docs/line-by-line.md", "# Lines\n")
        self.assertEqual(list(updated(self.book(), self.results)), ["theory/score.md"])
        done = self.run_weave("update", "--source", self.root, "--results", self.results)
        self.assertEqual((done.returncode, done.stdout), (0, "theory/score.md\nwrote 1 page\n"))
        self.assertEqual(self.source("theory/score.md"),
                         page.replace("[x](run:S", "[64](run:S").replace("[?]", "[64]")
                         + "\n[paper]: https://example.org\n[ProductMean]: moments.md#ProductMean\n"
                         "[ScoreVariance]: #ScoreVariance\n")

    def test_what_varies_with_the_processor_is_let_alone_in_strict_runs(self) -> None:
        self.write("docs/line-by-line.md", "# Lines\n")
        self.write("theory/score.md",
                   '# The score\n\n## It is d <a id="ScoreVariance"></a>\nIt is [63](run:HoldsForAll.at64).\n')
        page = ["theory/score.md"]
        for varies, stale in (None, page), ("with the processor", []):
            self.record("score", scored(value_varies_with=varies) if varies else scored())
            self.assertEqual(list(updated(self.book(), self.results)), page)
            self.assertEqual(list(updated(self.book(), self.results, experiments=False)), stale)

    def test_a_picture_is_drawn_anew_only_if_its_numbers_change_in_what_it_shows(self) -> None:
        self.write("docs/line-by-line.md", "# Lines\n")
        self.write("docs/images/sum.svg", "<desc>old</desc>")
        (self.results / "figures").mkdir()
        (self.results.parent / "figures").mkdir()
        (self.results.parent / "figures/sum.svg").write_text("<desc>new</desc>")
        data = self.results / "figures/sum.dat"
        for numbers, changed in ("0.53712345678901234 1e-05", True), ("0.53712345678901257 1e-05", False), (
                "0.53712645678901257 1e-05", True), ("0.53712645678901257 -1e-05", True):
            data.write_text(f"# x sum\n{numbers}\n")
            found = updated(self.book(), self.results)
            self.assertEqual(list(found), ["docs/images/sum.svg"] * changed, numbers)
            for file, text in found.items():
                self.write(file, text)
