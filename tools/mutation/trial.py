# SPDX-License-Identifier: BSL-1.0
"""Builds and runs programs with a mutated header."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutation.subjects import ROOT, SOURCE, all_includes_of

BUILD = ROOT / "build" / "release"
LIMIT = 600
KIT = ["sqrtdk_testing", "sqrtdk_laws", "sqrtdk_statistics"]
LIBRARIES = [*(str(BUILD / "src" / f"lib{name}.a") for name in KIT), "-lgmock", "-lgtest", "-lrapidcheck"]


@dataclass(frozen=True)
class Compilation:
    """How a file of a target is compiled, and the sources that CMake has it include, or itself."""

    target: str
    file: Path
    sources: tuple[Path, ...]
    words: tuple[str, ...]

    def into(self, folder: Path, number: int) -> list[str]:
        """The command line that makes an object in a folder, with the headers and sources of its copy of src/."""
        copy = folder / f"{number}.cpp"
        text = "".join(f'#include "{source}"\n' for source in self.sources)
        copy.write_text(text.replace(str(ROOT / "src"), str(folder / "src")), encoding="utf-8")
        words = [word.replace(str(ROOT / "src"), str(folder / "src")) for word in self.words if word != "-Werror"]
        words[words.index("-c") + 1] = str(copy)
        words[words.index("-o") + 1] = str(folder / f"{number}.o")
        return [*words, "-w"]


@cache
def compilations() -> list[Compilation]:
    """All that build/release compiles."""
    found = []
    try:
        entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError) as error:
        sys.exit(f"mutate: build/release does not say how programs are compiled ({error}); run ./tools/test first")
    for entry in entries:
        words = shlex.split(entry["command"])
        if target := re.search(r"CMakeFiles/([^/]+)\.dir/", words[words.index("-o") + 1]):
            file = Path(entry["file"])
            text = file.read_text(encoding="utf-8") if file.suffix == ".cxx" else ""
            together = re.findall(r'^#include "(/.+)"', text, re.MULTILINE)
            found.append(Compilation(target[1], file, tuple(map(Path, together)) or (file,), tuple(words)))
    return found


def compilations_of(program: str) -> list[Compilation]:
    """Those of a program, and of the main function that all programs share."""
    own = [one for one in compilations() if one.target == program]
    if not own:
        sys.exit(f"mutate: {program} is not in {BUILD}; run ./tools/test first")
    return own + [one for one in compilations()
                  if one.target == "main_with_ledger" and one.file.name == "main.cpp"]


def changes_of(mutated: Path, among: Sequence[Compilation]) -> list[Compilation]:
    """Those of the kit's libraries that a mutated file changes: a source itself; what a header of the kit defines is
    compiled in the sources that include it."""
    of_kit = mutated.is_relative_to(SOURCE / "testing")
    return [one for one in among if one.target in KIT and any(
        source == mutated or of_kit and mutated in all_includes_of(source) for source in one.sources)]


def build(program: str, folder: Path, mutated: Path | None = None) -> bool:
    """Whether the program compiles with a folder's copy of src/, and with what a mutated file changes in the kit."""
    units = compilations_of(program) + (changes_of(mutated, compilations()) if mutated else [])
    for number, unit in enumerate(units):
        if subprocess.run(unit.into(folder, number), cwd=ROOT, capture_output=True, check=False).returncode != 0:
            return False
    objects = [str(folder / f"{number}.o") for number in range(len(units))]
    link = [units[0].words[0], *objects, "-o", str(folder / program), *LIBRARIES]
    return subprocess.run(link, cwd=ROOT, capture_output=True, check=False).returncode == 0


def failures(program: str, folder: Path, mutated: Path | None = None) -> list[str] | None:
    """The names of the failed tests, or what ended the run; None if the program does not compile."""
    if not build(program, folder, mutated):
        return None
    try:
        done = subprocess.run([folder / program], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT,
                              errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return ["it never ended"]
    failed = sorted(set(re.findall(r"\[  FAILED  \] (\w+\.\w+)", done.stdout)))
    return failed or ([f"it crashed ({done.returncode})"] if done.returncode else [])


def killers(programs: Sequence[str], header: Path | None = None, text: str = "") -> list[str] | None:
    """The tests that fail first with a copy of src/ in which a header has another text; None as for failures()."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy)
        if header:
            (copy / header.relative_to(ROOT / "src")).write_text(text)
        for program in programs:
            failed = failures(program, Path(folder), header)
            if failed is None or failed:
                return failed
    return []
