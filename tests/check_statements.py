#!/usr/bin/env python3
"""Checks that what a reader copies from a book is LaTeX that compiles elsewhere, and BibTeX: check_statements.py BOOK

Braces, environments and formulas are closed, and there is no sign that LaTeX does not know. Where
there is a pdflatex, all statements are also compiled, with amsmath and amssymb and nothing else. All citations,
of claims and of figures, are read by bibtex, and what it makes of them is compiled with them.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = re.compile(r'<script type="application/json" class="claim-tools">(.*?)</script>')


def faults(latex: str) -> list[str]:
    """The faults of a piece of LaTeX, as far as one sees without compiling it."""
    text = re.sub(r"(?m)^%.*$", "", latex)
    found = [f"the command {command}" for command in set(re.findall(r"\\(?:ref|cite|run|verdict|f\W)", text))]
    found += [f"the sign {sign}" for sign in sorted(set(text)) if not sign.isascii()]
    plain = re.sub(r"\\[\\{}$%&#_]", "", text)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            break
    if depth:
        found.append("braces that are not closed")
    if plain.count("$") % 2:
        found.append("a formula that is not closed")
    open_: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            open_.append(name)
        elif not open_ or open_.pop() != name:
            found.append(f"an \\end{{{name}}} without a beginning")
    return found + [f"a \\begin{{{name}}} without an end" for name in open_]


def bibliography(citations: list[str]) -> tuple[str, str]:
    """The citations as LaTeX, and what bibtex has to say against them."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "all.bib").write_text("\n".join(citations), encoding="utf-8")
        Path(directory, "all.aux").write_text("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{all}\n", encoding="utf-8")
        done = subprocess.run(["bibtex", "all"], cwd=directory, capture_output=True, timeout=300, check=False,
                              text=True)
        if done.returncode or "warning" in done.stdout.lower():
            return "", done.stdout
        return Path(directory, "all.bbl").read_text(encoding="utf-8"), ""


def compiled(statements: list[str]) -> str:
    """The complaints of pdflatex about the statements; nothing if all is well or there is no pdflatex."""
    if not shutil.which("pdflatex"):
        return ""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "all.tex").write_text(
            "\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
            + "\n\n\\bigskip\n".join(statements) + "\n\\end{document}\n", encoding="utf-8")
        done = subprocess.run(["pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
                              cwd=directory,
                              capture_output=True, timeout=300, check=False, text=True, errors="replace")
        return "" if done.returncode == 0 else "\n".join(line for line in done.stdout.splitlines()
                                                         if line.startswith(("!", "l.")))


def main(book: Path) -> int:
    taken = [json.loads(data) for page in sorted(book.glob("*.html"))
             for data in DATA.findall(page.read_text(encoding="utf-8"))]
    claims = [each for each in taken if "latex" in each]
    wrong = [f"{each['name']}: {fault}" for each in taken for form in ("latex", "bibtex")
             for fault in faults(each.get(form, ""))]
    cited, complaint = bibliography([each["bibtex"] for each in taken])
    wrong += filter(None, [complaint, compiled([*(claim["latex"] for claim in claims), cited])])
    print(f"{len(claims)} statements, {len(taken)} citations; "
          f"{'compiled' if shutil.which('pdflatex') else 'not compiled: there is no pdflatex'}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong or not claims else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
