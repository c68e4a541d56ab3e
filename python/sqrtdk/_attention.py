# SPDX-License-Identifier: BSL-1.0
"""Attention and its gradients held to the book's bounds, head by head."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arithmetic import Arithmetic, as_declared, resolved
from sqrtdk._arrays import DIGITS, Numbers, as_bytes, narrowest, numbers, require_held, together
from sqrtdk._environment import in_default_environment
from sqrtdk._hints import Candidate, Head, explained, saying
from sqrtdk._report import Hint, Report, of_finding
from sqrtdk._scales import MOST_QUERIES, fitted_scale, named_scales
from sqrtdk._unseen import Part, unseen
from sqrtdk._verdict import DECLARATIONS, EMPTY_ROWS, OF_ATTENTION, conclude, look_alike, went_through

ALIGNMENTS = {False: 0, True: 1, "top_left": 1, "bottom_right": 2}
DEVIATIONS = {"certain": 0.0, "odds": 8.0}
"""The tiers of bounds, and how many deviations a bound with odds has."""


@in_default_environment
def assert_attention(out: Any, q: Any, k: Any, v: Any, *, mask: Any = None, is_causal: bool | str = False,
                     scale: float | None = None, enable_gqa: bool = False, mask_value: float | None = None,
                     empty_rows: str = "any", arithmetic: Arithmetic | None = None, tier: str = "certain") -> Report:
    """Raise KernelError unless out is softmax(q kᵀ scale + mask) v as nearly as a right kernel computes it.

    out         what the kernel returned, (…, n, d_v)
    q, k, v     queries (…, n, d), keys (…, m, d) and values (…, m, d_v), as the kernel was given them; leading axes are
                broadcast
    mask        (…, n, m), broadcast: of bool, True where a query may see a key; or numbers that are added to the scaled
                scores, -inf where it may not
    is_causal   whether a query sees no later key: True and 'top_left' let query i see keys 0 to i, 'bottom_right' keys
                0 to i + m - n
    scale       what scores are multiplied by; 1/√d if None
    enable_gqa  whether k and v have fewer heads, in axis -3, each for several heads of q
    mask_value  a finite number that stands for -inf in the mask, such as -1e9: additive numbers at or below it mask
    empty_rows  what a query that sees no key gets: 'zero', 'nan', 'mean' (of all values), or 'any' of them
    arithmetic  what is declared of the kernel
    tier        'certain' for bounds that no right kernel exceeds; 'odds' for bounds that are much sharper on
                ordinary inputs, and that a right kernel exceeds with a chance of 3e-14 an entry if its roundings are
                independent, with mean 0, and sums in any order are in one of those that are usual

    Returns how near the bounds out comes. Warns with SaysNothing if there is no entry, if nothing is promised for any,
    or if zeros, the mean of the values or a dropped last key would keep the bounds as well. Raises
    ValueError for shapes that do not fit, and for numbers that are not finite where a query sees them; TypeError for
    other numbers.
    """
    call = _Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value)
    result = numbers(out, "out")
    call.require_shape("out", result, (*call.batch, call.queries, call.values))
    call.widen(result)
    if empty_rows not in EMPTY_ROWS:
        raise ValueError(f"empty_rows is {empty_rows!r}, but must be one of {', '.join(EMPTY_ROWS)}")
    declared = as_declared(arithmetic)
    call.require_held(declared)
    deviations = _deviations(tier)
    computed = call.in_heads(result, call.queries, call.values)

    def target_of(head: int, by: Arithmetic, stored: str = result.format, shape: _core.AttentionShape = call.shape,
                  without_keys: str = empty_rows) -> _core.Target:
        return _core.attention_target(call.wide, shape, *call.bytes(head), call.resolved(by, stored), without_keys,
                                      deviations)

    def compare(head: int, by: Arithmetic, stored: str = result.format) -> _core.Finding:
        target = target_of(head, by, stored)
        if head == 0 and by is declared:
            first.append(target)
        return target.compare(call.wide, as_bytes(computed(head)))

    def wrong_parts() -> Iterator[Part]:
        for head in range(call.count if call.keys else 0):
            target = first[0] if head == 0 else target_of(head, declared)
            right, bounds = target.right(), target.bounds()
            for rows in np.array_split(np.flatnonzero(call.seen(head).any(1)), max(1, call.queries // MOST_QUERIES)):
                yield right[rows], bounds[rows], call.head(head, rows).wrong_outputs()

    first: list[_core.Target] = []
    heads = call.each_head(lambda head: compare(head, declared))
    report, head = _worst("attention", heads, call.batch, result.format)
    if report or head is None or heads[head].row < 0:
        return conclude(report, declared, unseen=lambda: unseen(wrong_parts(), DIGITS[result.format]))
    worst: int = head
    finding = heads[worst]
    parts = {} if deviations else _core.attention_bound_parts(
        call.wide, call.shape, *call.bytes(worst), call.resolved(declared, result.format), finding.row, finding.column)
    report, _ = _worst("attention", heads, call.batch, result.format, parts)

    def another(scale: float | None, causal: int) -> bool:
        other = _core.AttentionShape(call.queries, call.keys, call.q.shape[-1], call.values, scale, causal)
        # A query that sees no key under the other mask explains nothing by what may be there.
        target = target_of(worst, declared, shape=other, without_keys="zero" if empty_rows == "any" else empty_rows)
        return _is_kept(target.compare(call.wide, as_bytes(computed(worst))))

    def ratio(by: Arithmetic) -> float:
        found = compare(worst, by)
        return float("inf") if found.unbounded else float(found.ratio)

    def hints() -> Iterator[Hint]:
        if not call.keys:
            return
        target = target_of(worst, declared)
        of_head = (np.asarray(computed(worst), np.float64),), (target.right(),), (target.bounds(),)
        yield from _named_scales(call, lambda scale: another(scale, call.shape.causal))
        yield from _other_mask(call, lambda causal: another(call.shape.scale, causal))
        wrong = [*call.head(worst).candidates(declared.computed_for(call.format)), *_other_heads(call, worst)]
        yield from explained(wrong, *of_head, DIGITS[result.format])
        yield from _other_scale(call, worst, finding.row, computed(worst),
                                lambda scale: another(scale, call.shape.causal))
        yield from went_through(result, lambda stored: _is_kept(compare(worst, declared, stored)))
        yield from look_alike(ratio, declared, OF_ATTENTION + DECLARATIONS, call.format)

    return conclude(report, declared, hints, _of_tier(deviations))


@in_default_environment
def assert_attention_gradients(dq: Any, dk: Any, dv: Any, q: Any, k: Any, v: Any, grad_out: Any, *, mask: Any = None,
                               is_causal: bool | str = False, scale: float | None = None,
                               mask_value: float | None = None, empty_rows: str = "any",
                               arithmetic: Arithmetic | None = None) -> Report:
    """Raise KernelError unless dq, dk and dv are the derivatives of sum(out * grad_out) by q, k and v.

    As assert_attention; all arrays have the same leading axes. What no query sees has derivatives of exactly 0, and so
    has a query that sees nothing if empty_rows is 'zero'. If it is 'any', nothing is promised for what such a query has
    a part in: its row of dq, and dk and dv of its head.
    """
    if empty_rows not in ("any", "zero"):
        raise ValueError(f"empty_rows is {empty_rows!r}, but must be 'any' or 'zero': of others no derivative is known")
    call = _Call(q, k, v, mask, is_causal, scale, False, mask_value)
    for name, array in (("q", call.q), ("k", call.k), ("v", call.v)):
        call.require_shape(name, array, (*call.batch, *array.shape[-2:]))
    cotangent = numbers(grad_out, "grad_out")
    call.require_shape("grad_out", cotangent, (*call.batch, call.queries, call.values))
    declared = as_declared(arithmetic)
    call.require_held(declared)
    require_held(cotangent, declared.computed, "grad_out")
    results = {"dq": (numbers(dq, "dq"), call.q), "dk": (numbers(dk, "dk"), call.k), "dv": (numbers(dv, "dv"), call.v)}
    stored = narrowest(*(array.format for array, _ in results.values()))
    for name, (array, like) in results.items():
        call.require_shape(name, array, like.shape)
        call.widen(array)
    g = call.join(cotangent)
    rows = [call.in_heads(array, *array.shape[-2:]) for array, _ in results.values()]

    def targets_of(head: int, by: Arithmetic) -> list[_core.Target]:
        q_, k_, v_, mask_, bias_ = call.bytes(head)
        targets: list[_core.Target] = _core.gradient_targets(
            call.wide, call.shape, q_, k_, v_, as_bytes(g(head)), mask_, bias_, call.resolved(by, stored), empty_rows)
        return targets

    def compare(head: int, by: Arithmetic) -> list[_core.Finding]:
        return [target.compare(call.wide, as_bytes(of(head))) for target, of in zip(targets_of(head, by), rows)]

    heads = call.each_head(lambda head: compare(head, declared))
    reports = [_worst(name, [findings[i] for findings in heads], call.batch, stored)
               for i, name in enumerate(results)]
    worst, head = max(reports, key=lambda found: found[0].ratio)
    whole = Report(worst.what, sum(r.entries for r, _ in reports), sum(r.unbounded for r, _ in reports),
                   sum(r.beyond for r, _ in reports), worst.ratio, worst.index, worst.computed, worst.exact,
                   worst.error, worst.bound, worst.format)
    if whole or head is None:
        return conclude(whole, declared)
    at: int = head

    def ratio(by: Arithmetic) -> float:
        found = compare(at, by)
        return max(float("inf") if finding.unbounded else float(finding.ratio) for finding in found)

    def hints() -> Iterator[Hint]:
        if not call.keys:
            return
        targets = targets_of(at, declared)
        of_head = (tuple(np.asarray(of(at), np.float64) for of in rows), tuple(target.right() for target in targets),
                   tuple(target.bounds() for target in targets))
        yield from explained(call.head(at).gradients(g(at)), *of_head, DIGITS[stored])
        yield from look_alike(ratio, declared, OF_ATTENTION + DECLARATIONS, call.format)

    return conclude(whole, declared, hints)


@in_default_environment
def attention_bound(q: Any, k: Any, v: Any, *, mask: Any = None, is_causal: bool | str = False,
                    scale: float | None = None, enable_gqa: bool = False, mask_value: float | None = None,
                    arithmetic: Arithmetic | None = None, dtype: str | None = None,
                    tier: str = "certain") -> NDArray[np.float64]:
    """The bound on the error of each number of the output; inf where nothing is promised, 0 where a query sees no key.

    dtype is the format of the result, if it is not that of v. Other arguments as for assert_attention.
    """
    return _numbers_of(_Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value), arithmetic, dtype,
                       _deviations(tier))


@in_default_environment
def exact_attention(q: Any, k: Any, v: Any, *, mask: Any = None, is_causal: bool | str = False,
                    scale: float | None = None, enable_gqa: bool = False,
                    mask_value: float | None = None) -> NDArray[np.float64]:
    """Attention to nineteen digits, rounded to float64; 0 where a query sees no key."""
    return _numbers_of(_Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value), None, None, None)


def _deviations(tier: str) -> float:
    if tier not in DEVIATIONS:
        raise ValueError(f"tier is {tier!r}, but must be one of {', '.join(DEVIATIONS)}")
    return DEVIATIONS[tier]


def _of_tier(deviations: float) -> list[str]:
    """The assumptions of a bound with odds, for a message."""
    if not deviations:
        return []
    return [f"tier: with odds; if roundings are independent, with mean 0, a right kernel exceeds such a bound with a "
            f"chance of {2 * np.exp(-deviations ** 2 / 2):.2g} an entry. tier='certain' needs no such hypothesis"]


def _numbers_of(call: _Call, arithmetic: Arithmetic | None, dtype: str | None,
                deviations: float | None) -> NDArray[np.float64]:
    """The bounds of a tier, or what is right if there is none."""
    declared = as_declared(arithmetic)
    call.require_held(declared)
    if deviations is None:
        call.wide = "float64"  # the wider of two references

    def numbers_of(head: int) -> NDArray[np.float64]:
        target = _core.attention_target(call.wide, call.shape, *call.bytes(head),
                                        call.resolved(declared, dtype or call.v.format), "zero", deviations or 0)
        found: NDArray[np.float64] = target.right() if deviations is None else target.bounds()
        return found

    heads = call.each_head(numbers_of)
    return np.array(heads, np.float64).reshape(*call.batch, call.queries, call.values)


class _Call:
    """One call of attention: what it was given, and its heads as the compiled laws take them."""

    wide: str
    """The format that all is widened to."""
    format: str
    """The widest of the arguments."""
    batch: tuple[int, ...]
    shape: _core.AttentionShape

    def __init__(self, q: Any, k: Any, v: Any, mask: Any, is_causal: bool | str, scale: float | None, enable_gqa: bool,
                 mask_value: float | None) -> None:
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
        self.shape = _core.AttentionShape(self.queries, self.keys, self.q.shape[-1], self.values, scale,
                                          ALIGNMENTS[is_causal])
        if self.k.shape[-1] != self.q.shape[-1]:
            raise ValueError(f"q has the shape {self.q.shape} and k {self.k.shape}, but their rows must be as long")
        if self.v.shape[-2] != self.keys:
            raise ValueError(f"k has the shape {self.k.shape} and v {self.v.shape}, but must have as many rows")
        self._masks = [None if part is None else _in_heads(part, self.batch, self.queries, self.keys)
                       for part in (self.mask, self.bias)]

    def _repeated(self, array: Numbers) -> Numbers:
        if len(self.q.shape) < 3 or len(array.shape) < 3 or not array.shape[-3] or self.q.shape[-3] % array.shape[-3]:
            raise ValueError(f"q has the shape {self.q.shape} and k or v {array.shape}, but with enable_gqa the heads "
                             "of q, in axis -3, must be a multiple of theirs")
        return Numbers(np.repeat(array.raw, self.q.shape[-3] // array.shape[-3], axis=-3), array.format)

    def widen(self, other: Numbers) -> None:
        """Compare in a format that has the numbers of another array as well; before the first comparison."""
        self.wide = together(self.wide, other.format)

    def join(self, cotangent: Numbers) -> Callable[[int], NDArray[Any]]:
        """The derivative of the loss by the output, of each head."""
        self.widen(cotangent)
        return self.in_heads(cotangent, self.queries, self.values)

    def seen(self, head: int) -> NDArray[np.bool_]:
        """The keys that each query of a head sees."""
        mask = self._masks[0]
        seen = np.ones((self.queries, self.keys), bool) if mask is None else mask(head).astype(bool)
        offset = {0: self.keys, 1: 0, 2: self.keys - self.queries}[self.shape.causal]
        return np.asarray(np.tril(seen, offset))

    @property
    def count(self) -> int:
        """The number of heads."""
        return int(np.prod(self.batch, dtype=int))

    @property
    def scale(self) -> float:
        """The factor of scores; 1 without features."""
        given = self.shape.scale
        return float(max(self.q.shape[-1], 1) ** -.5 if given is None else given)

    def head(self, head: int, rows: NDArray[np.intp] | None = None) -> Head:
        """A head, or some queries of it, in float64, for what may be done wrong with it."""
        some = np.arange(self.queries) if rows is None else rows
        q, k, v = (of(head) for of in self.heads)
        mask, bias = (part and part(head)[some] for part in self._masks)
        return Head(q[some], k, v, self.scale, mask, self.shape.causal, bias, some, self.queries)

    @functools.cached_property
    def heads(self) -> list[Callable[[int], NDArray[Any]]]:
        return [self.in_heads(array, *array.shape[-2:]) for array in (self.q, self.k, self.v)]

    def require_held(self, declared: Arithmetic) -> None:
        """Refuse arguments that a kernel would have to round before it computes with them."""
        computed = declared.computed_for(self.format)
        self.wide = together(self.wide, computed)
        if self.added is not None:
            require_held(self.added, computed, "the mask")
        for name, array in (("q", self.q), ("k", self.k), ("v", self.v)):
            require_held(array, declared.computed, name)

    def require_shape(self, name: str, array: Numbers, shape: tuple[int, ...]) -> None:
        """Refuse an array of another shape."""
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}, but must have {shape}")

    def in_heads(self, array: Numbers, rows: int, columns: int) -> Callable[[int], NDArray[Any]]:
        """A function of the number of a head that gives its rows."""
        return _in_heads(array.widened(self.wide), self.batch, rows, columns)

    def bytes(self, head: int) -> tuple[Any, ...]:
        """Queries, keys, values, mask and biases of a head."""
        return (*(as_bytes(of(head)) for of in self.heads), *self.masks(head, self.wide))

    def masks(self, head: int, format_: str) -> tuple[Any, Any]:
        """Mask and biases of a head, these in a format."""
        mask, bias = self._masks
        return mask and as_bytes(mask(head)), bias and as_bytes(bias(head).astype(format_))

    def each_head(self, call: Callable[[int], Any]) -> list[Any]:
        """The results for all heads, computed side by side."""
        if self.count < 2:
            return [call(head) for head in range(self.count)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(call, range(self.count)))

    def resolved(self, declared: Arithmetic, stored: str) -> _core.Arithmetic:
        """The arithmetic that all heads are computed with."""
        return resolved(declared, self.keys, declared.computed_for(self.format), stored, values=self.v.format)


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


def _worst(what: str, heads: Sequence[_core.Finding], batch: tuple[int, ...], format_: str,
           parts: dict[str, float] | None = None) -> tuple[Report, int | None]:
    """All heads in one report, and the head of the worst entry."""
    if not heads:
        return Report(what, 0, 0, 0, 0, None, format=format_), None
    head = max(range(len(heads)), key=lambda at: heads[at].ratio if heads[at].row >= 0 else -1)
    worst = heads[head]
    index = None if worst.row < 0 else (*(int(i) for i in (np.unravel_index(head, batch) if batch else ())), worst.row,
                                        worst.column)
    one = of_finding(what, worst, index, format_, parts)
    return Report(what, sum(f.entries for f in heads), sum(f.unbounded for f in heads), sum(f.beyond for f in heads),
                  one.ratio, one.index, one.computed, one.exact, one.error, one.bound, one.format, one.parts), head


def _is_kept(finding: _core.Finding) -> bool:
    """True if bounds are kept that promise something."""
    return bool(finding.holds and not finding.unbounded)


def _named_scales(call: _Call, kept: Callable[[float], bool]) -> Iterator[Hint]:
    """The factors of scores that are taken by mistake, if the output is right for one."""
    d = call.q.shape[-1]
    scale = call.scale
    for factor, names in named_scales(d, max(call.values, 1), scale) if d else ():
        if kept(factor):
            yield Hint(names, functools.partial(_said_of_scale, factor, scale))


def _said_of_scale(factor: float, scale: float, names: Sequence[str]) -> str:
    return f"scores look multiplied by {factor:.4g}, which is {' or '.join(names)}, instead of {scale:.4g}"


def _other_scale(call: _Call, head: int, row: int, computed: NDArray[Any],
                 kept: Callable[[float], bool]) -> Iterator[Hint]:
    """Any factor of scores, if the output is right for it."""
    scale = call.scale
    # Of one query and two keys any output between the values is that of some factor.
    if scale <= 0 or not (call.queries > 1 or (call.keys > 2 and call.values > 1)):
        return
    rows = np.unique(np.append(np.arange(min(call.queries, MOST_QUERIES)), row))
    of = call.head(head, rows)
    factor = fitted_scale(lambda factor: of.output(of.scores(scale=factor)), np.asarray(computed, np.float64)[rows],
                          scale)
    if abs(factor / scale - 1) > 2 ** -6 and kept(factor):
        yield Hint(("another factor",), saying(f"scores look multiplied by {factor:.4g} instead of {scale:.4g}"))


def _other_heads(call: _Call, head: int) -> Iterator[Candidate]:
    """The outputs of the same queries with another head's keys and values."""
    for other in range(min(call.count, 8)):
        if other != head:
            of = call.head(head)
            of.k, of.v = call.head(other).k, call.head(other).v
            yield "this head has the keys and values of another", functools.partial(of.output, of.scores())


def _other_mask(call: _Call, kept: Callable[[int], bool]) -> Iterator[Hint]:
    """The causal mask, if the output is right for another."""
    others = [(f"a causal mask aligned {name.replace('_', ' ')}: if that is meant, say is_causal={name!r}",
               ALIGNMENTS[name])
              for name in ("top_left", "bottom_right") if ALIGNMENTS[name] != call.shape.causal]
    others += [("no causal mask", 0)] if call.shape.causal else []
    for name, causal in others:
        if kept(causal):
            yield Hint((f"this is attention with {name}",))
