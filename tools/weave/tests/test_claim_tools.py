"""The text that readers take from a claim: statement, citation, commands; and TeX as text."""

import html
import json
import re

from project import REVISION, ProjectTest, TextTest, scored

from weave.base.tex import latex_text, readable
from weave.writing.citation import of_book, of_claim, of_figure
from weave.writing.claim_tools import tools
from weave.writing.rerun import rerun
from weave.writing.statement import latex

FIELD = re.compile(r"^  (\w+) += {(.*)},?$", re.MULTILINE)
"""A field of a BibTeX entry."""

STATEMENT = r"""### Statement
With *ε* & 5 % of `a_b`, [ProductMean] and [another](moments.md#ProductMean), [@vaswani2017] see
"here" ≈ ½:
```math
\mathrm{Var} (q \cdot k) = \mathbb E X^2 ,
    \qquad x \in \mathbb{R}^{d_k}
```

1. first, $\lVert x \rVert$:
   ```math
   x_\varepsilon
   ```
   and on;
2. [second].

| a | $\lvert b \rvert$ |
|---|--:|
| [1] | [64](run:ScoreVariance.HoldsForAll.at64) |
"""
DEFINITION = "\n[ProductMean]: moments.md#ProductMean\n"


class Tex(TextTest):

    def test_reads_aloud(self) -> None:
        self.assert_values(readable, {
            r"\operatorname{Var}(q \cdot k) = d": "Var(q·k) = d", r"1/\sqrt{d_k}": "1/√d_k",
            r"\operatorname{\mathbb E} XY = \operatorname{\mathbb E} X": "E XY = E X",
            r"\sqrt{2 \ln n}": "√(2 ln n)", r"\frac12 x^{10}": "½x¹⁰", r"\frac{a+b}{2c} z": "(a + b)/2c z",
            r"\sum_{i} p_i^2 \le -1": "∑_i p_i² ≤ −1", r"p\, p^{\mathsf T}": "p pᵀ", r"\hat p_{ij}": "p̂_ij",
            r"\text{in a word}": "in a word", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}": "[1, 2; 3, 4]",
            r"e^{-x}": "e^(−x)", r"\operatorname{softmax}(s/\tau)_i": "softmax(s/τ)_i", r"\unknown y": "unknown y"})

    def test_writes_signs_as_latex(self) -> None:
        self.assertEqual(latex_text("50 % of c² − ⅓ ≈ a_b"), r"50 \% of c$^{2}$ $-$ $\frac{1}{3}$ $\approx$ a\_b")


class Tools(ProjectTest):

    def state(self) -> None:
        """Give the claim a statement of every kind of text."""
        self.edit("theory/score.md", "### Statement\nIt is d.\n", STATEMENT)
        self.write("theory/score.md", self.source("theory/score.md") + DEFINITION)

    def test_a_statement_in_latex_needs_no_macros(self) -> None:
        self.state()
        self.assertEqual(latex(self.book(), self.claim()), r"""% ScoreVariance; needs \usepackage{amsmath,amssymb}
\textbf{The variance is d.}

With \emph{ε} \& 5 \% of \texttt{a\_b}, \emph{The mean of a product} and \emph{another}, see ``here'' $\approx$ $\frac{1}{2}$:

\[
\operatorname{Var} (q \cdot k) = \operatorname{\mathbb E} X^2 ,
    \qquad x \in \mathbb{R}^{d_k}
\]

\begin{enumerate}
\item first, $\lVert x \rVert$:
\[
x_\varepsilon
\]
and on;
\item {}[second].
\end{enumerate}

\begin{tabular}{ll}
a & $\lvert b \rvert$ \\
\hline
{}[1] & 64 \\
\end{tabular}
""")

    def test_a_question_keeps_its_mark(self) -> None:
        self.edit("theory/score.md", "## The variance is d {", "## Is the variance d? {")
        self.assertIn(r"\textbf{Is the variance d?}", latex(self.book(), self.claim()))

    def test_the_page_carries_them_without_anything_that_looks_like_markup(self) -> None:
        self.state()
        book = self.book()
        claim = book.claims["ScoreVariance"]
        for address in ("", "https://example.org/a_b"):  # of a book that is not published, and of one that is
            book.revision = {**REVISION, "address": address}
            text = tools(book, claim)
            data, = re.findall(r'class="claim-tools">(.*?)</script>', text)
            self.assertFalse(set("<>&@$") & set(data))
            self.assertNotRegex(data, r"\\[^nu\"]")
            read = json.loads(data)
            place = f"{address}/score.html#ScoreVariance".removeprefix("/")
            self.assertEqual((read["latex"], read["name"], read["link"]), (latex(book, claim), "ScoreVariance", place))
            shown, = re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)
            self.assertEqual(read["bibtex"], f"{html.unescape(shown)}\n")
            self.assertIn("@misc{sqrtdk:ScoreVariance", shown)
            self.assertEqual(dict(FIELD.findall(read["bibtex"])).get("url"), place if address else None)

    def cited(self, **revision: str) -> list[str]:
        """The entries of a claim, a figure and the book, which have a title that is hard to write."""
        title = r"50 % of *a_b* & \f$ \sqrt{d_k} \f$, √2 #1 {x} ~ ^ $ Jacobians: c², d − 1"
        self.write("CITATION.cff", f"title: {title}\nversion: 1.2\ndate-released: 2025-12-31\n")
        self.edit("theory/score.md", "## The variance is d {",
                  f"\\figure{{a_walk}}\n**{title}**\n\\endfigure\n\n## {title} {{")
        self.edit("theory/score.md", "# The score {#score}", "# The score {#the_score}")
        book = self.book()
        book.revision = revision
        figure = book.figures["a_walk"]
        return [of_claim(book, book.claims["ScoreVariance"]), of_figure(book, figure, figure.takeaway),
                html.unescape("".join(of_book(book).partition("@misc")[1:]).partition("</pre>")[0])]

    def test_a_citation_names_place_version_commit_and_address(self) -> None:
        places = (r"sqrtdk, chapter ``The score'', claim ScoreVariance (the\_score.html\#ScoreVariance)",
                  r"sqrtdk, ``The score'', Figure 2.1, a\_walk (the\_score.html\#figure-a\_walk)", None)
        for entry, place in zip(self.cited(**REVISION), places):
            with self.subTest(place=place):
                fields = dict(FIELD.findall(entry))
                self.assertEqual(entry.count("{"), entry.count("}"))
                self.assertEqual(fields.pop("title"), r"{50 \% of *a\_b* \& $ \sqrt{d_k} $, $\surd$2 \#1 \{x\} "
                                 r"\textasciitilde{} \textasciicircum{} \$ Jacobians: c$^{2}$, d $-$ 1}")
                self.assertEqual(fields.pop("url").partition("#")[0],
                                 "https://example.org/a_b" + ("/the_score.html" if place else ""))
                self.assertEqual(fields, {"author": "{The sqrtdk authors}", "year": "2026",
                                          "note": f"Version 1.2-dev+g0123456789, commit {'0123456789' * 4}",
                                          "swhid": REVISION["dir"],
                                          **({"howpublished": place} if place else {})})

    def test_a_citation_invents_neither_commit_nor_address(self) -> None:
        for entry in self.cited(version="1.2-dev+unknown-commit", commit="", date="", address="", dir=""):
            fields = dict(FIELD.findall(entry))
            self.assertFalse({"url", "swhid"} & set(fields))
            self.assertEqual((fields["year"], fields["note"]), ("2025", "Version 1.2-dev+unknown-commit"))

    def test_without_a_commit_the_files_are_cited(self) -> None:
        for entry in self.cited(version="1.2", commit="", date="", address="", dir="swh:1:dir:ab"):
            self.assertIn("{Version 1.2, swh:1:dir:ab}", entry)

    def test_the_check_is_run_with_the_program_and_the_seed_of_the_record(self) -> None:
        text = "\n".join(rerun(self.book(), self.claim()))
        self.assertIn(">./tools/test properties -R '^ScoreVariance$'\n", text)
        self.assert_lacks(text, "gtest_filter", r"\ref")  # the record names no program
        self.record("score", scored(), seed="7", program="build/x/score_properties")
        self.write("docs/ci.md", "# CI {#ci}\n\n## When something fails {#ci-replay}\n")
        self.assert_has(
            "\n".join(rerun(self.book(), self.claim())), r"\ref ci-replay ",
            "SQRTDK_SEED=7 ./tools/test properties -R '^ScoreVariance$'\n",
            "SQRTDK_SEED=7 ./build/x/score_properties &#92;\n    --gtest_filter='ScoreVariance.*'\n")
