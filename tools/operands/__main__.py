"""Refuses tests of the level `exact` that compare numbers in floating point, by themselves or in a helper.

Usage: python3 -m operands BUILD RESULTS [CHAPTER …], with a configured folder of the preset clang, and the results of
./tools/verify. For all chapters: ./tools/lint --exact.

A comparison that gives no verdict, such as of an input with 0, has its reason in a comment `// exact: …` on its line or
above it.

It sees comparisons, and in EXPECT_EXACTLY what rounds a number to an integer, a Boolean or text. It does not see a
tolerance between exact values, abs(Rational(x) - r) <= Rational(1, 1000), which an enclosure looks like, too; what the
library rounds in a function of its own; what is rounded before EXPECT_EXACTLY, in a variable or a helper; the
condition of a complete `for`, which is taken for that of a loop; nor an `if` in a helper whose value is a number in
floating point. These are for the reader of a change.
"""

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from operands.comparisons import Comparison, DoesNotCompile, comparisons
from operands.tests_and_helpers import Definition, definitions, reached

CHAPTER = re.compile(r"/properties/(?:CMakeFiles/)?(\w+?)(?:_properties\.dir)?/")
REASON = re.compile(r"// exact: \w")


def levels_in(results: Path) -> dict[str, str | None]:
    """The level of each test that ran."""
    report = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {"testsuites": []}
    return {f"{suite['name']}.{test['name']}": test.get("level") for suite in report["testsuites"]
            for test in suite["testsuite"]}


def programs_of(build: Path) -> dict[str, dict[Path, list[Path]]]:
    """The translation units of each chapter, with the files that CMake includes in them."""
    chapters: dict[str, dict[Path, list[Path]]] = defaultdict(dict)
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if chapter := CHAPTER.search(entry["file"]):
            included = re.findall(r'^#include "(/.+)"', Path(entry["file"]).read_text(encoding="utf-8"), re.MULTILINE)
            chapters[chapter[1]][Path(entry["file"])] = [Path(file) for file in included or [entry["file"]]]
    return chapters


def excused(comparison: Comparison) -> bool:
    lines = comparison.file.read_text(encoding="utf-8").splitlines()[:comparison.line]
    if REASON.search(lines.pop()):
        return True
    while lines and lines[-1].lstrip().startswith("//"):
        if REASON.search(lines.pop()):
            return True
    return False


def refusals(tests: list[Definition], found: set[Comparison], root: Path) -> Iterator[str]:
    """A line for each comparison in floating point that a test makes."""
    for test in tests:
        for part in reached(test, root):
            for case in sorted(found):
                if case.file == part.file and part.first <= case.line <= part.last:
                    code = case.file.read_text(encoding="utf-8").splitlines()[case.line - 1].strip()
                    place = f"{case.file.relative_to(root)}:{case.line}:{case.column}"
                    helper = "" if part == test else f", in {part.name}"
                    yield f"{place}: {test.name} is exact, but compares {case.operand} here{helper}: {code}"


def check(chapter: str, programs: dict[Path, list[Path]], options: argparse.Namespace) -> list[str]:
    """The refusals of a chapter, and a line that tells that it was looked at."""
    begin = time.monotonic()
    results = options.results / f"{chapter}_properties.json"
    levels = levels_in(results)
    tests_of = {program: [part for file in files for part in definitions(file) if part.is_test()]
                for program, files in programs.items()}
    if stray := levels.keys() ^ {test.name for tests in tests_of.values() for test in tests}:
        return [f"{results} is not of these sources, run ./tools/verify: {', '.join(sorted(stray))}"]
    refused = list[str]()
    for program, tests in tests_of.items():
        if tests := [test for test in tests if levels[test.name] == "exact"]:
            try:
                found = comparisons(program, options.build, f"^{re.escape(str(options.root))}/properties/")
            except DoesNotCompile as error:
                return [f"{program} does not compile:\n{error}"]
            refused += refusals(tests, {each for each in found if not excused(each)}, options.root)
    count = list(levels.values()).count("exact")
    print(f"operands: {chapter}: {count} exact tests, {time.monotonic() - begin:.0f} s", flush=True)
    return refused


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m operands", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("chapters", nargs="*")
    options = parser.parse_args()
    cache = (options.build / "CMakeCache.txt").read_text(encoding="utf-8")
    options.root = Path(re.findall(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache, re.MULTILINE)[0])
    known = programs_of(options.build)
    if unknown := [name for name in options.chapters if name not in known]:
        print(f"operands: there is no chapter {', '.join(unknown)}; there are {', '.join(sorted(known))}",
              file=sys.stderr)
        return 2
    chapters = {name: programs for name, programs in known.items() if name in (options.chapters or [name])}
    with ThreadPoolExecutor(2) as pool:  # each takes a gigabyte
        refused = sum(pool.map(lambda name: check(name, chapters[name], options), chapters), list[str]())
    for line in refused:
        print(line)
    if refused:
        print("Say what these tests rest on, evidence().rests_on(…), or compare bits_of() or Rational(); a comparison "
              "that gives no verdict, such as of an input with 0, has its reason in a comment, // exact: …")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
