# SPDX-License-Identifier: BSL-1.0
"""Each kernel of tests/kernels.py that is broken is caught, with each of twenty seeds.

    python seeds.py [--drawn]     --drawn leaves out the fixed cases that come before those which are drawn

Prints for each kernel with how many seeds it was caught.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import sqrtdk

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import kernels  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

SEEDS = 20


def is_caught(kernel: Any, kind: str, seed: int, drawn: bool) -> bool:
    """True if a campaign sees that a kernel is broken."""
    strategies = {"softmax": sqrtdk.strategies.scores(), "attention": sqrtdk.strategies.attention_cases(
        causal=(False, "top_left"), scales=(None, 1.0, 0.5, 3.0))}
    try:
        sqrtdk.check(kernel, kind, seed=seed, inputs=strategies.get(kind) if drawn else None)
    except sqrtdk.KernelError:
        return True
    return False


if __name__ == "__main__":
    for kind_, broken in (("softmax", kernels.BROKEN), ("log_softmax", kernels.BROKEN_LOG_SOFTMAX),
                          ("attention", kernels.BROKEN_ATTENTION), ("attention_gradients", kernels.BROKEN_GRADIENTS)):
        for name, kernel_ in broken.items():
            caught = sum(is_caught(kernel_, kind_, seed, "--drawn" in sys.argv) for seed in range(SEEDS))
            print(f"{name:<28} caught with {caught} of {SEEDS} seeds", flush=True)
