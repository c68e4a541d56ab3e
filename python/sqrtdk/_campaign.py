# SPDX-License-Identifier: BSL-1.0
"""One kernel held to laws on cases that Hypothesis draws and shrinks."""

from __future__ import annotations

import collections
import contextlib
import copy
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk import strategies
from sqrtdk._arithmetic import Arithmetic, resolved
from sqrtdk._arrays import as_bytes, numbers, of_bytes, together
from sqrtdk._attention import assert_attention, assert_attention_gradients
from sqrtdk._backward import assert_log_softmax_gradient, assert_softmax_gradient
from sqrtdk._call import ALIGNMENTS, Call
from sqrtdk._check_report import CheckReport
from sqrtdk._isolate import Isolated
from sqrtdk._kernel import Kernel, accepts
from sqrtdk._layouts import LAYOUTS, in_heads, leading_axes
from sqrtdk._report import Hint, KernelError, Report, as_lines, counted
from sqrtdk._simplest import simplest_of
from sqrtdk._softmax import assert_log_softmax, assert_log_sum_exp, assert_softmax, exact_softmax
from sqrtdk._unseen import wrong_weights
from sqrtdk._verdict import EMPTY_ROWS, assumed, in_campaign
from sqrtdk.strategies import AttentionCase

ON_REQUEST = ("order", "masked_values", "masked_values_gradient", "repeated", "batch_invariance")
"""Laws that many good kernels do not promise to keep, all of them bit for bit."""
ANY_FORMAT = ("accuracy", "output", "gradient", "repeated", "batch_invariance")
"""Laws for which results may have another format than arguments."""
FAILURES = (KernelError, RuntimeError, TimeoutError)
"""Exceptions that break a law. NotImplementedError says that a kernel does not support a case; others, a wrong call."""
BY_CONVENTION = ("masked_values", "masked_values_gradient")
"""Laws that say what right is for a query that sees no key only where that has a weight of 0 for all keys."""
EMPTY = "queries that see no key, for which there are several conventions; empty_rows='zero' tries them"
CAUSAL = "is_causal in the law 'batch_invariance', since the kernel takes no mask to write it as"
HELD: dict[str, Callable[..., Report]] = {
    "softmax": assert_softmax, "log_softmax": assert_log_softmax, "log_sum_exp": assert_log_sum_exp,
    "softmax_gradient": assert_softmax_gradient, "log_softmax_gradient": assert_log_softmax_gradient}
"""The assertion for each kind of kernel of rows."""
OF_ONE_HEAD = ("convexity", "masked_values", "masked_values_gradient")
"""Laws that call the kernel from C++."""
SINKS = (0.0, 2.0, -20.0, 30.0)
GROUP = 2
"""The number of heads of queries that share keys and values, with enable_gqa."""
REMEMBERS = "the same case passed when it was tried again: the kernel remembers, or draws"
MANY = 5000
"""The number of scores from which on a case has two heads at most."""
BROKEN = 40
"""The number of cases of a campaign on which broken results are tried as well."""
EXPLAINED = 12
"""The number of failing cases that are explained besides the simplest."""


@dataclass(frozen=True)
class Conventions:
    """What right is for a kernel where right ones differ, by the words of assert_attention; None is as by default."""

    is_causal: bool | str | None = None
    scale: float | None = None
    enable_gqa: bool = False
    mask_value: float | None = None
    empty_rows: str = "any"
    lse: bool = False
    in_place: bool = False

    def __post_init__(self) -> None:
        if self.is_causal not in (None, *ALIGNMENTS):
            raise ValueError(f"is_causal is {self.is_causal!r}, but must be True, False, 'top_left' or 'bottom_right'")
        if self.empty_rows not in EMPTY_ROWS:
            raise ValueError(f"empty_rows is {self.empty_rows!r}, but must be one of {', '.join(EMPTY_ROWS)}")

    def alignments(self, takes: bool) -> tuple[bool | str, ...]:
        """The causal masks of cases, for a kernel that takes is_causal, or one that is always as it was declared."""
        aligned = "top_left" if self.is_causal in (None, True) else self.is_causal or False
        if takes:
            return (False, aligned) if aligned else (False,)
        return (aligned if self.is_causal else False,)


@dataclass(frozen=True)
class Plan:
    """A kernel and what is said of it, as `check` was told."""

    kernel: Callable[..., Any]
    kind: str
    dtype: str
    returns: str
    declared: Arithmetic
    by: Conventions
    inputs: st.SearchStrategy[Any] | None
    batch: int
    array: Callable[[Any], Any] | None
    isolate: bool
    timeout: float
    longest: int
    widest: int

    def campaign(self) -> Campaign:
        """A campaign of its own."""
        called = Kernel(self.kernel, self.returns, self.array, self.by.in_place)
        takes = {name: accepts(self.kernel, name, by_name=name == "sink") for name in ("temperature", "mask", "is_causal", "scale",
                                                               "enable_gqa", "sink")}
        return Campaign(Isolated(called, self.timeout) if self.isolate else called, takes, self.kind, self.dtype,
                        self.declared, self.returns, self.by, self.inputs, max(self.batch, int(self.by.enable_gqa)),
                        self.longest, self.widest)


class _Convention(Exception):
    """A case for which what is right is a convention that was not declared."""


class _Drawn:
    """Draws cases, and what a law adds to them."""

    def __init__(self, data: st.DataObject) -> None:
        self._draw = data.draw

    def case(self, strategy: st.SearchStrategy[Any]) -> Any:
        """The scores, or the call of attention."""
        return self._draw(strategy)

    def one_of(self, options: Sequence[Any]) -> Any:
        """One of some, the simplest first."""
        return self._draw(st.sampled_from(options))


class _Fixed(_Drawn):
    """A case that is given, and what is added to it by turns, so that each combination has its turn."""

    def __init__(self, case: Any, turn: int) -> None:  # pylint: disable=super-init-not-called
        self._case, self._turn = case, turn

    def case(self, strategy: st.SearchStrategy[Any]) -> Any:
        return self._case

    def one_of(self, options: Sequence[Any]) -> Any:
        self._turn, of_these = divmod(self._turn, len(options))
        return options[of_these]


class Campaign:
    """One kernel, its laws and what is found of it."""

    def __init__(self, kernel: Kernel | Isolated, takes: dict[str, bool], kind: str, dtype: str, declared: Arithmetic,
                 returns: str, by: Conventions, inputs: st.SearchStrategy[Any] | None, batch: int, longest: int,
                 widest: int) -> None:
        self.kind, self.dtype, self.declared, self.returns = kind, dtype, declared, returns
        self.by, self.report = by, CheckReport(kind, declared=declared)
        self._aligned: set[str] = set()
        self._fixed = True
        self._causes: list[list[Hint]] = []
        self.kernel, self.inputs, self.takes, self.batch = kernel, inputs, takes, batch
        self.longest, self.widest = longest, widest
        if not batch:
            several = "batches and heads" if kind.startswith("attention") else "rows"
            self.report.skipped.append(f"several {several}: say batch=… if the kernel takes leading axes")
        if kind.startswith("attention"):
            if not takes["sink"]:
                self.report.skipped.append("sinks, which the kernel does not take")
            self.report.skipped += [f"{name}, which the kernel does not take" for name in ("mask", "is_causal", "scale")
                                    if not takes[name]]
        elif not takes["temperature"] and "gradient" not in kind:
            self.report.skipped.append("temperatures, which the kernel does not take")

    def close(self) -> None:
        """End what runs beside."""
        if isinstance(self.kernel, Isolated):
            self.kernel.close()

    def run(self, name: str, cases: int, seed: int | None, fixed: bool = True) -> None:
        """Hold the kernel to one law, on the fixed cases as well if they are wanted."""
        __tracebackhide__ = True
        if name == "temperature" and not self.takes["temperature"]:
            return
        if name in OF_ONE_HEAD and (self.takes["sink"] or self.by.enable_gqa):
            self.report.skipped.append(f"the law '{name}', which knows neither sinks nor groups of heads")
            return
        if self.returns != self.dtype and name not in ANY_FORMAT:
            self.report.skipped.append(f"the law '{name}', whose results must have the format of the arguments")
            return
        self.report.cases[name] = 0
        self._fixed = fixed
        found: dict[bool, tuple[Exception, str]] = {}
        self._causes = []
        self._search(name, cases, seed, found)
        if found and True not in found:
            tried = copy.deepcopy(self.report)
            self._search(name, cases, seed, found, simplify=True)
            self.report = tried
        if not found:
            return
        error, case = found[max(found)]
        report = error.report if isinstance(error, KernelError) else Report(name, 0, 0, 1, np.inf, None)
        seeded = "" if seed is None else f", seed={seed}"
        seeded += (", inputs=…" if self.inputs is not None else "") + self.more
        again = f"  again: check(…, laws=['{self.kind}.{name}'], cases={cases}{seeded})"
        cause = self._common_cause(error)
        text = "\n".join([str(error), *([as_lines(cause)] if cause else []), case, again])
        if True in found:
            raise KernelError(f"{self.kind}: the law '{name}' is broken\n{text}", report)
        self.report.undecided[name] = text

    def _common_cause(self, error: Exception) -> str | None:
        """The hint for the simplest case that explains most of the other failures as well."""
        if not isinstance(error, KernelError):
            return None
        explains = collections.Counter(name for causes in self._causes
                                       for name in {name for hint in causes for name in hint.names})
        most, said = 0, None
        for hint in error.hints():
            best = max(explains[name] for name in hint.names)
            if said and hint.most_of < 0.5:
                continue  # of matters of degree the first is the least change
            if best > max(most, hint.most_of * len(self._causes)):
                most, said = best, hint.say(tuple(name for name in hint.names if explains[name] == best))
        return said

    def _search(self, name: str, cases: int, seed: int | None, found: dict[bool, tuple[Exception, str]],
                simplify: bool = False) -> None:
        """Try all cases until one breaks a law; what decides nothing ends the search only if it is to be made simpler.

        found gets the last failure that decides, as True, and one that does not, as False.
        """
        def counts(draw: _Drawn) -> bool:
            try:
                getattr(self, f"_{name}")(name, draw)
            except _Convention:
                return False
            except NotImplementedError:
                self.report.unsupported += 1
                return False
            except FAILURES as error:
                decides = self.declared.decides or name in ON_REQUEST or not _is_of_degree(error)
                hints = getattr(error, "hints", None)
                if hints and len(self._causes) < EXPLAINED:
                    self._causes.append(hints())
                if decides or simplify or not found:
                    found[decides] = error, self._case + self._where
                if decides or simplify:
                    raise
                self.report.beyond[name] = self.report.beyond.get(name, 0) + 1
            self.report.cases[name] += 1
            return True

        def fails(case: Any, turn: int) -> bool:
            try:
                counts(_Fixed(case, turn))
            except FAILURES:
                return True
            return False

        failing = None
        for turn, case in enumerate(self._fixed_cases(seed) if self._fixed else ()):
            if fails(case, turn):
                failing = case, turn
                break
        by_fixed = dict(found)

        @settings(max_examples=cases, deadline=None, derandomize=seed is None, database=None, print_blob=False,
                  report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
                  phases=(Phase.explicit, Phase.generate, Phase.shrink))
        @given(st.data())
        def holds(data: st.DataObject) -> None:
            if not counts(_Drawn(data)):
                reject()

        try:
            # The kernel may support none of the cases, which the report says.
            with contextlib.suppress(*FAILURES, Unsatisfiable):
                (with_seed(seed)(holds) if seed is not None else holds)()  # pylint: disable=no-value-for-parameter
        except Flaky:
            if not found:
                raise  # the strategy draws something else each time
            error, text = found[max(found)]
            found[max(found)] = error, (f"{text}\n  {REMEMBERS}")
        if failing is not None and found == by_fixed:  # none that was drawn fails
            self._simplify(*failing, fails, found)

    def _simplify(self, case: Any, turn: int, fails: Callable[[Any, int], bool],
                  found: dict[bool, tuple[Exception, str]]) -> None:
        """Leave in found the simplest case that still breaks the law."""
        tried, self.report = self.report, copy.deepcopy(self.report)
        if not fails(case, turn):
            error, text = found[max(found)]
            found[max(found)] = error, f"{text}\n  {REMEMBERS}"
        else:
            turn = 0 if fails(case, 0) else turn
            simplest = simplest_of(case, lambda other: fails(other, turn))
            fails(simplest, turn)
        self.report = tried

    def _fixed_cases(self, seed: int | None) -> Iterator[Any]:
        """The cases that come before those that are drawn."""
        if self.inputs is not None:
            return iter(())
        if not self.kind.startswith("attention"):
            return iter(strategies.fixed_scores(self.dtype, longest=self.longest))
        return (replace(case, is_causal=bool(case.is_causal))
                for case in strategies.fixed_attention_cases(
                    self.dtype, queries=min(self.longest, 385), keys=self.longest, features=self.widest,
                    values=self.widest, seed=seed or 0)
                if (case.mask is None or self.takes["mask"])
                and (case.scale is None or self.takes["scale"] and case.scale > 0)
                and (not case.is_causal or self.takes["is_causal"]))

    # ---- softmax

    _case = _where = ""
    _axes: tuple[int, ...] = ()
    _layout = LAYOUTS[0]
    _masks_in_heads = False
    _sink = 0
    more = ""
    """Words of `check` with which it repeats a failure."""

    def _scores(self, draw: _Drawn) -> tuple[NDArray[Any], float]:
        x = draw.case(self.inputs if self.inputs is not None else strategies.scores(
            self.dtype, longest=min(self.longest, strategies.MOST)))
        tau = draw.one_of(strategies.TEMPERATURES[self.dtype]) if self.takes["temperature"] else 1.0
        most = strategies.LARGEST[self.declared.computed_for(self.dtype)]
        if self.declared.scaled_first and _largest(x) > most * tau / 2:
            tau = 1.0  # x/τ would overflow, which nobody promises to survive
        self._case = f"  the simplest case found: x = {strategies.shown(x)}, temperature = {tau:g}"
        self._choose(draw, len(x))
        self.report.note_sizes(scores=len(x))
        return x, tau

    def _choose(self, draw: _Drawn, scores: int) -> None:
        """Choose the leading axes and the layout of a case with so many scores."""
        axes = leading_axes(self.batch)
        self._axes = draw.one_of(axes[:2] if scores > MANY else axes)
        self._layout = draw.one_of(LAYOUTS)
        self._where = ""
        if math.prod(self._axes) > 1:
            self._where = f"\n  of the leading axes {self._axes} it is the first; each other has its numbers in another order"
        if self._layout != LAYOUTS[0]:
            self._where += (f"\n  in memory as {self._layout}, not contiguous; if the kernel wants contiguous arrays, say "
                            "array=np.ascontiguousarray")

    def _softmax(self, x: NDArray[Any], tau: float) -> NDArray[Any]:
        """The weights of one row."""
        row = x.reshape((1,) * self.batch + x.shape)
        return self._softmax_rows(row, tau).reshape(x.shape)

    def _softmax_rows(self, rows: NDArray[Any], tau: float) -> NDArray[Any]:
        options = {"temperature": tau} if self.takes["temperature"] else {}
        shape = rows.shape[:-1] if self.kind == "log_sum_exp" else rows.shape
        (y,) = self.kernel((rows,), (shape,), layout=self._layout, **options)
        return np.asarray(y)

    def _accuracy(self, name: str, draw: _Drawn) -> None:
        x, tau = self._scores(draw)
        rows = in_heads(x, self._axes)
        y = self._softmax_rows(rows, tau)
        held = functools.partial(_quiet, HELD[self.kind], temperature=tau, arithmetic=self.declared)
        self._note(name, held(y, rows))
        if len(x) > 1 and self.report.cases[name] < BROKEN and self.kind != "log_sum_exp":
            broken = _broken_weights(x, tau)
            if self.kind == "log_softmax":
                with np.errstate(divide="ignore"):
                    broken = {name: np.log(wrong) for name, wrong in broken.items()}
            self._try(broken, y.dtype, lambda wrong: held(wrong, x))

    def _backward(self, name: str, draw: _Drawn) -> None:
        """The backward pass of softmax or log-softmax, from its output."""
        x, _ = self._scores(draw)
        logarithm = self.kind == "log_softmax_gradient"
        y = in_heads(exact_softmax(x, logarithm=logarithm).astype(x.dtype), self._axes)
        # The cotangent is the scores, the last one first, and 0 for masks.
        g = in_heads(np.where(x[::-1] < -64, 0, np.minimum(x[::-1], 64)).astype(x.dtype), self._axes, 2)
        self._case = f"  the simplest case found: the output of x = {strategies.shown(x)}, grad_out = {strategies.shown(g)}"
        (dx,) = self.kernel((y, g), (y.shape,), layout=self._layout)
        self._note(name, _quiet(HELD[self.kind], dx, y, g, arithmetic=self.declared))

    def _law(self, name: str, x: NDArray[Any], more: Sequence[float], tau: float = 1) -> None:
        """A law that compares runs of the kernel."""
        def kernel(raw: Any, temperature: float) -> Any:
            row = of_bytes(np.asarray(raw), self.dtype, (-1,))
            return as_bytes(_bits(self._softmax(row, temperature)))

        computed = self.declared.computed_for(self.dtype)
        by = resolved(self.declared, len(x), computed, self.returns, 1 / min(tau, 1), temperature=tau,
                      largest=_largest(x) / tau)
        self._note_outcome(name, _core.softmax_law(name, self.dtype, kernel, as_bytes(_bits(x)), more, by))

    def _probability(self, name: str, draw: _Drawn) -> None:
        x, tau = self._scores(draw)
        self._law(name, x, [tau], tau)

    _order = _probability

    def _shift(self, name: str, draw: _Drawn) -> None:
        x, _ = self._scores(draw)
        shift = draw.one_of((1.0, -1.0, 0.5, 16.0, -64.0, 1000.0))
        self._case += f", shift = {shift:g}"
        self._law(name, x, [shift])

    def _permutation(self, name: str, draw: _Drawn) -> None:
        x, _ = self._scores(draw)
        order = list(range(len(x)))
        order = order[::-1] if draw.one_of((True, False)) else order[1:] + order[:1]
        self._law(name, x, order)

    def _lipschitz(self, name: str, draw: _Drawn) -> None:
        x, _ = self._scores(draw)
        h = draw.one_of((0.5, 0.125, 2.0))
        with np.errstate(over="ignore"):
            other = np.where(np.arange(len(x)) % 2, x + x.dtype.type(h), x).astype(x.dtype)
        other = np.where(np.isfinite(other.astype(np.float64)), other, x)
        self._case += f", every second score moved by {h:g}"
        self._law(name, x, other.astype(np.float64).tolist())

    def _temperature(self, name: str, draw: _Drawn) -> None:
        x, low = self._scores(draw)
        high = low * draw.one_of((2.0, 1.0, 16.0))
        self._case += f" and {high:g}"
        self._law(name, x, [low, high], low)

    # ---- attention

    def _attention_case(self, name: str, draw: _Drawn) -> tuple[AttentionCase, dict[str, Any]]:
        case = self._as_given(draw.case(self.inputs if self.inputs is not None else strategies.attention_cases(
            self.dtype, queries=min(self.longest, 9), keys=self.longest, features=self.widest, masks=self.takes["mask"],
            causal=self.by.alignments(self.takes["is_causal"]),
            scales=(None, 1.0, 0.5, 3.0) if self.takes["scale"] else (None,))))
        if name in BY_CONVENTION and self.by.empty_rows != "zero" and not _seen(case).any(axis=1).all():
            if EMPTY not in self.report.skipped:
                self.report.skipped.append(EMPTY)
            raise _Convention
        if self.by.in_place:
            columns = np.arange(case.q.shape[1]) % case.v.shape[1]
            case = replace(case, v=case.v[:, columns], grad_out=case.grad_out[:, columns])
        self._case = f"  the simplest case found: {case}"
        if self.takes["sink"]:
            self._case += "; with sinks"
        self._choose(draw, len(case.q) * len(case.k))
        if self.by.enable_gqa:
            self._case += f"; {GROUP} heads of queries for each of keys"
        self._masks_in_heads = self.batch > 1 and draw.one_of((False, True))
        self._sink = draw.one_of(range(len(SINKS))) if self.takes["sink"] else 0
        self.report.note_sizes(queries=len(case.q), keys=len(case.k), features=case.q.shape[1],
                               columns_of_values=case.v.shape[1])
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
            self._aligned.add(causal)
            if len(self._aligned) > 1:
                raise ValueError("the inputs have causal masks of both alignments, but a kernel has one: say "
                                 "is_causal='top_left' or is_causal='bottom_right'")
        scale = (case.scale if self.takes["scale"] else None) if self.by.scale is None else self.by.scale
        mask = case.mask if self.takes["mask"] else None
        if mask is not None and self.by.mask_value is not None:
            if _reach(case) > -self.by.mask_value / 4:
                raise _Convention  # it does not mask among such scores
            added = mask.dtype if mask.dtype != bool else np.dtype("float64" if self.dtype == "float64" else "float32")
            seen = mask if mask.dtype == bool else mask > -np.inf
            number = np.maximum(self.by.mask_value, -strategies.LARGEST[self.dtype])
            mask = np.where(seen, 0 if mask.dtype == bool else mask, number).astype(added)
        return replace(case, mask=mask, is_causal=causal, scale=scale)

    def _heads(self, case: AttentionCase, axes: tuple[int, ...]) -> tuple[NDArray[Any], ...]:
        """Queries, keys, values and cotangent with leading axes; with grouped heads these are of the keys."""
        of_queries = (*axes[:-1], GROUP * axes[-1]) if self.by.enable_gqa else axes
        return (in_heads(case.q, of_queries), in_heads(case.k, axes), in_heads(case.v, axes, 2, negated=True),
                in_heads(case.grad_out, of_queries))

    def _attend(self, case: AttentionCase, options: dict[str, Any]) -> NDArray[Any]:
        """The output, without leading axes of length 1; with grouped heads, of the first group."""
        arrays = self._heads(case, (1,) * self.batch)
        out, *_ = self._call(arrays, options | self._sinks(arrays[0]))
        return np.asarray(out).reshape(*((GROUP,) if self.by.enable_gqa else ()), len(case.q), case.v.shape[1])

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
        results: tuple[NDArray[Any], ...] = self.kernel((q, k, v), shapes[:1 + self.by.lse], layout=self._layout, **options)
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

    def _output(self, name: str, draw: _Drawn) -> None:
        case, options = self._attention_case(name, draw)
        arrays, options, of = self._of_heads(case, options)
        out, *lse = self._call(arrays, options)
        held = functools.partial(_quiet, assert_attention, arithmetic=self.declared, empty_rows=self.by.empty_rows)
        self._note(name, held(out, *arrays[:3], enable_gqa=self.by.enable_gqa, lse=lse[0] if lse else None, **of))
        if self.report.cases[name] < BROKEN and len(case.k) > 1:
            of |= {"mask": case.mask, "sink": None}
            call = Call(case.q, case.k, case.v, **of, enable_gqa=False)
            self._try(_broken_outputs(call), out.dtype, lambda wrong: held(wrong, case.q, case.k, case.v, **of))

    def _compiled(self, name: str, case: AttentionCase, kernel: Callable[..., Any]) -> None:
        call = Call(case.q, case.k, case.v, case.mask, case.is_causal, case.scale, False, self.by.mask_value)
        call.join(numbers(case.grad_out, "grad_out"))
        whole = call.whole(0)
        arrays = [as_bytes(_bits(array)) for array in (case.q, case.k, case.v, case.grad_out)]
        self._note_outcome(name, _core.attention_law(
            name, self.dtype, kernel, call.shape(whole), *arrays, *call.masks(whole, together(self.dtype)),
            call.resolved(self.declared, self.returns)))

    def _convexity(self, name: str, draw: _Drawn) -> None:
        case, options = self._attention_case(name, draw)

        def kernel(*raw: Any) -> Any:
            q, k, v = (of_bytes(np.asarray(one), self.dtype, array.shape)
                       for one, array in zip(raw, (case.q, case.k, case.v)))
            out = self._attend(AttentionCase(q, k, v, case.grad_out), options)
            return as_bytes(_bits(out[0] if self.by.enable_gqa else out))  # the first head is the case itself

        self._compiled(name, case, kernel)

    _masked_values = _convexity

    def _gradient(self, name: str, draw: _Drawn) -> None:
        if self.kind != "attention_gradients":
            self._backward(name, draw)
            return
        case, options = self._attention_case(name, draw)
        if name == "gradient":
            given, options, of = self._of_heads(case, options)
            results = self.kernel(given, tuple(array.shape for array in given[:3]), layout=self._layout, **options)
            self._note(name, _quiet(assert_attention_gradients, *results, *given, arithmetic=self.declared,
                                    enable_gqa=self.by.enable_gqa,
                                    empty_rows="zero" if self.by.empty_rows == "zero" else "any", **of))
            return
        arrays = (case.q, case.k, case.v, case.grad_out)
        axes = (1,) * self.batch

        def kernel(*raw: Any) -> Any:
            arguments = tuple(of_bytes(np.asarray(one), self.dtype, axes + array.shape)
                              for one, array in zip(raw, arrays))
            results = self.kernel(arguments, tuple(array.shape for array in arguments[:3]), layout=self._layout, **options)
            return tuple(as_bytes(_bits(result)) for result in results)

        self._compiled(name, case, kernel)

    _masked_values_gradient = _gradient

    def _repeated(self, name: str, draw: _Drawn) -> None:
        if self.kind == "softmax":
            x, tau = self._scores(draw)
            self._same_bits(name, "the same call again", self._softmax(x, tau), self._softmax(x, tau))
        else:
            case, options = self._attention_case(name, draw)
            self._same_bits(name, "the same call again", self._attend(case, options), self._attend(case, options))

    def _batch_invariance(self, name: str, draw: _Drawn) -> None:
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

    # ---- what was found

    def _same_bits(self, name: str, what: str, first: NDArray[Any], again: NDArray[Any]) -> None:
        unsigned = f"u{first.dtype.itemsize}"
        places = np.argwhere(first.view(unsigned) != again.view(unsigned))
        index = tuple(int(i) for i in places[0]) if len(places) else None
        report = Report(name, first.size, 0, len(places), np.inf if len(places) else 0, index)
        if index is not None:
            raise KernelError(f"  {what}: {first[index]} became {again[index]} at {list(index)}, and must be the same, "
                              "bit for bit", report)
        self._note(name, report)

    def _note(self, name: str, report: Report) -> None:
        if report.unbounded == report.entries:
            self.report.silent[name] = self.report.silent.get(name, 0) + 1
        elif report.ratio > self.report.worst.get(name, (0, ""))[0]:
            where = f"at {list(report.index)} of {counted(report.entries, 'entry', 'entries')}" if report.index else ""
            self.report.worst[name] = (report.ratio, where)

    def _note_outcome(self, name: str, outcome: _core.Outcome) -> None:
        ratio = 0.0 if outcome.error == 0 else outcome.error / outcome.bound if outcome.bound else np.inf
        report = Report(name, 1, int(outcome.vacuous), int(not outcome.holds), ratio, None, error=outcome.error,
                        bound=outcome.bound)
        if not outcome.holds:
            raise KernelError(f"  {outcome.where}\n  off by {outcome.error:.3g}, and may be off by {outcome.bound:.3g}"
                              f"\n{as_lines(assumed(self.declared, self.kind))}", report)
        self._note(name, report)

    def _try(self, broken: dict[str, NDArray[Any]], dtype: Any, held: Callable[[NDArray[Any]], Any]) -> None:
        """Hold broken results, in a format, to the same bounds."""
        for name, wrong in broken.items():
            self.report.tried[name] = self.report.tried.get(name, 0) + 1
            try:
                with np.errstate(over="ignore"):  # which is broken as well
                    stored = wrong.astype(dtype)
                held(stored)
            except KernelError:
                self.report.caught[name] = self.report.caught.get(name, 0) + 1


def _is_of_degree(error: Exception) -> bool:
    return isinstance(error, KernelError) and error.report.is_of_degree


def _largest(x: NDArray[Any]) -> float:
    """The largest magnitude of what is not -inf."""
    wide = x.astype(np.float64)
    return float(np.abs(wide).max(initial=0, where=np.isfinite(wide)))


def _reach(case: AttentionCase) -> float:
    """The largest magnitude of a score, or of a number that is added to one."""
    with np.errstate(over="ignore"):
        scores = case.q.astype(np.float64) @ case.k.astype(np.float64).T * (case.scale or case.q.shape[1] ** -.5)
    added = 0.0 if case.mask is None or case.mask.dtype == bool else _largest(case.mask)
    return float(np.abs(scores).max(initial=0)) + added


def _seen(case: AttentionCase) -> NDArray[np.bool_]:
    """The keys that each query sees."""
    n, m = len(case.q), len(case.k)
    seen: NDArray[np.bool_] = np.tri(n, m, {"bottom_right": m - n}.get(str(case.is_causal), 0) if case.is_causal else m,
                                     dtype=bool)
    if case.mask is None:
        return seen
    return np.logical_and(seen, case.mask if case.mask.dtype == bool else case.mask > -np.inf)


def _quiet(assertion: Callable[..., Report], *arguments: Any, **options: Any) -> Report:
    """An assertion that does not warn: a campaign counts what says nothing, and tells what decides nothing."""
    before = in_campaign.set(True)
    try:
        report = assertion(*arguments, **options)
    finally:
        in_campaign.reset(before)
    if not report:
        raise KernelError(str(report), report)
    return report


def _broken_weights(x: NDArray[Any], tau: float) -> dict[str, NDArray[Any]]:
    """Results that a test of softmax must not accept."""
    exact = exact_softmax(x, temperature=tau)
    rest = 1 - exact[-1]
    broken = {name: wrong[0] for name, wrong in wrong_weights(exact[None])}
    if rest > 0:
        broken["a sum without its last term"] = exact / rest
    return {name: wrong for name, wrong in broken.items() if not np.array_equal(wrong, exact)}


def _broken_outputs(call: Call) -> dict[str, NDArray[Any]]:
    """Results that a test of attention must not accept."""
    head = call.head(call.whole(0))
    with np.errstate(all="ignore"):  # of queries that see no key
        exact = head.output(head.scores())
        broken = dict(head.wrong_outputs()) | {"a sum with one term too many": exact * call.keys / (call.keys + 1)}
    return {name: wrong for name, wrong in broken.items() if not np.array_equal(wrong, exact)}


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(np.uint16) if array.dtype.itemsize == 2 else array
