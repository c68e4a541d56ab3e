"""A claim's theorems: a mark beside the badge, and what the machine checked, folded."""

from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.reading.proofs import changed, compared, last_run, read_lock
from weave.writing.markup import html_block, html_text, preformatted

MEANING = "how-to-read.html#machine-checked"
REALS = "axioms that Coq's real numbers and classical logic need"
KINDS = {"theorem": "", "witness": "<p>The hypotheses can be met:</p>",
         "counterexample": "<p>Without a hypothesis of the page:</p>"}


class Formal:
    """The theorems of a book's claims: of the last run of tools/prove, if it was of these pages and theorems."""

    def __init__(self, book: Book) -> None:
        self.signed = {claim: entry.get("signed", "") for claim, entry in read_lock(book.root).items()}
        self.changed = changed(book.root, compared(book.root)) if self.signed else {}
        self.theorems = last_run(book.root) if self.signed else []

    def mark(self, claim: Claim) -> str:
        """What stands beside the badge; nothing if the claim has no theorem."""
        if claim.name not in self.signed:
            return ""
        found = self._of(claim)
        state = ": not run" if not found else " in part" if "Left out:" in found[0]["scope"] else ""
        return f' <a class="formal" href="{MEANING}">⊢ machine-checked{state}</a>'

    def fold(self, claim: Claim) -> list[str]:
        """The theorems, what they rest on, what they leave out, and who compared them with the page."""
        found = self._of(claim)
        if not found:
            return []
        axioms = sorted({axiom.rsplit(".", 1)[-1] for one in found for axiom in one["axioms"]})
        rests = f"{REALS}: <code>{html_text(', '.join(axioms))}</code>" if axioms else "no axioms"
        by, _, day = self.signed[claim.name].rpartition(", ")
        parts = [html_block(
            f'<details class="fold machinery"><summary>Machine-checked: {len(found)} theorem{"s"[:len(found) - 1]}, '
            f'{"axioms of real numbers and logic" if axioms else "no axioms"}</summary>\n'
            f"<p><b>Scope:</b> {html_text(found[0]['scope'])} All numbers are exact, and x/0 is 0. Nothing here is "
            "about floating point or the code.</p>\n"
            f"<p><b>Rests on</b> {rests}. <b>Compared</b> with the page by {html_text(by)} on {html_text(day)}. "
            f'That comparison is a judgement by hand. <a href="{MEANING}">How to read the theorems</a></p>')]
        for kind, words in KINDS.items():
            own = [one for one in found if one["kind"] == kind]
            parts += [html_block(words)] if own and words else []
            shown = "\n\n".join(f"{one['theorem']}:\n  {one['statement']}" for one in own)
            parts += [preformatted(shown)] if own else []
        return [*parts, html_block("</details>")]

    def _of(self, claim: Claim) -> list[dict[str, str]]:
        """Its theorems, if all that was compared is as it was."""
        return [one for one in self.theorems if one["claim"] == claim.name and claim.name not in self.changed]
