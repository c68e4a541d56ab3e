"""Kernels of NumPy hit the intervals of the test vectors, those with bugs do not, and each vector catches some."""

import functools
import importlib
import inspect
import itertools
import sys
from pathlib import Path

import kernels
import ml_dtypes
import numpy as np
import pytest
import zoo

VECTORS = Path(__file__).resolve().parents[2] / "tests/vectors"
sys.path.insert(0, str(VECTORS))
reader = importlib.import_module("read_vectors")

RIGHT = {"softmax": kernels.RIGHT, "attention": kernels.RIGHT_ATTENTION}
UNSEEN = {"maximum of sums", "tile lengths", "race", "features lost", "keys lost", "last queries not written",
          "last columns not written", "block maximum", "maximum from a sentinel", "one mask of two"}
"""Faults of arrays that are larger than those of the vectors, of more calls, and of what the vectors do not ask."""
FORMATS = {"fp64-any": np.float64, "fp32-flushing": np.float32, "fp16-stored": np.float16,
           "bf16-stored": ml_dtypes.bfloat16}


def without_subnormals(x):
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, 0, x).astype(x.dtype)


def maximum_not_divided(x, temperature):
    e = np.exp(x / temperature - x.max())
    return e / e.sum()


OTHERS = {
    "small-weights": lambda x: without_subnormals(zoo.softmax(x)),
    "masked": lambda x: zoo.softmax(x) * np.exp(x[:2].max() - x[:2].max()),  # NaN if the first two are masked
    "temperature-four": maximum_not_divided,
    "adversary-cold": lambda x, temperature: zoo.softmax(x, max(temperature, np.float32(0.01))),
    "scale-of-two": zoo.attention_by(scale_by=lambda q, v: 1 / q.shape[-1]),
    "scale-given": zoo.attention_by(read=lambda q, k, v: (q, k, v.T.reshape(v.shape))),
    "scale-zero": lambda q, k, v, scale, **masks: zoo.attention(q, k, v, scale=scale or None, **masks),
    "small-weight": zoo.attention_by(lambda s: without_subnormals(zoo.weights(s))),
    "bias": zoo.attention_by(mask_by=lambda mask, causal: mask if mask.dtype == bool else 0 * mask),
    "convention-no-key": zoo.attention_by(lambda s: zoo.weights(np.where(zoo.top(s) > zoo.MINUS, s, 0)))}
"""What a vector sees and no other, of which the zoo has no fault."""


def called(kernel, dtype=np.float32, temperature=1.0, causal=None, scale=None, **inputs):
    """A kernel with the inputs of a case."""
    x, q, k, v = (np.array(inputs.get(name, 0), dtype) for name in ("x", "queries", "keys", "values"))
    if "x" in inputs:
        by = np.float32(temperature)
        return kernel(x, temperature=by) if "temperature" in inspect.signature(kernel).parameters else kernel(x / by)
    mask = np.array(inputs["bias"], np.float32) if "bias" in inputs else inputs.get("allowed")
    if causal:
        causal, mask = None, np.tril(np.ones((len(q), len(k)), bool), causal)
    mask = mask if mask is None else np.array(mask)
    return kernel(q, k, v, mask=mask, is_causal=causal is not None, scale=scale).ravel()


def missed(vectors, arithmetic, kernel):
    """The cases that a kernel misses; most multiply what is masked by 0."""
    zoo.STATE.clear()
    call = functools.partial(called, kernel, FORMATS.get(arithmetic, np.float32))
    return {line.partition(":")[0] for line in reader.report(vectors, arithmetic, call).splitlines()}


@pytest.mark.parametrize("operation", RIGHT)
def test_right_kernels_pass_and_each_vector_catches_a_fault(operation):
    vectors = reader.read(VECTORS / f"{operation}.json")
    ids = {case["id"] for case in vectors["cases"]} - {"convention-masked-nan"}
    faults = {name: fault for name, fault in zoo.FAULTS.items()
              if fault.laws == operation and not fault.given and fault.words.keys() <= {"dtype"}}
    for kernel in RIGHT[operation].values():
        assert not missed(vectors, "fp32-flushing", kernel) & ids
    for kernel, arithmetic in itertools.product({fault.twin for fault in faults.values()}, FORMATS):
        assert not missed(vectors, arithmetic, kernel) & ids
    caught = {name: missed(vectors, "fp32-any", fault.kernel) & ids for name, fault in faults.items()}
    assert {name for name in caught if not caught[name]} == UNSEEN & caught.keys()
    assert set().union(*caught.values()) == ids
    for name in OTHERS.keys() & ids:
        assert missed(vectors, "fp32-any", OTHERS[name]) & ids == {name}


def test_what_no_query_sees_is_not_looked_at():
    vectors = reader.read(VECTORS / "attention.json")
    assert not missed(vectors, "fp32-flushing", zoo.FAULTS["masked values leak"].twin)
    assert missed(vectors, "fp32-any", zoo.attention) == {"convention-masked-nan"}
