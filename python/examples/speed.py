# SPDX-License-Identifier: BSL-1.0
"""How long assert_attention takes beside a float64 reference and NumPy's assert_allclose.

    OPENBLAS_NUM_THREADS=1 taskset -c 0 python speed.py [RUNS [SHAPE…]]     such as 5 8x512x64

Prints the medians of some runs, 5 if not said, their ratio, and the most memory that the process had so far.
"""

from __future__ import annotations

import functools
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sqrtdk

SHAPES = ("8x512x64", "2x1024x128", "1x4096x128", "16x2048x64")


def attention(q: Any, k: Any, v: Any) -> Any:
    """In the format of its arguments."""
    s = q @ k.swapaxes(-1, -2) * q.dtype.type(q.shape[-1] ** -0.5)
    s -= s.max(-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(-1, keepdims=True)
    return s @ v


def seconds(call: Callable[[], Any], runs: int) -> float:
    """The median of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print a line for each shape: heads, queries and keys, features."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for shape in sys.argv[2:] or SHAPES:
        heads, n, d = map(int, shape.split("x"))
        q, k, v = np.random.default_rng(0).standard_normal((3, heads, n, d)).astype(np.float32)
        out = attention(q, k, v)

        def reference(out: Any, *arrays: Any) -> None:
            np.testing.assert_allclose(out, attention(*(a.astype(np.float64) for a in arrays)), rtol=1e-4, atol=1e-5)

        ours = seconds(functools.partial(sqrtdk.assert_attention, out, q, k, v), runs)
        theirs = seconds(functools.partial(reference, out, q, k, v), runs)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{shape:<12} {theirs:.3f} s the reference, {ours:.3f} s sqrtdk: {ours / theirs:.1f} times; {memory} MiB",
              flush=True)


if __name__ == "__main__":
    main()
