# SPDX-License-Identifier: BSL-1.0
"""One call of attention: its arguments, checked, and parts of it as the compiled laws take them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arithmetic import Arithmetic, resolved
from sqrtdk._arrays import DIGITS, Numbers, OnDevice, as_bytes, numbers, require_held, rounded, together
from sqrtdk._hints import Head
from sqrtdk._rows import RandomRows, shown

Of = TypeVar("Of")
ALIGNMENTS = {False: 0, True: 1, "top_left": 1, "bottom_right": 2}
BLOCK = 1 << 19
"""About how many scores are held at once by one thread."""


@dataclass(frozen=True)
class Part:
    """Some queries of a head."""

    head: int
    rows: NDArray[np.intp]


class Call:
    """One call of attention: what it was given, and its heads as the compiled laws take them."""

    wide: str
    """The format that all is widened to."""
    format: str
    """The widest of the arguments."""
    batch: tuple[int, ...]

    def __init__(self, q: Any, k: Any, v: Any, mask: Any, is_causal: bool | str, scale: float | None, enable_gqa: bool,
                 mask_value: float | None, sink: Any = None) -> None:
        self.q, self.k, self.v = numbers(q, "q"), numbers(k, "k"), numbers(v, "v")
        for name, array in (("q", self.q), ("k", self.k), ("v", self.v)):
            if len(array.shape) < 2:
                raise ValueError(f"{name} has the shape {array.shape}, but needs an axis of rows and one of features")
        if is_causal not in ALIGNMENTS:
            raise ValueError(f"is_causal is {is_causal!r}, but must be True, False, 'top_left' or 'bottom_right'")
        if scale is not None and np.ndim(scale):
            raise TypeError(f"the scale is an array of the shape {np.shape(scale)}, but must be one number: hold each "
                            "head, or row, with its own")
        if scale is not None and not np.isfinite(scale):
            raise ValueError(f"the scale is {scale}, but must be finite")
        if mask_value is not None and not (np.isfinite(mask_value) and mask_value < 0):
            raise ValueError(f"mask_value is {mask_value}, but must be finite and below 0")
        self.queries, self.keys, self.values = self.q.shape[-2], self.k.shape[-2], self.v.shape[-1]
        self.grouped = {"k": self.k.shape, "v": self.v.shape}
        if enable_gqa:
            self.k, self.v = (self._repeated(array) for array in (self.k, self.v))
        arrays = (self.q, self.k, self.v)
        self.format = max((array.format for array in arrays), key=DIGITS.__getitem__)
        self.mask, self.added = _masks(mask, mask_value)
        self.bias = None if self.added is None else self.added.raw
        formats = [array.format for array in arrays]
        self.wide = together(*formats, *([] if self.bias is None else [self.bias.dtype.name]))
        shapes = [array.shape[:-2] for array in arrays]
        shapes += [part.shape[:-2] for part in (self.mask, self.bias) if part is not None]
        try:
            self.batch = np.broadcast_shapes(*shapes)
        except ValueError as error:
            raise ValueError(f"the leading axes {', '.join(map(str, shapes))} do not fit together") from error
        self.given_scale, self.causal = scale, ALIGNMENTS[is_causal]
        if self.k.shape[-1] != self.q.shape[-1]:
            raise ValueError(f"q has the shape {self.q.shape} and k {self.k.shape}, but their rows must be as long")
        if self.v.shape[-2] != self.keys:
            raise ValueError(f"k has the shape {self.k.shape} and v {self.v.shape}, but must have as many rows")
        self._masks = [None if part is None else _in_heads(part, self.batch, self.queries, self.keys)
                       for part in (self.mask, self.bias)]
        self.sink = None if sink is None else self._sinks(sink)
        self._rounds_sink = isinstance(sink, (int, float))  # as an argument that is no array
        if self.sink is not None and not self._rounds_sink:
            self.wide = together(self.wide, self.sink.format)

    def _sinks(self, sink: Any) -> Numbers:
        sinks = numbers(float(sink) if isinstance(sink, int) else sink, "the sink")
        try:
            np.broadcast_to(sinks.raw, self.batch)
        except ValueError as error:
            raise ValueError(f"the sink has the shape {sinks.shape}, but must be a number, or fit the leading axes "
                             f"{self.batch}: one for each head") from error
        if not np.isfinite(sinks.widened("float64")).all():
            raise ValueError(f"the sink is {sink}, but must be finite: where there is none, leave it out")
        return sinks

    def _repeated(self, array: Numbers) -> Numbers:
        if len(self.q.shape) < 3 or len(array.shape) < 3 or not array.shape[-3] or self.q.shape[-3] % array.shape[-3]:
            raise ValueError(f"q has the shape {self.q.shape} and k or v {array.shape}, but with enable_gqa the heads "
                             "of q, in axis -3, must be a multiple of theirs")
        times = self.q.shape[-3] // array.shape[-3]
        if isinstance(array, OnDevice):
            return array.repeated(times)
        return Numbers(np.repeat(array.raw, times, axis=-3), array.format)

    def widen(self, other: Numbers) -> None:
        """Compare in a format that has the numbers of another array as well; before the first comparison."""
        self.wide = together(self.wide, other.format)

    def join(self, cotangent: Numbers) -> Callable[[int], NDArray[Any]]:
        """The derivative of the loss by the output, of each head."""
        self.widen(cotangent)
        return self.in_heads(cotangent)

    def parts(self, rows: Any = None) -> list[Part]:
        """The queries that are asked for, all by default, in parts of about as many scores."""
        step = max(16, BLOCK // max(self.keys, 1))
        return [Part(head, some[i:i + step]) for head, some in self._chosen(rows) for i in range(0, len(some), step)]

    def _chosen(self, rows: Any) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Some queries, by head."""
        if isinstance(rows, RandomRows):
            drawn = rows.drawn(self.count * self.queries)
            for head in np.unique(drawn // max(self.queries, 1)):
                yield int(head), drawn[drawn // self.queries == head] % self.queries
            return
        if not (rows is None or isinstance(rows, slice) or isinstance(rows, (int, np.integer))
                and not isinstance(rows, bool) and -self.queries <= rows < self.queries):
            raise ValueError(f"rows is {rows!r}, but must be an index from {-self.queries} to {self.queries - 1}, a "
                             "slice, or sqrtdk.RandomRows")
        some = np.atleast_1d(np.arange(self.queries)[slice(None) if rows is None else rows])
        yield from ((head, some) for head in range(self.count))

    def whole(self, head: int) -> Part:
        """All queries of a head."""
        return Part(head, np.arange(self.queries))

    def _aligned(self, part: Part, causal: int | None = None) -> NDArray[np.bool_] | None:
        """The keys that a causal mask leaves, if there is one."""
        by = self.causal if causal is None else causal
        last = part.rows + (self.keys - self.queries if by == 2 else 0)
        return np.arange(self.keys) <= last[:, None] if by else None

    @property
    def count(self) -> int:
        """The number of heads."""
        return int(np.prod(self.batch, dtype=int))

    @property
    def all_keys(self) -> int:
        """The number of keys, with the sink."""
        return self.keys + (self.sink is not None)

    @property
    def scale(self) -> float:
        """The factor of scores; 1 without features."""
        return float(max(self.q.shape[-1], 1) ** -.5 if self.given_scale is None else self.given_scale)

    def head(self, part: Part) -> Head:
        """Some queries of a head in float64, for what may be done wrong with them."""
        q, k, v = (of(part.head) for of in self.heads)
        mask, aligned, bias = self._masked(part, "float64")
        return Head(q[part.rows], k, v, self.scale, mask, aligned, bias, self.sink is not None)

    @functools.cached_property
    def heads(self) -> list[Callable[[int], NDArray[Any]]]:
        """Functions of the number of a head: queries, and keys and values, with those of a sink as the last."""
        q, *of_keys = (self.in_heads(array) for array in (self.q, self.k, self.v))
        if self.sink is None:
            return [q, *of_keys]
        return [q, *(lambda head, of=of: np.pad(of(head), ((0, 1), (0, 0))) for of in of_keys)]

    def target(self, part: Part, arithmetic: _core.Arithmetic, without_keys: str,
               scale: float | None = None, causal: int | None = None) -> _core.Target:
        """The outputs of a part as they have to be, or as they would be with another scale or causal mask."""
        return _core.attention_target(self.wide, self.shape(part, scale), *self.bytes(part, causal), arithmetic,
                                      without_keys)

    def shape(self, part: Part, scale: float | None = None) -> _core.AttentionShape:
        """The sizes of a part, whose masks have the causal one in them."""
        return _core.AttentionShape(len(part.rows), self.all_keys, self.q.shape[-1], self.values,
                                    self.given_scale if scale is None else scale, 0)

    def require_held(self, declared: Arithmetic) -> None:
        """Refuse arguments that a kernel would have to round before it computes with them."""
        computed = declared.computed_for(self.format)
        self.wide = together(self.wide, computed)
        if self.added is not None:
            require_held(self.added, computed, "the mask")
        if self.sink is not None and self._rounds_sink:
            self.sink = Numbers(rounded(self.sink.raw, computed), self.sink.format)
        elif self.sink is not None:
            require_held(self.sink, computed, "the sink")
        for name, array in (("q", self.q), ("k", self.k), ("v", self.v)):
            require_held(array, declared.computed, name)

    def require_shape(self, name: str, array: Numbers, shape: tuple[int, ...]) -> None:
        """Refuse an array of another shape."""
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}, but must have {shape}")

    def in_heads(self, array: Numbers, batch: tuple[int, ...] | None = None) -> Callable[[int], NDArray[Any]]:
        """A function of the number of a head, of those with these leading axes, that gives its rows."""
        leading, (rows, columns) = self.batch if batch is None else batch, array.shape[-2:]
        if isinstance(array, OnDevice):
            return array.in_heads(self.wide, leading, rows, columns)
        return _in_heads(array.widened(self.wide), leading, rows, columns)

    def bytes(self, part: Part, causal: int | None = None) -> tuple[Any, ...]:
        """Queries, keys, values, mask and biases of a part."""
        q, k, v = (of(part.head) for of in self.heads)
        return (as_bytes(q[part.rows]), as_bytes(k), as_bytes(v), *self.masks(part, self.wide, causal))

    def _masked(self, part: Part, format_: str, causal: int | None = None) -> list[NDArray[Any] | None]:
        """Mask, causal mask and biases of a part, the score of a sink among these."""
        mask, bias = (of and of(part.head)[part.rows] for of in self._masks)
        aligned = self._aligned(part, causal)
        if self.sink is None:
            return [mask, aligned, bias]
        score = np.broadcast_to(self.sink.widened(format_), self.batch).flat[part.head]
        bias = np.zeros((len(part.rows), self.keys), format_) if bias is None else bias.astype(format_)
        return [array if array is None else np.pad(array, ((0, 0), (0, 1)), constant_values=seen)
                for array, seen in ((mask, 1), (aligned, 1), (bias, score))]

    def masks(self, part: Part, format_: str, causal: int | None = None) -> tuple[Any, Any]:
        """Mask, with the causal one in it, and biases of a part, these in a format."""
        mask, aligned, bias = self._masked(part, format_, causal)
        if aligned is not None:
            mask = aligned.astype(np.uint8) if mask is None else mask & aligned
        return None if mask is None else as_bytes(mask), None if bias is None else as_bytes(bias.astype(format_))

    def each(self, parts: Sequence[Of], call: Callable[[Of], Any]) -> list[Any]:
        """The results for all parts, computed side by side."""
        workers = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
                      len(parts))
        if workers < 2:
            return list(shown(map(call, parts), len(parts)))
        with ThreadPoolExecutor(workers) as pool:
            return list(shown(pool.map(call, parts), len(parts)))

    def resolved(self, declared: Arithmetic, stored: str) -> _core.Arithmetic:
        """The arithmetic that all heads are computed with."""
        return resolved(declared, self.all_keys, declared.computed_for(self.format), stored, values=self.v.format)


def _masks(mask: Any, mask_value: float | None) -> tuple[NDArray[np.uint8] | None, Numbers | None]:
    """The keys that may be seen, and the numbers that are added to scores."""
    if mask is None:
        return None, None
    is_tensor = type(mask).__module__.partition(".")[0] == "torch"
    array = mask.detach().cpu().numpy() if is_tensor and "bool" in str(mask.dtype) else mask
    if not hasattr(array, "__array__") and hasattr(array, "__dlpack__"):
        array, _ = _core.from_dlpack(array)
    array = array if hasattr(array, "dtype") else np.asarray(array)
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("the mask is a masked array: pass an array of bool, True where a query may see a key")
    if str(array.dtype) == "bool":
        return _of_two_axes(np.asarray(array)).astype(np.uint8), None
    added = numbers(array, "the mask")
    wide = together(added.format)
    bias = _of_two_axes(added.widened(wide))
    if mask_value is None:
        return None, Numbers(bias, wide)
    seen = bias > mask_value
    return seen.astype(np.uint8), Numbers(np.where(seen, bias, bias.dtype.type(0)), wide)


def _of_two_axes(array: NDArray[Any]) -> NDArray[Any]:
    return array.reshape((1,) * (2 - array.ndim) + array.shape) if array.ndim < 2 else array


def _in_heads(array: NDArray[Any], batch: tuple[int, ...], rows: int, columns: int) -> Callable[[int], NDArray[Any]]:
    try:
        whole = np.broadcast_to(array, (*batch, rows, columns))
    except ValueError as error:
        raise ValueError(f"an array has the shape {array.shape}, but must fit {(*batch, rows, columns)}") from error

    def rows_of(head: int) -> NDArray[Any]:
        return np.asarray(whole[np.unravel_index(head, batch)] if batch else whole)

    return rows_of
