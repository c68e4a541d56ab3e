# SPDX-License-Identifier: BSL-1.0
"""Kernels of rows held to their laws: softmax, its logarithm, log-sum-exp and backward passes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk import strategies
from sqrtdk._arithmetic import resolved
from sqrtdk._arrays import as_bytes, of_bytes
from sqrtdk._backward import assert_log_softmax_gradient, assert_softmax_gradient
from sqrtdk._campaign import BROKEN, Campaign, Drawn, Plan, bits_of, largest, quiet
from sqrtdk._layouts import in_rows
from sqrtdk._report import Report
from sqrtdk._softmax import assert_log_softmax, assert_log_sum_exp, assert_softmax, exact_softmax
from sqrtdk._unseen import wrong_weights

HELD: dict[str, Callable[..., Report]] = {
    "softmax": assert_softmax, "log_softmax": assert_log_softmax, "log_sum_exp": assert_log_sum_exp,
    "softmax_gradient": assert_softmax_gradient, "log_softmax_gradient": assert_log_softmax_gradient}
"""The assertion for each kind of kernel."""


class RowCampaign(Campaign):
    """A kernel of rows."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        if not self.takes["temperature"] and "gradient" not in self.kind:
            self.report.skipped.append("temperatures, which the kernel does not take")

    def _fixed_cases(self, seed: int | None) -> Iterator[Any]:
        return iter(() if self.inputs is not None else strategies.fixed_scores(self.dtype, longest=self.longest))

    def _scores(self, draw: Drawn) -> tuple[NDArray[Any], float]:
        x = draw.case(self.inputs if self.inputs is not None else strategies.scores(
            self.dtype, longest=min(self.longest, strategies.MOST)))
        tau = draw.one_of(strategies.TEMPERATURES[self.dtype]) if self.takes["temperature"] else 1.0
        most = strategies.LARGEST[self.declared.computed_for(self.dtype)]
        if self.declared.scaled_first and largest(x) > most * tau / 2:
            tau = 1.0  # x/τ would overflow, which nobody promises to survive
        self._case = f"  the simplest case found: x = {strategies.shown(x)}, temperature = {tau:g}"
        self._choose(draw, len(x))
        self._sizes = {"scores": len(x)}
        return x, tau

    def _softmax(self, x: NDArray[Any], tau: float) -> NDArray[Any]:
        """The weights of one row."""
        row = x.reshape((1,) * self.batch + x.shape)
        return self._softmax_rows(row, tau).reshape(x.shape)

    def _softmax_rows(self, rows: NDArray[Any], tau: float) -> NDArray[Any]:
        options = {"temperature": tau} if self.takes["temperature"] else {}
        shape = rows.shape[:-1] if self.kind == "log_sum_exp" else rows.shape
        (y,) = self.kernel((rows,), (shape,), layout=self._layout, **options)
        return np.asarray(y)

    def _accuracy(self, name: str, draw: Drawn) -> None:
        x, tau = self._scores(draw)
        rows = in_rows(x, self._axes)
        y = self._softmax_rows(rows, tau)
        held = functools.partial(quiet, HELD[self.kind], temperature=tau, arithmetic=self.declared)
        self._note(name, held(y, rows))
        if len(x) > 1 and self.report.cases[name] < BROKEN and self.kind != "log_sum_exp":
            broken = _broken_weights(x, tau)
            if self.kind == "log_softmax":
                with np.errstate(divide="ignore"):
                    broken = {name: np.log(wrong) for name, wrong in broken.items()}
            self._try(broken, y.dtype, lambda wrong: held(wrong, x))

    def _gradient(self, name: str, draw: Drawn) -> None:
        """The backward pass of softmax or log-softmax, from its output."""
        x, _ = self._scores(draw)
        logarithm = self.kind == "log_softmax_gradient"
        rows = in_rows(x, self._axes)
        y = exact_softmax(rows, logarithm=logarithm).astype(x.dtype)
        # The cotangent is the scores, the last one first, and 0 for masks.
        g = np.where(rows[..., ::-1] < -64, 0, np.minimum(rows[..., ::-1], 64)).astype(x.dtype)
        self._case = (f"  the simplest case found: the output of x = {strategies.shown(x)}, grad_out = "
                      f"{strategies.shown(g)}")
        (dx,) = self.kernel((y, g), (y.shape,), layout=self._layout)
        self._note(name, quiet(HELD[self.kind], dx, y, g, arithmetic=self.declared))

    def _law(self, name: str, x: NDArray[Any], more: Sequence[float], tau: float = 1) -> None:
        """A law that compares runs of the kernel."""
        def kernel(raw: Any, temperature: float) -> Any:
            row = of_bytes(np.asarray(raw), self.dtype, (-1,))
            return as_bytes(bits_of(self._softmax(row, temperature)))

        computed = self.declared.computed_for(self.dtype)
        by = resolved(self.declared, len(x), computed, self.returns, 1 / min(tau, 1), temperature=tau,
                      largest=largest(x) / tau)
        self._note_outcome(name, _core.softmax_law(name, self.dtype, kernel, as_bytes(bits_of(x)), more, by))

    def _probability(self, name: str, draw: Drawn) -> None:
        x, tau = self._scores(draw)
        self._law(name, x, [tau], tau)

    _order = _probability

    def _shift(self, name: str, draw: Drawn) -> None:
        x, _ = self._scores(draw)
        shift = draw.one_of((1.0, -1.0, 0.5, 16.0, -64.0, 1000.0))
        self._case += f", shift = {shift:g}"
        self._law(name, x, [shift])

    def _permutation(self, name: str, draw: Drawn) -> None:
        x, _ = self._scores(draw)
        order = list(range(len(x)))
        order = order[::-1] if draw.one_of((True, False)) else order[1:] + order[:1]
        self._law(name, x, order)

    def _lipschitz(self, name: str, draw: Drawn) -> None:
        x, _ = self._scores(draw)
        h = draw.one_of((0.5, 0.125, 2.0))
        with np.errstate(over="ignore"):
            other = np.where(np.arange(len(x)) % 2, x + x.dtype.type(h), x).astype(x.dtype)
        other = np.where(np.isfinite(other.astype(np.float64)), other, x)
        self._case += f", every second score moved by {h:g}"
        self._law(name, x, other.astype(np.float64).tolist())

    def _temperature(self, name: str, draw: Drawn) -> None:
        x, low = self._scores(draw)
        high = low * draw.one_of((2.0, 1.0, 16.0))
        self._case += f" and {high:g}"
        self._law(name, x, [low, high], low)

    def _repeated(self, name: str, draw: Drawn) -> None:
        x, tau = self._scores(draw)
        self._same_bits(name, "the same call again", self._softmax(x, tau), self._softmax(x, tau))


def _broken_weights(x: NDArray[Any], tau: float) -> dict[str, NDArray[Any]]:
    """Results that a test of softmax must not accept."""
    exact = exact_softmax(x, temperature=tau)
    rest = 1 - exact[-1]
    broken = {name: wrong[0] for name, wrong in wrong_weights(exact[None])}
    if rest > 0:
        broken["a sum without its last term"] = exact / rest
    return {name: wrong for name, wrong in broken.items() if not np.array_equal(wrong, exact)}
