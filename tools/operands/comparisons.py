# SPDX-License-Identifier: BSL-1.0
"""The comparisons of numbers in floating point in a program, found on Clang's syntax tree."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Templates and generic lambdas are visited as they are instantiated.
QUERY = """
set output diag
enable output detailed-ast
set bind-root false
let ours isExpansionInFileMatching("{ours}")
let relation anyOf(binaryOperator(isComparisonOperator(), unless(hasLHS(hasType(isInteger())))),
                   cxxOperatorCallExpr(isComparisonOperator()))
let assertion callExpr(callee(functionDecl(hasAnyName({assertions}))))
let within forFunction(functionDecl(returns(qualType(hasCanonicalType(qualType().bind("returns"))))))
match expr(anyOf(relation, assertion), ours, unless(hasParent(forStmt())), within).bind("comparison")
"""

# GoogleTest's, which its macros call; the kit's; those of Eigen and of the standard library.
ASSERTIONS = ("CmpHelperLT", "CmpHelperLE", "CmpHelperGT", "CmpHelperGE", "CmpHelperNE", "EqHelper::Compare",
              "CmpHelperFloatingPointEQ", "DoubleNearPredFormat", "expect_near", "expect_within", "expect_bound_holds",
              "isApprox", "isZero", "isOnes", "std::equal", "std::is_sorted")

FLOATING = re.compile(r"\b(float|double|half|bfloat16|cpp_bin_float)\b")
PLACE = re.compile(r'^(/[^\n:]+):(\d+):(\d+): note: "comparison" binds here$', re.MULTILINE)
TYPE = re.compile(r"^[|`]-\w+ 0x\w+ <[^>]*(?:<[^>]*>[^>]*)*> '([^']*)'(?::'([^']*)')?")


class DoesNotCompile(Exception):
    """What Clang said."""


@dataclass(frozen=True, order=True)
class Comparison:
    file: Path
    line: int
    column: int
    operand: str = field(compare=False)  # double, cpp_bin_float, …: what it is or holds, in one instance


def comparisons(source: Path, build: Path, ours: str) -> set[Comparison]:
    """Those in the files of a translation unit whose paths match `ours`, but for the implementations under test: the
    functions whose values are themselves in floating point."""
    query = QUERY.format(ours=ours, assertions=", ".join(f'"{name}"' for name in ASSERTIONS))
    one_line_each = re.sub(r",\n +", ", ", query).strip().splitlines()
    run = subprocess.run(
        ["clang-query", "-p", str(build), *(f"-c={line}" for line in one_line_each), "--extra-arg=-w", str(source)],
        capture_output=True, text=True, check=False)
    if run.returncode or " error: " in run.stderr:
        raise DoesNotCompile(run.stderr + run.stdout[:2000])
    return set(found_in(run.stdout))


def found_in(output: str) -> Iterator[Comparison]:
    for match in re.split(r"^Match #\d+:$", output, flags=re.MULTILINE)[1:]:
        place = PLACE.search(match)
        _, *bindings = re.split(r'^Binding for "(\w+)":\n', match, flags=re.MULTILINE)
        bound = dict(zip(bindings[::2], bindings[1::2]))
        kinds = operands(bound["comparison"])
        if re.match(r"BinaryOperator|CXXOperatorCallExpr", bound["comparison"]):  # positions are no numbers
            kinds = [kind for kind in kinds if not re.search(r"\*$|iterator<", kind)]
        operand = next(filter(None, map(FLOATING.search, kinds)), None)
        if place and operand and not FLOATING.search(bound["returns"]):
            yield Comparison(Path(place[1]), int(place[2]), int(place[3]), operand[1])


def operands(tree: str) -> list[str]:
    """The types of what is compared: nothing if a lambda is to compare it, and no functions."""
    found = [operand[2] or operand[1] for operand in map(TYPE.match, tree.splitlines()) if operand]
    by_lambda = any("(lambda" in kind for kind in found)
    return [kind for kind in found if not by_lambda and not re.search(r"\([*&]|\)$", kind)]
