# SPDX-License-Identifier: BSL-1.0
"""The test vectors, read by vectors/read_vectors.py."""

from __future__ import annotations

import copy
import decimal
import hashlib
import importlib
import json
import math
import subprocess
import sys
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
sys.path.insert(0, str(VECTORS))
read_vectors: Any = importlib.import_module("read_vectors")
right_kernels: Any = importlib.import_module("right_kernels")


def file_of(operation: str) -> Any:
    return json.loads((VECTORS / f"{operation}.json").read_text(encoding="utf-8"))


def exp(x: float) -> float:
    return math.exp(x) if x < 709 else math.inf


def divided(e: list[float], by: float) -> list[float]:
    return [math.nan if by == 0 or math.isinf(by) else term / by for term in e]


def softmax(shift: Callable[[list[float]], float] = max, power: float = 1, terms: int | None = None,
            epsilon: float = 0) -> Callable[..., list[float]]:
    """Right by default."""
    def kernel(x: list[float], temperature: float) -> list[float]:
        e = [exp((score - shift(x)) / temperature ** power) for score in x]
        return divided(e, sum(e[:terms]) + epsilon)
    return kernel


def attention(**changed: Any) -> Callable[..., list[float]]:
    """Right but for arguments that are taken for others."""
    return lambda **inputs: right_kernels.attention(**{
        name: changed[name](inputs) if name in changed else value for name, value in inputs.items()})


Kernels = dict[str, Callable[..., list[float]]]
SOFTMAX_BUGS: Kernels = {
    "no-maximum": softmax(lambda x: 0), "maximum-from-zero": softmax(lambda x: max(0.0, *x)),
    "maximum-skips-first": softmax(lambda x: max(x[1:] or x)), "temperature-ignored": softmax(power=0),
    "temperature-twice": softmax(power=2), "sum-without-last": softmax(terms=-1),
    "epsilon-in-denominator": softmax(epsilon=1e-6), "wrong-axis": lambda x, temperature: [1.0] * len(x)}
ATTENTION_BUGS: Kernels = {
    "scale-missing": attention(scale=lambda of: 1 if of["scale"] is None else of["scale"]),
    "scale-zero-is-default": attention(scale=lambda of: of["scale"] or None),
    "causal-ignored": attention(causal=lambda of: None),
    "causal-top-left": attention(causal=lambda of: of["causal"] and "top_left"),
    "mask-ignored": attention(allowed=lambda of: None), "bias-ignored": attention(bias=lambda of: None),
    "values-transposed": attention(values=lambda of: list(map(list, zip(*of["values"])))
                                   if len(of["values"]) == len(of["values"][0]) else of["values"])}


def numbers_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where a number of a case stands."""
    for key in value if isinstance(value, dict) else range(len(value)):
        if isinstance(value[key], (dict, list)):
            yield from numbers_in(value[key])
        elif isinstance(value[key], str) and value[key].lstrip("-").startswith("0x"):
            yield value, key


class Vectors(unittest.TestCase):

    def test_right_kernels_pass(self) -> None:
        for operation in ("softmax", "attention"):
            for arithmetic in ("fp64", "fp64-any", "fp32", "fp32-any", "fp32-flushing"):
                with self.subTest(operation, arithmetic=arithmetic):
                    kernel = getattr(right_kernels, operation)
                    self.assertIsNone(read_vectors.first_miss(file_of(operation), arithmetic, kernel))

    def test_each_bug_is_caught_by_the_cases_that_name_it(self) -> None:
        for operation, bugs in (("softmax", SOFTMAX_BUGS), ("attention", ATTENTION_BUGS)):
            vectors = file_of(operation)
            for bug, kernel in bugs.items():
                self.assertIn(bug, vectors["bugs"])
                self.assertIsNotNone(read_vectors.first_miss(vectors, "fp32-any", kernel), bug)
                for case in vectors["cases"]:
                    if bug in case["catches"]:
                        miss = read_vectors.first_miss(read_vectors_of(vectors, case), "fp32-any", kernel)
                        self.assertIn(f"{case['id']}: result", miss or "", bug)
                        self.assertIn(f"{case['comment']} {case['claim']}", miss or "")

    def test_every_bug_has_a_case_and_every_case_a_bug(self) -> None:
        for operation in ("softmax", "attention"):
            vectors = file_of(operation)
            caught = [bug for case in vectors["cases"] for bug in case["catches"]]
            self.assertEqual(set(caught), set(vectors["bugs"]))
            self.assertTrue(all(case["catches"] for case in vectors["cases"]))

    def test_a_bit_that_was_changed_is_noticed(self) -> None:
        for operation in ("softmax", "attention"):
            vectors = file_of(operation)
            for case in vectors["cases"][::5]:
                for part in ("inputs", "exact", "accept"):
                    place, key = next(numbers_in(case[part]))
                    kept, place[key] = place[key], math.nextafter(float.fromhex(place[key]), math.inf).hex()
                    with self.assertRaisesRegex(ValueError, "changed"):
                        read_vectors.first_miss(vectors, "fp64", getattr(right_kernels, operation))
                    place[key] = kept

    def test_what_is_exact_is_exact_in_decimal_numbers(self) -> None:
        with decimal.localcontext(decimal.Context(prec=60, Emin=-10**6, Emax=10**6)):
            for case in file_of("softmax")["cases"]:
                inputs = read_vectors.numbers(case["inputs"])
                logits = [decimal.Decimal(x) / decimal.Decimal(inputs["temperature"]) for x in inputs["x"]]
                e = [(logit - max(logits)).exp() for logit in logits]
                for term, (lower, upper) in zip(e, read_vectors.numbers(case["exact"])):
                    self.assertLessEqual(decimal.Decimal(lower) - decimal.Decimal("1e-50"), term / sum(e))
                    self.assertLessEqual(term / sum(e), decimal.Decimal(upper) + decimal.Decimal("1e-50"))
                    self.assertLessEqual(upper, math.nextafter(lower, 2))

    def test_runs_by_itself_and_takes_a_kernel_by_name(self) -> None:
        for arguments, said in ((["softmax.json"], ""), (["attention.json", "fp32-any"], ""),
                                (["softmax.json", "fp64", "right_kernels:softmax"], ""),
                                (["softmax.json", "fp64", "statistics:mean"], "TypeError")):
            done = subprocess.run([sys.executable, "read_vectors.py", *arguments], check=False, cwd=VECTORS,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode == 0, said in done.stderr), (said == "", True), done.stderr)


def read_vectors_of(vectors: Any, case: Any) -> Any:
    """The file with a single case."""
    alone = copy.copy(vectors) | {"cases": [case]}
    text = json.dumps(alone["cases"], separators=(",", ":"))
    return alone | {"sha256": hashlib.sha256(text.encode()).hexdigest()}


if __name__ == "__main__":
    unittest.main()
