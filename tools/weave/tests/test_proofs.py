"""Theorems beside a claim's badge: only those of a run that is of these pages and theorems."""

import json

from project import ProjectTest

from weave.base.shapes import BadData
from weave.reading.proofs import LOCK, RUN, changed, compared, digest, last_run, sources

THEOREM = "(* Scope: finite spaces. *)\nTheorem ProductMean : 1 = 1.\nProof. by []. Qed.\n"
RAN = {"claim": "ProductMean", "theorem": "ProductMean", "kind": "theorem", "scope": "finite spaces.",
       "statement": "a < b /\\ c", "axioms": []}


class Proofs(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.write("theory/proofs/definitions.v", "Definition one := 1.\n")
        self.write("theory/proofs/moments.v", THEOREM)
        entry = compared(self.root)["ProductMean"] | {"ProductMean": digest("a < b"), "signed": "A. B, 2026-01-02"}
        self.write(LOCK, json.dumps({"ProductMean": entry}))

    def ran(self, **also: object) -> None:
        self.write(RUN, json.dumps({"sources": sources(self.root), "theorems": [RAN | also]}))

    def test_without_a_run_of_these_theorems_the_mark_says_so(self) -> None:
        self.assert_has(self.weave_page("theory/moments.md"), '✓ exact</a> <a class="formal"',
                        "machine-checked: not run")
        self.assert_lacks(self.read("theory/score.md"), "machine-checked")
        self.ran()
        self.write("theory/proofs/moments.v", f"{THEOREM}(* later *)")
        self.assertIn("machine-checked: not run", self.weave_page("theory/moments.md"))

    def test_what_a_run_proved_is_folded_with_its_scope_its_axioms_and_who_compared_it(self) -> None:
        self.ran()
        self.assert_in_order(self.weave_page("theory/moments.md"), "⊢ machine-checked</a>", "### Proof",
                             "Machine-checked: 1 theorem, no axioms", "finite spaces.", "A. B on 2026-01-02",
                             "ProductMean:\n  a &lt; b /&#92; c", "deliberately broken")
        self.ran(axioms=["Classical_Prop.classic"], scope="Left out: all else.")
        self.assert_has(self.weave_page("theory/moments.md"), "⊢ machine-checked in part</a>", "<code>classic</code>")
        self.write(RUN, "{")
        self.assertRaisesRegex(BadData, f"{RUN} is not JSON", last_run, self.root)

    def test_a_changed_page_scope_or_name_voids_the_signature(self) -> None:
        self.ran()
        for file, old, new, what in (("theory/moments.md", "E XY", "E YX", "page"),
                                     ("theory/moments.md", "of each", "of", "page"),
                                     ("theory/proofs/moments.v", "finite", "all", "scope"),
                                     ("theory/proofs/moments.v", "ProductMean :", "ProductMean_b :", "ProductMean")):
            text = self.source(file)
            self.edit(file, old, new)
            self.assertIn(what, changed(self.root, compared(self.root))["ProductMean"])
            self.assertIn("machine-checked: not run", self.weave_page("theory/moments.md"))
            self.write(file, text)
