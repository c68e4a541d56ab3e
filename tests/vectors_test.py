"""The test vectors, read by vectors/read_vectors.py."""

import decimal
import importlib
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests/vectors"
sys.path.insert(0, str(VECTORS))
reader: Any = importlib.import_module("read_vectors")
FILES = [VECTORS / f"{name}.json" for name in ("softmax", "attention")]
CASES = [(path, case) for path in FILES for case in reader.read(path)["cases"]]


def softmax(x: list[float], temperature: float) -> list[float]:
    terms = [math.exp((score - max(x)) / temperature) for score in x]
    return [term / math.fsum(terms) for term in terms]


class Vectors(unittest.TestCase):

    def test_what_is_no_result_is_reported_with_comment_and_claim(self) -> None:
        for path in FILES:
            for results in ([], [math.nan], [1.0] * 99):  # too few, or none, or too many
                missed = reader.report(reader.read(path), "fp64", lambda r=results, **_: r).splitlines()
                for line, case in zip(missed, [case for of, case in CASES if of == path], strict=True):
                    self.assertTrue(line.startswith(f"{case['id']}: result "), line)
                    self.assertTrue(line.endswith(f". {case['comment']} ({case['claim']})"), line)

    def test_one_bit_that_was_changed_is_noticed_wherever_it_is(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            changed = Path(folder) / "changed.json"
            for data in (path.read_bytes() for path in FILES):
                for place in range(0, len(data), 29):
                    changed.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1:])
                    with self.assertRaises((ValueError, KeyError), msg=f"bit {place % 8} of byte {place}"):
                        reader.read(changed)

    def test_what_is_exact_is_exact_in_decimal_numbers(self) -> None:
        context = decimal.Context(prec=60, Emin=-10**6, Emax=10**6)
        for inputs, exact in ((reader.numbers(case["inputs"]), reader.numbers(case["exact"]))
                              for _, case in CASES if "x" in case["inputs"]):
            with decimal.localcontext(context):
                logits = [decimal.Decimal(x) / decimal.Decimal(inputs["temperature"]) for x in inputs["x"]]
                e = [(logit - max(logits)).exp() for logit in logits]
                for term, (lower, upper) in zip(e, exact, strict=True):
                    self.assertLess(decimal.Decimal(lower) - term / sum(e), decimal.Decimal("1e-50"))
                    self.assertLess(term / sum(e) - decimal.Decimal(upper), decimal.Decimal("1e-50"))
                    self.assertLessEqual(upper, math.nextafter(lower, 2))

    def test_runs_by_itself_and_says_what_is_wrong(self) -> None:
        kernel, all_cases = "vectors_test:softmax", " ".join(case["id"] for _, case in CASES)
        for arguments, said in ((f"vectors/softmax.json fp64 {kernel}", ""), ("", "read_vectors.py FILE"),
                                (f"vectors/softmax.json fp8 {kernel}", "fp8 is none of fp64, "),
                                (f"vectors/softmax.json fp16-stored {kernel}", "not in [["),
                                (f"vectors/softmax.json bf16-stored {kernel} {all_cases}", "")):
            done = subprocess.run([sys.executable, "vectors/read_vectors.py", *arguments.split()], check=False,
                                  cwd=ROOT / "tests", env=os.environ | {"PYTHONPATH": "."},
                                  capture_output=True, text=True)
            self.assertTrue(done.returncode == int(said != "") and said in done.stderr, done.stderr)

    def test_claims_are_in_the_book_and_the_page_shows_a_case_as_it_is(self) -> None:
        headings = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "theory").glob("*.md"))
        for _, case in CASES:
            self.assertIn(f'<a id="{case["claim"]}"></a>', headings, case["id"])
        page = (ROOT / "docs/vectors.md").read_text(encoding="utf-8")
        shown = page.partition("```json\n")[2].partition("```")[0].split()
        self.assertIn(" ".join(shown), " ".join((VECTORS / "softmax.json").read_text(encoding="utf-8").split()))


if __name__ == "__main__":
    unittest.main()
