# SPDX-License-Identifier: BSL-1.0
"""The factor by which an output looks as if its scores had been multiplied."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Outputs = Callable[[float], NDArray[np.float64]]
"""The outputs of some queries for a factor of their scores."""

MOST_QUERIES = 64
"""The number of queries that a factor is fitted to."""


def fitted_scale(outputs: Outputs, computed: NDArray[np.float64], scale: float) -> float:
    """The factor for which outputs are nearest to what was computed, between 2⁻¹² and 2¹² times the right one."""
    def error(octaves: float) -> float:
        return float(np.nansum((outputs(scale * 2.0 ** octaves) - computed) ** 2))

    grid = np.arange(-48, 49) / 4
    at = float(min(grid, key=error))
    low, high = at - 0.25, at + 0.25
    golden = (5 ** 0.5 - 1) / 2
    for _ in range(64):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if error(left) < error(right):
            high = right
        else:
            low = left
    return float(scale * 2.0 ** ((low + high) / 2))


def named_scales(d: int, d_v: int, scale: float) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Factors that are taken by mistake, each with all of its names, that are not the right one."""
    names: dict[float, list[str]] = {}
    for factor, name in ((1.0, "1"), (1 / d, "1/d"), (d ** -.5, "1/√d"), ((2 * d) ** -.5, "1/√(2d)"),
                         ((d / 2) ** -.5, "1/√(d/2)"), (d ** -.25, "the root of 1/√d"), (d ** .5, "√d"),
                         (d_v ** -.5, "1/√d_v")):
        names.setdefault(factor, []).append(name)
    for multiple in (8, 16, 32, 64, 128):
        names.setdefault((-(-d // multiple) * multiple) ** -.5, [f"1/√d of d rounded up to a multiple of {multiple}"])
    return ((factor, tuple(of)) for factor, of in names.items() if factor != scale)
