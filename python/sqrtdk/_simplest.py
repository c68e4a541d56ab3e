# SPDX-License-Identifier: BSL-1.0
"""A failing case made simpler, where Hypothesis did not draw it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sqrtdk.strategies import AttentionCase

PATIENCE = 400
"""The most simpler cases to try."""


def simplest_of(case: Any, fails: Callable[[Any], bool]) -> Any:
    """The first simpler case that fails, again and again."""
    tried = 0
    found = True
    while found:
        found = False
        for simpler in _simpler_case(case) if isinstance(case, AttentionCase) else _simpler_row(case):
            tried += 1
            if tried > PATIENCE:
                return case
            if fails(simpler):
                case, found = simpler, True
                break
    return case


def _parts(size: int) -> Iterator[slice]:
    """Halves, quarters, … of a size, the last first."""
    length = size // 2
    while length:
        for start in range(size - length, -1, -length):
            yield slice(start, start + length)
            if length < size // 16:
                break  # small parts at the end alone
        length //= 2


def _simpler_row(x: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for part in _parts(len(x)):
        fewer = np.delete(x, part)
        if (fewer > -np.inf).any():
            yield fewer
    yield from _simpler_numbers(x)


def _simpler_numbers(x: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The same with 0, or whole numbers, for some entries."""
    flat = x.ravel()
    for part in (slice(None), *_parts(flat.size)):
        some = flat[part].astype(np.float64)
        for simple in (np.zeros_like(some), np.minimum(np.abs(some), 1) > 0, np.rint(some)):
            other = flat.copy()
            other[part] = simple
            if (other != flat).any():
                yield other.reshape(x.shape)


def _simpler_case(case: AttentionCase) -> Iterator[AttentionCase]:
    if case.mask is not None:
        yield replace(case, mask=None)
    if case.is_causal:
        yield replace(case, is_causal=False)
    if case.scale is not None:
        yield replace(case, scale=None)
    (n, d), (m, d_v) = case.q.shape, case.v.shape
    of_mask = None if case.mask is None else np.broadcast_to(case.mask, (n, m))
    for part in _parts(n):
        yield replace(case, q=np.delete(case.q, part, 0), grad_out=np.delete(case.grad_out, part, 0),
                      mask=None if of_mask is None else np.delete(of_mask, part, 0))
    for part in _parts(m):
        yield replace(case, k=np.delete(case.k, part, 0), v=np.delete(case.v, part, 0),
                      mask=None if of_mask is None else np.delete(of_mask, part, 1))
    for part in _parts(d):
        yield replace(case, q=np.delete(case.q, part, 1), k=np.delete(case.k, part, 1))
    for part in _parts(d_v):
        yield replace(case, v=np.delete(case.v, part, 1), grad_out=np.delete(case.grad_out, part, 1))
    for name in ("k", "q", "v", "grad_out"):
        for other in _simpler_numbers(getattr(case, name)):
            yield replace(case, **{name: other})
