# SPDX-License-Identifier: BSL-1.0
"""The backward passes of softmax and log-softmax held to the book's bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arithmetic import Arithmetic, as_declared, resolved
from sqrtdk._arrays import DIGITS, Numbers, as_bytes, narrowest, numbers, require_held, together
from sqrtdk._environment import in_default_environment
from sqrtdk._hints import explained, of_backward
from sqrtdk._report import Hint, Report, of_finding
from sqrtdk._softmax import CHUNK, as_rows, in_parallel, index_of
from sqrtdk._unseen import Wrong, unseen
from sqrtdk._verdict import DECLARATIONS, conclude, look_alike, went_through


@in_default_environment
def assert_softmax_gradient(dx: Any, y: Any, grad_out: Any, axis: int = -1, *,
                            arithmetic: Arithmetic | None = None) -> Report:
    """Raise KernelError unless dx is y (grad_out - sum(y grad_out)), the derivative by the logits of softmax.

    dx          what the kernel returned
    y           the weights as the kernel was given them, of the same shape; each from 0 to 1
    grad_out    the derivative by them, of the same shape; finite
    axis        along which y sums to 1
    arithmetic  what is declared of the kernel: of that its formats, and whether it flushes. Products of y and grad_out
                may be rounded to stored_weights, where 'values' is the narrower of their formats, as PyTorch does

    Returns how near the bounds dx comes. Warns with SaysNothing if there is no entry, if nothing is promised for any,
    or if zeros, or products from which nothing is subtracted, would keep the bounds as well.
    Raises ValueError for shapes that differ and numbers out of range; TypeError for other numbers.
    """
    __tracebackhide__ = True
    return _held("softmax gradient", dx, y, grad_out, axis, as_declared(arithmetic), False)


@in_default_environment
def assert_log_softmax_gradient(dx: Any, y: Any, grad_out: Any, axis: int = -1, *,
                                arithmetic: Arithmetic | None = None) -> Report:
    """Raise KernelError unless dx is grad_out - exp(y) sum(grad_out), the derivative by the logits of log-softmax.

    As assert_softmax_gradient, with the logarithms y as the kernel was given them: -inf for a weight of 0, above 0 by
    rounding at most.
    """
    __tracebackhide__ = True
    return _held("log_softmax gradient", dx, y, grad_out, axis, as_declared(arithmetic), True)


def _held(what: str, dx: Any, y: Any, grad_out: Any, axis: int, declared: Arithmetic, logarithm: bool) -> Report:
    __tracebackhide__ = True
    result, of, by = numbers(dx, "dx"), numbers(y, "y"), numbers(grad_out, "grad_out")
    for name, array in (("y", of), ("grad_out", by)):
        if array.shape != result.shape:
            raise ValueError(f"{name} has the shape {array.shape} and dx {result.shape}, but they must be the same")
        require_held(array, declared.computed, name)
    computed = declared.computed_for(of.format, by.format)
    wide = together(result.format, of.format, by.format, computed)
    given, outputs, gradients = (as_rows(array.widened(wide), axis, name)
                                 for name, array in (("dx", result), ("y", of), ("grad_out", by)))
    n = given.shape[1]
    _require("y", outputs, of, axis, outputs < np.inf if logarithm else (outputs >= 0) & (outputs <= 1),
             "a logarithm of a weight, so not NaN and less than inf" if logarithm else "a weight, from 0 to 1")
    _require("grad_out", gradients, by, axis, np.isfinite(gradients), "finite")

    def target_of(rows: Any, other: Arithmetic = declared, stored: str = result.format) -> _core.Target:
        arithmetic = resolved(other, n, computed, stored, values=narrowest(of.format, by.format))
        return _core.backward_target(wide, as_bytes(outputs[rows]), as_bytes(gradients[rows]), len(rows), n, arithmetic,
                                     logarithm)

    def wrong_parts() -> Iterator[Wrong]:
        for rows in np.array_split(np.arange(len(given)), max(1, len(given) * n // CHUNK)):
            target = target_of(rows)
            yield target.right(), target.bounds(), [
                ("zeros", np.zeros_like(given[rows], np.float64)),
                ("grad_out itself", gradients[rows].astype(np.float64)) if logarithm else
                ("products from which nothing is subtracted", outputs[rows].astype(np.float64) * gradients[rows])]

    finding, row = in_parallel(lambda rows: target_of(rows).compare(wide, as_bytes(given[rows])),
                               [np.arange(len(given))], n)
    index = None if row is None else index_of(result.shape, axis, row, finding.column)
    report = of_finding(what, finding, index, result.format)
    if report or row is None:
        return conclude(report, declared, unseen=lambda: unseen(wrong_parts(), DIGITS[result.format]))
    worst: int = row

    def ratio(other: Arithmetic, stored: str = result.format) -> float:
        found = target_of([worst], other, stored).compare(wide, as_bytes(given[[worst]]))
        return float("inf") if found.unbounded else float(found.ratio)

    def hints() -> Iterator[Hint]:
        target = target_of([worst])
        x, p, g = (np.asarray(array[worst], np.float64) for array in (given, outputs, gradients))
        near_zero, narrow = DECLARATIONS[:1], narrowest(of.format, by.format)
        yield from look_alike(ratio, report, declared, near_zero, narrow)
        yield from explained(of_backward(p, g, logarithm), (x,), (target.right()[0],), (target.bounds()[0],),
                             DIGITS[result.format])
        yield from went_through(result, lambda stored: ratio(declared, stored) <= 1)
        yield from look_alike(ratio, report, declared, DECLARATIONS, narrow)

    return conclude(report, declared, hints)


def _require(name: str, rows: NDArray[Any], array: Numbers, axis: int, holds: NDArray[np.bool_], rule: str) -> None:
    if not holds.all():
        row, column = np.argwhere(~holds)[0]
        at = ", ".join(map(str, index_of(array.shape, axis, int(row), int(column))))
        raise ValueError(f"{name}[{at}] is {rows[row, column]}, but must be {rule}")
