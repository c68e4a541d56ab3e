"""Kernels of NumPy hit the intervals of the test vectors, and those with bugs do not."""

import functools
import importlib
import inspect
import sys
from pathlib import Path

import kernels
import numpy as np
import pytest
import zoo

VECTORS = Path(__file__).resolve().parents[2] / "tests/vectors"
sys.path.insert(0, str(VECTORS))
reader = importlib.import_module("read_vectors")


RIGHT = {"softmax": kernels.RIGHT, "attention": kernels.RIGHT_ATTENTION}
UNSEEN = {"maximum of sums", "tile lengths", "race", "masked are positive", "features lost", "keys lost",
          "last queries not written", "last columns not written", "block maximum", "maximum from a sentinel",
          "one mask of two"}
"""Faults of arrays that are larger than those of the vectors, of more calls, and of what the vectors do not ask."""


def called(kernel, temperature=1.0, causal=None, scale=None, **inputs):
    """A kernel with the inputs of a case."""
    x, q, k, v = (np.array(inputs.get(name), np.float32) for name in ("x", "queries", "keys", "values"))
    if "x" in inputs:
        by = np.float32(temperature)
        return kernel(x, temperature=by) if "temperature" in inspect.signature(kernel).parameters else kernel(x / by)
    mask = np.array(inputs["bias"], np.float32) if "bias" in inputs else inputs.get("allowed")
    if causal:
        causal, mask = None, np.tril(np.ones((len(q), len(k)), bool), causal)
    mask = mask if mask is None else np.array(mask)
    return kernel(q, k, v, mask=mask, is_causal=causal is not None, scale=scale).ravel()


@pytest.mark.parametrize("operation", RIGHT)
def test_right_kernels_pass_and_broken_ones_are_caught(operation):
    vectors = reader.read(VECTORS / f"{operation}.json")
    broken = {name: fault.kernel for name, fault in zoo.FAULTS.items()
              if fault.laws == operation and not fault.given and fault.words.keys() <= {"dtype"}}
    for name, kernel in (RIGHT[operation] | broken).items():
        zoo.STATE.clear()
        # These multiply what is masked by 0.
        missed = reader.report(vectors, "fp32-flushing", functools.partial(called, kernel), ["convention-masked-nan"])
        assert (missed == "") == (name not in broken or name in UNSEEN), f"{name}: {missed}"
