# SPDX-License-Identifier: BSL-1.0
"""Wrong calls that a wrong result looks like: another mask, axis or sum, a maximum that was forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sqrtdk._arrays import rounded
from sqrtdk._report import Hint

Numbers64 = NDArray[np.float64]


class Sums(NamedTuple):
    """Sums that may cancel, and those of their terms' absolute values, to which their rounding errors are relative."""

    numbers: Numbers64
    terms: Numbers64


Candidate = tuple[str | Hint, Callable[[], Any]]
"""What a kernel may have done, and its result in float64, or a tuple of Sums."""


def explained(candidates: Iterable[Candidate], computed: tuple[Numbers64, ...], exact: tuple[Numbers64, ...],
              bounds: tuple[Numbers64, ...], digits: int, digits_of_sums: int = 24) -> Iterator[Hint]:
    """The candidates that have all numbers that were computed.

    A candidate is computed less carefully than the exact result. It is allowed more than the bounds: four units in the
    format of the numbers, which has so many digits, and four units of the sum of the terms' absolute values in the
    format of the sums. One that is as near to what is right explains nothing.
    """
    for name, results in candidates:
        found = results()
        arrays: tuple[Sums, ...] = found if isinstance(found, tuple) else (Sums(found, np.zeros_like(found)),)
        slack = [2 * _finite(bound) + 2.0 ** (3 - digits) * _finite(of.numbers)
                 + 2.0 ** (3 - digits_of_sums) * _finite(of.terms) for of, bound in zip(arrays, bounds)]
        fits = all(_near(of.numbers, *two) for of, *two in zip(arrays, computed, slack))
        if fits and not all(_near(of.numbers, *two) for of, *two in zip(arrays, exact, slack)):
            yield name if isinstance(name, Hint) else Hint((name,))


def _finite(array: Numbers64) -> Numbers64:
    """The absolute values, 0 for those that are not finite."""
    finite: Numbers64 = np.abs(np.where(np.isfinite(array), array, 0))
    return finite


def _near(array: Numbers64, other: Numbers64, slack: Numbers64) -> bool:
    return bool(np.all((array == other) | (np.abs(array - other) <= slack) | (np.isnan(array) & np.isnan(other))))


def saying(text: str) -> Callable[[Sequence[str]], str]:
    """The sentence of a hint whose name is another in no case."""
    return lambda _: text


def _normalized(exponentials: Callable[[], Numbers64]) -> Numbers64:
    return _normal(exponentials())


def _normal(e: Numbers64, axis: int = -1) -> Numbers64:
    normal: Numbers64 = e / e.sum(axis, keepdims=True)
    return normal


def _shifted(s: Numbers64, axis: int = -1) -> Numbers64:
    shifted: Numbers64 = np.exp(s - s.max(axis, keepdims=True))
    return shifted


def softmax64(s: Numbers64, axis: int = -1) -> Numbers64:
    """The weights of scores in float64, NaN where all are -inf."""
    return _normal(_shifted(s, axis), axis)


def _exponentials(s: Numbers64, computed_in: str) -> list[tuple[Hint, Callable[[], Numbers64]]]:
    """Ways to get the exponentials of rows of scores wrong, in a format."""
    narrow = np.dtype("float64" if computed_in == "float64" else "float32")
    none, from_zero = ("no maximum is subtracted before the exponential",
                       "the maximum that is subtracted is at least 0, though all scores are below")

    def without_maximum() -> Numbers64:
        return np.asarray(np.exp(s.astype(narrow)), np.float64)

    def maximum_from_zero() -> Numbers64:
        return np.asarray(np.exp((s - np.maximum(s.max(-1, keepdims=True), 0)).astype(narrow)), np.float64)

    if (s.max(-1) <= 0).all():  # which are the same
        return [(Hint((none, from_zero)), without_maximum)]
    return [(Hint((none,)), without_maximum), (Hint((from_zero,)), maximum_from_zero)]


def of_softmax(x: Numbers64, y: Numbers64, tau: float, computed_in: str) -> list[Candidate]:
    """For one row of scores, and the weights that were computed."""
    s = x / tau
    e = np.exp(s - s.max())
    floor = float(np.log(y.min(initial=1, where=y > 0) / y.max())) if y.max() > 0 else 0.0
    candidates: list[Candidate] = [
        (name, partial(_normalized, of)) for name, of in _exponentials(s, computed_in)]
    return candidates + [
        ("all weights are 0: more than the maximum is subtracted, or the sum is far too large",
         lambda: np.zeros_like(e)),
        ("it looks as if the scores were multiplied by the temperature", lambda: softmax64(x * tau)),
        ("it looks as if the temperature was left out", lambda: softmax64(x)),
        ("it looks as if the temperature was applied twice", lambda: softmax64(s / tau)),
        ("these are powers of 2, not of e", lambda: softmax64(s * np.log(2))),
        ("these are the logarithms of the weights", lambda: s - s.max() - np.log(e.sum())),
        ("the exponentials are not divided by their sum", lambda: e),
        ("it looks as if the last score was left out",
         lambda: np.append(_normal(e[:-1]), 0) if len(e) > 1 else np.zeros(1)),
        ("the sum lacks its last term", lambda: e / e[:-1].sum() if len(e) > 1 else e),
        ("the sum has one term too many", lambda: e / (e.sum() + 1)),
        *([(Hint(("cut off",), saying(f"differences from the maximum look cut off at {floor:.4g}")),
            lambda: _normal(np.exp(np.maximum(s - s.max(), floor))))] if floor < -1 else [])]


def of_factor(y: Numbers64, exact: Numbers64, digits: int) -> Iterator[Hint]:
    """Weights that are all the same multiple of the right ones, up to the roundings of a format of so many digits."""
    large = exact > 2.0 ** -100
    factors = y[large] / exact[large]
    factor = float(np.median(factors))
    if 0 < factor < np.inf and np.abs(factors / factor - 1).max() < 2.0 ** (3 - digits):
        yield Hint(("the sum",), saying(f"each weight is {factor:.8g} times the right one: the sum is wrong"))


def of_row_factors(computed: Numbers64, exact: Numbers64, bounds: Numbers64, v: Numbers64, rows: NDArray[np.intp],
                   digits: int) -> Iterator[Hint]:
    """Wrong rows of outputs, each a multiple of the right one, as it is if the sum of its weights is wrong.

    rows are the numbers of the queries; of values that are all in one direction any output is such a multiple.
    """
    wrong = (np.abs(computed - exact) > bounds).any(1)
    y, right = computed[wrong], exact[wrong]
    slack = 2 * np.where(np.isfinite(bounds[wrong]), bounds[wrong], 0) + 2.0 ** (3 - digits) * np.abs(y)
    if not (wrong.any() and np.isfinite(y).all() and np.isfinite(v).all() and np.linalg.matrix_rank(v) > 1):
        return
    factors = (y * right).sum(1) / (right * right).sum(1)
    near = np.abs(y - factors[:, None] * right) <= slack * np.maximum(1, factors)[:, None]
    if near.all() and (factors > 0).all() and (np.abs(y - right) > 8 * slack).any(1).all():
        yield Hint(("the sum of a row",), saying(f"each wrong row is the right one times a factor, for query "
                                                 f"{rows[wrong][0]} {factors[0]:.4g}: the sum of its weights is wrong"))


def of_coarse(y: Numbers64, exact: Numbers64) -> Iterator[Hint]:
    """Weights that sum to 1, each of which is off by a part of itself that a coarse exponential would explain."""
    large = exact > 2.0 ** -100
    off = np.abs(y[large] / exact[large] - 1).max(initial=0)
    if abs(y.sum() - 1) < 2.0 ** -18 and off < 0.25 and np.count_nonzero(large) > 1:
        yield Hint(("coarse",), saying(f"the weights sum to 1, but are off by up to {off:.2g} of themselves: the "
                                       "exponential is coarse, or scores are rounded before it"))


def _log_normalized(exponentials: Callable[[], Numbers64]) -> Numbers64:
    logarithms: Numbers64 = np.log(_normalized(exponentials))
    return logarithms


def of_log_softmax(x: Numbers64, tau: float, computed_in: str) -> list[Candidate]:
    """For one row of scores."""
    s = x / tau
    wrong: list[Candidate] = [(name, partial(_log_normalized, of)) for name, of in _exponentials(s, computed_in)]
    return wrong + [
        ("these are the weights, not their logarithms", lambda: softmax64(s)),
        ("these are logarithms to the base 2", lambda: np.log(softmax64(s)) / np.log(2)),
        ("the logarithm of the sum is to the base 2", lambda: s - s.max() - np.log2(np.exp(s - s.max()).sum())),
        ("these are logarithms of weights that were rounded to 0", lambda: np.log(softmax64(s).astype(np.float32))),
        ("it looks as if the scores were multiplied by the temperature", lambda: np.log(softmax64(x * tau))),
        ("it looks as if the temperature was left out", lambda: np.log(softmax64(x))),
        ("the sum lacks its last term", lambda: s - s.max() - np.log(np.exp(s - s.max())[:-1].sum())),
        ("the maximum is subtracted twice or never", lambda: s - np.log(np.exp(s - s.max()).sum()))]


def of_log_sum_exp(x: Numbers64, tau: float, computed_in: str) -> list[Candidate]:
    """For one row of scores."""
    s, narrow = x[None, :] / tau, np.dtype("float64" if computed_in == "float64" else "float32")
    return _of_sums(s) + [
        ("no maximum is subtracted before the exponential",
         lambda: np.log(np.exp(s.astype(narrow)).astype(np.float64).sum(-1, keepdims=True))),
        ("it looks as if the scores were multiplied by the temperature", lambda: _log_sum_exp(tau * tau * s)),
        ("it looks as if the temperature was left out", lambda: _log_sum_exp(tau * s)),
        ("it looks as if the last score was left out", lambda: _log_sum_exp(s[:, :-1]))]


def _log_sum_exp(s: Numbers64) -> Numbers64:
    most = s.max(-1, keepdims=True, initial=-np.inf)
    found: Numbers64 = most + np.log(np.exp(s - np.where(np.isfinite(most), most, 0)).sum(-1, keepdims=True))
    return found


def _of_sums(s: Numbers64) -> list[Candidate]:
    """Log-sum-exps of rows of scores, as one column, that are computed by mistake."""
    right, most = _log_sum_exp(s), s.max(-1, keepdims=True, initial=-np.inf)
    return [("this is the logarithm to the base 2", lambda: right / np.log(2)),
            ("this is the maximum alone", lambda: most),
            ("the maximum is not added to the logarithm of the sum", lambda: right - most),
            ("this is the sum, not its logarithm", lambda: np.exp(right)),
            ("the sign is wrong", lambda: -right),
            ("this is the logarithm of the mean of the exponentials", lambda: right - np.log(s.shape[1]))]


def of_backward(y: Numbers64, g: Numbers64, logarithm: bool) -> list[Candidate]:
    """For one row of weights, or of their logarithms, and the derivatives by them."""
    p = np.exp(y) if logarithm else y
    of_weights, of_logarithms = p * (g - (p * g).sum()), g - p * g.sum()
    wrong = of_weights if logarithm else of_logarithms
    found: list[Candidate] = [
        (f"this is the derivative of {'softmax' if logarithm else 'log-softmax'}", lambda: wrong),
        ("the sign is wrong", lambda: -(of_logarithms if logarithm else of_weights)),
        ("all numbers are 0", lambda: np.zeros_like(p)),
        ("grad_out is passed on", lambda: g)]
    if logarithm:
        return found + [
            ("logarithms are taken for weights", lambda: g - y * g.sum()),
            ("the sum is not multiplied by the weight", lambda: g - g.sum()),
            ("the sum has the weights in it", lambda: g - p * (p * g).sum()),
            ("grad_out is taken for its mean", lambda: g - p * g.mean()),
            ("the sum lacks its last term", lambda: g - p * g[:-1].sum())]
    return found + [
        ("the sum of the products is not subtracted", lambda: p * g),
        ("the difference is not multiplied by the weight", lambda: g - (p * g).sum()),
        ("the sum has no weights in it", lambda: p * (g - g.sum())),
        ("the mean of grad_out is subtracted, without weights", lambda: p * (g - g.mean())),
        ("this is the diagonal of the Jacobian alone", lambda: p * (1 - p) * g),
        ("the weights are squared", lambda: p * p * (g - (p * g).sum())),
        ("the sum lacks its last term", lambda: p * (g - (p * g)[:-1].sum()))]


class Head:
    """One head of attention in float64: queries, keys, values, the keys that a mask and the alignment leave, biases.

    The last key may be a sink, whose score is its bias.
    """

    def __init__(self, q: Any, k: Any, v: Any, scale: float, mask: Any, aligned: NDArray[np.bool_] | None,
                 bias: Any, sink: bool = False) -> None:
        self.q, self.k, self.v = (np.asarray(a, np.float64) for a in (q, k, v))
        self.scale: Any = np.float64(scale)  # by which one may divide, whatever it is
        n, m = len(self.q), len(self.k)
        self.allowed = np.ones((n, m), bool) if mask is None else np.asarray(mask, bool)
        self.aligned = np.ones((n, m), bool) if aligned is None else aligned
        self.bias = np.zeros((n, m)) if bias is None else np.asarray(bias, np.float64)
        self.has_mask, self.has_bias = mask is not None, bias is not None
        self.is_causal = aligned is not None
        self.sink, self.keys = sink, m - sink

    def with_queries_of(self, others: Sequence[Head]) -> Head:
        """With the queries of heads of the same keys after its own."""
        heads = [self, *others]
        q, mask, aligned, bias = (
            np.concatenate([getattr(head, name) for head in heads]) if has else None for name, has in (
                ("q", True), ("allowed", self.has_mask), ("aligned", self.is_causal), ("bias", self.has_bias)))
        return Head(q, self.k, self.v, self.scale, mask, aligned, bias, self.sink)

    def log_sum_exps(self) -> list[Candidate]:
        """Log-sum-exps of the queries' scores, as one column, that are computed by mistake."""
        s = self.scores()
        found = [("the scores are not scaled", self.scores(scale=1))]
        found += [(f"this is that of {name}", of) for name, of in self.masks()]
        return _of_sums(s) + [(name, partial(_log_sum_exp, of)) for name, of in found]

    def scores(self, allowed: NDArray[np.bool_] | None = None, masked: float = -np.inf,
               bias: Numbers64 | float | None = None, aligned: NDArray[np.bool_] | None = None,
               scale: float | None = None) -> Numbers64:
        """Scaled scores with other masks, a number for what is masked, other biases, or another scale."""
        seen = (self.allowed if allowed is None else allowed) & (self.aligned if aligned is None else aligned)
        products = (self.scale if scale is None else scale) * self.q @ self.k.T
        s: Numbers64 = np.where(seen, products + (self.bias if bias is None else bias), masked)
        s[:, self.keys:] = self.bias[:, self.keys:]
        return s

    def output(self, s: Numbers64) -> Numbers64:
        """The output for some scores; 0 where a query sees no key."""
        weights = np.where(np.isneginf(s).all(1, keepdims=True), 0, softmax64(s))
        output: Numbers64 = weights @ np.where(np.isfinite(self.v), self.v, 0)
        return output

    def masks(self) -> Iterator[tuple[str, Numbers64]]:
        """Scores with masks and biases that are taken by mistake."""
        whole = np.ones_like(self.aligned)
        if self.sink:
            for name, of in (("without the sink", np.full(len(self.q), -np.inf)),
                             ("with the sink multiplied by the scale", self.scale * self.bias[:, -1]),
                             ("with a sink whose exponential is not relative to the maximum",
                              self.bias[:, -1] + self.scores()[:, :-1].max(1, initial=-np.inf))):
                yield f"attention {name}", np.append(self.scores()[:, :-1], of[:, None], 1)
        hidden = self.has_mask and not self.allowed.all()
        if self.has_mask:
            yield "attention with the mask inverted: True hides a key", self.scores(~self.allowed)
        if hidden:
            yield "attention without the mask", self.scores(whole)
            yield ("attention with the mask added to the scores as 0 and 1",
                   self.scores(whole, bias=self.bias + self.allowed))
        if self.has_bias:
            finite = np.where(np.isfinite(self.bias), self.bias, 0)
            yield "attention without the additive mask", self.scores(bias=0)
            yield "attention with the additive mask added twice", self.scores(bias=2 * self.bias)
            yield ("attention with -inf alone of the additive mask",
                   self.scores(bias=np.where(np.isneginf(self.bias), -np.inf, 0)))
            yield "attention with the additive mask subtracted", self.scores(bias=-finite)
            yield "attention with the mask added before the scale", self.scores(bias=self.scale * self.bias)
        for offset, name in ((1, "that also shows the next key"), (-1, "that hides each query's own key")):
            if self.is_causal:
                shifted = np.roll(np.pad(self.aligned[:, :self.keys], ((0, 0), (1, 1)),
                                         constant_values=((0, 0), (1, 0))), offset, 1)
                yield f"a causal mask {name}", self.scores(aligned=np.append(shifted[:, 1:-1], whole[:, self.keys:], 1))
        if self.has_mask and self.is_causal:
            yield "attention with the causal mask alone", self.scores(whole)
        if hidden or self.is_causal or np.isneginf(self.bias).any():
            s = self.scores()
            for number, name in ((0.0, "0"), (-100.0, "-100"), (-1e3, "-1000"), (-1e4, "-10000"), (-65504.0, "-65504")):
                yield f"attention with {name} for the score of a masked key, instead of -inf", np.where(
                    np.isneginf(s), number, s)

    def wrong_outputs(self) -> list[tuple[str, Numbers64]]:
        """Outputs that a test of attention must not accept."""
        s = self.scores()
        s[:, self.keys - 1] = -np.inf
        finite = np.where(np.isfinite(self.v), self.v, 0)[:self.keys]
        return [("zeros", np.zeros((len(self.q), self.v.shape[1]))),
                ("the mean of the values", np.broadcast_to(finite.mean(0), (len(self.q), self.v.shape[1]))),
                ("attention without the last key", self.output(s))]

    def _averages(self, exponentials: Callable[[], Numbers64]) -> Numbers64:
        averages: Numbers64 = _normalized(exponentials) @ self.v
        return averages

    def _averages_or_zero(self, exponentials: Callable[[], Numbers64]) -> Numbers64:
        return np.nan_to_num(self._averages(exponentials), nan=0)

    def _padded(self, s: Numbers64, more: int) -> Numbers64:
        output: Numbers64 = softmax64(np.pad(s, ((0, 0), (0, more))))[:, :len(self.k)] @ self.v
        return output

    def _of_narrow_products(self, narrow: str) -> Numbers64:
        products = rounded(rounded(self.q, narrow) @ rounded(self.k, narrow).T, narrow)
        return self.output(np.where(np.isneginf(self.scores()), -np.inf, self.scale * products + self.bias))

    def _of_narrow_sums(self, narrow: str) -> Numbers64:
        scaled = rounded(self.scores(bias=0), narrow)
        return self.output(np.where(np.isneginf(self.scores()), -np.inf, rounded(scaled + rounded(self.bias, narrow),
                                                                                 narrow)))

    def blocks(self, s: Numbers64, size: int) -> Numbers64:
        """The output if each block of keys keeps its own maximum."""
        parts = np.split(s, range(size, len(self.k), size), axis=1)
        e = np.concatenate([np.exp(part - np.maximum(part.max(1, keepdims=True), -1e300)) for part in parts], axis=1)
        output: Numbers64 = _normal(e) @ self.v
        return output

    def with_terms(self) -> Head:
        """With the absolute values of the values beside them, so that an output has the sums of both."""
        head = copy(self)
        head.v = np.hstack([self.v, np.abs(self.v)])
        return head

    def candidates(self, computed_in: str) -> list[Candidate]:
        """Outputs that are computed by mistake."""
        s = self.scores()
        found: list[Candidate] = [(f"this is {name}", partial(self.output, of)) for name, of in self.masks()]
        found += [(name, partial(averages, of)) for name, of in _exponentials(s, computed_in)
                  for averages in (self._averages, self._averages_or_zero)]
        keys = self.keys
        for b in (16, 32, 64, 128):
            if keys > b:
                found.append((Hint(("blocks",), saying(f"blocks of {b} keys look added without being rescaled to one "
                                                       "maximum")), partial(self.blocks, s, b)))
        for narrow in ("float16", "bfloat16"):
            found.append((Hint((f"queries and keys look rounded to {narrow}, and their products stored in it",),
                               most_of=0.2), partial(self._of_narrow_products, narrow)))
            if self.has_bias:
                found.append((Hint((f"scores and mask look added in {narrow}",), most_of=0.2),
                              partial(self._of_narrow_sums, narrow)))
        for name, at in (("last", keys - 1), ("first", 0)) if keys > 1 else ():
            found.append((f"it looks as if the {name} key was left out",
                          partial(self.output, np.where(np.arange(s.shape[1]) == at, -np.inf, s))))
        for b in (8, 16, 32, 64, 128):
            if keys % b:
                found.append((f"keys look padded to a multiple of {b} with scores of 0",
                              partial(self._padded, s, -keys % b)))
        return found + [
            ("the weights of a key, not of a query, sum to 1", lambda: softmax64(np.maximum(s, -1e30), 0) @ self.v),
            ("the weights are not divided by their sum", lambda: _shifted(s) @ self.v),
            ("the sum of the weights has one term too many",
             lambda: _shifted(s) @ self.v / (_shifted(s).sum(1, keepdims=True) + 1)),
            ("the mask is applied after softmax: weights of masked keys are in the sum",
             lambda: np.where(np.isneginf(s), 0, softmax64(self.scores(np.ones_like(self.allowed), aligned=np.ones_like(
                 self.aligned), bias=np.where(np.isneginf(self.bias), 0, self.bias)))) @ self.v),
            ("all weights are equal", lambda: self.output(np.where(np.isneginf(s), s, 0))),
            ("this is the mean of all values",
             lambda: np.broadcast_to(self.v[:keys].mean(0), (len(self.q), self.v.shape[1]))),
            ("all numbers are 0", lambda: np.zeros((len(self.q), self.v.shape[1])))]

    def gradients(self, g: Any, heads: int = 1) -> list[Candidate]:
        """Derivatives that are computed by mistake, of the queries of one head or of several, one after the other."""
        g = np.asarray(g, np.float64)
        whole = np.ones_like(self.aligned)

        def backward(s: Numbers64, mean: bool = True, of_q: float = 1, of_k: float = 1,
                     times: Numbers64 | float = 1) -> tuple[Sums, ...]:
            p = np.where(np.isneginf(s).all(1, keepdims=True), 0, softmax64(s))
            dp, of_dp = g @ self.v.T, np.abs(g) @ np.abs(self.v.T)
            ds = p * (dp - (p * dp).sum(1, keepdims=True) if mean else dp) * self.scale
            of_p = p * (1 + _finite(s) + (p * _finite(s)).sum(1, keepdims=True))  # a score's error is relative to it
            of_ds = of_p * (of_dp + (p * of_dp).sum(1, keepdims=True)) * np.abs(self.scale)
            queries, by_output = times * self.q, times * g
            return (Sums(of_q * ds @ self.k, of_q * of_ds @ np.abs(self.k)),
                    Sums(of_k * (ds.T @ queries)[:self.keys], of_k * (of_ds.T @ np.abs(queries))[:self.keys]),
                    Sums((p.T @ by_output)[:self.keys], (of_p.T @ np.abs(by_output))[:self.keys]))

        s = self.scores()
        found: list[Candidate] = [
            ("the mean of the weights' derivatives is not subtracted", lambda: backward(s, mean=False)),
            ("the scale is missing in dq and dk", lambda: backward(s, True, 1 / self.scale, 1 / self.scale)),
            ("the scale is missing in dq", lambda: backward(s, True, 1 / self.scale)),
            ("the scale is missing in dk", lambda: backward(s, True, 1, 1 / self.scale)),
            ("the scale is applied twice in dq and dk", lambda: backward(s, True, self.scale, self.scale))]
        for h in range(heads) if heads > 1 else ():
            of_head = (np.arange(len(g)) * heads // len(g) == h)[:, None]
            found += [(f"dk and dv {name}", partial(backward, s, times=times)) for name, times in (
                (f"lack the part of head {h} of a group", 1 - of_head),
                (f"have the part of head {h} of a group twice", 1 + of_head),
                (f"are the part of head {h} of a group alone", 1 * of_head), ("are means over a group", 1 / heads))]
        causal = whole if self.is_causal else np.tri(len(s), len(self.k), dtype=bool)
        found.append((f"these are derivatives {'without the' if self.is_causal else 'with a'} causal mask",
                      lambda: backward(self.scores(aligned=causal))))
        return found + [(f"these are derivatives of {name}", partial(backward, of)) for name, of in self.masks()]


def of_axes(x: Numbers64, y: Numbers64, axis: int, logarithm: bool) -> Iterator[Hint]:
    """The axis along which an array of weights sums to 1, if it is another; x is divided by the temperature."""
    for other in range(x.ndim):
        if other != axis % x.ndim and x.shape[other] > 1:
            found = softmax64(x, other)
            found = np.log(found) if logarithm else found
            if np.allclose(found, y, rtol=2 ** -6, atol=0, equal_nan=True):
                yield Hint((f"this is softmax along axis {other - x.ndim}",))
