# SPDX-License-Identifier: BSL-1.0
"""No right kernel is condemned: kernels that are right, each with what it declares, on many random cases.

    python false_alarms.py [CASES [NAME…]]     cases for each, 1000 if not said; only those whose name has one of NAME

Prints, for each, how many cases were compared, how many of them said nothing, and the largest part of a bound that was
used; the first false alarm ends it.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zoo

import sqrtdk
from sqrtdk import Arithmetic, strict
from sqrtdk.strategies import attention_cases, scores

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import kernels  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

ANY, PLAIN = strict(sums="any order"), strict(sums=17, scaled_first=True)


def stored_weights(dtype: str) -> Callable[..., Any]:
    """Attention whose weights are rounded before they meet the values."""
    return zoo.attention_by(lambda s: zoo.weights(s).astype(dtype).astype(np.float32))


def all_of_them() -> Iterator[tuple[str, str, Callable[..., Any], Arithmetic, str]]:
    """Right kernels: a name, the law, the kernel, its declaration, the format of its arguments."""
    softmax, attention, gradient = "softmax.accuracy", "attention.output", "attention_gradients.gradient"
    for law, right in ((softmax, kernels.RIGHT), (attention, kernels.RIGHT_ATTENTION),
                       (gradient, {"gradients": zoo.gradients})):
        for name, kernel in right.items():
            yield f"{law} of {name}, nothing declared", law, kernel, Arithmetic(), "float32"
    for name, by in {"softmax": PLAIN, "sequential": ANY.but(reciprocal=True),
                     "online": ANY.but(rescalings=9), "exp2": strict(sums=17, exp2_folded=True),
                     "flushing": strict(sums=17, flushing=True)}.items():
        yield f"{softmax} of {name}, declared", softmax, kernels.RIGHT[name], by, "float32"
    for name, by in {"attention": ANY, "flash": ANY.but(rescalings=5), "folded": ANY}.items():
        yield f"{attention} of {name}, declared", attention, kernels.RIGHT_ATTENTION[name], by, "float32"
    yield f"{gradient}, declared", gradient, zoo.gradients, ANY, "float32"
    for dtype in ("float16", "bfloat16", "float64"):
        yield f"{softmax} in {dtype}", softmax, zoo.softmax, PLAIN, dtype
        yield f"{attention} in {dtype}", attention, zoo.attention, Arithmetic(), dtype
    for dtype in ("float16", "bfloat16"):
        yield (f"{attention} with weights in {dtype}", attention, stored_weights(dtype),
               ANY.but(stored_weights=dtype), "float32")


def campaign(law: str, kernel: Callable[..., Any], declared: Arithmetic, dtype: str, cases: int) -> sqrtdk.CheckReport:
    """Hold a kernel to its bounds on cases that are drawn."""
    inputs = scores(dtype) if law.startswith("softmax") else attention_cases(dtype, causal=(False, "top_left"))
    return sqrtdk.check(kernel, law, dtype=dtype, arithmetic=declared, cases=cases, inputs=inputs)


def main() -> None:
    """Hold each to its bounds."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    np.seterr(all="ignore")
    warnings.simplefilter("ignore", sqrtdk.SaysNothing)
    for name, law, kernel, declared, dtype in all_of_them():
        if len(sys.argv) > 2 and not any(part in name for part in sys.argv[2:]):
            continue
        start = time.time()
        report = campaign(law, kernel, declared, dtype, cases)
        name_of_law = law.partition(".")[2]
        print(f"{name:<56} {report.cases[name_of_law]} cases, {report.silent.get(name_of_law, 0)} silent, "
              f"{report.worst[name_of_law][0]:.3f} of a bound, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
