# SPDX-License-Identifier: BSL-1.0
"""Wrong results that the same bounds would not refuse: then keeping them says little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Numbers64 = NDArray[np.float64]
Part = tuple[Numbers64, Numbers64, Iterable[tuple[str, Numbers64]]]
"""Some right results, their bounds, and wrong results by name."""


def unseen(parts: Iterator[Part], digits: int) -> list[str]:
    """The kinds of wrong results that keep the bounds of all parts, and differ in a format of so many digits in one.

    Parts are looked at until each kind is refused, which is after the first as a rule.
    """
    kept: dict[str, bool] = {}
    for right, bounds, wrong in parts:
        seen_so_far = {name for name, differs in kept.items() if differs is None}
        for name, result in wrong:
            if name in seen_so_far:
                continue
            error = np.abs(result - right)
            if (error > bounds).any():
                kept[name] = None  # type: ignore[assignment]
            else:
                kept[name] = kept.get(name, False) or bool((error > 2.0 ** -digits * np.abs(right).max(initial=0)).any())
        if kept and all(differs is None for differs in kept.values()):
            break
    return [name for name, differs in kept.items() if differs]
