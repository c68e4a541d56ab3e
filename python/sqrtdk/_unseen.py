# SPDX-License-Identifier: BSL-1.0
"""Wrong results that the same bounds would not refuse: then keeping them says little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Numbers64 = NDArray[np.float64]
Wrong = tuple[Numbers64, Numbers64, Iterable[tuple[str, Numbers64]]]
"""Some right results, their bounds, and wrong results by name."""


def unseen(parts: Iterator[Wrong], digits: int) -> list[str]:
    """The kinds of wrong results that keep the bounds of all parts, and differ in a format of so many digits in one.

    Parts are looked at until each kind is refused, which is after the first as a rule.
    """
    refused: set[str] = set()
    differing: dict[str, bool] = {}
    with np.errstate(all="ignore"):  # of wrong results
        for right, bounds, wrong in parts:
            for name, result in wrong:
                if name in refused:
                    continue
                error = np.where(result == right, 0, np.abs(result - right))
                if (error > bounds).any():
                    refused.add(name)
                size = np.abs(right).max(initial=0, where=np.isfinite(right))
                # Wrong results are computed in float64.
                least = 2.0 ** -min(digits, 44) * size
                differing[name] = differing.get(name, False) or bool((error > least).any())
            if len(refused) == len(differing):
                break
    return [name for name, differs in differing.items() if differs and name not in refused]


def wrong_weights(right: Numbers64) -> list[tuple[str, Numbers64]]:
    """Rows of weights that a test of softmax must not accept."""
    dropped = right.copy()
    dropped[:, -1] = 0
    return [("zeros", np.zeros_like(right)), ("equal weights", np.full_like(right, 1 / right.shape[1])),
            ("weights without that of the last score", dropped)]
