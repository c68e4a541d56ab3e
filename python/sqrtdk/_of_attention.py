# SPDX-License-Identifier: BSL-1.0
"""Attention, and its gradients, held to their laws."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk import strategies
from sqrtdk._arrays import as_bytes, dtype_of, numbers, of_bytes, together
from sqrtdk._attention import assert_attention, assert_attention_gradients
from sqrtdk._call import Call
from sqrtdk._campaign import BROKEN, MANY, Campaign, Convention, Drawn, Plan, bits_of, largest, quiet
from sqrtdk._layouts import LAYOUTS, in_heads
from sqrtdk.strategies import AttentionCase

BY_CONVENTION = ("masked_values", "masked_values_gradient")
"""Laws that say what right is for a query that sees no key only where that has a weight of 0 for all keys."""
OF_ONE_HEAD = ("convexity", "masked_values", "masked_values_gradient")
"""Laws that call the kernel from C++."""
EMPTY = "queries that see no key, for which there are several conventions; empty_rows='zero' tries them"
CAUSAL = "is_causal in the law 'batch_invariance', since the kernel takes no mask to write it as"
SINKS = (0.0, 2.0, -20.0, 30.0)
GROUPS = (2, 4, 1)
"""Numbers of heads of queries that share keys and values, with enable_gqa."""


class AttentionCampaign(Campaign):
    """A kernel of attention, or of its gradients."""

    _masks_in_heads = False
    _sink = 0
    _group = 1

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._aligned = ""
        self.report.skipped += [f"{name}, which the kernel does not take"
                                for name in ("sink", "mask", "is_causal", "scale") if not self.takes[name]]

    def _not_asked(self, name: str) -> str:
        if name in OF_ONE_HEAD and (self.takes["sink"] or self.by.enable_gqa):
            return "which knows neither sinks nor groups of heads"
        return super()._not_asked(name)

    def _fixed_cases(self, seed: int | None) -> Iterator[Any]:
        if self.inputs is not None:
            return iter(())
        return (replace(case, is_causal=bool(case.is_causal))
                for case in strategies.fixed_attention_cases(
                    self.dtype, queries=min(self.longest, 385), keys=self.longest, features=self.widest,
                    values=self.widest, seed=seed or 0)
                if (case.mask is None or self.takes["mask"])
                and (case.scale is None or self.takes["scale"] and case.scale >= 0)
                and (not case.is_causal or self.takes["is_causal"]))

    def _attention_case(self, name: str, draw: Drawn) -> tuple[AttentionCase, dict[str, Any]]:
        case = self._as_given(draw.case(self.inputs if self.inputs is not None else strategies.attention_cases(
            self.dtype, queries=min(self.longest, 9), keys=self.longest, features=self.widest, masks=self.takes["mask"],
            causal=self.by.alignments(self.takes["is_causal"]),
            scales=(None, 1.0, 0.5, 3.0) if self.takes["scale"] else (None,))))
        if name in BY_CONVENTION and self.by.empty_rows != "zero" and not _seen(case).any(axis=1).all():
            if EMPTY not in self.report.skipped:
                self.report.skipped.append(EMPTY)
            raise Convention
        if self.by.in_place:
            columns = np.arange(case.q.shape[1]) % case.v.shape[1]
            case = replace(case, v=case.v[:, columns], grad_out=case.grad_out[:, columns])
        self._case = f"  the simplest case found: {case}"
        if self.takes["sink"]:
            self._case += "; with sinks"
        if self.by.enable_gqa:
            self._group = draw.one_of(GROUPS if len(case.q) * len(case.k) <= MANY else GROUPS[:1])
            self._case += f"; {self._group} heads of queries for each of keys"
        self._choose(draw, len(case.q) * len(case.k) * self._group ** 2)
        self._masks_in_heads = self.batch > 1 and draw.one_of((False, True))
        self._sink = draw.one_of(range(len(SINKS))) if self.takes["sink"] else 0
        self._sizes = {"queries": len(case.q), "keys": len(case.k), "features": case.q.shape[1],
                       "columns_of_values": case.v.shape[1]}
        options = {"mask": case.mask, "is_causal": bool(case.is_causal) or None, "scale": case.scale,
                   "enable_gqa": self.by.enable_gqa or None}
        return case, {name: value for name, value in options.items() if value is not None and self.takes[name]}

    def _as_given(self, case: AttentionCase) -> AttentionCase:
        """A case with what the kernel takes, and as its conventions are."""
        causal: bool | str = case.is_causal
        if not self.takes["is_causal"]:
            (causal,) = self.by.alignments(False)
        elif causal and self.by.is_causal is not None:
            causal = self.by.alignments(True)[-1]
        elif causal:
            causal = "top_left" if causal is True else str(causal)
            self._aligned = self._aligned or causal
            if causal != self._aligned:
                raise ValueError("the inputs have causal masks of both alignments, but a kernel has one: say "
                                 "is_causal='top_left' or is_causal='bottom_right'")
        scale = (case.scale if self.takes["scale"] else None) if self.by.scale is None else self.by.scale
        mask = case.mask if self.takes["mask"] else None
        if mask is not None and self.by.mask_value is not None:
            if _reach(case) > -self.by.mask_value / 4:
                raise Convention  # it does not mask among such scores
            added = mask.dtype if mask.dtype != bool else np.dtype("float64" if self.dtype == "float64" else "float32")
            seen = mask if mask.dtype == bool else mask > -np.inf
            number = np.maximum(self.by.mask_value, -strategies.LARGEST[self.dtype])
            mask = np.where(seen, 0 if mask.dtype == bool else mask, number).astype(added)
        if mask is not None and mask.dtype != bool:  # a kernel holds what is added in what it computes with
            mask = mask.astype(dtype_of(self.declared.computed_for(self.dtype))).astype(mask.dtype)
        return replace(case, mask=mask, is_causal=causal, scale=scale)

    def _heads(self, case: AttentionCase, axes: tuple[int, ...]) -> tuple[NDArray[Any], ...]:
        """Queries, keys, values and cotangent with leading axes; with grouped heads these are of the keys."""
        of_queries = (*axes[:-1], self._group * axes[-1]) if self.by.enable_gqa else axes
        return (in_heads(case.q, of_queries), in_heads(case.k, axes), in_heads(case.v, axes, 2, negated=True),
                in_heads(case.grad_out, of_queries))

    def _attend(self, case: AttentionCase, options: dict[str, Any]) -> NDArray[Any]:
        """The output, without leading axes of length 1; with grouped heads, of the first group."""
        arrays = self._heads(case, (1,) * self.batch)
        out, *_ = self._call(arrays, options | self._sinks(arrays[0]))
        return np.asarray(out).reshape(*((self._group,) if self.by.enable_gqa else ()), len(case.q), case.v.shape[1])

    def _sinks(self, q: NDArray[Any]) -> dict[str, Any]:
        """The sink, or one for each head, if the kernel takes any."""
        if not self.takes["sink"]:
            return {}
        if not self.batch:
            return {"sink": SINKS[self._sink]}
        return {"sink": np.roll(np.resize(SINKS, q.shape[-3]), self._sink).astype(q.dtype)}

    def _call(self, arrays: tuple[NDArray[Any], ...], options: dict[str, Any]) -> tuple[NDArray[Any], ...]:
        """The output, and log-sum-exps if the kernel has them."""
        q, k, v, _ = arrays
        shapes = ((*q.shape[:-1], v.shape[-1]), q.shape[:-1])
        results: tuple[NDArray[Any], ...] = self.kernel((q, k, v), shapes[:1 + self.by.lse], layout=self._layout,
                                                        **options)
        return results

    def _of_heads(self, case: AttentionCase, options: dict[str, Any]) -> tuple[Any, ...]:
        """The arrays of a case with its leading axes, the kernel's options and those of an assertion."""
        arrays = self._heads(case, self._axes)
        of: dict[str, Any] = {"mask": case.mask, "is_causal": case.is_causal, "scale": case.scale,
                              "mask_value": self.by.mask_value}
        if case.mask is not None and self._masks_in_heads:
            mask = np.broadcast_to(case.mask, (len(case.q), len(case.k)))
            of["mask"] = in_heads(mask, arrays[0].shape[:-2], axis=1)
            options = options | {"mask": of["mask"]}
        sinks = self._sinks(arrays[0])
        return arrays, options | sinks, of | sinks

    def _output(self, name: str, draw: Drawn) -> None:
        case, options = self._attention_case(name, draw)
        arrays, options, of = self._of_heads(case, options)
        out, *lse = self._call(arrays, options)
        held = functools.partial(quiet, assert_attention, arithmetic=self.declared, empty_rows=self.by.empty_rows)
        self._note(name, held(out, *arrays[:3], enable_gqa=self.by.enable_gqa, lse=lse[0] if lse else None, **of))
        if self.report.cases[name] < BROKEN and len(case.k) > 1:
            of |= {"mask": case.mask, "sink": None}
            call = Call(case.q, case.k, case.v, **of, enable_gqa=False)
            self._try(_broken_outputs(call), out.dtype, lambda wrong: held(wrong, case.q, case.k, case.v, **of))

    def _compiled(self, name: str, case: AttentionCase, kernel: Callable[..., Any]) -> None:
        call = Call(case.q, case.k, case.v, case.mask, case.is_causal, case.scale, False, self.by.mask_value)
        call.join(numbers(case.grad_out, "grad_out"))
        whole = call.whole(0)
        arrays = [as_bytes(bits_of(array)) for array in (case.q, case.k, case.v, case.grad_out)]
        self._note_outcome(name, _core.attention_law(
            name, self.dtype, kernel, call.shape(whole), *arrays, *call.masks(whole, together(self.dtype)),
            call.resolved(self.declared, self.returns)))

    def _convexity(self, name: str, draw: Drawn) -> None:
        case, options = self._attention_case(name, draw)

        def kernel(*raw: Any) -> Any:
            q, k, v = (of_bytes(np.asarray(one), self.dtype, array.shape)
                       for one, array in zip(raw, (case.q, case.k, case.v)))
            out = self._attend(AttentionCase(q, k, v, case.grad_out), options)
            return as_bytes(bits_of(out[0] if self.by.enable_gqa else out))  # the first head is the case itself

        self._compiled(name, case, kernel)

    _masked_values = _convexity

    def _gradient(self, name: str, draw: Drawn) -> None:
        case, options = self._attention_case(name, draw)
        if name == "gradient":
            given, options, of = self._of_heads(case, options)
            results = self.kernel(given, tuple(array.shape for array in given[:3]), layout=self._layout, **options)
            self._note(name, quiet(assert_attention_gradients, *results, *given, arithmetic=self.declared,
                                    enable_gqa=self.by.enable_gqa,
                                    empty_rows="zero" if self.by.empty_rows == "zero" else "any", **of))
            return
        arrays = (case.q, case.k, case.v, case.grad_out)
        axes = (1,) * self.batch

        def kernel(*raw: Any) -> Any:
            arguments = tuple(of_bytes(np.asarray(one), self.dtype, axes + array.shape)
                              for one, array in zip(raw, arrays))
            results = self.kernel(arguments, tuple(array.shape for array in arguments[:3]), layout=self._layout,
                                  **options)
            return tuple(as_bytes(bits_of(result)) for result in results)

        self._compiled(name, case, kernel)

    _masked_values_gradient = _gradient

    def _repeated(self, name: str, draw: Drawn) -> None:
        case, options = self._attention_case(name, draw)
        self._same_bits(name, "the same call again", self._attend(case, options), self._attend(case, options))

    def _batch_invariance(self, name: str, draw: Drawn) -> None:
        case, options = self._attention_case(name, draw)
        self._layout = LAYOUTS[0]  # another may be added up in another order
        if options.pop("is_causal", None):  # which asks something else of a query in another place: written as a mask
            seen = _seen(replace(case, mask=None))
            mask = seen if case.mask is None else np.broadcast_to(case.mask, seen.shape)
            masked = seen & mask if mask.dtype == bool else np.where(seen, mask, mask.dtype.type(-np.inf))
            case = replace(case, mask=masked if self.takes["mask"] else None, is_causal=False)
            if not self.takes["mask"] and CAUSAL not in self.report.skipped:
                self.report.skipped.append(CAUSAL)
            options |= {"mask": case.mask} if case.mask is not None else {}
            self._case = f"  the simplest case found: {case}"
        of_all = self._attend(case, options)
        n = len(case.q)
        for rows in ([n - 1 - i for i in range(n)], *([i] for i in range(n))):
            some = replace(case, q=case.q[rows], grad_out=case.grad_out[rows])
            masks = {"mask": np.broadcast_to(case.mask, (n, len(case.k)))[rows]} if case.mask is not None else {}
            what = f"query {rows[0]} alone" if len(rows) == 1 else "queries in the reverse order"
            self._same_bits(name, what, of_all[..., rows, :], self._attend(some, {**options, **masks}))


def _reach(case: AttentionCase) -> float:
    """The largest magnitude of a score, or of a number that is added to one."""
    with np.errstate(over="ignore"):
        scores = case.q.astype(np.float64) @ case.k.astype(np.float64).T * (case.scale or case.q.shape[1] ** -.5)
    added = 0.0 if case.mask is None or case.mask.dtype == bool else largest(case.mask)
    return float(np.abs(scores).max(initial=0)) + added


def _seen(case: AttentionCase) -> NDArray[np.bool_]:
    """The keys that each query sees."""
    n, m = len(case.q), len(case.k)
    seen: NDArray[np.bool_] = np.tri(n, m, {"bottom_right": m - n}.get(str(case.is_causal), 0) if case.is_causal else m,
                                     dtype=bool)
    if case.mask is None:
        return seen
    return np.logical_and(seen, case.mask if case.mask.dtype == bool else case.mask > -np.inf)


def _broken_outputs(call: Call) -> dict[str, NDArray[Any]]:
    """Results that a test of attention must not accept."""
    head = call.head(call.whole(0))
    with np.errstate(all="ignore"):  # of queries that see no key
        exact = head.output(head.scores())
        broken = dict(head.wrong_outputs()) | {"a sum with one term too many": exact * call.keys / (call.keys + 1)}
    return {name: wrong for name, wrong in broken.items() if not np.array_equal(wrong, exact)}
