# SPDX-License-Identifier: BSL-1.0
"""Hypothesis strategies for what softmax and attention are asked: numbers, lengths and masks where kernels break.

A list of scores is a pattern with a few entries changed. So a case of hundreds of numbers is drawn in microseconds, and
shrinks to a short list of zeros with the one entry that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arrays import dtype_of

LENGTHS = (1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130)
"""Around the widths of vectors and the lengths of blocks."""
DEEPEST = {"float16": 17, "bfloat16": 92, "float32": 103, "float64": 745}
"""The distance below the greatest score at which the exponential of another is subnormal or lost."""
LARGEST = {"float16": 6e4, "bfloat16": 3e38, "float32": 3e38, "float64": 1e308}
TEMPERATURES = dict.fromkeys(DEEPEST, (1.0, 2.0, 0.5, 8.0, 0.125, 3.0, 0.75, 2.0 ** -10, 2.0 ** 10))
"""By format; each holds all of these."""
MOST = 512
"""The longest list that shrinking meets without losing patience."""

Drawn = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class AttentionCase:
    """One call of attention; fields are the arguments of assert_attention."""

    q: NDArray[Any]
    k: NDArray[Any]
    v: NDArray[Any]
    grad_out: NDArray[Any]
    mask: NDArray[Any] | None = None
    is_causal: bool | str = False
    scale: float | None = None

    def __repr__(self) -> str:
        given = [f"{name}={shown(array)}" for name, array in (("q", self.q), ("k", self.k), ("v", self.v))]
        if self.mask is not None:
            given.append(f"mask={shown(self.mask)}")
        if self.is_causal:
            given.append(f"is_causal={self.is_causal!r}")
        if self.scale is not None:
            given.append(f"scale={self.scale!r}")
        return "AttentionCase(" + ",\n  ".join(given) + ")"


def shown(x: NDArray[Any], most: int = 64) -> str:
    """An array as it is written, with its shape if it is too long for that."""
    written = x.astype(np.float64) if x.dtype.itemsize == 2 else x
    shape = f" of the shape {x.shape}" if x.size > most else ""
    return np.array2string(written, separator=", ", threshold=most) + shape


def _pattern(draw: Drawn, size: int, dtype: str, largest: float) -> NDArray[np.float64]:
    """Some numbers of magnitude `largest` at most."""
    kind = draw(st.sampled_from(("equal", "random", "ramp", "signs", "one-hot")))
    if kind == "equal":
        numbers = np.zeros(size)
    elif kind == "random":
        numbers = np.random.default_rng(draw(st.integers(0, 9999))).standard_normal(size)
    elif kind == "ramp":
        numbers = np.linspace(0, -1, size)
    elif kind == "signs":
        numbers = np.where(np.arange(size) % 2, -1.0, 1.0)
    else:
        numbers = np.zeros(size)
        numbers[draw(st.integers(0, size - 1))] = 1
    numbers = numbers * draw(st.sampled_from((1.0, 0.5, 4.0, 16.0, DEEPEST[dtype] * .98, DEEPEST[dtype] * 2.0)))
    for place, entry in draw(st.lists(st.tuples(st.integers(0, size - 1), st.floats(-20, 20, width=16)), max_size=3)):
        numbers[place] = entry
    return np.clip(numbers, -largest, largest)


def _sizes(most: int) -> st.SearchStrategy[int]:
    """Sizes up to the largest: those where kernels break, one less than a power of two to one more, and any."""
    around = [1 << bits for bits in range(8, most.bit_length() + 1)]
    ends = {end for power in around for end in (power - 1, power, power + 1)}
    known = sorted({size for size in (*LENGTHS, *ends, most) if size <= most})
    return st.sampled_from(known) | st.integers(1, most) if most > LENGTHS[-1] else st.sampled_from(known)


@st.composite
def scores(draw: Drawn, dtype: str = "float32", *, longest: int = 130, masked: bool = True,
           largest: float | None = None) -> NDArray[Any]:
    """Rows of scores: of lengths around blocks; equal, random, far apart, shifted far, a few masked by -inf, never all.

    dtype   float16, bfloat16 (with ml_dtypes), float32 or float64
    longest the longest row, from 1 to 512
    masked  whether -inf occurs
    largest the largest magnitude of an entry; without it, up to the largest of the format
    """
    if not 1 <= longest <= MOST:
        raise ValueError(f"longest is {longest}, but must be from 1 to {MOST}")
    n = draw(_sizes(longest))
    bound = float(LARGEST[dtype] if largest is None else largest)
    row = _pattern(draw, n, dtype, bound)
    offsets = (0.0, 1.0, -100.0, 3000.0, -(2.0 ** 15), bound / 2, -bound / 2)
    row = np.clip(row + draw(st.sampled_from([offset for offset in offsets if abs(offset) <= bound])), -bound, bound)
    if masked:
        for place in draw(st.lists(st.integers(0, n - 1), max_size=3)) if draw(st.booleans()) else ():
            if np.isfinite(row).sum() > 1:
                row[place] = -np.inf
    return row.astype(dtype_of(dtype))


def temperatures(dtype: str = "float32") -> st.SearchStrategy[float]:
    """Temperatures that the format holds: 1 or moderate more often than not, else small or large."""
    return st.sampled_from(TEMPERATURES[dtype])


@st.composite
def attention_cases(draw: Drawn, dtype: str = "float32", *, queries: int = 9, keys: int = 130, features: int = 65,
                    same_widths: bool = False, largest: float = 16, masks: bool = True,
                    causal: tuple[bool | str, ...] = (False, True),
                    scales: tuple[float | None, ...] = (None, 1.0, 0.5, 3.0, -1.0, 0.0)) -> AttentionCase:
    """Calls of attention: shapes around blocks; values that are all 1, one-hot or of one sign; masks of all kinds.

    queries, keys, features  the most of each
    same_widths              whether values are as wide as queries and keys
    largest                  the largest magnitude of an entry
    masks                    whether masks of bool and of numbers occur, with keys that no query sees, queries that see
                             none, and queries that see a single one
    causal                   which causal masks occur: True for one that check(is_causal=…) aligns
    scales                   which scales occur; None for 1/√d
    """
    n, m, d = draw(_sizes(queries)), draw(_sizes(keys)), draw(_sizes(features))
    d_v = d if same_widths else draw(_sizes(draw(st.sampled_from((min(features, 5), features)))))
    cast = dtype_of(dtype)

    def array(rows: int, columns: int) -> NDArray[Any]:
        return _pattern(draw, rows * columns, dtype, largest).reshape(rows, columns).astype(cast)

    q, k = array(n, d), array(m, d)
    # A key at the end of a block that one query looks at: what is lost there is seen.
    ends = sorted({0, m - 1, *(end for end in (31, 32, 63, 64, 127, 128) if end < m)}, reverse=True)
    looked_at = draw(st.sampled_from((None, *ends)))
    if looked_at is not None:
        size_of = np.abs(q[0].astype(np.float64)).max() or 1
        k[looked_at] = (q[0].astype(np.float64) / size_of * min(largest, 4)).astype(cast)
    v = np.ones((m, d_v), cast) if draw(st.integers(0, 4)) == 4 else array(m, d_v)
    mask = draw(_masks(n, m, "float64" if dtype == "float64" else "float32")) if masks else None
    return AttentionCase(q, k, v, array(n, d_v), mask, draw(st.sampled_from(causal)), draw(st.sampled_from(scales)))


@st.composite
def _masks(draw: Drawn, n: int, m: int, added: str) -> NDArray[Any] | None:
    kind = draw(st.sampled_from(("none", "some", "last key", "a query without keys", "one key", "added")))
    allowed = np.ones((n, m), bool)
    if kind == "none":
        return None
    if kind in ("some", "added"):
        allowed = np.random.default_rng(draw(st.integers(0, 999))).random((n, m)) < .7
    elif kind == "last key":
        allowed[:, -1] = False
    elif kind == "a query without keys":
        allowed[draw(st.integers(0, n - 1))] = False
    else:
        allowed[:] = False
        allowed[:, draw(st.integers(0, m - 1))] = True
    if kind != "added":
        return allowed
    # Numbers that differ along a row: softmax does not see those that do not.
    numbers = np.cos(np.arange(n * m)).reshape(n, m) * draw(st.sampled_from((1.0, 0.0, -8.0)))
    return np.where(allowed, numbers, -np.inf).astype(added)


def fixed_scores(dtype: str = "float32", *, longest: int = 1025) -> list[NDArray[Any]]:
    """Rows that no campaign leaves to chance, the same as for kernels in C++ and C: each length up to 130, others
    around powers of two up to the longest; ties, the greatest at each place of a tile, masks, scores far apart or far
    from 0."""
    largest, cast = LARGEST[dtype], dtype_of(dtype)
    return [np.clip(row, -np.inf, largest).astype(cast) for row in map(np.array, _core.fixed_rows(dtype, longest))]


def fixed_attention_cases(dtype: str = "float32", *, queries: int = 385, keys: int = 1025, features: int = 256,
                          values: int = 256, seed: int = 0) -> Iterator[AttentionCase]:
    """Calls that no campaign leaves to chance, the same as for kernels in C++ and C: each size up to 130 once, and
    larger ones up to these by seed; the key that matters at each place of a tile, rows whose scores are far from 0,
    ties, masked tiles, masks of each kind, numbers at the ends of the format. Sinks are left out."""
    cast, added = dtype_of(dtype), "float64" if dtype == "float64" else "float32"
    for q, k, v, grad_out, allowed, bias, causal, scale, sink in _core.fixed_attention_cases(
            dtype, queries, keys, features, values, seed):
        mask = None if allowed is None else np.array(allowed, bool)
        if bias is not None:
            mask = (bias if mask is None else np.where(mask, bias, -np.inf)).astype(added)
        if sink is None:
            arrays = [array.astype(cast) for array in (q, k, v, grad_out)]
            yield AttentionCase(arrays[0], arrays[1], arrays[2], arrays[3], mask,
                                (False, "top_left", "bottom_right")[causal], scale)
