"""The theorems of theory/proofs: what the last run of tools/prove found, and what somebody has compared and signed.

LOCK has a line for each claim with theorems: who compared them with the page, when, and digests of all that was read,
that is, the page (its head and the claim's section but Proof and Remarks), the scope, the definitions (the code of
definitions.v), and each theorem as Coq prints it without notations. Only the last needs Coq.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from weave.base.shapes import BadData, Shape, read_json

FOLDER, LOCK, RUN = "theory/proofs", "theory/proofs/lock.json", "build/proofs/proofs.json"
NOT_COMPARED = re.compile(r"^### (?:Proof|Remarks)\n.*?(?=^### |\Z)", re.S | re.M)
COMMENT = re.compile(r'("[^"]*")|\(\*(?:"[^"]*"|(?!\*\))[^"])*\*\)')
DEFINITION = re.compile(r"(?:^|\.) *(?:(?:Local|Global|Program|#\[.*\]) )*(?:Definition|Record|Structure|Class|"
                        r"Inductive|Variant|CoInductive|Fixpoint|CoFixpoint|Function) (\w+).*?\.(?=\s)", re.M | re.S)
THEOREM = re.compile(r"(?:\(\* Scope: ((?:(?!\*\)).)*)\*\)\n)?^Theorem (\w+)(.*?)\nProof\b(.*?)\bQed\.", re.S | re.M)
ONE: Shape = {"claim": str, "theorem": str, "kind": str, "scope": str, "statement": str, "axioms": [str]}
Digests = dict[str, dict[str, str]]


def digest(text: str) -> str:
    """A short digest that does not see how lines are broken."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]


def code(text: str) -> str:
    """Coq without its comments; `(*` in a string begins none."""
    return COMMENT.sub(lambda found: found[1] or " ", text)


def page_of(root: Path, claim: str) -> str:
    """The head of a claim's page and the section of the claim; empty if no page has it."""
    for page in sorted((root / "theory").glob("*.md")):
        head, *sections = re.split(r"^(?=## )", page.read_text("utf-8"), flags=re.M)
        for section in sections:
            if re.match(rf'## [^\n]*(?:<a id="{claim}">|{{#{claim}}})', section):
                return head + section
    return ""


def compared(root: Path) -> Digests:
    """By claim, the digests of what is compared, as far as they need no Coq; the theorems' are empty."""
    files = {file.stem: file.read_text("utf-8") for file in sorted((root / FOLDER).glob("*.v"))}
    definitions = digest(code(files.get("definitions", "")))
    found: Digests = {}
    for scope, theorem, *_ in THEOREM.findall("\n".join(files.values())):
        claim = theorem.partition("_")[0]
        page = digest(NOT_COMPARED.sub("", page_of(root, claim)))
        entry = found.setdefault(claim, {"page": page, "definitions": definitions, "scope": ""})
        entry[theorem] = ""
        entry["scope"] = entry["scope"] or scope and digest(scope)
    return found


def changed(root: Path, now: Digests) -> dict[str, list[str]]:
    """By claim, what has changed since somebody signed; `now` may lack what needs Coq."""
    lock, found = read_lock(root), {}
    for claim in sorted(lock.keys() | now.keys()):
        signed, new = lock.get(claim, {}), now.get(claim, {})
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
