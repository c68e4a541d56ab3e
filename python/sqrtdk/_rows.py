# SPDX-License-Identifier: BSL-1.0
"""Some rows of a large result, and how far a long comparison is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RandomRows:
    """Rows that are drawn from all, each at most once.

    count  how many; all if there are fewer
    seed   of the random numbers
    """

    count: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or isinstance(self.count, bool) or self.count < 1:
            raise ValueError(f"count is {self.count!r}, but must be a whole number, at least 1")

    def drawn(self, rows: int) -> NDArray[np.intp]:
        """The indices of the rows, in order."""
        some = np.random.default_rng(self.seed).choice(rows, min(self.count, rows), replace=False)
        return np.sort(some).astype(np.intp)

    def chance_to_miss(self, share: float) -> float:
        """The chance that none of the drawn rows is wrong if this share of all rows is, at most."""
        return float((1 - share) ** self.count)

    def said(self, rows: int) -> str:
        """What was compared of all rows, and what that may miss."""
        if self.count >= rows:
            return ""
        share = 1 - 0.001 ** (1 / self.count)
        return (f"compared: {self.count} of {rows} rows, drawn at random with the seed {self.seed}; a fault of "
                f"{100 * share:.3g} % of them is missed with a chance of 0.1 % at most")


def shown(results: Iterable[Any], count: int) -> Iterator[Any]:
    """Results as they come; on a terminal, says how many there are once that takes seconds."""
    start = said = time.monotonic()
    for done, result in enumerate(results, 1):
        yield result
        now = time.monotonic()
        if now - start > 3 and now - said > 0.5 and sys.stderr.isatty():
            said = now
            print(f"\rsqrtdk: {done} of {count} parts compared", end="", file=sys.stderr, flush=True)
    if said > start:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr, flush=True)
