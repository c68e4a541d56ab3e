# SPDX-License-Identifier: BSL-1.0
"""One kernel held to laws on cases that are fixed, and on cases that Hypothesis draws and shrinks."""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable
from numpy.typing import NDArray

import sqrtdk._core as _core
from sqrtdk._arithmetic import Arithmetic
from sqrtdk._arrays import FORMATS
from sqrtdk._call import ALIGNMENTS
from sqrtdk._check_report import CheckReport
from sqrtdk._isolate import Isolated
from sqrtdk._kernel import Kernel, accepts
from sqrtdk._layouts import LAYOUTS, leading_axes
from sqrtdk._report import Hint, KernelError, Report, as_lines, counted
from sqrtdk._simplest import simplest_of
from sqrtdk._verdict import EMPTY_ROWS, assumed, in_campaign

ON_REQUEST = ("order", "masked_values", "masked_values_gradient", "repeated", "batch_invariance")
"""Laws that many good kernels do not promise to keep, all of them bit for bit."""
ANY_FORMAT = ("accuracy", "output", "gradient", "repeated", "batch_invariance")
"""Laws for which results may have another format than arguments."""
FAILURES = (KernelError, RuntimeError, TimeoutError)
"""Exceptions that break a law. NotImplementedError says that a kernel does not support a case; others, a wrong call."""
REMEMBERS = "the same case passed when it was tried again: the kernel remembers, or draws"
MOST = 65536
"""The longest row, and the most features."""
MANY = 5000
"""The number of scores from which on a case has two heads at most; sixteen times as many are of one head, or group."""
BROKEN = 40
"""The number of cases of a campaign on which broken results are tried as well."""
EXPLAINED = 12
"""The number of failing cases that are explained besides the simplest."""


def require(name: str, value: Any, holds: Any, rule: str) -> None:
    """Raise ValueError for an argument that breaks a rule."""
    if not holds:
        raise ValueError(f"{name} is {value!r}, but must be {rule}")


def is_whole(value: Any) -> bool:
    """True for a whole number that is not a truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """True for a finite number."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and bool(np.isfinite(value))


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
        require("is_causal", self.is_causal, self.is_causal in (None, *ALIGNMENTS),
                "True, False, 'top_left' or 'bottom_right'")
        require("empty_rows", self.empty_rows, self.empty_rows in EMPTY_ROWS, f"one of {', '.join(EMPTY_ROWS)}")
        require("scale", self.scale, self.scale is None or is_number(self.scale), "a finite number, or None")
        require("mask_value", self.mask_value, self.mask_value is None or is_number(self.mask_value)
                and self.mask_value < 0, "finite and below 0, or None")
        for word in ("enable_gqa", "lse", "in_place"):
            require(word, getattr(self, word), isinstance(getattr(self, word), bool), "True or False")

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
    declared: Arithmetic
    by: Conventions
    returns: str
    dtype: str = "float32"
    inputs: st.SearchStrategy[Any] | None = None
    batch: int = 0
    array: Callable[[Any], Any] | None = None
    isolate: bool = False
    timeout: float = 10
    longest: int = 1025
    widest: int = 256

    def __post_init__(self) -> None:
        require("the kernel", self.kernel, callable(self.kernel), "callable")
        require("array", self.array, self.array is None or callable(self.array), "callable, or None")
        require("inputs", self.inputs, self.inputs is None or isinstance(self.inputs, st.SearchStrategy),
                "a strategy of Hypothesis, or None")
        for word, format_ in (("dtype", self.dtype), ("returns", self.returns)):
            require(word, format_, format_ in FORMATS, f"one of {', '.join(FORMATS)}")
        require("isolate", self.isolate, isinstance(self.isolate, bool), "True or False")
        require("timeout", self.timeout, is_number(self.timeout) and self.timeout > 0, "a number of seconds above 0")
        for word, least, most in (("longest", 1, MOST), ("widest", 1, MOST), ("batch", 0, 8)):
            number = getattr(self, word)
            require(word, number, is_whole(number) and least <= number <= most,
                    f"a whole number from {least} to {most}")

    @property
    def words(self) -> str:
        """The words of `check` that repeat it, besides laws, cases and seed."""
        said = {field.name: getattr(of, field.name) for of in (self.by, self) for field in dataclasses.fields(of)
                if getattr(of, field.name) != field.default}
        if self.returns == self.dtype:
            del said["returns"]
        if self.declared != Arithmetic():
            said["arithmetic"] = ...
        return "".join(f", {name}={value!r}" if isinstance(value, (str, int, float)) else f", {name}=…"
                       for name, value in said.items() if name not in ("kernel", "kind", "declared", "by"))


class Convention(Exception):
    """A case for which what is right is a convention that was not declared."""


class Drawn:
    """Draws cases, and what a law adds to them."""

    def __init__(self, data: st.DataObject) -> None:
        self._draw = data.draw

    def case(self, strategy: st.SearchStrategy[Any]) -> Any:
        """The scores, or the call of attention."""
        return self._draw(strategy)

    def one_of(self, options: Sequence[Any]) -> Any:
        """One of some, the simplest first."""
        return self._draw(st.sampled_from(options))


class _Fixed(Drawn):
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

    _case = _where = ""
    _axes: tuple[int, ...] = ()
    _layout = LAYOUTS[0]
    _sizes: dict[str, int] = {}
    more = ""
    """Words of `check` with which it repeats a failure."""

    def __init__(self, plan: Plan) -> None:
        self.words = plan.words
        self.kind, self.dtype, self.declared, self.returns = plan.kind, plan.dtype, plan.declared, plan.returns
        self.by, self.inputs, self.longest, self.widest = plan.by, plan.inputs, plan.longest, plan.widest
        self.batch = max(plan.batch, int(plan.by.enable_gqa))
        self.report = CheckReport(plan.kind, declared=plan.declared)
        self._fixed = True
        self._causes: list[list[Hint]] = []
        called = Kernel(plan.kernel, plan.returns, plan.array, plan.by.in_place)
        self.kernel: Kernel | Isolated = Isolated(called, plan.timeout) if plan.isolate else called
        self.takes = {name: accepts(plan.kernel, name, by_name=name == "sink")
                      for name in ("temperature", "mask", "is_causal", "scale", "enable_gqa", "sink")}
        if not self.batch:
            self.report.skipped.append("several batches, heads or rows: say batch=… if the kernel takes leading axes")

    def close(self) -> None:
        """End what runs beside."""
        if isinstance(self.kernel, Isolated):
            self.kernel.close()

    def run(self, name: str, cases: int, seed: int | None, fixed: bool = True) -> None:
        """Hold the kernel to one law, on the fixed cases as well if they are wanted."""
        __tracebackhide__ = True
        if name == "temperature" and not self.takes["temperature"]:
            return
        if why := self._not_asked(name):
            self.report.skipped.append(f"the law '{name}', {why}")
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
        seeded += self.words + self.more
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
        def counts(draw: Drawn) -> bool:
            try:
                getattr(self, f"_{name}")(name, draw)
            except Convention:
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
            self.report.note_sizes(**self._sizes)
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
            if not counts(Drawn(data)):
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
        causes, self._causes = self._causes, [[]] * EXPLAINED  # simpler cases are no more failures
        if not fails(case, turn):
            error, text = found[max(found)]
            found[max(found)] = error, f"{text}\n  {REMEMBERS}"
        else:
            turn = 0 if fails(case, 0) else turn
            simplest_of(case, lambda other: fails(other, turn))  # the last that fails is the simplest
        self.report, self._causes = tried, causes

    def _not_asked(self, name: str) -> str:
        """Why a law is not tried; empty if it is."""
        return "" if self.returns == self.dtype or name in ANY_FORMAT else (
            "whose results must have the format of the arguments")

    def _fixed_cases(self, seed: int | None) -> Iterator[Any]:
        """The cases that come before those that are drawn."""
        raise NotImplementedError

    def _choose(self, draw: Drawn, scores: int) -> None:
        """Choose the leading axes and the layout of a case with so many scores."""
        axes = leading_axes(self.batch)
        self._axes = draw.one_of(axes[:1] if scores > 16 * MANY else axes[:2] if scores > MANY else axes)
        self._layout = draw.one_of(LAYOUTS)
        self._where = ""
        if math.prod(self._axes) > 1:
            self._where = f"\n  it is the first of leading axes {self._axes}; others have its numbers in another order"
        if self._layout != LAYOUTS[0]:
            self._where += (f"\n  arrays lie in memory as {self._layout}; if the kernel wants contiguous ones, say "
                            "array=np.ascontiguousarray")

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


def largest(x: NDArray[Any]) -> float:
    """The largest magnitude of what is not -inf."""
    wide = x.astype(np.float64)
    return float(np.abs(wide).max(initial=0, where=np.isfinite(wide)))


def quiet(assertion: Callable[..., Report], *arguments: Any, **options: Any) -> Report:
    """An assertion that does not warn: a campaign counts what says nothing, and tells what decides nothing."""
    before = in_campaign.set(True)
    try:
        report = assertion(*arguments, **options)
    finally:
        in_campaign.reset(before)
    if not report:
        raise KernelError(str(report), report)
    return report


def bits_of(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(np.uint16) if array.dtype.itemsize == 2 else array
