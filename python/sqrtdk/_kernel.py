# SPDX-License-Identifier: BSL-1.0
"""A kernel as the laws call it: arrays of NumPy in, arrays of the format that was asked for out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arrays import dtype_of, numbers
from sqrtdk._layouts import LAYOUTS, laid_out


class Kernel:
    """A callable of any array library as one of NumPy, which is refused what no kernel may do.

    kernel  the callable
    dtype   the format of its arguments and its results
    array   what makes its arguments of arrays of NumPy, such as torch.from_numpy; None if it takes those
    in_place whether its result is where its first argument was

    Raises RuntimeError when called if the kernel raises anything but NotImplementedError, changes an argument in place,
    or returns another shape or format.
    """

    def __init__(self, kernel: Callable[..., Any], dtype: str, array: Callable[[Any], Any] | None,
                 in_place: bool = False) -> None:
        self._kernel, self._dtype, self._in_place = kernel, dtype, in_place
        self._array = array or (lambda x: x)

    def __call__(self, arrays: tuple[NDArray[Any], ...], shapes: tuple[tuple[int, ...], ...], layout: str = LAYOUTS[0],
                 **options: Any) -> tuple[NDArray[Any], ...]:
        """The results, of these shapes, for arguments with a layout."""
        given = [laid_out(array, layout) for array in arrays]
        extra = {name: laid_out(value, layout) if isinstance(value, np.ndarray) else value
                 for name, value in options.items()}
        try:
            # An overflow on the way is no fault; what the kernel changes of the processor's mode is undone.
            with np.errstate(all="ignore"), _core.DefaultFloatEnvironment():
                arguments = [self._array(array) for array in given]
                result = self._kernel(*arguments, **{
                    name: self._array(value) if isinstance(value, np.ndarray) else value
                    for name, value in extra.items()})
                if self._in_place:
                    result = arguments[0]
        except NotImplementedError:
            raise
        except (Exception, SystemExit) as error:
            try:
                said = str(error)
            except Exception:  # pylint: disable=broad-exception-caught
                said = "an error that cannot be printed"
            raise RuntimeError(f"the kernel raised {type(error).__name__}: {said}") from error
        for i, (name, before, after) in enumerate(zip(("first", "second", "third", "fourth"), arrays, given)):
            if not (self._in_place and i == 0) and before.tobytes() != after.tobytes():
                raise RuntimeError(f"the kernel changed its {name} argument in place")
        for name, value in options.items():
            if isinstance(value, np.ndarray) and value.tobytes() != extra[name].tobytes():
                raise RuntimeError(f"the kernel changed its argument {name} in place")
        results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(shapes):
            raise RuntimeError(f"the kernel returned {len(results)} arrays instead of {len(shapes)}")
        # Log-sum-exps beside an output may have more digits than it.
        return tuple(self._checked(one, shape, i > 0 and len(shape) < len(shapes[0]))
                     for i, (one, shape) in enumerate(zip(results, shapes)))

    def _checked(self, result: Any, shape: tuple[int, ...], any_format: bool) -> NDArray[Any]:
        try:
            found = numbers(result, "the result")
        except TypeError as error:
            raise RuntimeError(f"the kernel did not return an array of {self._dtype}: {error}") from None
        if found.shape != shape:
            raise RuntimeError(f"the kernel returned the shape {found.shape} instead of {shape}")
        if found.format != self._dtype and not any_format:
            raise RuntimeError(f"the kernel returned {found.format} for {self._dtype}; if it should, say "
                               f"returns={found.format!r}")
        raw: NDArray[Any] = np.array(found.raw)  # a copy: the kernel may use its memory again
        typed: NDArray[Any] = raw.view(dtype_of(found.format)).reshape(shape)
        return typed


def required(kernel: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the arguments that a callable cannot do without; None if it does not say."""
    try:
        parameters = inspect.signature(kernel).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return None
    return tuple(p.name for p in parameters if p.default is p.empty and p.kind != p.VAR_KEYWORD)


def accepts(kernel: Callable[..., Any], name: str, by_name: bool = False) -> bool:
    """True if a callable takes an argument of that name, by a parameter of that name if it must be."""
    try:
        parameters = inspect.signature(kernel).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == name and p.kind != p.POSITIONAL_ONLY or p.kind == p.VAR_KEYWORD and not by_name
               for p in parameters)
