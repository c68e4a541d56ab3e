# SPDX-License-Identifier: BSL-1.0
"""The arithmetic of a kernel, as far as a bound on its error depends on it."""

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
    """The declared arithmetic of a kernel. The more is declared, the sharper the bound is.

    Without a declaration nothing is held against a kernel that does what good kernels do: sums in any order, one pass
    that rescales, subnormal numbers taken for 0, e^x by 2^(x log₂ e), a product with a reciprocal, scores divided by
    the temperature first, the root of the scale in queries and in keys, weights rounded to the format of the values. It
    is assumed to compute in single precision at least, or in the format of its arguments if that is wider, with an
    exponential off by one unit in the last place at most.

    computed        the format that is computed in; None for the widest of float32 and the arguments
    sums            'any order', or the length of the blocks that are added one after the other, whose sums
                    are added by halves: 8 for the book's, 17 for NumPy's along the last axis
    rescalings      how often a term is rescaled at most, 0 if the maximum is found first; None if unknown
    flushing        whether subnormal numbers may be taken for 0
    exp2_folded     whether e^x may be computed as 2^(x log₂ e), after the difference was taken
    reciprocal      whether the reciprocals of the sum and of the temperature may be multiplied with
    scaled_first    whether scores may be divided by the temperature, and rounded, before the maximum is subtracted
    scale_folded    whether queries and keys may each be multiplied by the root of attention's scale
    exp_ulps        how many units in the last place the exponential is off at most
    stored_weights  the format that attention weights are rounded to before they meet the values; 'values' for
                    that of the values; None if they are not; also 'e4m3' and 'e5m2'

    What follows is not assumed of any kernel; the chapter 'kernels' of the book has what each costs.

    sum_first       whether the logarithm of a weight may be x - (m + ln S), with a rounded log-sum-exp, which loses
                    digits where x is large
    kernel          the name of a kernel in use, by named(), which says all the rest
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
    sum_first: bool = False
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
        return cls(kernel=kernel, computed=_computed_by(kernel))

    @property
    def decides(self) -> bool:
        """True if a result outside of its bound is wrong."""
        return self.kernel is None or bool(_core.kernel_decides(self.kernel))

    def __post_init__(self) -> None:
        for word in dataclasses.fields(self) if self.kernel else ():
            said = {"kernel": self.kernel, "computed": _computed_by(self.kernel)}.get(word.name, word.default)
            self._require(word.name, getattr(self, word.name) == said,
                          f"left to Arithmetic.named({self.kernel!r}), which says it")
        for name, formats in (("computed", FORMATS), ("stored_weights", (*FORMATS, *EIGHT_BITS, "values")),
                              ("stored_scores", (*FORMATS, *EIGHT_BITS)),
                              ("rounded_inputs", (*FORMATS, *EIGHT_BITS, "tf32"))):
            self._require(name, getattr(self, name) in (None, *formats), f"one of {', '.join(formats)}, or None")
        self._require("sums", self.sums == "any order" or _is_whole(self.sums) and self.sums >= 1,
                      "'any order', or the length of a block, at least 1")
        core = self.products if isinstance(self.products, tuple) and len(self.products) in (2, 3) else [self.products]
        self._require("products", self.products == "any order" or all(_is_whole(n) and n >= 1 for n in core),
                      "'any order', a number of lanes, or two or three numbers of a tensor core")
        for name, least in (("rescalings", 0), ("tile", 1)):
            number = getattr(self, name)
            self._require(name, number is None or _is_whole(number) and number >= least,
                          f"a whole number, at least {least}, or None")
        for name, most in (("rounded_products", 2), ("lag", 63), ("weight_offset", 63)):
            number = getattr(self, name)
            self._require(name, _is_whole(number) and 0 <= number <= most, f"a whole number from 0 to {most}")
        self._require("exp_ulps", 0 < self.exp_ulps < math.inf, "greater than 0 and finite")
        self._require("exp_slope", 0 <= self.exp_slope < math.inf, "at least 0 and finite")
        self._require("exp_cut", self.exp_cut is None or self.exp_cut > 0, "greater than 0, or None")
        self._require("by_log_sum_exp", self.by_log_sum_exp in (False, True, "gradients"), "False, True or 'gradients'")

    def _require(self, name: str, holds: bool, rule: str) -> None:
        if not holds:
            raise ValueError(f"{name} is {getattr(self, name)!r}, but must be {rule}")

    def but(self, **declared: Any) -> Arithmetic:
        """The same with something else declared."""
        return dataclasses.replace(self, **declared)

    def computed_for(self, *arguments: str) -> str:
        """The format that is computed in for arguments of these formats."""
        return self.computed or max("float32", *arguments, key=DIGITS.__getitem__)


def _computed_by(kernel: str | None) -> str:
    return "float16" if kernel == "xnnpack-f16" else "float32"


EIGHT_BITS = ("e4m3", "e5m2")
"""Formats that weights and scores are stored in, and arrays are not."""
_DIGITS = DIGITS | {"tf32": 10, "e4m3": 4, "e5m2": 3}


def _is_whole(number: Any) -> TypeGuard[int]:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def _is_power_of_two(number: float) -> bool:
    return math.frexp(number)[0] == 0.5


def as_declared(arithmetic: Arithmetic | None) -> Arithmetic:
    """The arithmetic that was declared, or what is assumed without a declaration."""
    if arithmetic is not None and not isinstance(arithmetic, Arithmetic):
        raise TypeError(f"arithmetic is {arithmetic!r}, but must be a sqrtdk.Arithmetic")
    return arithmetic or Arithmetic()


def strict(**declared: Any) -> Arithmetic:
    """A kernel that does as the book's own: sums by halves, a maximum that is found first, a division, no flushing.

    Keyword arguments are those of Arithmetic.
    """
    return Arithmetic(sums=8, rescalings=0, flushing=False, exp2_folded=False, reciprocal=False, scaled_first=False,
                      scale_folded=False, stored_weights=None).but(**declared)


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
        arithmetic = _core.kernel(declared.kernel, values or stored, stored).magnified(magnification)
        arithmetic.exp_argument_error += rounded_temperature
        return arithmetic
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
    scores = declared.stored_scores
    narrower = declared if scores and _DIGITS[scores] < DIGITS[computed] else declared.but(stored_scores=None)
    arithmetic = _of_kernels(narrower, arithmetic, values or stored)
    if declared.flushing:
        arithmetic = arithmetic.flushing(magnification)
    return arithmetic


def _of_kernels(declared: Arithmetic, arithmetic: _core.Arithmetic, factors: str) -> _core.Arithmetic:
    """The arithmetic with what is not assumed of any kernel; factors is the format of what is multiplied."""
    if declared.products != "any order":
        core = declared.products if isinstance(declared.products, tuple) else (int(declared.products),)
        arithmetic = arithmetic.products_by([*core, *[23] * (len(core) == 2)], declared.rounded_inputs or factors)
    for said, name, arguments in (
            (declared.rounded_inputs, "rounded_inputs", (declared.rounded_inputs,)),
            (declared.stored_scores, "stored_scores", (declared.stored_scores, 3)),
            (declared.rounded_products, "exp2_of_products", (declared.rounded_products,)),
            (declared.exp_cut, "cut_off", (declared.exp_cut,)),
            (declared.tile, "tiled", (declared.tile,)),
            (declared.lag, "lazy_rescaling", (declared.lag,)),
            (declared.sum_of_stored, "sum_of_stored", ()),
            (declared.by_log_sum_exp == "gradients", "gradients_by_log_sum_exp", ()),
            (declared.by_log_sum_exp is True, "by_log_sum_exp", ())):
        if said:
            arithmetic = getattr(arithmetic, name)(*arguments)
    return arithmetic


def _of_rounded_scores(declared: Arithmetic, arithmetic: _core.Arithmetic, terms: int, largest: float,
                       temperature: float, logarithm: bool) -> float:
    """The effect of rounded scores, or of a rounded log-sum-exp, on a result, as an error of the exponential.

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
