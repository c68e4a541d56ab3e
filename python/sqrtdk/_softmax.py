# SPDX-License-Identifier: BSL-1.0
"""Softmax rows held to the book's bounds."""

from __future__ import annotations

import dataclasses
import operator
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arithmetic import Arithmetic, as_declared, resolved
from sqrtdk._arrays import DIGITS, Numbers, as_bytes, numbers, require_held, together
from sqrtdk._environment import in_default_environment
from sqrtdk._hints import explained, of_axes, of_coarse, of_factor, of_log_softmax, of_log_sum_exp, of_softmax
from sqrtdk._report import Hint, Report, of_finding
from sqrtdk._unseen import Wrong, unseen, wrong_weights
from sqrtdk._verdict import DECLARATIONS, EMPTY_ROWS, OF_SUMS, conclude, look_alike, went_through

CHUNK = 1 << 16
"""Numbers that one thread compares at a time."""


@in_default_environment
def assert_softmax(y: Any, x: Any, axis: int = -1, *, temperature: float = 1,
                   arithmetic: Arithmetic | None = None, empty_rows: str = "any") -> Report:
    """Raise KernelError unless y is softmax(x / temperature) as nearly as a right kernel computes it.

    y           what the kernel returned
    x           the logits that it was given, of the same shape; finite or -inf
    axis        along which y sums to 1
    temperature greater than 0 and finite
    arithmetic  what is declared of the kernel
    empty_rows  what a row of -inf alone is: 'zero', 'nan', 'mean' (equal weights), or 'any' of them

    Returns how near the bounds y comes. Warns with SaysNothing if there is no entry, if nothing is promised for any, or
    if zeros, equal weights or a dropped last score would keep the bounds as well.
    Raises ValueError for shapes that differ, and logits that are NaN or +inf; TypeError for other numbers.
    """
    __tracebackhide__ = True
    return _held("softmax", y, x, axis, temperature, as_declared(arithmetic), empty_rows, False)


@in_default_environment
def assert_log_softmax(y: Any, x: Any, axis: int = -1, *, temperature: float = 1,
                       arithmetic: Arithmetic | None = None, empty_rows: str = "any") -> Report:
    """Raise KernelError unless y is log softmax(x / temperature) as nearly as a right kernel computes it.

    As assert_softmax; of a row of -inf alone 'zero' stands for -inf.
    """
    __tracebackhide__ = True
    return _held("log_softmax", y, x, axis, temperature, as_declared(arithmetic), empty_rows, True)


@in_default_environment
def assert_log_sum_exp(lse: Any, x: Any, axis: int = -1, *, temperature: float = 1,
                       arithmetic: Arithmetic | None = None) -> Report:
    """Raise KernelError unless lse is log(sum(exp(x / temperature))) as nearly as a right kernel computes it.

    lse is of the shape of x without the axis, or with the length 1 there. Of a row of -inf alone it may be -inf or NaN.
    Other arguments, warnings and errors as for assert_softmax.
    """
    __tracebackhide__ = True
    return _held_sums(lse, x, axis, temperature, as_declared(arithmetic))


@in_default_environment
def softmax_bound(x: Any, axis: int = -1, *, temperature: float = 1, arithmetic: Arithmetic | None = None,
                  dtype: str | None = None, logarithm: bool = False) -> NDArray[np.float64]:
    """The bound on the error of each weight, or of its logarithm, for each entry; inf where nothing is promised.

    dtype is the format of the result, if it is not that of x. Other arguments as for assert_softmax. A row of -inf
    alone is inf.
    """
    return _numbers_of(x, axis, temperature, as_declared(arithmetic), dtype, logarithm, True)


@in_default_environment
def exact_softmax(x: Any, axis: int = -1, *, temperature: float = 1, logarithm: bool = False) -> NDArray[np.float64]:
    """softmax(x / temperature), or its logarithm, to nineteen digits, rounded to float64. A row of -inf is NaN."""
    return _numbers_of(x, axis, temperature, Arithmetic(), None, logarithm, False)


def _numbers_of(x: Any, axis: int, temperature: float, declared: Arithmetic, dtype: str | None, logarithm: bool,
                bounds: bool) -> NDArray[np.float64]:
    logits = numbers(x, "x")
    require_held(logits, declared.computed, "x")
    # The exact values are computed in the wider of two references.
    wide = together(logits.format, declared.computed_for(logits.format)) if bounds else "float64"
    rows = as_rows(logits.widened(wide), axis, "x")
    _require_summable(rows, logits, axis)
    call = _Call(declared, logits.format, rows.shape[1], temperature, logarithm)
    result = np.full(rows.shape, np.inf if bounds else np.nan)
    for part in call.alike(rows, np.flatnonzero(rows.max(axis=1) > -np.inf)):
        chosen = rows[part]
        target = _core.softmax_target(rows.dtype.name, as_bytes(chosen), *chosen.shape,
                                      call.tau if bounds else float(temperature),
                                      call.resolved(dtype or logits.format, chosen), logarithm)
        result[part] = target.bounds() if bounds else target.right()
    return np.moveaxis(result.reshape(np.moveaxis(logits.raw, axis, -1).shape), -1, axis)


def _held(what: str, y: Any, x: Any, axis: int, temperature: float, declared: Arithmetic, empty_rows: str,
          logarithm: bool) -> Report:
    __tracebackhide__ = True
    if empty_rows not in EMPTY_ROWS:
        raise ValueError(f"empty_rows is {empty_rows!r}, but must be one of {', '.join(EMPTY_ROWS)}")
    computed, logits = numbers(y, "y"), numbers(x, "x")
    if computed.shape != logits.shape:
        raise ValueError(f"y has the shape {computed.shape} and x {logits.shape}, but they must be the same")
    require_held(logits, declared.computed, "x")
    wide = together(computed.format, logits.format, declared.computed_for(logits.format))
    given = as_rows(computed.widened(wide), axis, "y")
    rows = as_rows(logits.widened(wide), axis, "x")
    _require_summable(rows, logits, axis)
    call = _Call(declared, logits.format, rows.shape[1], temperature, logarithm)
    empty = rows.max(axis=1) == -np.inf if rows.size else np.zeros(len(rows), bool)

    def compare(chosen: NDArray[np.intp], arithmetic: _core.Arithmetic) -> _core.Finding:
        some, of = given[chosen], rows[chosen]
        target = _core.softmax_target(wide, as_bytes(of), *of.shape, call.tau, arithmetic, logarithm)
        return target.compare(wide, as_bytes(some))

    def wrong_parts() -> Iterator[Wrong]:
        for part in call.alike(rows, np.flatnonzero(~empty)):
            for some in np.array_split(part, max(1, len(part) * rows.shape[1] // CHUNK)):
                target = _core.softmax_target(wide, as_bytes(rows[some]), len(some), rows.shape[1], call.tau,
                                              call.resolved(computed.format, rows[some]), logarithm)
                right = target.right()
                yield right, target.bounds(), [(name, np.log(wrong) if logarithm else wrong) for name, wrong in
                                               wrong_weights(np.exp(right) if logarithm else right)]

    finding, row = in_parallel(lambda part: compare(part, call.resolved(computed.format, rows[part])),
                                call.alike(rows, np.flatnonzero(~empty)), rows.shape[1])
    index = None if row is None else index_of(logits.shape, axis, row, finding.column)
    report = of_finding(what, finding, index, computed.format)
    if empty.any():
        equal = np.zeros((1, rows.shape[1]), rows.dtype)
        allowed = _core.softmax_target(wide, as_bytes(equal), *equal.shape, 1, call.resolved(computed.format, equal),
                                       logarithm).bounds()[0, 0]
        report = _with_empty_rows(report, given, empty, empty_rows, logarithm, computed, axis, allowed)
    if report or row is None or report.index != index:
        return conclude(report, declared, unseen=lambda: unseen(wrong_parts(), DIGITS[computed.format]))
    worst: int = row

    def ratio(other: Arithmetic, stored: str = computed.format) -> float:
        otherwise = _Call(other, logits.format, rows.shape[1], temperature, logarithm)
        finding = compare(np.array([worst]), otherwise.resolved(stored, rows[[worst]]))
        return float("inf") if finding.unbounded else float(finding.ratio)

    def hints() -> Iterator[Hint]:
        x, weights = (np.asarray(array[worst], np.float64) for array in (rows, given))
        target = _core.softmax_target(wide, as_bytes(rows[[worst]]), 1, rows.shape[1], call.tau,
                                      call.resolved(computed.format, rows[[worst]]), logarithm)
        wrong = of_log_softmax(x, call.tau, call.computed) if logarithm else of_softmax(x, weights, call.tau,
                                                                                        call.computed)
        of_row = (weights,), (target.right()[0],), (target.bounds()[0],)
        yield from look_alike(ratio, report, declared, DECLARATIONS[:1], logits.format)  # of a few numbers near 0
        yield from of_axes(logits.widened("float64") / call.tau, computed.widened("float64"), axis, logarithm)
        yield from explained(wrong, *of_row, DIGITS[computed.format])
        if not logarithm:
            yield from of_factor(weights, target.right()[0], DIGITS[computed.format])
        yield from went_through(computed, lambda stored: ratio(declared, stored) <= 1)
        yield from look_alike(ratio, report, declared, DECLARATIONS, logits.format)
        if not logarithm:
            yield from of_coarse(weights, target.right()[0])

    parts = {} if logarithm else _core.softmax_bound_parts(wide, as_bytes(rows[worst]), rows.shape[1], finding.column,
                                                           call.tau, call.resolved(computed.format, rows[[worst]]))
    report = of_finding(what, finding, index, computed.format, parts)
    return conclude(report, declared, hints)


def _held_sums(lse: Any, x: Any, axis: int, temperature: float, declared: Arithmetic) -> Report:
    __tracebackhide__ = True
    computed, logits = numbers(lse, "lse"), numbers(x, "x")
    require_held(logits, declared.computed, "x")
    wide = together(computed.format, logits.format, declared.computed_for(logits.format))
    rows = as_rows(logits.widened(wide), axis, "x")
    _require_summable(rows, logits, axis)
    n, other = rows.shape[1], axis % len(logits.shape)
    without = logits.shape[:other] + logits.shape[other + 1:]
    kept = logits.shape[:other] + (1,) + logits.shape[other + 1:]
    if computed.shape not in (without, kept):
        raise ValueError(f"lse has the shape {computed.shape}, but must have {without} or {kept}: x has {logits.shape}")
    given = computed.widened(wide).reshape(-1, 1)
    call = _Call(declared, logits.format, n, temperature, True)
    empty = rows.max(axis=1) == -np.inf if rows.size else np.zeros(len(rows), bool)

    def target_of(some: Any, by: _Call = call, stored: str = computed.format) -> _core.Target:
        return _core.softmax_target(wide, as_bytes(rows[some]), len(some), n, call.tau,
                                    by.resolved(stored, rows[some]), True, True)

    def wrong_parts() -> Iterator[Wrong]:
        for part in call.alike(rows, np.flatnonzero(~empty)):
            for some in np.array_split(part, max(1, len(part) * n // CHUNK)):
                target, most = target_of(some), rows[some].max(axis=1, keepdims=True) / call.tau
                yield target.right(), target.bounds(), [("zeros", np.zeros_like(most, np.float64)),
                                                        ("the maximum", most.astype(np.float64))]

    finding, row = in_parallel(lambda some: target_of(some).compare(wide, as_bytes(given[some])),
                               call.alike(rows, np.flatnonzero(~empty)), n)
    wrong = np.flatnonzero(empty & ~(np.isnan(given[:, 0]) | np.isneginf(given[:, 0])))
    place = int(wrong[0]) if wrong.size else row
    index = None if place is None else tuple(map(int, np.unravel_index(place, computed.shape)))
    report = of_finding("log_sum_exp", finding, index, computed.format)
    report = dataclasses.replace(report, entries=len(given), beyond=report.beyond + len(wrong))
    if wrong.size:
        report = dataclasses.replace(report, what="log_sum_exp of a row of -inf alone", ratio=np.inf, exact=-np.inf,
                                     computed=float(given[place, 0]), error=np.inf, bound=0.0)
    if report or wrong.size or row is None:
        return conclude(report, declared, unseen=lambda: unseen(wrong_parts(), DIGITS[computed.format]))
    worst: int = row

    def ratio(by: Arithmetic, stored: str = computed.format) -> float:
        otherwise = _Call(by, logits.format, n, temperature, True)
        found = target_of([worst], otherwise, stored).compare(wide, as_bytes(given[[worst]]))
        return float("inf") if found.unbounded else float(found.ratio)

    def hints() -> Iterator[Hint]:
        target = target_of([worst])
        scores, is_ = np.asarray(rows[worst], np.float64), np.asarray(given[[worst]], np.float64)
        yield from explained(of_log_sum_exp(scores, call.tau, call.computed), (is_,), (target.right(),),
                             (target.bounds(),), DIGITS[computed.format])
        yield from went_through(computed, lambda stored: ratio(declared, stored) <= 1)
        yield from look_alike(ratio, report, declared, OF_SUMS, logits.format)

    return conclude(report, declared, hints)


class _Call:
    """One call of softmax: what it computes with, row by row."""

    def __init__(self, declared: Arithmetic, format_: str, terms: int, temperature: float, logarithm: bool) -> None:
        if np.ndim(temperature):
            raise TypeError(f"the temperature is an array of the shape {np.shape(temperature)}, but must be a number: "
                            "hold the rows of each temperature separately, or divide x and say nothing of it")
        if not 0 < temperature < np.inf:
            raise ValueError(f"the temperature is {temperature}, but must be greater than 0 and finite")
        self.declared, self.terms, self.logarithm = declared, terms, logarithm
        self.computed = declared.computed_for(format_)
        with np.errstate(over="ignore"):  # the temperature as it is computed with
            self.tau = float(np.float64(temperature) if self.computed == "float64" else np.float32(temperature))
        if not 0 < self.tau < np.inf:
            raise ValueError(f"the temperature is {temperature}, which {self.computed} does not hold")
        self.is_rounded = self.tau != temperature

    def resolved(self, stored: str, rows: NDArray[Any]) -> _core.Arithmetic:
        """The arithmetic for some rows."""
        largest = float(_largest(rows).max(initial=0))
        return resolved(self.declared, self.terms, self.computed, stored, 1 / self.tau, temperature=self.tau,
                        rounded_temperature=self.is_rounded, largest=largest / self.tau, logarithm=self.logarithm)

    def alike(self, rows: NDArray[Any], chosen: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """The chosen rows, in parts that lose nothing by one bound: what rounded scores cost depends on the largest."""
        if self.tau == 1 and not (self.logarithm and self.declared.sum_first):
            return [chosen]
        sizes = np.frexp(_largest(rows)[chosen])[1]
        return [chosen[sizes == size] for size in np.unique(sizes)]


def _largest(rows: NDArray[Any]) -> NDArray[np.float64]:
    """The largest magnitude in each row, but for that of -inf."""
    sizes: NDArray[np.float64] = np.abs(rows).max(axis=1, initial=0, where=np.isfinite(rows)).astype(np.float64)
    return sizes


def as_rows(x: NDArray[Any], axis: int, name: str) -> NDArray[Any]:
    if x.ndim == 0:
        raise ValueError(f"{name} is a single number, but must have an axis to sum along")
    if not -x.ndim <= operator.index(axis) < x.ndim:
        raise ValueError(f"the axis is {axis}, but {name} has the shape {x.shape}")
    if x.shape[axis] == 0:
        raise ValueError(f"{name} has the shape {x.shape}: along axis {axis} there is no logit, and so no softmax")
    moved = np.moveaxis(x, axis, -1)
    return moved.reshape(-1, moved.shape[-1])


def _require_summable(rows: NDArray[Any], logits: Numbers, axis: int) -> None:
    wrong = ~(rows < np.inf)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        at = ", ".join(map(str, index_of(logits.shape, axis, int(row), int(column))))
        raise ValueError(f"x[{at}] is {rows[row, column]}, but logits must be finite or -inf: "
                         "no softmax is right there")


def index_of(shape: tuple[int, ...], axis: int, row: int, column: int) -> tuple[int, ...]:
    axis %= len(shape)
    others = shape[:axis] + shape[axis + 1:]
    place = [int(i) for i in np.unravel_index(row, others)] if others else []
    return (*place[:axis], column, *place[axis:])


def in_parallel(compare: Any, groups: list[NDArray[np.intp]], n: int) -> tuple[Any, int | None]:
    """The findings of all rows, and the row of the worst."""
    step = max(1, CHUNK // n)
    parts = [chosen[i:i + step] for chosen in groups for i in range(0, len(chosen), step)] or [np.array([], np.intp)]
    if len(parts) == 1:
        findings = [compare(parts[0])]
    else:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            findings = list(pool.map(compare, parts))
    total, row = findings[0], None
    for part, finding in zip(parts, findings):
        if finding.row >= 0 and (row is None or finding.ratio > total.ratio):
            row = int(part[finding.row])
        if finding is not findings[0]:
            total = _core.added(total, finding)
    return total, row


def _with_empty_rows(report: Report, given: NDArray[Any], empty: NDArray[np.bool_], convention: str, logarithm: bool,
                     computed: Numbers, axis: int, allowed: float) -> Report:
    n = given.shape[1]
    is_nan = np.isnan(given).all(axis=1)
    is_zero = (given == (-np.inf if logarithm else 0)).all(axis=1)
    mean = -np.log(n) if logarithm else 1 / n
    is_mean = (np.abs(given - mean) <= allowed).all(axis=1)
    report = dataclasses.replace(report, entries=report.entries + n * int(empty.sum()))
    kept = {"nan": is_nan, "zero": is_zero, "mean": is_mean, "any": is_nan | is_zero | is_mean}[convention]
    broken = np.flatnonzero(empty & ~kept)
    if not broken.size:
        return report
    row = int(broken[0])
    return Report(f"{report.what} of a row of -inf alone (by the convention {convention!r})",
                  report.entries, report.unbounded, report.beyond + n * len(broken), np.inf,
                  index_of(computed.shape, axis, row, 0), float(given[row, 0]),
                  {"nan": np.nan, "mean": mean}.get(convention, -np.inf if logarithm else 0.0), np.inf, 0,
                  computed.format)
