# SPDX-License-Identifier: BSL-1.0
"""Each fault of zoo.py is caught with each of twenty seeds.

    python seeds.py [--drawn]     --drawn leaves out the fixed cases that come before those which are drawn

Prints for each kernel with how many seeds it was caught.
"""

from __future__ import annotations

import sys

import zoo

import sqrtdk

SEEDS = 20


def is_caught(fault: zoo.Fault, seed: int, drawn: bool) -> bool:
    """True if a campaign sees that a kernel is broken."""
    strategies = {"softmax": sqrtdk.strategies.scores(fault.words.get("dtype", "float32")),
                  "attention": sqrtdk.strategies.attention_cases(causal=(False, "top_left"),
                                                                 scales=(None, 1.0, 0.5, 3.0))}
    try:
        fault.campaign(fault.kernel, seed=seed, inputs=strategies.get(fault.kind) if drawn else None)
    except sqrtdk.KernelError:
        return True
    return False


if __name__ == "__main__":
    for name, one in zoo.FAULTS.items():
        caught = sum(is_caught(one, seed, "--drawn" in sys.argv) for seed in range(SEEDS))
        print(f"{name:<28} caught with {caught} of {SEEDS} seeds", flush=True)
