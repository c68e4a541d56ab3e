# SPDX-License-Identifier: BSL-1.0
"""The floating-point environment of a thread, which libraries may have changed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import sqrtdk._core as _core

P = ParamSpec("P")
R = TypeVar("R")


def in_default_environment(function: Callable[P, R]) -> Callable[P, R]:
    """A function that rounds to nearest, keeps subnormal numbers and does not trap, whatever its thread does.

    torch.set_flush_denormal, and libraries that were linked with -ffast-math, change that for all that comes after.
    """
    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # pytest shows the caller's line
        with _core.DefaultFloatEnvironment():
            return function(*args, **kwargs)

    return called
