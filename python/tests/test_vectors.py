# SPDX-License-Identifier: BSL-1.0
"""The intervals of the test vectors are those of the arithmetics that they say are declared; kernels hit them."""

import functools
import importlib
import inspect
import json
import sys
from pathlib import Path

import kernels
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


def called(kernel, **inputs):  # type: ignore[no-untyped-def]
    """A kernel of kernels.py with the inputs of a case."""
    if "x" in inputs:
        x, temperature = np.array(inputs["x"], np.float32), np.float32(inputs["temperature"])
        return kernel(x, temperature) if len(inspect.signature(kernel).parameters) > 1 else kernel(x / temperature)
    q, k, v = (np.array(inputs[name], np.float32) for name in ("queries", "keys", "values"))
    causal, mask = inputs["causal"], inputs["allowed"] or inputs["bias"]
    if causal == "bottom_right":
        causal, mask = None, np.tril(np.ones((len(q), len(k)), bool), len(k) - len(q))
    if mask is not None:
        mask = np.array(mask, bool if inputs["bias"] is None else np.float32)
    return kernel(q, k, v, mask, causal is not None, inputs["scale"]).ravel()


@pytest.mark.parametrize("operation, right, broken", [
    ("softmax", kernels.RIGHT, kernels.BROKEN), ("attention", kernels.RIGHT_ATTENTION, kernels.BROKEN_ATTENTION)])
def test_right_kernels_pass_and_broken_ones_are_caught(operation, right, broken):  # type: ignore[no-untyped-def]
    sys.path.insert(0, str(VECTORS))
    reader = importlib.import_module("read_vectors")
    file = json.loads((VECTORS / f"{operation}.json").read_text(encoding="utf-8"))
    for name, kernel in (right | broken).items():
        kernels.SCALES.clear()
        # These multiply what is masked by 0.
        miss = reader.first_miss(file, "fp32-flushing", functools.partial(called, kernel), ["convention-masked-nan"])
        assert (miss is None) == (name in right), f"{name}: {miss}"
