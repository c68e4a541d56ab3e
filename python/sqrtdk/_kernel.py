# SPDX-License-Identifier: BSL-1.0
"""A kernel as the laws call it: arrays of NumPy in, arrays of the format that was asked for out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sqrtdk._arrays import dtype_of, numbers


class Kernel:
    """A callable of any array library as one of NumPy, which is refused what no kernel may do.

    kernel  the callable
    dtype   the format of its arguments and its results
    batch   the leading axes that it wants besides those of the case, each of length 1, such as (1, 1)
    array   what makes its arguments of arrays of NumPy, such as torch.from_numpy; None if it takes those

    Raises RuntimeError when called if the kernel changes an argument in place, or returns another shape or format.
    """

    def __init__(self, kernel: Callable[..., Any], dtype: str, batch: int, array: Callable[[Any], Any] | None) -> None:
        self._kernel, self._dtype, self._batch = kernel, dtype, batch
        self._array = array or (lambda x: x)

    def __call__(self, arrays: tuple[NDArray[Any], ...], shapes: tuple[tuple[int, ...], ...], *more: Any,
                 **options: Any) -> tuple[NDArray[Any], ...]:
        """The results, of these shapes, without the axes of the batch."""
        given = [array.reshape((1,) * self._batch + array.shape).copy() for array in arrays]
        result = self._kernel(*(self._array(array) for array in given), *more, **options)
        for name, before, after in zip(("first", "second", "third", "fourth"), arrays, given):
            if before.tobytes() != after.tobytes():
                raise RuntimeError(f"the kernel changed its {name} argument in place")
        results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(shapes):
            raise RuntimeError(f"the kernel returned {len(results)} arrays instead of {len(shapes)}")
        return tuple(self._checked(one, shape) for one, shape in zip(results, shapes))

    def _checked(self, result: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        wanted = (1,) * self._batch + shape
        try:
            found = numbers(result, "the result")
        except TypeError as error:
            raise RuntimeError(f"the kernel did not return an array of {self._dtype}: {error}") from None
        if found.shape != wanted:
            raise RuntimeError(f"the kernel returned the shape {found.shape} instead of {wanted}")
        if found.format != self._dtype:
            raise RuntimeError(f"the kernel returned {found.format} for {self._dtype}; if it should, say returns={found.format!r}")
        raw = np.array(found.raw)  # a copy: the kernel may use its memory again
        return raw.view(dtype_of(found.format)).reshape(shape)


def accepts(kernel: Callable[..., Any], name: str, position: int) -> bool:
    """Whether a callable takes an argument of that name, or that many positional ones."""
    try:
        parameters = inspect.signature(kernel).parameters.values()
    except (TypeError, ValueError):
        return False
    if any(p.name == name or p.kind == p.VAR_KEYWORD for p in parameters):
        return True
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return position > 0 and (len(positional) >= position or any(p.kind == p.VAR_POSITIONAL for p in parameters))
