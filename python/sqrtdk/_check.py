# SPDX-License-Identifier: BSL-1.0
"""Campaigns: which laws a kernel is held to, and how they are run."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any

from hypothesis import strategies as st

from sqrtdk._arithmetic import Arithmetic, as_declared
from sqrtdk._arrays import DIGITS
from sqrtdk._campaign import ON_REQUEST, Conventions, Plan, is_whole, require
from sqrtdk._check_report import CheckReport
from sqrtdk._environment import in_default_environment
from sqrtdk._foreign_words import names_foreign_words
from sqrtdk._kernel import accepts, required
from sqrtdk._plan import campaign_of
from sqrtdk._report import NotDecided, SaysNothing
from sqrtdk._shards import gathered, merged, units_of

LAWS = {
    "softmax": ("accuracy", "probability", "order", "shift", "permutation", "lipschitz", "temperature", "repeated"),
    "log_softmax": ("accuracy",),
    "log_sum_exp": ("accuracy",),
    "softmax_gradient": ("gradient",),
    "log_softmax_gradient": ("gradient",),
    "attention": ("output", "convexity", "masked_values", "repeated", "batch_invariance"),
    "attention_gradients": ("gradient", "masked_values_gradient"),
}
"""The laws of each kind of kernel, by the names that they have in the book."""


@names_foreign_words
@in_default_environment
def check(kernel: Callable[..., Any], laws: str | Iterable[str] | None = None, *,  # pylint: disable=redefined-outer-name
          dtype: str = "float32", arithmetic: Arithmetic | None = None, cases: int = 200, seed: int | None = None,
          isolate: bool = False, timeout: float = 10, returns: str | None = None, batch: int = 0,
          array: Callable[[Any], Any] | None = None, is_causal: bool | str | None = None, scale: float | None = None,
          enable_gqa: bool = False, mask_value: float | None = None, empty_rows: str = "any",
          lse: bool = False, in_place: bool = False, inputs: st.SearchStrategy[Any] | None = None, longest: int = 1025,
          widest: int = 256, executor: Executor | None = None, shards: int = 64) -> CheckReport:
    """Hold a kernel to laws on many cases. Raise KernelError with the simplest case found that breaks one. Warn with
    NotDecided in its place if all that is found is a finite error beyond the bound of a named kernel some constants of
    which are only sampled, and with SaysNothing where nothing was tried, or nothing is promised for any case.

    kernel     softmax: kernel(x), a row of scores to weights, and temperature by name if it takes it. log_sum_exp:
               the same without the last axis. attention: kernel(q, k, v), and as far as it takes them mask, is_causal,
               scale and sink (a score, with leading axes one for each head) by name; gradients: kernel(q, k, v,
               grad_out, …), which returns three arrays; of softmax and log_softmax: kernel(y, grad_out). What it does
               not support it refuses by NotImplementedError; any other exception is a failure
    laws       'softmax', 'log_softmax', 'log_sum_exp', 'softmax_gradient', 'log_softmax_gradient', 'attention' or
               'attention_gradients' for the laws of these; a kernel of a single argument is taken for softmax if
               nothing is said. Or some laws, such as
               ['softmax.accuracy', 'softmax.shift']. On request only are tried, bit for bit: 'softmax.order', that
               equal scores get equal weights; 'attention.masked_values' and
               'attention_gradients.masked_values_gradient', that NaN in what no query sees changes nothing;
               'softmax.repeated' and 'attention.repeated', that the same call gives the same again;
               'attention.batch_invariance', that a query gets the same alone, and in another place
    dtype      the format of the arguments
    arithmetic what is declared of the kernel
    cases      how many for each law
    seed       of the random numbers; without one they are the same in every run
    isolate    whether the kernel runs in a process of its own, where it may crash, hang or exit
    timeout    seconds that one call may take then
    returns    the format of the results, if it is another; laws that compare runs of the kernel are not tried then
    batch      how many leading axes the kernel wants besides, such as 2 for batches and heads; of lengths up to 3
    array      what makes its arguments of arrays of NumPy, such as torch.from_numpy. These have any strides;
               np.ascontiguousarray is for a kernel that wants none
    is_causal  what is_causal=True means for the kernel: 'top_left', the same as True, or 'bottom_right'; if it does not
               take the argument, whether it is always causal, and how
    scale, enable_gqa, mask_value, empty_rows
               as for assert_attention: given to a kernel that takes the argument, and always so for another
    lse        whether attention returns (out, log-sum-exp of each query's scores)
    in_place   whether the result is where the first argument was: for attention, values are as wide as queries
    inputs     a strategy instead of all these cases, such as sqrtdk.strategies.scores() or attention_cases()
    longest    the most scores of a row, and queries and keys; up to 130 each number of them is tried, and larger ones
               around multiples of 64, of which seed chooses the other sizes
    widest     the most features and columns of values; each up to 130, then head dimensions that ship
    executor   of concurrent.futures, or Dask's Client.get_executor(): runs the cases in tasks, in seeded units that are
               the same for any executor; the kernel, array and inputs have to be sendable to its workers
    shards     the most tasks that it gets, on which no verdict depends
    """
    __tracebackhide__ = True
    kind, names = _chosen(kernel, laws)
    declared = as_declared(arithmetic)
    by = Conventions(is_causal, scale, enable_gqa, mask_value, empty_rows, lse, in_place)
    plan = Plan(kernel, kind, declared, by, returns or dtype, dtype, inputs, batch, array, isolate, timeout, longest,
                widest)
    require("cases", cases, is_whole(cases) and cases >= 1, "a whole number, at least 1")
    require("shards", shards, is_whole(shards) and shards >= 1, "a whole number, at least 1")
    require("seed", seed, seed is None or is_whole(seed) and seed >= 0, "a whole number, at least 0, or None")
    require("executor", executor, executor is None or hasattr(executor, "submit"), "an executor of concurrent.futures")
    for word in ("is_causal", "scale", "enable_gqa", "mask_value", "empty_rows"):
        require(word, getattr(by, word), "attention" in kind or getattr(by, word) == getattr(Conventions, word),
                f"left out, since {kind} is not attention")
    if lse and kind != "attention" or in_place and kind not in ("softmax", "log_softmax", "attention"):
        word = "lse" if lse and kind != "attention" else "in_place"
        raise ValueError(f"{word} is True, but {kind} has no such result")
    computed = declared.computed
    if computed and DIGITS[computed] < DIGITS[dtype]:
        raise ValueError(f"a kernel that computes in {computed} rounds arguments of {dtype}, and how is in no bound: "
                         f"say dtype={computed!r}")
    if in_place and (lse or returns):
        raise ValueError("in_place is True, but then there is neither lse nor another format than the argument's")
    if executor is not None:
        return _said(merged(kind, names, gathered(executor, plan, units_of(names, cases, seed), shards),
                            CheckReport(kind, declared=declared)))
    campaign = campaign_of(plan)
    try:
        for name in names:
            campaign.report.asked += 1
            campaign.run(name, cases, seed)
            if name in campaign.report.undecided:
                warnings.warn(campaign.report.doubts(name), NotDecided, stacklevel=3)
    finally:
        campaign.close()
    return _said(campaign.report)


def _said(report: CheckReport) -> CheckReport:
    """The report, with a warning if it says nothing."""
    if report.empty or not report.cases:
        warnings.warn(str(report), SaysNothing, stacklevel=4)
    return report


def laws(kernel: Callable[..., Any], kind: str | Iterable[str] | None = None, **options: Any) -> Any:
    """A decorator of pytest that gives a test one law after the other, as `law`: call it.

    Arguments are those of check.
    """
    import pytest  # pylint: disable=import-outside-toplevel

    chosen, names = _chosen(kernel, kind)
    skipped = pytest.mark.skip(reason="the kernel takes no temperature")
    return pytest.mark.parametrize("law", [
        pytest.param(functools.partial(check, kernel, [f"{chosen}.{name}"], **options), id=name,
                     marks=[skipped] if name == "temperature" and not accepts(kernel, "temperature") else [])
        for name in names])


def _kind_of(kernel: Callable[..., Any]) -> str:
    """softmax for a kernel of a single argument; of any other it is not guessed what it computes."""
    needed = required(kernel)
    if needed is not None:
        needed = tuple(name for name in needed if name != "temperature")
    if needed is not None and len(needed) == 1 and not accepts(kernel, "v") and not accepts(kernel, "value"):
        return "softmax"
    looks = {3: "attention", 4: "attention_gradients"}.get(len(needed or ()))
    words = f"say 'attention', as in check(kernel, {looks!r})" if looks == "attention" else (
        f"say {looks!r}" if looks else "say which of " + ", ".join(map(repr, LAWS)) + " it computes")
    takes = f"takes {', '.join(needed)}" if needed else "does not say which arguments it needs"
    raise ValueError(f"the kernel {takes}: {words}")


def _chosen(kernel: Callable[..., Any], chosen: str | Iterable[str] | None) -> tuple[str, list[str]]:
    """The kind of kernel and its laws, by what was said or, if nothing was, by the kernel's arguments."""
    if chosen is None:
        chosen = _kind_of(kernel)
    names = list(chosen) if isinstance(chosen, Iterable) and not isinstance(chosen, str) else [chosen]
    require("laws", chosen, names and all(isinstance(name, str) for name in names),
            "the name of a kind or a law, or several of these")
    kinds = {name.partition(".")[0] for name in names}
    known = {name for kind, of_kind in LAWS.items() for name in (kind, *(f"{kind}.{law}" for law in of_kind))}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"there is no law {unknown[0]!r}; there are {', '.join(sorted(known))}")
    if len(kinds) != 1:
        raise ValueError(f"the laws {', '.join(names)} are not of one kind of kernel")
    kind = kinds.pop()
    return kind, [law for law in LAWS[kind] if kind in names and law not in ON_REQUEST or f"{kind}.{law}" in names]
