# SPDX-License-Identifier: BSL-1.0
"""The same numbers elsewhere: several heads of a case, and arrays with other strides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAYOUTS = ("rows", "columns", "slices", "heads inside")
"""C order; Fortran order; every second entry of each row of a wider array; heads beside features."""


def laid_out(array: NDArray[Any], layout: str) -> NDArray[Any]:
    """A copy of an array with another layout. What is between its entries is NaN, or as large as can be."""
    if layout == "columns" and array.ndim > 1:
        return array.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    if layout == "heads inside" and array.ndim > 2:
        return array.swapaxes(-2, -3).copy().swapaxes(-2, -3)
    if layout == "rows" or array.ndim == 0:
        return array.copy()
    wider = np.empty((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype)
    wider.view(np.uint8)[...] = 1 if array.dtype == bool else 255
    some = wider[..., 1::2]
    some[...] = array
    return some


def leading_axes(batch: int) -> tuple[tuple[int, ...], ...]:
    """The lengths of so many leading axes in cases, the simplest first."""
    few: dict[int, tuple[tuple[int, ...], ...]] = {0: ((),), 1: ((1,), (2,), (3,))}
    return few.get(batch) or tuple((1,) * (batch - 2) + last for last in ((1, 1), (1, 2), (3, 1), (2, 4)))


def in_rows(x: NDArray[Any], axes: tuple[int, ...]) -> NDArray[Any]:
    """A row for each of some leading axes, each with another maximum and another sum of exponentials."""
    rows = [np.roll(x.astype(np.float64), i) * 0.5 ** i - 3 * i for i in range(math.prod(axes))]
    stacked: NDArray[Any] = np.stack([x, *(row.astype(x.dtype) for row in rows[1:])]).reshape(*axes, *x.shape)
    return stacked


def in_heads(array: NDArray[Any], axes: tuple[int, ...], step: int = 1, axis: int = 0,
             negated: bool = False) -> NDArray[Any]:
    """An array for each head, in another order and, if that is said, of the other sign in every second head."""
    heads = [np.roll(array, step * head, axis) for head in range(math.prod(axes))]
    if negated:
        heads[1::2] = [-head for head in heads[1::2]]
    stacked: NDArray[Any] = np.stack(heads).reshape(*axes, *array.shape)
    return stacked
