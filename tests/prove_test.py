"""The theorems of theory/proofs are as somebody compared them; what tools/prove says of bad ones, if there is Coq."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/weave"))

from weave.reading.proofs import changed, compared  # noqa: E402  # pylint: disable=wrong-import-position

PAGE = '# Sums of natural numbers\n\n' \
       '## Twice <a id="Twice"></a>\n\n### Statement\nTwice a positive number is positive.\n\n### Proof\nAdd.\n'
DEFINITIONS = "Definition twice (n : nat) : nat := n + n.\n"
NAMESAKE = "Fact classic : 0 = 0.\nProof. exact eq_refl. Qed.\n"
THEOREMS = """From Coq Require Import Lia ClassicalEpsilon.
From sqrtdk Require Import definitions Classical_Prop.
(* Scope: all. *)
Theorem Twice n : 0 < n -> 0 < twice n.
Proof. unfold twice; lia. Qed.
Theorem Twice_witness : 0 < twice 1 /\\ @nil nat = nil.
Proof. generalize Classical_Prop.classic (Twice 1); unfold twice; split; [lia | reflexivity]. Qed.
"""
EPSILON = """Theorem Twice_chosen : epsilon (inhabits 0) (fun n => n = 1) = 1.
Proof. exact (epsilon_spec (inhabits 0) (fun n => n = 1) (ex_intro _ 1 eq_refl)). Qed.
"""
DONE = "2 theorems about 1 claims"
READ = "since page and theorems were compared, these have changed: "


class Signed(unittest.TestCase):

    def test_pages_scopes_and_definitions_are_as_somebody_compared_them(self) -> None:
        self.assertEqual(changed(ROOT, compared(ROOT)), {}, "read these again, then tools/prove --sign NAME")


@unittest.skipUnless(shutil.which("coqc"), "there is no coqc, so no theorem is tried; tools/setup proofs installs it")
class Prove(unittest.TestCase):

    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))  # pylint: disable=consider-using-with
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/prove", self.root / "tools/prove")
        os.symlink(ROOT / "tools/weave", self.root / "tools/weave")
        (self.root / "theory/proofs").mkdir(parents=True)
        for file, text in {"_CoqProject": "definitions.v\nClassical_Prop.v\na.v\n", "definitions.v": DEFINITIONS,
                           "Classical_Prop.v": NAMESAKE, "a.v": THEOREMS, "../page.md": PAGE}.items():
            (self.root / "theory/proofs" / file).write_text(text, "utf-8")
        self.prove(0, DONE, "--sign", "A. Reader")

    def prove(self, status: int, said: str, *options: str) -> None:
        done = subprocess.run([self.root / "tools/prove", *options], capture_output=True, text=True, check=False)
        self.assertIn(said, done.stdout + done.stderr)
        self.assertEqual(done.returncode, status)

    def test_bad_theorems_are_refused_and_each_message_says_why(self) -> None:
        for file, old, new, said in (
                ("a.v", "lia. Qed.", "Admitted.", "a.v says Admitted"),
                ("a.v", "Theorem Twice_w", "Axiom one : 0 < 1.\nTheorem Twice_w", "a.v says Axiom"),
                ("a.v", "Theorem Twice_w", EPSILON + "Theorem Twice_w", "constructive_indefinite_description"),
                ("Classical_Prop.v", NAMESAKE, "Variable classic : 0 = 0.\n", "rests on Classical_Prop.classic: not"),
                ("a.v", "0 < twice n", "twice n < n", "a.v is not proved"),
                ("a.v", "0 < twice n", "0 <= twice n", f"Twice: {READ}Twice\n"),
                ("a.v", "Scope: all", "Scope: most", f"Twice: {READ}scope\n"),
                ("a.v", THEOREMS[THEOREMS.index("Theorem Twice_w"):], "", "Twice has hypotheses, and no proof"),
                ("a.v", "(* Scope", "Definition same := twice.\n(* Scope", DONE),
                ("a.v", "Theorem Twice_w", "Definition same (n : nat) := n.\nTheorem Twice_same n : same n = n.\n"
                 "Proof. reflexivity. Qed.\nTheorem Twice_w", "Twice_same uses same, which is not in definitions.v"),
                ("definitions.v", "n + n", "n + (n + 0)", f"Twice: {READ}definitions\n"),
                ("a.v", "@nil nat", "@nil bool", f"Twice: {READ}Twice_witness\n"),
                ("../page.md", "positive number", "number", f"Twice: {READ}page\n"),
                ("../page.md", "of natural", "of", f"Twice: {READ}page\n"),
                ("../page.md", "Add.", "Add it.", DONE)):
            with self.subTest(said, new=new):
                path = self.root / "theory/proofs" / file
                text = path.read_text("utf-8")
                self.assertIn(old, text)
                path.write_text(text.replace(old, new), "utf-8")
                try:
                    self.prove(0 if said == DONE else 1, said)
                finally:
                    path.write_text(text, "utf-8")


if __name__ == "__main__":
    unittest.main()
