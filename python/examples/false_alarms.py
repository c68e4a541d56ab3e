# SPDX-License-Identifier: BSL-1.0
"""No right kernel is condemned: kernels that are right, each with what it declares, on many random cases.

    python false_alarms.py [CASES [NAME…]]     cases for each, 1000 if not said; only those whose name has one of NAME

Cases are drawn by NumPy and not by Hypothesis, which takes twenty times as long as a comparison. Prints, for each, how
many cases were compared, how many of them said nothing, and the largest part of a bound that was used; the first false
alarm ends it.
"""

from __future__ import annotations

import functools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sqrtdk
from sqrtdk import Arithmetic, Report, strict
from sqrtdk.strategies import DEEPEST, LENGTHS

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import kernels  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

ANY = strict(sums="any order")
Rng = np.random.Generator


def pattern(rng: Rng, size: int, dtype: str) -> Any:
    """Numbers of one of the kinds that sqrtdk.strategies has."""
    kinds = (np.zeros, np.ones, rng.standard_normal, rng.standard_normal, rng.standard_normal,
             lambda n: np.linspace(0, -1, n), lambda n: np.where(np.arange(n) % 2, -1.0, 1.0))
    numbers: Any = kinds[rng.integers(len(kinds))](size)
    numbers = numbers * rng.choice((1, .5, 4, 16, DEEPEST[dtype] * .98, DEEPEST[dtype] * 2, 1e-3))
    places = rng.integers(0, size, 3)
    if rng.random() < .3:
        numbers[places] = rng.choice((0, -20, 20, *rng.normal(scale=9, size=3)), 3)
    return numbers


def rows(rng: Rng, dtype: str) -> Any:
    """Scores, a few of them masked or shifted far."""
    x = pattern(rng, int(rng.choice(LENGTHS)), dtype) + rng.choice((0, 0, 0, 1, -100, 3000, -(2.0 ** 15)))
    if rng.random() < .2:
        x[rng.integers(1, len(x) + 1):] = -np.inf
    return x.astype(sqrtdk._arrays.dtype_of(dtype))  # pylint: disable=protected-access


def softmax(kernel: Callable[..., Any], declared: Arithmetic, dtype: str, rng: Rng) -> Report:
    """One case of a softmax."""
    x = rows(rng, dtype)
    tau = float(rng.choice((1, 1, 2, .5, 3, .75, 2.0 ** -10, 2.0 ** 10)))
    return sqrtdk.assert_softmax(kernel(x, tau), x, temperature=tau, arithmetic=declared)


def attention_case(dtype: str, rng: Rng) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of attention: shapes around blocks, masks of both kinds, scales."""
    n, m, d, width = (int(rng.choice([size for size in LENGTHS if size <= most])) for most in (5, 130, 65, 5))
    arrays = [np.clip(pattern(rng, of * by, dtype), -16, 16).reshape(of, by).astype(
        sqrtdk._arrays.dtype_of(dtype)) for of, by in ((n, d), (m, d), (m, width), (n, width))]  # pylint: disable=protected-access
    mask = None
    if (kind := rng.integers(4)) > 1:
        mask = rng.random((n, m)) < rng.choice((.1, .7))
        mask = mask if kind == 2 else np.where(mask, rng.choice((0, 1, -3)), -np.inf).astype(np.float32)
    scale = (None, None, 1.0, .3, -1.0, 0.0)[rng.integers(6)]
    return arrays, {"mask": mask, "is_causal": bool(rng.random() < .2), "scale": scale}


def attention(kernel: Callable[..., Any], declared: Arithmetic, dtype: str, rng: Rng) -> Report:
    """One case of attention."""
    (q, k, v, _), options = attention_case(dtype, rng)
    return sqrtdk.assert_attention(kernel(q, k, v, **options), q, k, v, arithmetic=declared, **options)


def gradients(declared: Arithmetic, rng: Rng) -> Report:
    """One case of the derivatives of attention."""
    arrays, options = attention_case("float32", rng)
    return sqrtdk.assert_attention_gradients(*kernels.gradients(*arrays, **options), *arrays, arithmetic=declared,
                                             **options)


def narrow(kernel: Callable[..., Any], dtype: str) -> Callable[..., Any]:
    """A kernel of float32 with arguments and results of a narrower format."""
    of = sqrtdk._arrays.dtype_of(dtype)  # pylint: disable=protected-access

    def narrowed(*arrays: Any, **options: Any) -> Any:
        return kernel(*(x.astype(np.float32) if hasattr(x, "astype") else x for x in arrays), **options).astype(of)

    return narrowed


def stored_weights(dtype: str) -> Callable[..., Any]:
    """Attention whose weights are rounded before they meet the values."""
    of = sqrtdk._arrays.dtype_of(dtype)  # pylint: disable=protected-access

    def kernel(q: Any, k: Any, v: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
        p = kernels.weights_of(kernels.scores_of(q, k, mask, is_causal, scale))
        return p.astype(of).astype(np.float32) @ v

    return kernel


def all_of_them() -> Iterator[tuple[str, Callable[[Rng], Report]]]:
    """Right kernels and what they declare."""
    for name, kernel in kernels.RIGHT.items():
        yield f"softmax {name}, nothing declared", functools.partial(softmax, kernel, Arithmetic(), "float32")
    declared = {"softmax": strict(sums=17), "sequential": ANY.but(reciprocal=True), "online": ANY.but(rescalings=9),
                "exp2": strict(sums=17, exp2_folded=True), "flushing": strict(sums=17, flushing=True)}
    for name, by in declared.items():
        yield f"softmax {name}, declared", functools.partial(softmax, kernels.RIGHT[name], by, "float32")
    yield "softmax of float64", functools.partial(softmax, kernels.softmax, strict(sums=17), "float64")
    for dtype in ("float16", "bfloat16"):
        yield f"softmax of {dtype}", functools.partial(softmax, narrow(kernels.softmax, dtype), strict(sums=17), dtype)
    for name, kernel in kernels.RIGHT_ATTENTION.items():
        yield f"attention {name}, nothing declared", functools.partial(attention, kernel, Arithmetic(), "float32")
    for name, by in {"attention": ANY, "flash": ANY.but(rescalings=5), "folded": ANY}.items():
        yield f"attention {name}, declared", functools.partial(attention, kernels.RIGHT_ATTENTION[name], by, "float32")
    yield "gradients, nothing declared", functools.partial(gradients, Arithmetic())
    yield "gradients, declared", functools.partial(gradients, ANY)
    for dtype in ("float16", "bfloat16"):
        yield f"attention of {dtype}", functools.partial(attention, narrow(kernels.attention, dtype), Arithmetic(),
                                                         dtype)
        yield f"attention with weights in {dtype}", functools.partial(attention, stored_weights(dtype),
                                                                      ANY.but(stored_weights=dtype), "float32")


def main() -> None:
    """Hold each to its bounds."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    np.seterr(all="ignore")
    warnings.simplefilter("ignore", sqrtdk.SaysNothing)
    for name, one in all_of_them():
        if len(sys.argv) > 2 and not any(part in name for part in sys.argv[2:]):
            continue
        rng, start = np.random.default_rng(1), time.time()
        silent, worst = 0, 0.0
        for _ in range(cases):
            report = one(rng)
            silent += report.unbounded == report.entries
            worst = max(worst, report.ratio)
        print(f"{name:<40} {cases} cases, {silent} silent, {worst:.3f} of a bound, {time.time() - start:.0f} s",
              flush=True)


if __name__ == "__main__":
    main()
