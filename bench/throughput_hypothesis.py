# SPDX-License-Identifier: BSL-1.0
"""The property of throughput.cpp, checked by Hypothesis with NumPy arrays."""

import os
import time

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

WANTED = int(os.environ.get("CASES", "200"))
U = np.finfo(float).eps / 2
SMALLEST = np.finfo(float).smallest_subnormal

number = st.floats(min_value=-700, max_value=700)


def softmax(x):
    """exp(x - max x) / sum exp(x - max x)."""
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def tolerance(x, c):
    """The bound that throughput.cpp derives."""
    return 2 * U * (16 * (np.abs(x).max() + abs(c)) + 2 * (x.size + 8))


@settings(
    max_examples=WANTED,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(x=arrays(np.float64, st.integers(1, 33), elements=number), c=number)
def softmax_is_invariant_under_shifts(x, c):
    global cases, entries
    cases += 1
    entries += x.size
    p = softmax(x)
    q = softmax(x + c)
    assert (np.abs(p - q) <= tolerance(x, c) * np.maximum(p, q) + 4 * SMALLEST).all()


cases = entries = 0
start = time.process_time()
softmax_is_invariant_under_shifts()
print("cases", cases, "entries", entries, "seconds", time.process_time() - start)
