# SPDX-License-Identifier: BSL-1.0
"""The intervals of the test vectors are those of the arithmetics that they say are declared."""

import json
from pathlib import Path

import numpy as np
import pytest

import sqrtdk

ml_dtypes = pytest.importorskip("ml_dtypes")
VECTORS = Path(__file__).resolve().parents[2] / "vectors"
FORMATS = {"fp64": np.float64, "fp32": np.float32, "fp16": np.float16, "bf16": ml_dtypes.bfloat16}


def numbers(x, dtype=np.float64):  # type: ignore[no-untyped-def]
    return np.vectorize(float.fromhex, otypes=[float])(np.array(x)).astype(dtype)


def held(inputs, results, dtype, arithmetic):  # type: ignore[no-untyped-def]
    if "x" in inputs:
        return sqrtdk.assert_softmax(results, numbers(inputs["x"], dtype), arithmetic=arithmetic,
                                     temperature=float.fromhex(inputs["temperature"]))
    q, k, v = (numbers(inputs[name], dtype) for name in ("queries", "keys", "values"))
    mask = np.array(inputs["allowed"]) if inputs["allowed"] else inputs["bias"] and numbers(inputs["bias"], dtype)
    return sqrtdk.assert_attention(results.reshape(len(q), -1), q, k, v, mask=mask, is_causal=inputs["causal"] or False,
                                   scale=inputs["scale"] and float.fromhex(inputs["scale"]), arithmetic=arithmetic,
                                   empty_rows="zero")


@pytest.mark.parametrize("operation", ["softmax", "attention"])
def test_ends_are_kept_and_what_is_beyond_is_not(operation: str) -> None:
    file = json.loads((VECTORS / f"{operation}.json").read_text(encoding="utf-8"))
    for case in file["cases"]:
        for name, accepted in case["accept"].items():
            dtype = FORMATS[name.partition("-")[0]]
            arithmetic = eval(file["arithmetics"][name]["python"], vars(sqrtdk))  # pylint: disable=eval-used
            exact = numbers(case["exact"]).mean(axis=1).astype(dtype)
            for place, ends in enumerate(accepted):
                if ends is None:
                    continue
                lower, upper = numbers(ends, dtype)
                for end, beyond in ((lower, -np.inf), (upper, np.inf)):
                    results = exact.copy()
                    # Bounds of vectors are raised to 24 bits; and one number further in, for subnormal ones.
                    within = dtype(float(end) + (float(exact[place]) - float(end)) * 2 ** -20)
                    results[place] = np.clip(np.nextafter(within, dtype(-beyond)), lower, upper)
                    held(case["inputs"], results, dtype, arithmetic)
                    results[place] = np.nextafter(np.nextafter(end, dtype(beyond)), dtype(beyond))
                    if operation == "attention" or results[place] >= 0:
                        with pytest.raises(AssertionError):
                            held(case["inputs"], results, dtype, arithmetic)
