# SPDX-License-Identifier: BSL-1.0
"""From a report to a pass, a warning or an error, and what a wrong array looks like."""

from __future__ import annotations

import contextlib
import contextvars
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from sqrtdk._arithmetic import Arithmetic
from sqrtdk._arrays import DIGITS, Numbers, are_held
from sqrtdk._report import Hint, Hints, KernelError, NotDecided, Report, SaysNothing, as_lines, listed

WIDEST = 0.01
"""The least part of a bound that an error takes if the bound explains it."""
EMPTY_ROWS = ("any", "zero", "nan", "mean")

DECLARATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("subnormal numbers taken for 0", {"flushing": True}),
    ("e^x as 2^(x log2 e)", {"exp2_folded": True}),
    ("a product with the reciprocal", {"reciprocal": True}),
    ("scores divided by the temperature first", {"scaled_first": True}),
    ("x - log-sum-exp", {"sum_first": True}),
    ("sums in another order", {"sums": "any order"}),
    ("one pass that rescales", {"rescalings": None}),
    ("an exponential that is off by a few units", {"exp_ulps": 4}),
    ("a fast exponential", {"exp_ulps": 64}),
    ("a very fast exponential", {"exp_ulps": 4096}),
)
"""Things that a kernel may do undeclared, from the most harmless on."""
OF_SUMS = tuple(one for one in DECLARATIONS if "sum_first" not in one[1])
"""The same of a kernel whose result is the log-sum-exp."""
OF_ATTENTION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("the root of the scale in queries and keys", {"scale_folded": True}),
    ("weights stored in float16", {"stored_weights": "float16"}),
    ("weights stored in bfloat16", {"stored_weights": "bfloat16"}),
    ("scores stored in float16", {"stored_scores": "float16"}),
    ("scores stored in bfloat16", {"stored_scores": "bfloat16"}),
    ("products of inputs that were rounded to tf32", {"rounded_inputs": "tf32"}),
    ("inputs rounded to bfloat16 before the products", {"rounded_inputs": "bfloat16"}),
)


in_campaign = contextvars.ContextVar("in_campaign", default=False)
"""True where a campaign counts what says nothing, and looks for causes in several cases."""


def look_alike(ratio: Callable[[Arithmetic], float], report: Report, declared: Arithmetic,
               declarations: Iterable[tuple[str, dict[str, Any]]], format_: str) -> Iterator[Hint]:
    """The declarations under which an array would be right; format_ is that of the arguments.

    ratio says what part of its bound an error takes under a declaration. If that is little, the bound is far wider than
    the error needs, and explains nothing. A result of exactly 0 is not one that was rounded more coarsely.
    """
    if declared.kernel:
        return
    if report.computed == 0:
        declarations = DECLARATIONS[:1]
    is_half = format_ in ("float16", "bfloat16")
    of_half = [(f"scores stored in {format_}", {"stored_scores": format_}),
               (f"inputs rounded to {format_} once more", {"rounded_inputs": format_}),
               (f"computing in {format_} itself", {"computed": format_})] if is_half and report.computed else []
    for name, changed in (*of_half, *declarations):
        with contextlib.suppress(ValueError):  # some words do not go together
            other = declared.but(**changed)
            if other != declared and WIDEST < ratio(other) <= 1:
                words = ", ".join(f"{key}={value!r}" for key, value in changed.items())
                yield Hint((f"this looks like {name}: if that is meant, declare sqrtdk.Arithmetic({words})",),
                           most_of=0.3)


def went_through(computed: Numbers, kept: Callable[[str], bool]) -> Iterator[Hint]:
    """The hint that a result is right if it was stored in a narrower format; kept tells what is right of a format."""
    x = computed.widened("float64")
    if np.count_nonzero((x != 0) & (np.abs(x) != 1)) < 2:
        return  # these are numbers of every format
    for format_ in ("float16", "bfloat16"):
        if DIGITS[format_] < DIGITS[computed.format] and are_held(computed, format_) and kept(format_):
            yield Hint((f"all numbers are those of {format_}: if the result is meant to be stored in it, pass it so",))
            return


def conclude(report: Report, declared: Arithmetic, hints: Hints = list,
             unseen: Callable[[], list[str]] = list) -> Report:
    """Return a report of what is kept, with a warning if that says nothing; raise what is not.

    unseen names wrong results that would have kept the bounds.
    """
    __tracebackhide__ = True
    if not report:
        lines = [assumed(declared, report.what)]
        decides = declared.decides or not report.is_of_degree
        if not in_campaign.get():
            lines += [hint.say(hint.names) for hint in listed(hints, 1)]
        if decides:
            raise KernelError(f"{report}\n{as_lines(*lines)}", report, hints)
        lines.append("this is no verdict: some constants of that arithmetic are only sampled")
        if not in_campaign.get():
            warnings.warn(f"{report}\n{as_lines(*lines)}", NotDecided, stacklevel=5)
    elif in_campaign.get():
        pass
    elif report.unbounded == report.entries:
        warnings.warn(f"{report}. {assumed(declared, report.what)}. Declare more, or give the check smaller numbers"
                      if report.entries else str(report), SaysNothing, stacklevel=5)
    elif passing := unseen():
        said = as_lines(f"on these inputs so would be {' and '.join(passing)}: the bounds are too wide to say anything "
                        "of that. Declare more, or take fewer keys")
        warnings.warn(f"{report}\n{said}", SaysNothing, stacklevel=5)
    return report


def assumed(declared: Arithmetic, what: str) -> str:
    """The assumptions about a kernel, in words, as far as what was compared depends on them."""
    if declared.kernel:
        return f"assumed: the arithmetic of {declared.kernel}"
    is_softmax = "softmax" in what or "log_sum_exp" in what
    computed = declared.computed or "float32, or the arguments' format if that is wider"
    sums = declared.sums if declared.sums == "any order" else f"blocks of {declared.sums}"
    passes = {None: "any number of rescalings", 0: "the maximum first"}.get(declared.rescalings,
                                                                          f"{declared.rescalings} rescalings")
    allowed = [name for name, is_so in (("flush to zero", declared.flushing), ("exp2", declared.exp2_folded),
                                        ("a reciprocal", declared.reciprocal),
                                        ("x/T first", declared.scaled_first and is_softmax),
                                        ("x - log-sum-exp", declared.sum_first and what.startswith("log_softmax")),
                                        ("√scale in q and k", declared.scale_folded and not is_softmax))
               if is_so]
    return (f"assumed: computed in {computed}; sums in {sums}; {passes}; exp to {declared.exp_ulps:g} ulp"
            + (f"; allowed: {', '.join(allowed)}" if allowed else ""))
