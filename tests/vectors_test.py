# SPDX-License-Identifier: BSL-1.0
"""The test vectors, read by vectors/read_vectors.py."""

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

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "vectors"
sys.path.insert(0, str(VECTORS))
reader: Any = importlib.import_module("read_vectors")
right: Any = importlib.import_module("right_kernels")
FILES = {name: json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8")) for name in ("softmax", "attention")}
Kernel = Callable[..., list[float]]


def softmax(shift: Callable[[list[float]], float] = max, power: float = 1, epsilon: float = 0) -> Kernel:
    """Right by default."""
    def kernel(x: list[float], temperature: float) -> list[float]:
        scores = [(score - shift(x)) / temperature ** power for score in x]
        e = [math.exp(score) if score < 709 else math.inf for score in scores]
        return [term / (sum(e) + epsilon) if sum(e) else math.nan for term in e]
    return kernel


def attention(name: str, change: Callable[[Any], Any]) -> Kernel:
    """Right but for an argument that is taken for another."""
    return lambda **inputs: right.attention(**inputs | {name: change(inputs[name])})


BUGS: dict[str, dict[str, Kernel]] = {
    "softmax": {
        "no-maximum": softmax(lambda x: 0), "maximum-from-zero": softmax(lambda x: max(0.0, *x)),
        "maximum-skips-first": softmax(lambda x: max(x[1:] or x)), "temperature-ignored": softmax(power=0),
        "temperature-twice": softmax(power=2), "epsilon-in-denominator": softmax(epsilon=1e-6),
        "wrong-axis": lambda x, temperature: [1.0] * len(x)},
    "attention": {
        "scale-missing": attention("scale", lambda scale: 1 if scale is None else scale),
        "scale-zero-is-default": attention("scale", lambda scale: scale or None),
        "causal-ignored": attention("causal", lambda causal: None),
        "causal-top-left": attention("causal", lambda causal: causal and "top_left"),
        "mask-ignored": attention("allowed", lambda allowed: None),
        "bias-ignored": attention("bias", lambda bias: None)}}


def numbers_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where finite numbers stand."""
    for key in value if isinstance(value, dict) else range(len(value)):
        if isinstance(value[key], (dict, list)):
            yield from numbers_in(value[key])
        elif isinstance(value[key], str) and "0x" in value[key]:
            yield value, key


class Vectors(unittest.TestCase):

    def test_right_kernels_pass(self) -> None:
        for operation, vectors in FILES.items():
            for arithmetic in ("fp64", "fp64-any", "fp32", "fp32-any", "fp32-flushing"):
                self.assertIsNone(reader.first_miss(vectors, arithmetic, getattr(right, operation)), arithmetic)

    def test_each_bug_is_caught_by_the_cases_that_name_it(self) -> None:
        for operation, bugs in BUGS.items():
            for bug, kernel in bugs.items():
                naming = [case for case in FILES[operation]["cases"] if bug in case["catches"]]
                self.assertTrue(naming, bug)
                for case in naming:
                    digest = hashlib.sha256(json.dumps([case], separators=(",", ":")).encode()).hexdigest()
                    alone = FILES[operation] | {"cases": [case], "sha256": digest}
                    miss = reader.first_miss(alone, "fp32-any", kernel) or ""
                    self.assertIn(f"{case['id']}: result", miss, bug)
                    self.assertIn(f"{case['comment']} {case['claim']}", miss)

    def test_a_bit_that_was_changed_is_noticed(self) -> None:
        for operation, vectors in FILES.items():
            for case in vectors["cases"][::5]:
                for part in ("inputs", "exact", "accept"):
                    place, key = next(numbers_in(case[part]))
                    kept, place[key] = place[key], math.nextafter(float.fromhex(place[key]), math.inf).hex()
                    with self.assertRaisesRegex(ValueError, "changed"):
                        reader.first_miss(vectors, "fp64", getattr(right, operation))
                    place[key] = kept

    def test_what_is_exact_is_exact_in_decimal_numbers(self) -> None:
        with decimal.localcontext(decimal.Context(prec=60, Emin=-10**6, Emax=10**6)):
            for case in FILES["softmax"]["cases"]:
                inputs = reader.numbers(case["inputs"])
                logits = [decimal.Decimal(x) / decimal.Decimal(inputs["temperature"]) for x in inputs["x"]]
                e = [(logit - max(logits)).exp() for logit in logits]
                for term, (lower, upper) in zip(e, reader.numbers(case["exact"])):
                    self.assertLessEqual(decimal.Decimal(lower), term / sum(e) + decimal.Decimal("1e-50"))
                    self.assertLessEqual(term / sum(e), decimal.Decimal(upper) + decimal.Decimal("1e-50"))
                    self.assertLessEqual(upper, math.nextafter(lower, 2))

    def test_runs_by_itself_and_takes_a_kernel_by_name(self) -> None:
        for arguments, fails in ((["softmax.json"], False), (["attention.json", "fp32-any"], False),
                                 (["softmax.json", "fp64", "right_kernels:softmax"], False),
                                 (["softmax.json", "fp16-stored"], True), (["softmax.json", "fp8"], True)):
            done = subprocess.run([sys.executable, "read_vectors.py", *arguments], check=False, cwd=VECTORS,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, int(fails), done.stderr)

    def test_the_page_shows_a_case_as_it_is(self) -> None:
        page = (ROOT / "docs/vectors.md").read_text(encoding="utf-8")
        shown = page.partition("```json\n")[2].partition("```")[0]
        indented = "".join(f"    {line}\n" for line in shown.splitlines())
        self.assertIn(indented, (VECTORS / "softmax.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
