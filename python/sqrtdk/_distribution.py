# SPDX-License-Identifier: BSL-1.0
"""Numbers of the book: the exact distribution of a score, and what softmax makes of normal scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._environment import in_default_environment

Real = Any
"""A number, or an array of any shape."""


def _mean(func: Callable[[float], float] | None, quantile: Callable[[Any], Any], start: float, end: float,
          step: float) -> tuple[Any, Any]:
    """∫ func(quantile(p)) dp from start to end, and that of the absolute value, by tanh–sinh quadrature."""
    t = np.arange(-6, 3.126, step)  # from 1e-275 of the way to where the rest is a rounding error
    share = 1 / (1 + np.exp(-math.pi * np.sinh(t)))
    weight = np.cosh(t) / (1 + np.cosh(math.pi * np.sinh(t)))  # the derivative of share, up to a factor
    x = quantile(start + (end - start) * share).tolist()
    terms = (end - start) / weight.sum() * weight * (x if func is None else [func(point) for point in x])
    return terms.sum(), abs(terms).sum()


class score_distribution:  # pylint: disable=invalid-name,too-many-public-methods
    """The exact distribution of scale·q·k for independent standard normal q and k in d dimensions.

    The methods are those of a frozen distribution of SciPy. They take numbers and arrays, which are broadcast with d
    and scale. For scale 1 their precision is measured in the book, claim ScorePrecision: a few units in the last place,
    in the tails as well. Another scale adds the rounding errors of a product and a quotient.

    Raises ValueError unless d and scale are positive and finite.
    """

    def __init__(self, d: Real, scale: Real = 1) -> None:
        for name, given in (("dimension", d), ("scale", scale)):
            values = np.asarray(given, np.float64)
            for wrong in values[~((values > 0) & (values < math.inf))].flat:
                raise ValueError(f"the {name} is {wrong:g}, but must be positive and finite")
        self.d, self.scale = (a.copy()[()] for a in np.broadcast_arrays(np.float64(d), np.float64(scale)))

    def __repr__(self) -> str:
        d, scale = (f"{a:g}" if a.ndim == 0 else str(a.tolist()) for a in (self.d, self.scale))
        return f"score_distribution({d})" if np.all(self.scale == 1) else f"score_distribution({d}, scale={scale})"

    @in_default_environment
    def _of(self, name: str, x: Real, finish: Callable[[Any], Any] = lambda value: value, of_score: bool = True) -> Any:
        d, numbers = np.broadcast_arrays(self.d, np.asarray(x, np.float64) / (self.scale if of_score else 1))
        values = _core.score_distribution(name, *(np.ascontiguousarray(a).reshape(-1) for a in (d, numbers)))
        return finish(values.reshape(d.shape)[()])

    def pdf(self, x: Real) -> Any:
        """The density; infinite at 0 for d at most 1."""
        return self._of("pdf", x, lambda density: density / self.scale)

    def logpdf(self, x: Real) -> Any:
        """Its logarithm."""
        return self._of("logpdf", x, lambda logarithm: logarithm - np.log(self.scale))

    def cdf(self, x: Real) -> Any:
        """P(scale·q·k ≤ x)."""
        return self._of("cdf", x)

    def logcdf(self, x: Real) -> Any:
        """Its logarithm."""
        return self._of("logcdf", x)

    def sf(self, x: Real) -> Any:
        """P(scale·q·k > x)."""
        return self._of("sf", x)

    def logsf(self, x: Real) -> Any:
        """Its logarithm."""
        return self._of("logsf", x)

    def hazard(self, x: Real) -> Any:
        """pdf/sf, also where both underflow."""
        return self._of("hazard", x, lambda hazard: hazard / self.scale)

    def characteristic_function(self, t: Real) -> Any:
        """The mean of cos(t·scale·q·k)."""
        return self._of("characteristic_function", t * self.scale, of_score=False)

    def ppf(self, q: Real) -> Any:
        """The point where cdf is q; NaN for q outside of 0 to 1."""
        return self._of("ppf", q, lambda x: x * self.scale, of_score=False)

    def isf(self, q: Real) -> Any:
        """The point where sf is q; NaN for q outside of 0 to 1."""
        return self._of("isf", q, lambda x: x * self.scale, of_score=False)

    def mean(self) -> Any:
        """0."""
        return 0 * self.d

    def median(self) -> Any:
        """0."""
        return 0 * self.d

    def var(self) -> Any:
        """d scale²."""
        return self.d * self.scale ** 2

    def std(self) -> Any:
        """√d scale."""
        return np.sqrt(self.d) * self.scale

    def stats(self, moments: str = "mv") -> Any:
        """Those of mean, variance, skewness and excess kurtosis whose letters are in moments, in the order 'mvsk'.

        A tuple, but for one letter the number or array itself. Raises ValueError for other letters, unlike SciPy.
        """
        all_of = {"m": self.mean(), "v": self.var(), "s": self.mean(), "k": 6 / self.d}
        if set(moments) - set(all_of):
            raise ValueError(f"moments is {moments!r}, but must have no letters other than 'mvsk'")
        values = tuple(value for letter, value in all_of.items() if letter in moments)
        return values[0] if len(values) == 1 else values

    def moment(self, order: int) -> Any:
        """The mean of (scale·q·k) to this power, a whole number of at least 0: infinite only if it overflows.

        The relative error is at most about order·5e-16.
        """
        if np.ndim(order) != 0 or not (order >= 0 and order % 1 == 0):
            raise ValueError(f"the order is {order}, but must be a whole number of at least 0")
        if order % 2 == 1:
            return self.mean()
        # ∏ (2i + 1) (d + 2i) scale²; the exponent apart, as only the product may be between underflow and overflow
        mantissa, exponent = 1 + self.mean(), 0
        with np.errstate(over="ignore", under="ignore"):
            for i in range(int(order) // 2):
                for factor in ((2 * i + 1) * self.scale, (self.d + 2 * i) * self.scale):
                    mantissa, shift = np.frexp(mantissa * factor)
                    exponent = exponent + shift
                if np.all(exponent > 1100):  # the factors grow
                    break
            return np.ldexp(mantissa, exponent)

    def expect(self, func: Callable[[float], float] | None = None, lb: float | None = None, ub: float | None = None,
               conditional: bool = False) -> Any:
        """The mean of func(scale·q·k), by default that of scale·q·k itself, over scores from lb to ub, by default all.

        Not divided by the probability of lb to ub unless conditional. func takes and returns a number. The error is
        below 1e-12 of the mean of |func| if func is smooth except at 0 and grows no faster than exp(|x|/(2 scale));
        RuntimeWarning if two sums, one with twice as many points, differ by more than 1e-13 of it.
        """
        if self.d.ndim:
            means = [score_distribution(d, scale).expect(func, lb, ub, conditional)
                     for d, scale in zip(self.d.flat, self.scale.flat)]
            return np.reshape(means, self.d.shape)
        lb, ub = -math.inf if lb is None else lb, math.inf if ub is None else ub
        low, high = sorted((lb, ub))
        # both sides from the tail to the middle, by their probabilities
        sides = ((self.ppf, self.cdf(min(low, 0)), self.cdf(min(high, 0))),
                 (self.isf, self.sf(max(high, 0)), self.sf(max(low, 0))))
        previous = math.nan
        for level in range(3, 10):
            total, size = np.sum([_mean(func, *side, 2.0 ** -level) for side in sides], axis=0)
            if abs(total - previous) <= 1e-13 * size:
                break
            previous = total
        else:
            warnings.warn(f"expect has not converged: with half as many points it is not {total:g}", RuntimeWarning, 2)
        if conditional:
            with np.errstate(invalid="ignore"):
                return total / sum(end - start for _, start, end in sides)
        return total if lb <= ub else -total

    @in_default_environment
    def entropy(self) -> Any:
        """The differential entropy, in nats."""
        return np.vectorize(_core.score_entropy, otypes=[np.float64])(self.d)[()] + np.log(self.scale)

    def support(self) -> tuple[Any, Any]:
        """All numbers."""
        return self.mean() - math.inf, self.mean() + math.inf

    def interval(self, confidence: Real) -> tuple[Any, Any]:
        """The middle interval of this probability, from 0 to 1."""
        half = (1 - np.asarray(confidence, np.float64)) / 2
        if not ((half >= 0) & (half <= .5)).all():
            raise ValueError(f"the confidence is {confidence}, but must be from 0 to 1")
        return self.ppf(half), self.isf(half)

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> Any:
        """Draws: scale·√a·z for a chi-squared a with d degrees of freedom and a standard normal z.

        size is the shape of the result, with which d and scale are broadcast; by default their own. random_state is a
        seed, a numpy.random.Generator or RandomState, or None for fresh numbers.
        """
        is_generator = isinstance(random_state, (np.random.Generator, np.random.RandomState))  # pylint: disable=no-member
        source = random_state if is_generator else np.random.default_rng(random_state)
        size = self.d.shape or None if size is None else size
        return np.sqrt(source.chisquare(self.d, size)) * source.standard_normal(size) * self.scale


@in_default_environment
def _of_keys(function: Any, keys: Real, stddev: Real) -> Any:
    with np.errstate(all="ignore"):  # NumPy would warn of flags that the integrals raise on the way
        values: NDArray[np.float64] = np.vectorize(function, otypes=[np.float64])(keys, stddev)
    return values if values.ndim else float(values)


def mean_squared_weights(keys: Real, stddev: Real) -> Any:
    """E Σp² of softmax over independent normal scores: the chance that two positions drawn by the weights are one.

    keys from 1 to 1e30, stddev, the standard deviation of a score, from 0.5 to 64.
    """
    return _of_keys(_core.mean_squared_weights, keys, stddev)


def effective_keys(keys: Real, stddev: Real) -> Any:
    """e to the mean entropy of the weights: over how many keys they spread. Arguments as of mean_squared_weights."""
    return _of_keys(_core.effective_positions, keys, stddev)


def critical_dimension(keys: Real) -> Any:
    """2 ln n: the head dimension from which on raw scores of n keys, more than 1, condense on a few of them."""
    return _of_keys(lambda n, _: _core.critical_stddev(n) ** 2, keys, 1)
