"""Tests that pages show the package as it is: their blocks run in order, and print what stands below them.

A block of Python whose first line is `# name.py` is that file, and not run; a block of a shell that calls pytest is
run beside such files. An exception is shown as its last lines. Numbers that depend on how NumPy rounds are
compared loosely.

    python test_pages.py FILE…     writes below each block what it prints
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sqrtdk

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / page for page in ("docs/own-kernel-python.md", "docs/kernel-features.md", "docs/zoo.md", "README.md",
                                  "python/README.md")]
BLOCK = re.compile(r"^```(py|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n|\n((?:^\|[^\n]*\n)+))?", re.M | re.S)
"""A block, and what it prints: text, or a table."""


def printed(blocks: Iterator[re.Match[str]], folder: Path) -> Iterator[tuple[re.Match[str], str]]:
    """The blocks and what each prints, in one namespace, with their files in a folder."""
    names: dict[str, object] = {}
    for block in blocks:
        language, code = block[1], block[2]
        if language == "sh":
            if code.startswith(("pytest ", "python ")):
                options = {"COLUMNS": "80", "PYTHONPATH": str(Path(sqrtdk.__file__).parents[1])}
                words = [str(ROOT / word) if word.startswith("python/examples/") else word for word in code.split()]
                words = words[1:] if words[0] == "python" else ["-m", *words, "-p", "no:cacheprovider"]
                done = subprocess.run([sys.executable, *words], cwd=folder, check=False, capture_output=True, text=True,
                                      env={**os.environ, **options})
                yield block, re.sub(r"=+ (.*) in [\d.]+s =+", r"=== \1 ===", done.stdout).strip("\n") + "\n"
        elif code.startswith("# ") and code.partition("\n")[0].endswith(".py"):
            (folder / code.partition("\n")[0][2:]).write_text(code, "utf-8")
        else:
            yield block, _printed_by(code, names)


def _printed_by(code: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    faulthandler.disable()
    with contextlib.redirect_stdout(out):
        try:
            exec(code, names)  # pylint: disable=exec-used
        except Exception as error:  # pylint: disable=broad-exception-caught
            print(f"{type(error).__module__}.{type(error).__qualname__}: {error}".removeprefix("builtins."))
    return out.getvalue()


def loosened(text: str) -> str:
    """Without how near a right kernel came, and where: that differs between versions of NumPy and between processors.
    Without sizes of cases in tables: cases are drawn with the constants of all modules that Hypothesis finds loaded."""
    text = re.sub(r"^(\|.*\| \w+: )[^|]*(\|[^|]*\|)$", r"\1…\2", text, flags=re.M)
    text = re.sub(r"[\d.e-]+ of (it|the bound at most)\b", r"… of \1", text)
    text = re.sub(r"at \[[\d, ]*\](: … of it| of \d+ entries)", r"at …\1", text)
    text = re.sub(r"at \[[\d, ]*\], uses [\d.e-]+ %", "at …, uses … %", text)
    text = re.sub(r"of \d+ entries\b", "of … entries", text)
    text = re.sub(r"; \d+ said nothing|\d+/\d+", "", text)
    return re.sub(r"\d+\.\d{6,}", lambda number: f"{float(number[0]):.4g}", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_is_printed(page, tmp_path):
    if tuple(map(int, np.__version__.split(".")[:1])) < (2,):
        pytest.skip("the pages show how NumPy 2 writes numbers")
    blocks = BLOCK.finditer(page.read_text("utf-8"))
    shown = [(block[2], block[3] or block[4] or "", out) for block, out in printed(blocks, tmp_path)]
    assert shown
    for code, text, out in shown:
        assert loosened(text) == loosened(out), code


def rewrite(page: Path) -> None:
    """Writes below each block what it prints."""
    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for block, out in reversed(list(printed(BLOCK.finditer(text), Path(folder)))):
            shown = f"\n{out}" if out.startswith("|") else f"\n```text\n{out}```\n" if out else ""
            text = text[:block.start()] + f"```{block[1]}\n{block[2]}```\n{shown}" + text[block.end():]
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.path.append(str(ROOT / "python/examples"))
    for name in sys.argv[1:]:
        rewrite(Path(name))
