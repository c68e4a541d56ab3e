"""A claim as a reader meets it: folds, names of hypotheses, parts."""

import re

from project import ProjectTest

from weave.rendered.glance import at_a_glance
from weave.rendered.tree import parsed, written

CLAIM = """<h2 id="A">A</h2><div class="claim-meta">x</div><p>In short.</p>
<h3 id="A-what-the-documents-say">What the documents say<a class="permalink" href="#A">#</a></h3>
<ul><li>S1: yes.</li></ul><div class="statement"><h3 id="A-statement">Statement</h3><p>It is.</p></div>
<h3 id="A-proof">Proof</h3>{proof}
<h3 id="A-without-the-hypotheses">Without the hypotheses</h3><ul>{cases}</ul>
<details class="fold machinery"><h3 id="A-property">Property</h3></details><h2 id="B">B</h2><p>{long}</p>"""
LONG = "word " * 200


class Glance(ProjectTest):

    def glance(self, proof: str = "<p>Clear.</p>", cases: str = "<li>none</li>") -> str:
        page = parsed(CLAIM.format(proof=proof, cases=cases, long=LONG * 20))
        at_a_glance(page)
        return re.sub(r"\s+", " ", written(page))

    def test_the_documents_are_behind_their_heading(self) -> None:
        self.assertIn('<details class="documents"><summary><h3 id="A-what-the-documents-say">What the documents say'
                      '</h3> </summary><ul><li>S1: yes.</li></ul></details>', self.glance())

    def test_of_a_long_proof_the_plan_is_open_and_a_short_one_is_all_open(self) -> None:
        plan = "<p><em>Plan.</em> First.</p>"
        folded = '<details class="fold proof"><summary>The proof</summary>'
        self.assertIn(f'{plan}{folded}<p>{LONG.strip()} </p>', self.glance(f"{plan}<p>{LONG}</p>"))
        self.assertIn(f'Proof</h3>{folded}<p>', self.glance(f"<p>{LONG}</p>"))
        self.assertNotIn("The proof", self.glance(f"{plan}<p>Short.</p>"))

    def test_a_long_counterexample_is_behind_the_name_of_its_hypothesis_and_loses_nothing(self) -> None:
        for inner in ("<b>mean zero</b>: take <i>q</i> {}", "<p><b>mean zero</b>: take <i>q</i> {}</p><p>And on.</p>"):
            text = self.glance(cases=f"<li>{inner.format(LONG.strip())}</li>")
            self.assertIn('<li><details class="case"><summary><b>mean zero</b></summary><span>Take <i>q</i> word', text)
            self.assertEqual("And on." in text, "And on." in inner)
        self.assertNotIn("case", self.glance(cases="<li><b>mean zero</b>: take 1.</li>"))

    def test_a_long_claim_lists_its_parts_and_a_short_one_does_not(self) -> None:
        self.assertNotIn("parts", self.glance(f"<p>{LONG * 20}</p>"))  # which is folded
        text = self.glance(cases="".join(f"<p>{LONG}</p>" for _ in range(9)))
        self.assertRegex(text, r'<p>In short\.</p>\s*<nav class="parts" aria-label="Parts of this claim">')
        self.assertEqual(re.findall(r'<a href="#A-([\w-]+)">', text),
                         ["what-the-documents-say", "statement", "proof", "without-the-hypotheses"])
