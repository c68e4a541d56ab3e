# SPDX-License-Identifier: BSL-1.0
"""Hold a softmax or attention kernel to error bounds that are proved, not chosen.

Assertions in the place of assert_allclose, without a tolerance: assert_softmax, assert_log_softmax, assert_log_sum_exp,
assert_softmax_gradient, assert_log_softmax_gradient, assert_attention, assert_attention_gradients. Campaigns on
Hypothesis: check, laws, strategies. Numbers of the book: score_distribution.
"""

import importlib
from typing import TYPE_CHECKING

from sqrtdk._arithmetic import Arithmetic, strict
from sqrtdk._attention import assert_attention, assert_attention_gradients, attention_bound, exact_attention
from sqrtdk._backward import assert_log_softmax_gradient, assert_softmax_gradient
from sqrtdk._distribution import critical_dimension, effective_keys, mean_squared_weights, score_distribution
from sqrtdk._report import KernelError, NotDecided, Report, SaysNothing
from sqrtdk._rows import RandomRows
from sqrtdk._softmax import assert_log_softmax, assert_log_sum_exp, assert_softmax, exact_softmax, softmax_bound

if TYPE_CHECKING:
    from sqrtdk import strategies
    from sqrtdk._check import check, laws
    from sqrtdk._check_report import CheckReport
else:
    def __getattr__(name):
        """Imports what needs Hypothesis when it is asked for."""
        if name in ("CheckReport", "check", "laws"):
            return getattr(importlib.import_module("sqrtdk._check"), name)
        if name == "strategies":
            return importlib.import_module("sqrtdk.strategies")
        if name == "__version__":
            return importlib.import_module("importlib.metadata").version("sqrtdk")
        raise AttributeError(f"module 'sqrtdk' has no attribute {name!r}")

    def __dir__():
        """The names of the module, of those as well that are only imported when they are asked for."""
        return sorted({*globals(), *__all__, "__version__"})

__all__ = ["Arithmetic", "CheckReport", "KernelError", "NotDecided", "RandomRows", "Report", "SaysNothing",
           "assert_attention", "assert_attention_gradients", "assert_log_softmax", "assert_log_softmax_gradient",
           "assert_log_sum_exp", "assert_softmax", "assert_softmax_gradient", "attention_bound", "check",
           "critical_dimension", "effective_keys", "exact_attention", "exact_softmax", "laws", "mean_squared_weights",
           "score_distribution", "softmax_bound", "strategies", "strict"]
