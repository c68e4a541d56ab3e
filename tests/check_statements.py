#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Whether what a reader copies from the claims of a book is LaTeX that compiles elsewhere: check_statements.py BOOK

Braces, environments and formulas are closed, no macro of the book is left, and no sign that LaTeX does not know. Where
there is a pdflatex, all statements are also compiled, with amsmath and amssymb and nothing else.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MACROS = Path(__file__).resolve().parents[1] / "docs/theme/macros.json"
"""The book's macros by name."""
DATA = re.compile(r'<script type="application/json" class="claim-tools">(.*?)</script>')


def faults(latex: str) -> list[str]:
    """What is wrong with a piece of LaTeX, as far as one sees without compiling it."""
    text = re.sub(r"(?m)^%.*$", "", latex)
    macros = json.loads(MACROS.read_text(encoding="utf-8"))
    found = [f"the macro \\{name} of the book" for name in macros if re.search(rf"\\{name}(?![A-Za-z])", text)]
    found += [f"the command {command}" for command in set(re.findall(r"\\(?:ref|cite|run|verdict|f\W)", text))]
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


def compiled(statements: list[str]) -> str:
    """What pdflatex has to say against the statements; nothing if all is well or there is none."""
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
    claims = [json.loads(data) for page in sorted(book.glob("*.html"))
              for data in DATA.findall(page.read_text(encoding="utf-8"))]
    wrong = [f"{claim['name']}: {fault}" for claim in claims for fault in faults(claim["latex"])]
    wrong += filter(None, [compiled([claim["latex"] for claim in claims])])
    print(f"{len(claims)} statements; "
          f"{'compiled' if shutil.which('pdflatex') else 'not compiled: there is no pdflatex'}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong or not claims else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
