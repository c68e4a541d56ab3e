# SPDX-License-Identifier: BSL-1.0
"""Numbers of the book: the exact distribution of a score, and what softmax makes of normal scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._environment import in_default_environment

Real = Any
"""A number, or an array of any shape."""


class score_distribution:  # pylint: disable=invalid-name
    """The exact distribution of q·k for independent standard normal q and k in d dimensions.

    The methods are those of a frozen distribution of SciPy; they take numbers and arrays. Their precision is measured
    in the book, claim ScorePrecision: a few units in the last place, in the tails as well.

    Raises ValueError unless d is positive and finite.
    """

    def __init__(self, d: float) -> None:
        if not 0 < d < math.inf:
            raise ValueError(f"the dimension is {d}, but must be positive and finite")
        self.d = float(d)

    def __repr__(self) -> str:
        return f"score_distribution({self.d:g})"

    @in_default_environment
    def _of(self, name: str, x: Real) -> Any:
        numbers = np.asarray(x, np.float64)
        flat = np.ascontiguousarray(numbers).reshape(-1)
        values = _core.score_distribution(name, self.d, flat).reshape(numbers.shape)
        return values if values.ndim else float(values)

    @in_default_environment
    def _of_probability(self, name: str, q: Real) -> Any:
        numbers = np.asarray(q, np.float64)
        with np.errstate(invalid="ignore"):
            inside = (numbers >= 0) & (numbers <= 1)
        values = np.where(inside, self._of(name, np.where(inside, numbers, .5)), np.nan)
        return values if values.ndim else float(values)

    def pdf(self, x: Real) -> Any:
        """The density; infinite at 0 for d at most 1."""
        return self._of("pdf", x)

    def logpdf(self, x: Real) -> Any:
        """Its logarithm."""
        return self._of("logpdf", x)

    def cdf(self, x: Real) -> Any:
        """P(q·k ≤ x)."""
        return self._of("cdf", x)

    def logcdf(self, x: Real) -> Any:
        """Its logarithm."""
        return self._of("logcdf", x)

    def sf(self, x: Real) -> Any:
        """P(q·k > x)."""
        return self._of("sf", x)

    def logsf(self, x: Real) -> Any:
        """Its logarithm."""
        return self._of("logsf", x)

    def ppf(self, q: Real) -> Any:
        """The point where cdf is q; NaN for q outside of 0 to 1."""
        return self._of_probability("ppf", q)

    def isf(self, q: Real) -> Any:
        """The point where sf is q; NaN for q outside of 0 to 1."""
        return self._of_probability("isf", q)

    def mean(self) -> float:
        """0."""
        return 0.0

    def median(self) -> float:
        """0."""
        return 0.0

    def var(self) -> float:
        """d."""
        return self.d

    def std(self) -> float:
        """√d."""
        return math.sqrt(self.d)

    def stats(self, moments: str = "mv") -> tuple[float, ...]:
        """Mean, variance, skewness and excess kurtosis, as far as 'mvsk' has their letters."""
        all_of = {"m": 0.0, "v": self.d, "s": 0.0, "k": 6 / self.d}
        return tuple(all_of[letter] for letter in "mvsk" if letter in moments)

    def entropy(self) -> float:
        """The differential entropy, in nats."""
        return float(_core.score_entropy(self.d))

    def support(self) -> tuple[float, float]:
        """All numbers."""
        return -math.inf, math.inf

    def interval(self, confidence: Real) -> tuple[Any, Any]:
        """The middle interval of this probability."""
        half = (1 - np.asarray(confidence, np.float64)) / 2
        return self.ppf(half), self.isf(half)

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: Any = None) -> Any:
        """Draws: √a·z for a chi-squared a with d degrees of freedom and a standard normal z.

        random_state is a seed, a numpy.random.Generator or RandomState, or None for fresh numbers.
        """
        is_generator = isinstance(random_state, (np.random.Generator, np.random.RandomState))  # pylint: disable=no-member
        source = random_state if is_generator else np.random.default_rng(random_state)
        return np.sqrt(source.chisquare(self.d, size)) * source.standard_normal(size)


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
