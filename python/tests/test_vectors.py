"""Kernels of NumPy hit the intervals of the test vectors, and those with bugs do not."""

import functools
import importlib
import inspect
import sys
from pathlib import Path

import kernels
import numpy as np
import pytest

VECTORS = Path(__file__).resolve().parents[2] / "tests/vectors"
sys.path.insert(0, str(VECTORS))
reader = importlib.import_module("read_vectors")


def called(kernel, temperature=1.0, causal=None, scale=None, **inputs):
    """A kernel of kernels.py with the inputs of a case."""
    x, q, k, v = (np.array(inputs.get(name), np.float32) for name in ("x", "queries", "keys", "values"))
    if "x" in inputs:
        by = np.float32(temperature)
        return kernel(x, by) if len(inspect.signature(kernel).parameters) > 1 else kernel(x / by)
    mask = np.array(inputs["bias"], np.float32) if "bias" in inputs else inputs.get("allowed")
    if causal:
        causal, mask = None, np.tril(np.ones((len(q), len(k)), bool), causal)
    return kernel(q, k, v, mask if mask is None else np.array(mask), causal is not None, scale).ravel()


@pytest.mark.parametrize("operation, right, broken", [
    ("softmax", kernels.RIGHT, kernels.BROKEN), ("attention", kernels.RIGHT_ATTENTION, kernels.BROKEN_ATTENTION)])
def test_right_kernels_pass_and_broken_ones_are_caught(operation, right, broken):
    vectors = reader.read(VECTORS / f"{operation}.json")
    for name, kernel in (right | broken).items():
        kernels.SCALES.clear()
        # These multiply what is masked by 0.
        missed = reader.report(vectors, "fp32-flushing", functools.partial(called, kernel), ["convention-masked-nan"])
        assert (missed == "") == (name in right), f"{name}: {missed}"
