"""The processor's mode, as other libraries leave it, changes no verdict."""

import ctypes
import platform
import sys
from contextlib import contextmanager

import numpy as np
import pytest

import kernels
import sqrtdk
from sqrtdk import KernelError

pytestmark = pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64",
                                reason="how the mode is set is known on x86-64 Linux")
LIBM = ctypes.CDLL("libm.so.6") if sys.platform == "linux" else None
MXCSR = 28  # where fenv_t has it
FLUSHED, UPWARD, TRAPPING = 0x8040, 0x4000, 0x0200
FLOAT = np.float32


def mxcsr(change=lambda now: now):
    """What it was before a change."""
    saved = ctypes.create_string_buffer(32)
    LIBM.fegetenv(saved)
    before = int.from_bytes(saved[MXCSR:MXCSR + 4], "little")
    saved[MXCSR:MXCSR + 4] = change(before).to_bytes(4, "little")
    LIBM.fesetenv(saved)
    return before


@contextmanager
def mode(bits):
    """Flushes, rounds upward, or traps on a division by 0, which the mask of the trap forbids."""
    before = mxcsr(lambda now: now & ~bits if bits == TRAPPING else now | bits)
    try:
        yield
    finally:
        mxcsr(lambda now: before)


@pytest.mark.parametrize("bits", (FLUSHED, UPWARD, TRAPPING))
def test_the_mode_of_the_processor_changes_no_verdict(bits):
    q, k, v = np.ones((1, 1), FLOAT), np.ones((2, 1), FLOAT), np.full((2, 1), 1e-39, FLOAT)
    wrong = np.full((1, 1), 7e-39, FLOAT)
    with mode(bits):
        exact = sqrtdk.exact_attention(q, k, v)
        held = sqrtdk.assert_attention(v[:1].copy(), q, k, v, arithmetic=sqrtdk.strict())
        with pytest.raises(KernelError):
            sqrtdk.assert_attention(wrong, q, k, v, arithmetic=sqrtdk.strict())
        report = sqrtdk.check(kernels.attention, "attention", cases=20)
        assert mxcsr() & bits == (0 if bits == TRAPPING else bits)
    assert exact[0, 0] == float(FLOAT(1e-39)) and held and report


def test_what_a_kernel_leaves_of_its_mode_is_undone():
    def flushing(x):
        mxcsr(lambda now: now | FLUSHED | UPWARD)
        return kernels.softmax(x)

    before = mxcsr()
    sqrtdk.check(flushing, "softmax.accuracy", cases=10, arithmetic=sqrtdk.Arithmetic(exp_ulps=64, flushing=True))
    assert (mxcsr() ^ before) & (FLUSHED | UPWARD) == 0
