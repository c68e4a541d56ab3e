"""The comparisons of numbers in floating point in a program, and what makes an exact value of one by rounding, found on
Clang's syntax tree."""

import linecache
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
let functor cxxOperatorCallExpr(callee(cxxMethodDecl(ofClass(hasAnyName({functors})))))
let comparison cxxMethodDecl(ofClass(hasAnyName("ExactComparison", "ExactLeft")))
let compared hasAncestor(cxxOperatorCallExpr(callee(comparison)))
let rounded anyOf(castExpr(anyOf(hasCastKind("CK_FloatingToIntegral"), hasCastKind("CK_FloatingToBoolean"))),
                  callExpr(callee(functionDecl(hasAnyName({rounding})))))
let loop forStmt(hasLoopInit(anything()), hasIncrement(anything()))
let within forFunction(functionDecl(returns(qualType(hasCanonicalType(qualType().bind("returns"))))))
let found anyOf(relation, assertion, functor, allOf(rounded, compared))
match expr(found, ours, unless(hasParent(loop)), within).bind("comparison")
"""

# GoogleTest's, which its macros call; the kit's; those of Eigen and of the standard library.
ASSERTIONS = ("CmpHelperLT", "CmpHelperLE", "CmpHelperGT", "CmpHelperGE", "CmpHelperNE", "EqHelper::Compare",
              "CmpHelperFloatingPointEQ", "DoubleNearPredFormat", "expect_near", "expect_within", "expect_bound_holds",
              "DoubleNear", "FloatNear", "DoubleEq", "FloatEq", "isApprox", "isApproxToConstant", "isConstant",
              "isDiagonal", "isIdentity", "isMuchSmallerThan", "isOnes", "isOrthogonal", "isUnitary", "isZero",
              "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "__builtin_isgreater",
              "__builtin_isgreaterequal", "__builtin_isless", "__builtin_islessequal", "__builtin_islessgreater",
              "std::equal", "std::is_sorted", "std::lexicographical_compare")

FUNCTORS = ("std::equal_to", "std::not_equal_to", "std::less", "std::less_equal", "std::greater", "std::greater_equal",
            "std::ranges::equal_to", "std::ranges::not_equal_to", "std::ranges::less", "std::ranges::less_equal",
            "std::ranges::greater", "std::ranges::greater_equal", "std::ranges::__is_sorted_fn",
            "std::ranges::__equal_fn")

# Calls that are exact in type and not in value, where EXPECT_EXACTLY compares them. `cast` is Eigen's.
ROUNDING = ("lround", "llround", "lrint", "llrint", "signbit", "ilogb", "cast", "format_significant", "rounded_up",
            "rounded_down", "std::to_string", "sqrtdk::testing::Outcome::holds")

FLOATING = re.compile(r"\b(float|double|half|bfloat16|cpp_bin_float|Outcome)\b")
ASSERTS = re.compile(r"\b(?:EXPECT|ASSERT|RC_ASSERT|expect)_?")
PLACE = re.compile(r'^(/[^\n:]+):(\d+):(\d+): note: "comparison" binds here$', re.MULTILINE)
TYPE = re.compile(r"^[|`]-\w+ 0x\w+ <[^>]*(?:<[^>]*>[^>]*)*> '([^']*)'(?::'([^']*)')?")


class DoesNotCompile(Exception):
    """Clang's output."""


@dataclass(frozen=True, order=True)
class Comparison:
    file: Path
    line: int
    column: int
    operand: str = field(compare=False)  # double, cpp_bin_float, …: what it is or holds, in one instance


def comparisons(source: Path, build: Path, ours: str) -> set[Comparison]:
    """Those in the files of a translation unit whose paths match `ours`, but for the implementations under test: what
    functions whose values are themselves in floating point compare in lines without an assertion."""
    names = {"assertions": ASSERTIONS, "functors": FUNCTORS, "rounding": ROUNDING}
    query = QUERY.format(ours=ours, **{key: ", ".join(f'"{name}"' for name in list_) for key, list_ in names.items()})
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
        is_relation = re.match(r"BinaryOperator|CXXOperatorCallExpr", bound["comparison"])
        if is_relation:  # positions are no numbers
            kinds = [kind for kind in kinds if not re.search(r"\*$|iterator<", kind)]
        operand = next(filter(None, map(FLOATING.search, kinds)), None)
        if place and operand:
            computes = is_relation and FLOATING.search(bound["returns"])
            if not computes or ASSERTS.search(linecache.getline(place[1], int(place[2]))):
                yield Comparison(Path(place[1]), int(place[2]), int(place[3]), operand[1])


def operands(tree: str) -> list[str]:
    """The types of what is compared: nothing if a lambda is to compare it, and no functions."""
    if tree.startswith("CXXMemberCallExpr"):
        tree = re.sub("^[| ] (?=[|`]-)", "", tree, flags=re.MULTILINE)  # the object is a child of the function's name
    found = [operand[2] or operand[1] for operand in map(TYPE.match, tree.splitlines()) if operand]
    by_lambda = any("(lambda" in kind for kind in found)
    return [kind for kind in found if not by_lambda and not re.search(r"\([*&]|\)$", kind)]
