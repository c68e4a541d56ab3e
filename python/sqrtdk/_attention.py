# SPDX-License-Identifier: BSL-1.0
"""Attention and its gradients held to the book's bounds, head by head."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arithmetic import Arithmetic, as_declared
from sqrtdk._arrays import DIGITS, Numbers, as_bytes, narrowest, numbers, require_held
from sqrtdk._call import ALIGNMENTS, Call, Part
from sqrtdk._environment import in_default_environment
from sqrtdk._foreign_words import names_foreign_words
from sqrtdk._hints import Candidate, Sums, explained, of_row_factors, saying
from sqrtdk._report import Hint, Report, of_finding
from sqrtdk._rows import RandomRows
from sqrtdk._scales import MOST_QUERIES, fitted_scale, named_scales
from sqrtdk._unseen import Wrong, unseen
from sqrtdk._verdict import DECLARATIONS, EMPTY_ROWS, OF_ATTENTION, conclude, look_alike, went_through


@names_foreign_words
@in_default_environment
def assert_attention(out: Any, q: Any, k: Any, v: Any, *, mask: Any = None, is_causal: bool | str = False,
                     scale: float | None = None, enable_gqa: bool = False, mask_value: float | None = None,
                     empty_rows: str = "any", sink: Any = None, lse: Any = None, arithmetic: Arithmetic | None = None,
                     rows: Any = None) -> Report:
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
    sink        the score of one more key that each query sees, under any mask, and whose value is 0: a number, which is
                rounded to the format that is computed in, or an array that fits the leading axes, such as one for each
                head
    lse         the natural logarithm of the sum of the exponentials of each query's scores, scaled, masked and with the
                sink, (…, n), if the kernel returned it as well; of a query that sees no key it may be anything
    arithmetic  what is declared of the kernel
    rows        which queries of each head are compared: all, one by its index, or those of a slice; or
                sqrtdk.RandomRows(count, seed), drawn from all heads together

    Returns how near the bounds out, or lse, comes. Warns with SaysNothing if there is no entry, if nothing is promised
    for any, or if zeros, the mean of the values or a dropped last key would keep the bounds as well. Raises
    ValueError for shapes that do not fit, and for numbers that are not finite where a query sees them; TypeError for
    other numbers.
    """
    __tracebackhide__ = True
    call = Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value, sink)
    result = numbers(out, "out")
    call.require_shape("out", result, (*call.batch, call.queries, call.values))
    call.widen(result)
    sums = None if lse is None else numbers(lse, "lse")
    if sums is not None:
        call.require_shape("lse", sums, (*call.batch, call.queries))
        call.widen(sums)
    if empty_rows not in EMPTY_ROWS:
        raise ValueError(f"empty_rows is {empty_rows!r}, but must be one of {', '.join(EMPTY_ROWS)}")
    declared = as_declared(arithmetic)
    call.require_held(declared)
    computed = call.in_heads(result)

    parts = call.parts(rows)

    def target_of(part: Part, by: Arithmetic = declared, stored: str = result.format,
                  without_keys: str = empty_rows, **changed: Any) -> _core.Target:
        return call.target(part, call.resolved(by, stored), without_keys, **changed)

    def compare(part: Part, by: Arithmetic = declared, stored: str = result.format, **changed: Any) -> _core.Finding:
        target = target_of(part, by, stored, **changed)
        if part is parts[0] and by is declared:
            first.append(target)
        return target.compare(call.wide, as_bytes(computed(part.head)[part.rows]))

    def wrong_parts() -> Iterator[Wrong]:
        for part in parts if call.keys else ():
            target = first[0] if part is parts[0] else target_of(part)
            right, bounds = target.right(), target.bounds()
            head = call.head(part)
            seen = np.flatnonzero((head.allowed & head.aligned).any(1))
            for some in np.array_split(seen, max(1, len(seen) // MOST_QUERIES)):
                yield right[some], bounds[some], call.head(Part(part.head, part.rows[some])).wrong_outputs()

    first: list[_core.Target] = []
    findings = call.each(parts, compare)
    drawn = rows.said(call.count * call.queries) if isinstance(rows, RandomRows) else ""
    report, at = _worst("attention", parts, findings, call.batch, result.format, rows=drawn)
    if report or at is None or findings[at].row < 0:
        report = conclude(report, declared, unseen=lambda: unseen(wrong_parts(), DIGITS[result.format]))
        return report if sums is None else _joined([report, _log_sum_exps(call, sums, parts, declared, drawn)])
    worst, finding = parts[at], findings[at]
    shares = _core.attention_bound_parts(
        call.wide, call.shape(worst), *call.bytes(worst), call.resolved(declared, result.format), finding.row,
        finding.column)
    report = dataclasses.replace(report, parts=shares)
    # A cause explains the part and, where there are more of the head, some of their queries.
    of_head = np.concatenate([part.rows for part in parts if part.head == worst.head])
    tried = Part(worst.head, np.union1d(worst.rows, of_head[::max(1, len(of_head) // MOST_QUERIES)]))
    of_tried = computed(tried.head)[tried.rows]

    def another(**changed: Any) -> bool:
        # A query that sees no key under the other mask explains nothing by what may be there.
        return _is_kept(compare(tried, without_keys="zero" if empty_rows == "any" else empty_rows, **changed))

    def ratio(by: Arithmetic) -> float:
        found = compare(tried, by)
        return float("inf") if found.unbounded else float(found.ratio)

    def hints() -> Iterator[Hint]:
        if not call.keys:
            return
        target, head = target_of(tried), call.head(tried)
        y, right, bounds = np.asarray(of_tried, np.float64), target.right(), target.bounds()
        yield from _named_scales(call, lambda scale: another(scale=scale))
        yield from _other_mask(call, lambda causal: another(causal=causal))
        computed_in = declared.computed_for(call.format)
        wrong = [*head.with_terms().candidates(computed_in), *_other_heads(call, tried)]
        yield from explained(((name, functools.partial(_sums, of)) for name, of in wrong), (y,), (right,), (bounds,),
                             DIGITS[result.format], DIGITS[computed_in])
        yield from of_row_factors(y, right, bounds, head.v, tried.rows, DIGITS[result.format])
        yield from _other_scale(call, tried, int(np.searchsorted(tried.rows, worst.rows[finding.row])), of_tried,
                                lambda scale: another(scale=scale))
        yield from went_through(result, lambda stored: _is_kept(compare(tried, declared, stored)))
        yield from look_alike(ratio, report, declared, OF_ATTENTION + DECLARATIONS, call.format)

    return conclude(report, declared, hints)


def _log_sum_exps(call: Call, lse: Numbers, parts: Sequence[Part], declared: Arithmetic, drawn: str) -> Report:
    """The report on the log-sum-exps that came with an output."""
    __tracebackhide__ = True
    computed = call.in_heads(Numbers(lse.raw[..., None], lse.format))

    def target_of(part: Part, by: Arithmetic = declared) -> _core.Target:
        return _core.attention_log_sum_exp_target(call.wide, call.shape(part), *call.bytes(part),
                                                  call.resolved(by, lse.format))

    def compare(part: Part, by: Arithmetic = declared) -> _core.Finding:
        return target_of(part, by).compare(call.wide, as_bytes(computed(part.head)[part.rows]))

    report, at = _worst("log-sum-exp", parts, call.each(parts, compare), call.batch, lse.format, rows=drawn)
    report = dataclasses.replace(report, index=report.index and report.index[:-1])
    if report or at is None:
        return conclude(report, declared)
    worst = parts[at]

    def ratio(by: Arithmetic) -> float:
        found = compare(worst, by)
        return float("inf") if found.unbounded else float(found.ratio)

    def hints() -> Iterator[Hint]:
        target, head = target_of(worst), call.head(worst)
        y = np.asarray(computed(worst.head)[worst.rows], np.float64)
        yield from explained(head.log_sum_exps(), (y,), (target.right(),), (target.bounds(),), DIGITS[lse.format])
        yield from look_alike(ratio, report, declared, OF_ATTENTION + DECLARATIONS, call.format)

    return conclude(report, declared, hints)


@names_foreign_words
@in_default_environment
def assert_attention_gradients(dq: Any, dk: Any, dv: Any, q: Any, k: Any, v: Any, grad_out: Any, *, mask: Any = None,
                               is_causal: bool | str = False, scale: float | None = None, enable_gqa: bool = False,
                               mask_value: float | None = None, empty_rows: str = "any", sink: Any = None,
                               arithmetic: Arithmetic | None = None) -> Report:
    """Raise KernelError unless dq, dk and dv are the derivatives of sum(out * grad_out) by q, k and v.

    As assert_attention; all arrays have the same leading axes, but for the heads of k, v, dk and dv with enable_gqa.
    What no query sees has derivatives of exactly 0, and so has a query that sees nothing if empty_rows is 'zero'. If it
    is 'any', nothing is promised for what such a query has a part in: its row of dq, and dk and dv of its head.

    With enable_gqa dk and dv are sums over the heads of q that share a head of k and v: of all terms, or of what each
    head has by itself, stored in the format of the results and added in that or in the format of computing.
    """
    if empty_rows not in ("any", "zero"):
        raise ValueError(f"empty_rows is {empty_rows!r}, but must be 'any' or 'zero': of others no derivative is known")
    __tracebackhide__ = True
    call = Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value, sink)
    for name, array in (("q", call.q), ("k", call.k), ("v", call.v)):
        call.require_shape(name, array, (*call.batch, *array.shape[-2:]))
    if call.grouped["k"][:-2] != call.grouped["v"][:-2]:
        raise ValueError(f"k has the shape {call.grouped['k']} and v {call.grouped['v']}, but must have as many heads")
    cotangent = numbers(grad_out, "grad_out")
    call.require_shape("grad_out", cotangent, (*call.batch, call.queries, call.values))
    declared = as_declared(arithmetic)
    call.require_held(declared)
    require_held(cotangent, declared.computed, "grad_out")
    results = {"dq": (numbers(dq, "dq"), call.q.shape), "dk": (numbers(dk, "dk"), call.grouped["k"]),
               "dv": (numbers(dv, "dv"), call.grouped["v"])}
    stored = narrowest(*(array.format for array, _ in results.values()))
    for name, (array, shape) in results.items():
        call.require_shape(name, array, shape)
        call.widen(array)
    g = call.join(cotangent)
    batch = call.grouped["k"][:-2]
    heads = call.batch[-1] // batch[-1] if batch and batch[-1] else 1  # of q for each of k
    groups = [[call.whole(head) for head in range(i, i + heads)] for i in range(0, call.count, heads)]
    of_q, *of_keys = (call.in_heads(array, array.shape[:-2]) for array, _ in results.values())

    def given(group: list[Part]) -> list[NDArray[Any]]:
        return [np.concatenate([of_q(part.head) for part in group]), *(of(group[0].head // heads) for of in of_keys)]

    def targets_of(group: list[Part], by: Arithmetic) -> list[_core.Target]:
        # The queries of heads that share keys, one after the other, are those of one head.
        q_, k_, v_, mask_, bias_ = zip(*(call.bytes(part) for part in group))
        masks = (None if of[0] is None else np.concatenate(of) for of in (mask_, bias_))
        whole = Part(0, np.arange(heads * call.queries))
        targets: list[_core.Target] = _core.gradient_targets(
            call.wide, call.shape(whole), np.concatenate(q_), k_[0], v_[0],
            np.concatenate([as_bytes(g(part.head)) for part in group]), *masks, call.resolved(by, stored), empty_rows,
            heads, call.sink is not None)
        return targets

    def compare(group: list[Part], by: Arithmetic) -> list[_core.Finding]:
        return [target.compare(call.wide, as_bytes(of)) for target, of in zip(targets_of(group, by), given(group))]

    found = call.each(groups, lambda group: compare(group, declared))
    reports = [_worst(name, [Part(i, np.arange(heads * shape[-2])) for i in range(len(groups))],
                      [findings[i] for findings in found], batch, stored)
               for i, (name, (_, shape)) in enumerate(results.items())]
    if heads > 1 and (index := reports[0][0].index):
        head, row = divmod(index[-2], call.queries)
        index = (*index[:-3], index[-3] * heads + head, row, index[-1])
        reports[0] = (dataclasses.replace(reports[0][0], index=index), reports[0][1])
    _, at = max(reports, key=lambda report: report[0].ratio)
    whole = _joined([report for report, _ in reports])
    if whole or at is None:
        return conclude(whole, declared)
    worst = groups[at]

    def ratio(by: Arithmetic) -> float:
        return max(float("inf") if finding.unbounded else float(finding.ratio) for finding in compare(worst, by))

    def hints() -> Iterator[Hint]:
        if not call.keys:
            return
        targets = targets_of(worst, declared)
        of_group = (tuple(np.asarray(of, np.float64) for of in given(worst)),
                    tuple(target.right() for target in targets), tuple(target.bounds() for target in targets))
        head = call.head(worst[0]).with_queries_of([call.head(part) for part in worst[1:]])
        yield from explained(head.gradients(np.concatenate([g(part.head) for part in worst]), heads), *of_group,
                             DIGITS[stored], DIGITS[declared.computed_for(call.format)])
        yield from look_alike(ratio, whole, declared, OF_ATTENTION + DECLARATIONS, call.format)

    return conclude(whole, declared, hints)


@in_default_environment
def attention_bound(q: Any, k: Any, v: Any, *, mask: Any = None, is_causal: bool | str = False,
                    scale: float | None = None, enable_gqa: bool = False, mask_value: float | None = None,
                    arithmetic: Arithmetic | None = None, dtype: str | None = None) -> NDArray[np.float64]:
    """The bound on the error of each number of the output; inf where nothing is promised, 0 where a query sees no key.

    dtype is the format of the result, if it is not that of v. Other arguments as for assert_attention.
    """
    return _numbers_of(Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value), arithmetic, dtype,
                       bounds=True)


@in_default_environment
def exact_attention(q: Any, k: Any, v: Any, *, mask: Any = None, is_causal: bool | str = False,
                    scale: float | None = None, enable_gqa: bool = False,
                    mask_value: float | None = None) -> NDArray[np.float64]:
    """Attention to nineteen digits, rounded to float64; 0 where a query sees no key."""
    return _numbers_of(Call(q, k, v, mask, is_causal, scale, enable_gqa, mask_value), None, None, bounds=False)


def _numbers_of(call: Call, arithmetic: Arithmetic | None, dtype: str | None, bounds: bool) -> NDArray[np.float64]:
    """The bounds, or what is right."""
    declared = as_declared(arithmetic)
    call.require_held(declared)
    if not bounds:
        call.wide = "float64"  # the wider of two references

    def numbers_of(part: Part) -> NDArray[np.float64]:
        target = call.target(part, call.resolved(declared, dtype or call.v.format), "zero")
        found: NDArray[np.float64] = target.bounds() if bounds else target.right()
        return found

    found = call.each(call.parts(), numbers_of)
    return np.array(np.concatenate(found) if found else [], np.float64).reshape(*call.batch, call.queries, call.values)


def _joined(reports: Sequence[Report]) -> Report:
    """Several reports as one, of the worst entry of all."""
    worst = max(reports, key=lambda report: report.ratio)
    return dataclasses.replace(worst, **{name: sum(getattr(report, name) for report in reports)
                                         for name in ("entries", "unbounded", "beyond")})


def _worst(what: str, parts: Sequence[Part], findings: Sequence[_core.Finding], batch: tuple[int, ...], format_: str,
           rows: str = "") -> tuple[Report, int | None]:
    """All parts in one report, and which has the worst entry."""
    if not findings:
        return Report(what, 0, 0, 0, 0, None, format=format_), None
    at = max(range(len(findings)), key=lambda i: findings[i].ratio if findings[i].row >= 0 else -1)
    worst, total = findings[at], functools.reduce(_core.added, findings)
    place = np.unravel_index(parts[at].head, batch) if batch else ()
    index = None if worst.row < 0 else (*map(int, place), int(parts[at].rows[worst.row]), worst.column)
    one = of_finding(what, worst, index, format_)
    return dataclasses.replace(one, entries=total.entries, unbounded=total.unbounded, beyond=total.beyond,
                               rows=rows), at


def _is_kept(finding: _core.Finding) -> bool:
    """True if bounds are kept that promise something."""
    return bool(finding.holds and not finding.unbounded)


def _named_scales(call: Call, kept: Callable[[float], bool]) -> Iterator[Hint]:
    """The factors of scores that are taken by mistake, if the output is right for one."""
    d = call.q.shape[-1]
    scale = call.scale
    for factor, names in named_scales(d, max(call.values, 1), scale) if d else ():
        if kept(factor):
            yield Hint(names, functools.partial(_said_of_scale, factor, scale))


def _said_of_scale(factor: float, scale: float, names: Sequence[str]) -> str:
    return f"scores look multiplied by {factor:.4g}, which is {' or '.join(names)}, instead of {scale:.4g}"


def _other_scale(call: Call, part: Part, row: int, computed: NDArray[Any],
                 kept: Callable[[float], bool]) -> Iterator[Hint]:
    """Any factor of scores, if the output is right for it."""
    scale = call.scale
    # Of one query and two keys any output between the values is that of some factor.
    if scale <= 0 or not (len(part.rows) > 1 or (call.keys > 2 and call.values > 1)):
        return
    some = np.unique(np.append(np.arange(min(len(part.rows), MOST_QUERIES)), row))
    of = call.head(Part(part.head, part.rows[some]))
    factor = fitted_scale(lambda factor: of.output(of.scores(scale=factor)), np.asarray(computed, np.float64)[some],
                          scale)
    if abs(factor / scale - 1) > 2 ** -6 and kept(factor):
        yield Hint(("another factor",), saying(f"scores look multiplied by {factor:.4g} instead of {scale:.4g}"))


def _other_heads(call: Call, part: Part) -> Iterator[Candidate]:
    """The outputs of the same queries with another head's keys and values."""
    for other in range(min(call.count, 8)):
        if other != part.head:
            of = call.head(part)
            _, of.k, of.v = (np.asarray(array(other), np.float64) for array in call.heads)
            yield "this head has the keys and values of another", functools.partial(of.with_terms().output, of.scores())


def _sums(results: Callable[[], Any]) -> tuple[Sums]:
    """The output for values that have their absolute values beside them."""
    return (Sums(*np.hsplit(results(), 2)),)


def _other_mask(call: Call, kept: Callable[[int], bool]) -> Iterator[Hint]:
    """The causal mask, if the output is right for another."""
    others = [(f"a causal mask aligned {name.replace('_', ' ')}: if that is meant, say is_causal={name!r}",
               ALIGNMENTS[name])
              for name in ("top_left", "bottom_right") if ALIGNMENTS[name] != call.causal]
    others += [("no causal mask", 0)] if call.causal else []
    for name, causal in others:
        if kept(causal):
            yield Hint((f"this is attention with {name}",))
