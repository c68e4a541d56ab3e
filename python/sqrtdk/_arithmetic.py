# SPDX-License-Identifier: BSL-1.0
"""What a kernel computes with, as far as a bound on its error depends on it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

import sqrtdk._core as _core
from sqrtdk._arrays import DIGITS, FORMATS


@dataclass(frozen=True)
class Arithmetic:
    """What is declared of a kernel. The more that is, the sharper is the bound.

    Without a declaration nothing is held against a kernel that does what good kernels do: sums in any
    order, one pass that rescales, subnormal numbers taken for 0, e^x by 2^(x log₂ e), a product with a
    reciprocal, scores divided by the temperature first, x - log-sum-exp, the root of the scale in queries and
    in keys, weights rounded to the format of the values. What is assumed is that it computes in single
    precision at least, or in the format of its arguments if that is wider, with an exponential off by one
    unit in the last place at most.

    computed        the format that is computed in; None for the widest of float32 and the arguments
    sums            'any order', or the length of the blocks that are added one after the other, whose sums
                    are added by halves: 8 for the book's, 17 for NumPy's along the last axis
    rescalings      how often a term is rescaled at most, 0 if the maximum is found first; None if unknown
    flushing        whether subnormal numbers may be taken for 0
    exp2_folded     whether e^x may be computed as 2^(x log₂ e), after the difference was taken
    reciprocal      whether the reciprocals of the sum and of the temperature may be multiplied with
    scaled_first    whether scores may be divided by the temperature, and rounded, before the maximum is subtracted
    scale_folded    whether queries and keys may each be multiplied by the root of attention's scale
    sum_first       whether the logarithm of a weight may be x - (m + ln S), with a rounded log-sum-exp
    exp_ulps        how many units in the last place the exponential is off at most
    stored_weights  the format that attention weights are rounded to before they meet the values; 'values' for
                    that of the values; None if they are not; also 'e4m3' and 'e5m2'

    What follows is not assumed of any kernel; the chapter 'kernels' of the book has what each costs.

    kernel          the name of a kernel in use, by named(); then only empty words above are looked at
    products        how products are added: 'any order', a number of lanes that take turns, or b and F of a tensor core,
                    and F' if its results have other than 23 bits after the leading one
    rounded_inputs  the format that q, k and v are rounded to before they are multiplied, such as 'tf32'
    stored_scores   the format that scores are rounded to after the products, the scale and the mask
    rounded_products  how many products with log2 e are rounded before their difference is taken: 0, 1 or 2
    exp_slope       how many units more the exponential is off for each unit of its argument
    exp_cut         below minus which argument the exponential is 0; None if it is nowhere
    tile            how many keys are taken in before sum and output are rescaled; None if no output is carried
    lag             by how many powers of two a maximum may be behind
    weight_offset   g, if 2^g times the weights are stored
    sum_of_stored   whether the sum is that of the stored weights
    by_log_sum_exp  whether weights are e^(x - lse), not divided by their sum: False, True, or 'gradients'
    """

    computed: str | None = None
    sums: str | int = "any order"
    rescalings: int | None = None
    flushing: bool = True
    exp2_folded: bool = True
    reciprocal: bool = True
    scaled_first: bool = True
    scale_folded: bool = True
    sum_first: bool = True
    exp_ulps: float = 1
    stored_weights: str | None = "values"
    kernel: str | None = None
    products: str | int | tuple[int, ...] = "any order"
    rounded_inputs: str | None = None
    stored_scores: str | None = None
    rounded_products: int = 0
    exp_slope: float = 0
    exp_cut: float | None = None
    tile: int | None = None
    lag: int = 0
    weight_offset: int = 0
    sum_of_stored: bool = False
    by_log_sum_exp: bool | str = False

    @classmethod
    def named(cls, kernel: str) -> Arithmetic:
        """The arithmetic of a kernel in use, such as 'flash-attention-2'; sqrtdk::kernel_profiles() in the book.

        It decides if each of its constants is documented or better; otherwise what is outside of a bound only warns,
        with NotDecided. Raises ValueError, with all names, for one that is not known.
        """
        _core.kernel_decides(kernel)
        return cls(kernel=kernel, computed="float16" if kernel == "xnnpack-f16" else "float32")

    @property
    def decides(self) -> bool:
        """Whether a result outside of its bound is wrong."""
        return self.kernel is None or bool(_core.kernel_decides(self.kernel))

    def __post_init__(self) -> None:
        if self.computed not in (None, *FORMATS):
            raise ValueError(f"computed is {self.computed!r}, but must be one of {', '.join(FORMATS)}, or None")
        if self.sums != "any order" and not (_is_whole(self.sums) and self.sums >= 1):
            raise ValueError(f"sums is {self.sums!r}, but must be 'any order', or the length of a block, at least 1")
        if self.rescalings is not None and not (_is_whole(self.rescalings) and self.rescalings >= 0):
            raise ValueError(f"rescalings is {self.rescalings}, but must be a whole number, at least 0, or None")
        if not self.exp_ulps > 0 or math.isinf(self.exp_ulps):
            raise ValueError(f"exp_ulps is {self.exp_ulps}, but must be greater than 0 and finite")
        for name, more in (("stored_weights", ("values", *EIGHT_BITS)), ("stored_scores", EIGHT_BITS),
                           ("rounded_inputs", ("tf32", *EIGHT_BITS))):
            if getattr(self, name) not in (None, *FORMATS, *more):
                raise ValueError(f"{name} is {getattr(self, name)!r}, but must be one of {', '.join(FORMATS + more)}, "
                                 "or None")
        if self.products != "any order" and not (_is_whole(self.products) and self.products >= 1):
            core = self.products if isinstance(self.products, tuple) else ()
            if not (len(core) in (2, 3) and all(_is_whole(part) and part >= 1 for part in core)):
                raise ValueError(f"products is {self.products!r}, but must be 'any order', a number of lanes, or two or "
                                 "three numbers of a tensor core")
        for name, least, most in (("rounded_products", 0, 2), ("lag", 0, 63), ("weight_offset", 0, 63)):
            if not (_is_whole(getattr(self, name)) and least <= getattr(self, name) <= most):
                raise ValueError(f"{name} is {getattr(self, name)!r}, but must be a whole number from {least} to {most}")
        if self.tile is not None and not (_is_whole(self.tile) and self.tile >= 1):
            raise ValueError(f"tile is {self.tile!r}, but must be a whole number, at least 1, or None")
        if not 0 <= self.exp_slope < math.inf:
            raise ValueError(f"exp_slope is {self.exp_slope}, but must be at least 0 and finite")
        if self.exp_cut is not None and not self.exp_cut > 0:
            raise ValueError(f"exp_cut is {self.exp_cut}, but must be greater than 0, or None")
        if self.by_log_sum_exp not in (False, True, "gradients"):
            raise ValueError(f"by_log_sum_exp is {self.by_log_sum_exp!r}, but must be False, True or 'gradients'")

    def but(self, **declared: Any) -> Arithmetic:
        """The same with something else declared."""
        return dataclasses.replace(self, **declared)

    def computed_for(self, *arguments: str) -> str:
        """The format that is computed in for arguments of these formats."""
        return self.computed or max("float32", *arguments, key=DIGITS.__getitem__)


EIGHT_BITS = ("e4m3", "e5m2")
"""Formats that weights and scores are stored in, and arrays are not."""
_DIGITS = DIGITS | {"tf32": 10, "e4m3": 4, "e5m2": 3}


def _is_whole(number: Any) -> TypeGuard[int]:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def _is_power_of_two(number: float) -> bool:
    return math.frexp(number)[0] == 0.5


def strict(**declared: Any) -> Arithmetic:
    """A kernel that does as the book's own: sums by halves, a maximum that is found first, a division, no flushing.

    Keyword arguments are those of Arithmetic.
    """
    return Arithmetic(sums=8, rescalings=0, flushing=False, exp2_folded=False, reciprocal=False, scaled_first=False,
                      scale_folded=False, sum_first=False, stored_weights=None).but(**declared)


def resolved(declared: Arithmetic, terms: int, computed: str, stored: str, magnification: float = 1,
             values: str | None = None, rounded_temperature: bool = False, temperature: float = 1,
             largest: float = 0, logarithm: bool = False) -> _core.Arithmetic:
    """The arithmetic of one call, by the members of SoftmaxArithmetic.

    terms is how many terms its longest sum of weights has, computed and stored are the formats of computing and of the
    result, magnification is that of flushing(), values is the format of attention's values, temperature is τ, and
    largest is the largest |x/τ|.
    """
    if stored not in FORMATS:
        raise ValueError(f"the format of a result is {stored!r}, but must be one of {', '.join(FORMATS)}")
    if declared.kernel:
        arithmetic = _core.kernel(declared.kernel, values or stored).magnified(magnification)
        arithmetic.exp_argument_error += rounded_temperature
        return arithmetic.stored_in(stored) if DIGITS[stored] < DIGITS[computed] else arithmetic
    arithmetic = _core.computed_in(computed)
    if declared.sums == "any order":
        arithmetic = arithmetic.any_order()
    else:
        arithmetic = arithmetic.blocks(int(declared.sums))
    rescalings = max(terms - 1, 0) if declared.rescalings is None else declared.rescalings
    arithmetic = arithmetic.one_pass(rescalings)
    arithmetic = arithmetic.fast_exp(max(1, 2 * declared.exp_ulps), 2 * declared.exp_slope)
    arithmetic.exp_error += _of_rounded_scores(
        declared, arithmetic, terms, largest, temperature, logarithm)
    if declared.exp2_folded:
        arithmetic = arithmetic.exp2_folded()
    if rounded_temperature:
        arithmetic.exp_argument_error += 1
    if declared.scale_folded:
        arithmetic = arithmetic.scale_folded()
    if declared.reciprocal:
        arithmetic = arithmetic.by_reciprocal()
        arithmetic.exp_argument_error += not _is_power_of_two(temperature)
    if DIGITS[stored] < DIGITS[computed]:
        arithmetic = arithmetic.stored_in(stored)
    weights = values if declared.stored_weights == "values" else declared.stored_weights
    if weights and _DIGITS[weights] < DIGITS[computed]:
        arithmetic = arithmetic.stored_weights(weights, declared.weight_offset)
    arithmetic = _of_kernels(declared, arithmetic, values or stored)
    if declared.flushing:
        arithmetic = arithmetic.flushing(magnification)
    return arithmetic


def _of_kernels(declared: Arithmetic, arithmetic: _core.Arithmetic, factors: str) -> _core.Arithmetic:
    """What is not assumed of any kernel; factors is the format of what is multiplied."""
    if declared.products != "any order":
        how = declared.products if isinstance(declared.products, tuple) else (int(declared.products),)
        how = (*how, 23) if len(how) == 2 else how
        arithmetic = arithmetic.products_by([int(part) for part in how], declared.rounded_inputs or factors)
    if declared.rounded_inputs:
        arithmetic = arithmetic.rounded_inputs(declared.rounded_inputs)
    if declared.stored_scores:
        arithmetic = arithmetic.stored_scores(declared.stored_scores, 3)
    if declared.rounded_products:
        arithmetic = arithmetic.exp2_of_products(declared.rounded_products)
    if declared.exp_cut is not None:
        arithmetic = arithmetic.cut_off(declared.exp_cut)
    if declared.tile is not None:
        arithmetic = arithmetic.tiled(declared.tile)
    if declared.lag:
        arithmetic = arithmetic.lazy_rescaling(declared.lag)
    if declared.sum_of_stored:
        arithmetic = arithmetic.sum_of_stored()
    if declared.by_log_sum_exp == "gradients":
        arithmetic = arithmetic.gradients_by_log_sum_exp()
    elif declared.by_log_sum_exp:
        arithmetic = arithmetic.by_log_sum_exp()
    return arithmetic


def _of_rounded_scores(declared: Arithmetic, arithmetic: _core.Arithmetic, terms: int, largest: float,
                       temperature: float, logarithm: bool) -> float:
    """What rounded scores, or a rounded log-sum-exp, do to a result, as an error of the exponential.

    Scores that are off by E change a weight by the part e^(2E) - 1 at most (claim WeightsOfRoundedScores, 1), and its
    logarithm by 2E; an error A of the exponential is charged 2Au in a weight, and Au in the logarithm of the sum. The
    hundredth more is for the bound itself, which is taken at the scores as they are.
    """
    error, u = 0.0, arithmetic.unit_roundoff
    if declared.scaled_first and temperature != 1:
        # A quotient has one rounding; a product with the reciprocal two, and that may be lost.
        rounded = 0.0 if _is_power_of_two(temperature) else 2 * u if declared.reciprocal else u
        if declared.reciprocal and declared.flushing and 1 / temperature < arithmetic.smallest / (2 * u):
            rounded = 1
        if 2 * largest > arithmetic.largest:
            rounded = math.inf
        moved = math.expm1(min(2 * rounded * largest, 700))
        error += 1.01 * moved / (u if logarithm else 2 * u)
    if declared.sum_first and logarithm:
        error += 1.01 * (largest + math.log(max(terms, 1)))
    return error
