"""Kernels that crash, hang, exit, flood and lie, in a process of their own and in this one."""

import os
import signal
import sys

import kernels
import numpy as np
import pytest

import sqrtdk
from sqrtdk import KernelError

calls = 0  # pylint: disable=invalid-name


def counted_crash(x):
    global calls  # pylint: disable=global-statement,invalid-name
    calls += 1
    if calls == 60:
        os.kill(os.getpid(), signal.SIGSEGV)
    return kernels.softmax(x)


def leave(x):  # pylint: disable=unused-argument
    sys.stderr.write("the licence has expired\n")
    sys.stderr.flush()
    os._exit(3)  # pylint: disable=protected-access


def flood(x):
    for _ in range(200):
        os.write(1, b"x" * 65536)
    return kernels.softmax(x)


@pytest.mark.parametrize("kernel, words, options", (
    (counted_crash, "(?s)died of SIGSEGV.*passed when it was tried again", {}),
    (leave, r"(?s)ended with status 3; it printed last:\nthe licence has expired", {})))
def test_what_ends_the_process_does_not_end_the_run(kernel, words, options):
    with pytest.raises(KernelError, match=words) as caught:
        sqrtdk.check(kernel, ["softmax.accuracy"], isolate=True, **{"cases": 20, **options})
    assert "the simplest case found: x = " in str(caught.value)


def test_a_flood_is_no_fault():
    assert sqrtdk.check(flood, ["softmax.accuracy"], isolate=True, cases=5)


def in_place(x):
    x -= x.max()
    return kernels.softmax(x)


@pytest.mark.parametrize("isolate", (False, True))
@pytest.mark.parametrize("kernel, words", (
    (in_place, "changed its first argument in place"),
    (lambda x: kernels.softmax(x)[:-1], "returned the shape"),
    (lambda x: kernels.softmax(x).astype(np.float64), "returned float64 for float32"),
    (lambda x: "weights", "did not return an array"),
    (lambda x: (x, x), "returned 2 arrays instead of 1"),
    (lambda x: sys.exit(3), "raised SystemExit: 3"),
    (lambda x: x, "is wrong at")))
def test_what_no_kernel_may_do(kernel, words, isolate):
    with pytest.raises(KernelError, match=words):
        sqrtdk.check(kernel, ["softmax.accuracy"], isolate=isolate, cases=10)


def test_ctrl_c_stops_at_once():
    def interrupted(x):
        if len(x) == 33:
            raise KeyboardInterrupt
        return kernels.softmax(x)

    with pytest.raises(KeyboardInterrupt):
        sqrtdk.check(interrupted, ["softmax.accuracy"])
