"""The theorems of theory/proofs: what the last run of tools/prove found, and what somebody has compared and signed.

LOCK has a line for each claim with theorems: who compared them with the page, when, and digests of all that was read,
that is, the page's sections, the scope, each definition, and each theorem as Coq prints it. Only the last needs Coq.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from weave.base.shapes import BadData, Shape, read_json

FOLDER, LOCK, RUN = "theory/proofs", "theory/proofs/lock.json", "build/proofs/proofs.json"
SECTIONS = r"### (?:Statement|Hypotheses|Without the hypotheses)\n.*?(?=^### |\Z)"
DEFINITION = re.compile(r"(?:^|\.) *(?:(?:Local|Global|Program|#\[.*\]) )*(?:Definition|Record|Structure|Class|"
                        r"Inductive|Variant|CoInductive|Fixpoint|CoFixpoint|Function) (\w+).*?\.(?=\s)", re.M | re.S)
THEOREM = re.compile(r"(?:\(\* Scope: ((?:(?!\*\)).)*)\*\)\n)?^Theorem (\w+)(.*?)\nProof\b(.*?)\bQed\.", re.S | re.M)
ONE: Shape = {"claim": str, "theorem": str, "kind": str, "scope": str, "statement": str, "axioms": [str]}
Digests = dict[str, dict[str, str]]


def digest(text: str) -> str:
    """A short digest that does not see how lines are broken."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]


def code(text: str) -> str:
    """Coq without its comments."""
    return re.sub(r"\(\*.*?\*\)", " ", text, flags=re.S)


def page_of(root: Path, claim: str) -> str:
    """The section of a claim; empty if no page has it."""
    pages = "\n".join(page.read_text("utf-8") for page in sorted((root / "theory").glob("*.md")))
    found = re.search(rf'^## [^\n]*(?:<a id="{claim}">|{{#{claim}}}).*?(?=^## |\Z)', pages, re.S | re.M)
    return found[0] if found else ""


def definitions(root: Path) -> dict[str, str]:
    """The definitions that a theorem's statement may use."""
    text = code((root / FOLDER / "definitions.v").read_text("utf-8"))
    return {found[1]: found[0] for found in DEFINITION.finditer(text)}


def compared(root: Path) -> Digests:
    """By claim, the digests of what is compared, as far as they need no Coq; the theorems' are empty."""
    everything = "\n".join(file.read_text("utf-8") for file in sorted((root / FOLDER).glob("*.v")))
    found: Digests = {}
    for scope, theorem, *_ in THEOREM.findall(everything):
        claim = theorem.partition("_")[0]
        page = "".join(re.findall(SECTIONS, page_of(root, claim), re.S | re.M))
        entry = found.setdefault(claim, {"page": digest(page), "scope": ""})
        entry[theorem] = ""
        entry["scope"] = entry["scope"] or scope and digest(scope)
    return found


def changed(root: Path, now: Digests) -> dict[str, list[str]]:
    """By claim, what has changed since somebody signed; `now` may lack what needs Coq."""
    lock, words = read_lock(root), {word: digest(text) for word, text in definitions(root).items()}
    found = {}
    for claim in sorted(lock.keys() | now.keys()):
        signed, new = lock.get(claim, {}), {**now.get(claim, {})}
        new |= {word: words[word] for word in signed.keys() & words.keys()}
        odd = [key for key in sorted((signed.keys() | new.keys()) - {"signed"})
               if key not in signed or new.get(key) is None or new[key] not in ("", signed[key])]
        if odd:
            found[claim] = odd
    return found


def read_lock(root: Path) -> Digests:
    """What was signed; nothing if there is no lock."""
    return _read(root, LOCK, {})


def write_lock(root: Path, lock: Digests) -> None:
    """A line for each claim."""
    lines = [f'{json.dumps(claim)}: {json.dumps(entry, ensure_ascii=False)}' for claim, entry in sorted(lock.items())]
    (root / LOCK).write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def sources(root: Path) -> str:
    """A digest of all that Coq reads."""
    return digest("".join(file.read_text("utf-8") for file in sorted((root / FOLDER).glob("*.v"))))


def last_run(root: Path) -> list[dict[str, Any]]:
    """The theorems of the last run; none if it is not of these sources."""
    run = _read(root, RUN, {"sources": str, "theorems": [ONE]})
    return [*run["theorems"]] if run and run["sources"] == sources(root) else []


def _read(root: Path, file: str, shape: Shape) -> dict[str, Any]:
    """The data of a file; nothing if it is not there."""
    try:
        data: dict[str, Any] = read_json(root / file, shape, "tools/prove") if (root / file).is_file() else {}
    except BadData as error:
        raise BadData(f"{file} {error}") from None
    return data
