# SPDX-License-Identifier: BSL-1.0
"""The comparisons of numbers in floating point in a program, found on Clang's syntax tree."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
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
let within forFunction(functionDecl(returns(qualType().bind("returns"))))
match expr(anyOf(relation, assertion), ours, unless(hasParent(forStmt())), within).bind("comparison")
"""

# GoogleTest's, which its macros call; the kit's; those of Eigen and of the standard library.
ASSERTIONS = ("CmpHelperLT", "CmpHelperLE", "CmpHelperGT", "CmpHelperGE", "CmpHelperNE", "EqHelper::Compare",
              "CmpHelperFloatingPointEQ", "DoubleNearPredFormat", "expect_near", "expect_within", "expect_bound_holds",
              "isApprox", "isZero", "isOnes", "std::equal", "std::is_sorted")

FLOATING = re.compile(r"\b(float|double|half|bfloat16|cpp_bin_float)\b")
MATCH = re.compile(r'^(/[^\n:]+):(\d+):(\d+): note: "comparison" binds here$')
TYPE = re.compile(r"^[|`]-\w+ 0x\w+ <[^>]*(?:<[^>]*>[^>]*)*> '([^']*)'(?::'([^']*)')?")


@dataclass(frozen=True, order=True)
class Comparison:
    file: Path
    line: int
    column: int
    operand: str  # double, cpp_bin_float, …: what one of the operands is or holds


def comparisons(source: Path, build: Path, ours: str) -> set[Comparison]:
    """Those in the files of a translation unit whose paths match `ours`, but for the implementations under test: the
    functions whose values are themselves in floating point."""
    query = QUERY.format(ours=ours, assertions=", ".join(f'"{name}"' for name in ASSERTIONS))
    one_line_each = re.sub(r",\n +", ", ", query).strip().splitlines()
    run = subprocess.run(
        ["clang-query", "-p", str(build), *(f"-c={line}" for line in one_line_each), "--extra-arg=-w", str(source)],
        capture_output=True, text=True, check=False)
    if run.returncode or "error:" in run.stderr + run.stdout:
        raise RuntimeError(f"{source}:\n{run.stderr}{run.stdout[:2000]}")
    return set(found(run.stdout))


def found(output: str) -> Iterator[Comparison]:
    for match in re.split(r"^Match #\d+:$", output, flags=re.MULTILINE)[1:]:
        place = next(filter(None, map(MATCH.match, match.splitlines())))
        _, *bindings = re.split(r'^Binding for "(\w+)":\n', match, flags=re.MULTILINE)
        bound = dict(zip(bindings[::2], bindings[1::2]))
        operand = next(filter(None, map(floating, bound["comparison"].splitlines())), None)
        if operand and not FLOATING.search(bound["returns"]):
            yield Comparison(Path(place[1]), int(place[2]), int(place[3]), operand)


def floating(line: str) -> str | None:
    """What an operand, a line of the tree, is made of, if that is in floating point."""
    operand = TYPE.match(line)
    kind = operand[2] or operand[1] if operand else ""
    if kind.endswith("*") or "(" in kind or "iterator<" in kind:
        return None
    number = FLOATING.search(kind)
    return number and number[1]
