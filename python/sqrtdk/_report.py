# SPDX-License-Identifier: BSL-1.0
"""The report on an array that was held to its bounds."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import sqrtdk._core as _core
from sqrtdk._arrays import DIGITS


@dataclass(frozen=True)
class Hint:
    """A cause that explains what is wrong, by one name or by several that one case does not tell apart."""

    names: tuple[str, ...]
    say: Callable[[Sequence[str]], str] = " or ".join
    """The sentence, of those names that are left."""
    most_of: float = 0.6
    """The share of a campaign's failures that it has to explain; less for a matter of degree."""


Hints = Callable[[], Iterable[Hint]]
"""The causes, the most likely first; only computed when they are asked for."""


def listed(hints: Hints, most: int | None = None) -> list[Hint]:
    """The causes, or the first of them; what overflows on the way to one is no fault."""
    with np.errstate(all="ignore"):
        return list(itertools.islice(hints(), most))


class KernelError(AssertionError):
    """An entry is farther from what is right than any right kernel of the declared arithmetic can be.

    `report` is what was found, and `hints()` are causes that explain it; the message has the first.
    """

    __module__ = "sqrtdk"

    def __init__(self, message: str, report: Report, hints: Hints = list) -> None:
        super().__init__(message)
        self.report = report
        self._hints = hints

    def hints(self) -> list[Hint]:
        """The causes that were found, the most likely first."""
        return listed(self._hints)

    def __reduce__(self) -> tuple[type[KernelError], tuple[str, Report]]:
        return type(self), (str(self), self.report)


class SaysNothing(UserWarning):
    """Keeping the bounds means nothing: there is no entry, none has a promise, or a wrong result keeps them, too."""

    __module__ = "sqrtdk"


class NotDecided(UserWarning):
    """An entry is beyond its bound for a named kernel, some constants of which are only sampled."""

    __module__ = "sqrtdk"


@dataclass(frozen=True)
class Report:
    """The result of holding an array to its bounds. It is true if every entry keeps its bound."""

    what: str
    """The kind of result that was compared, such as 'softmax'."""
    entries: int
    """The count of numbers that were compared."""
    unbounded: int
    """For how many of them nothing is promised."""
    beyond: int
    """The count of numbers that are beyond their bounds."""
    ratio: float
    """The largest part of its bound that an error takes; above 1 where one is beyond."""
    index: tuple[int, ...] | None
    """The index of that error; None if nothing was compared."""
    computed: float = 0
    exact: float = 0
    error: float = 0
    bound: float = 0
    format: str = "float32"
    """The format of the array."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """By name, what may be off through what, to first order; filled in where an entry is beyond its bound."""
    rows: str = ""
    """How the rows that were compared were drawn, if they are not all, in words."""

    def __bool__(self) -> bool:
        return self.beyond == 0

    @property
    def is_of_degree(self) -> bool:
        """True if other constants of an arithmetic could explain an error beyond its bound: not NaN, nor one where the
        bound is 0."""
        return bool(np.isfinite(self.ratio))

    def __str__(self) -> str:
        if self.index is None:
            return f"{self.what}: there is nothing to compare"
        if self and self.unbounded == self.entries:
            return f"{self.what}: nothing is promised for any of {counted(self.entries, 'entry', 'entries')}"
        at = f"[{', '.join(map(str, self.index))}]"
        silent = f"; nothing is promised for {self.unbounded}" if self.unbounded else ""
        drawn = [as_lines(self.rows)] if self.rows else []
        if self:
            return "\n".join([f"{self.what}: {counted(self.entries, 'entry', 'entries')} within bounds; the worst, at "
                              f"{at}, uses {100 * self.ratio:.2g} % of its bound{silent}", *drawn])
        lines = [f"{self.what} is wrong at {at}: it is {written(self.computed, self.format)} instead of "
                 f"{written(self.exact, self.format, 3)}",
                 f"  off by {self.error:.3g}, and may be off by {self.bound:.3g}"
                 + (f": {self.ratio:.3g} times its bound" if 0 < self.bound < self.error < np.inf else "")]
        total = sum(self.parts.values())
        shares = sorted(((part / total, name) for name, part in self.parts.items() if part > .005 * total),
                        reverse=True)
        if shares:
            lines.append(as_lines("of the bound, " + ", ".join(f"{share:.0%} is for {name}" for share, name in shares)))
        lines.append(f"  {self.beyond} of {counted(self.entries, 'entry', 'entries')} "
                     f"{'is beyond its bound' if self.beyond == 1 else 'are beyond their bounds'}{silent}")
        return "\n".join(lines + drawn)


def as_lines(*texts: str) -> str:
    """Lines that are short enough to read, each text indented by two."""
    return "\n".join(textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="    ", break_long_words=False,
                                   break_on_hyphens=False) for text in texts)


def counted(count: int, one: str, many: str) -> str:
    """A count and its noun."""
    return f"{count} {one if count == 1 else many}"


def written(x: float, format_: str, more: int = 0) -> str:
    """A number by as many decimal digits as tell it from the others of its format, and some more."""
    digits = int(np.ceil(DIGITS[format_] * np.log10(2))) + 1 + more
    return f"{x:.{digits}g}"


def of_finding(what: str, finding: _core.Finding, index: tuple[int, ...] | None, format_: str,
               parts: Mapping[str, float] | None = None) -> Report:
    """A finding of the compiled laws as a report."""
    return Report(what, finding.entries, finding.unbounded, finding.beyond, finding.ratio, index, finding.computed,
                  finding.exact, finding.error, finding.bound, format_, parts or {})
