"""assert_softmax and assert_log_softmax: what they take, what they refuse, what they say."""

import math
import tracemalloc
import warnings

import kernels
import ml_dtypes
import numpy as np
import pytest
import zoo
from zoo import log_softmax

import sqrtdk
from sqrtdk import Arithmetic, KernelError, strict

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4, 33)).astype(np.float32) * 4
HALF = X.astype(np.float16)


def softmax(x, axis=-1):
    return np.moveaxis(zoo.softmax(np.moveaxis(x, axis, -1)), -1, axis)


Y = softmax(X)


@pytest.mark.parametrize("axis", (-1, 0, 1, -2))
def test_any_axis_and_any_strides(axis):
    for x in (X, X[::-1], X[:, ::2, ::-3], X.T, np.asfortranarray(X)):
        report = sqrtdk.assert_softmax(softmax(x, axis), x, axis)
        assert report.entries == x.size and report.ratio < 1 and report.unbounded == 0


@pytest.mark.parametrize("dtype", (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
def test_every_format_and_narrower_and_wider_results(dtype):
    x = X.astype(dtype)
    assert sqrtdk.assert_softmax(softmax(x), x).format == np.dtype(dtype).name
    assert sqrtdk.assert_log_softmax(log_softmax(x), x)
    for stored in (np.float16, np.float32):
        y = softmax(x.astype(np.result_type(x, np.float32))).astype(stored)
        assert sqrtdk.assert_softmax(y, x).format == np.dtype(stored).name
    with pytest.raises(KernelError, match="is wrong at"):
        sqrtdk.assert_softmax((softmax(x).astype(np.float32) * 1.02).astype(dtype), x)


def test_a_wrong_entry_is_named_with_what_is_there_what_is_right_and_how_far_off_it_may_be():
    y = Y.copy()
    y[1, 2, 5] *= np.float32(1.01)
    with pytest.raises(KernelError) as caught:
        sqrtdk.assert_softmax(y, X, arithmetic=strict())
    report, text = caught.value.report, str(caught.value)
    assert report.index == (1, 2, 5) and report.beyond == 1 and report.entries == X.size
    exact = sqrtdk.exact_softmax(X)[1, 2, 5]
    assert report.computed == y[1, 2, 5] and report.exact == pytest.approx(exact, rel=1e-14)
    assert report.bound == sqrtdk.softmax_bound(X, arithmetic=strict())[1, 2, 5]
    for words in ("softmax is wrong at [1, 2, 5]", "instead of", "may be off by", "of the bound, ",
                  "1 of 396 entries is beyond", "assumed: computed in float32"):
        assert words in text


def test_the_bound_is_a_tolerance_for_each_entry_and_sharper_for_who_declares_more():
    bound, sharp = sqrtdk.softmax_bound(X), sqrtdk.softmax_bound(X, arithmetic=strict())
    assert bound.shape == X.shape and (sharp < bound).all() and (0 < sharp).all()
    assert (np.abs(Y - sqrtdk.exact_softmax(X)) <= sharp).all()


def test_scores_and_temperatures_at_the_ends_of_their_ranges():
    for x in ([3e38, 0, 3e38], [-3e38, -3e38], [3e38, -3e38], [1e-45, 0], [1e-40, -1e-40]):
        row = np.array(x, np.float32)
        assert sqrtdk.assert_softmax(softmax(row), row)
    for tau in (1e-38, 1e-45, 3e38):
        y = softmax((X - X.max(axis=-1, keepdims=True)) / np.float32(tau))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sqrtdk.SaysNothing)
            assert sqrtdk.assert_softmax(y, X, temperature=tau)
    half = np.array([65504, -65504, 6e-8, 0], np.float16)
    assert sqrtdk.assert_softmax(softmax(half.astype(np.float64)), half).format == "float64"


def test_masked_scores_and_rows_without_any():
    x = X.copy()
    x[0, 0, :5] = -np.inf
    assert sqrtdk.assert_softmax(softmax(x), x)
    x[1, 1] = -np.inf
    y = softmax(np.where(np.isinf(x), np.float32(-1e30), x))
    for convention, row in (("zero", 0), ("nan", np.nan), ("mean", 1 / 33)):
        y[1, 1] = row
        assert sqrtdk.assert_softmax(y, x, empty_rows=convention) and sqrtdk.assert_softmax(y, x)
        for other in {"zero", "nan", "mean"} - {convention}:
            with pytest.raises(KernelError, match=r"a row of -inf alone \(by the convention"):
                sqrtdk.assert_softmax(y, x, empty_rows=other)
    y[1, 1] = 1
    with pytest.raises(KernelError, match=r"\[1, 1, 0\]"):
        sqrtdk.assert_softmax(y, x)


@pytest.mark.parametrize("wrong, error, words", (
    ({"x": np.where(X == X[2, 3, 4], np.float32(np.nan), X)}, ValueError, r"x\[2, 3, 4\] is nan"),
    ({"x": np.where(X == X[2, 3, 4], np.float32(np.inf), X)}, ValueError, r"x\[2, 3, 4\] is inf"),
    ({"y": Y[..., 0]}, ValueError, r"y has the shape \(3, 4\) and x \(3, 4, 33\)"),
    ({"y": Y[..., :0], "x": X[..., :0]}, ValueError, "there is no logit"),
    ({"y": 1.0, "x": 1.0}, ValueError, "a single number"),
    ({"axis": 3}, ValueError, "the axis is 3"),
    ({"axis": 1.0}, TypeError, "integer"),
    ({"temperature": 0}, ValueError, "the temperature is 0"),
    ({"x": X.astype(np.int64)}, TypeError, "x is an array of int64"),
    ({"y": Y.astype(np.complex64)}, TypeError, "y is an array of complex64"),
    ({"arithmetic": Arithmetic(computed="float16")}, ValueError, "x has numbers that float16 does not hold"),
    ({"temperature": [1, 2]}, TypeError, "temperature is"), ({"arithmetic": "x"}, TypeError, "arithmetic is")))
def test_what_has_no_softmax_is_refused_by_name(wrong, error, words):
    with pytest.raises(error, match=words):
        sqrtdk.assert_softmax(**{"y": Y, "x": X, **wrong})


def test_a_format_that_is_none_is_refused():
    with pytest.raises(ValueError, match="the format of a result is 'float8'"):
        sqrtdk.softmax_bound(X, dtype="float8")


@pytest.mark.parametrize("name, declared", (("flushing", "flushing=True"), ("exp2", "exp2_folded=True")))
def test_what_was_not_declared_is_recognized(name, declared):
    with pytest.raises(KernelError, match=rf"this looks like [\s\S]*{declared}"):
        for gap in np.concatenate([np.linspace(44.37, 46, 3000), np.linspace(87, 100, 100)]).astype(np.float32):
            row = np.array([0, -gap], np.float32)
            sqrtdk.assert_softmax(kernels.RIGHT[name](row), row, arithmetic=strict())


def test_a_million_numbers_need_memory_in_proportion():
    x = RNG.normal(size=(100, 10_000)).astype(np.float32)
    y = softmax(x)
    tracemalloc.start()
    sqrtdk.assert_softmax(y, x)
    assert tracemalloc.get_traced_memory()[1] < 8 * x.nbytes
    tracemalloc.stop()


def test_exact_numbers_have_the_precision_of_float64():
    for tau in (1, 0.7):
        row = [math.exp((float(x) - float(X[0, 0].max())) / tau) for x in X[0, 0]]
        exact = sqrtdk.exact_softmax(X[0, 0], temperature=tau)
        np.testing.assert_allclose(exact, np.array(row) / math.fsum(row), rtol=1e-14)


def test_arguments_that_the_kernel_does_not_round_are_taken():
    x = HALF.astype(np.float32)
    assert sqrtdk.assert_softmax(softmax(x), x, arithmetic=Arithmetic(computed="float16"))


def test_what_people_write_is_right():
    for tau in (0.7, 3.0, 100.0, 1e-3):
        for x in (X, np.array([3000, 3001, 3008.5], np.float32), np.array([-1e4, 1e4], np.float32)):
            scaled = x / np.float32(tau)
            assert sqrtdk.assert_softmax(softmax(scaled), x, temperature=tau)
            assert sqrtdk.assert_log_softmax(log_softmax(scaled), x, temperature=tau)
    for tau in (0.7, 1, 3):
        with pytest.raises(KernelError):
            sqrtdk.assert_softmax(softmax(X / np.float32(tau)), X, temperature=1.001 * tau)
    for x in (np.array([100, 100], np.float32), np.array([1e4, 1e4 - 3], np.float32)):
        lse = np.float32(x.max() + np.log(np.exp(x - x.max()).sum()))
        assert sqrtdk.assert_log_softmax(x - lse, x, arithmetic=Arithmetic(sum_first=True))
    with pytest.raises(KernelError, match="sum_first=True"):
        x = np.float32([100, 100])
        sqrtdk.assert_log_softmax(x - np.float32(100.69315), x, arithmetic=strict())


def test_the_reciprocal_of_a_temperature_may_be_rounded_or_lost():
    x = np.array([-9, 80, 79.5, 3], np.float32)
    for tau in (0.7, 3.0, 1e-2):
        assert sqrtdk.assert_softmax(kernels.by_reciprocals(x, tau), x, temperature=tau)
    huge = np.array([1e38, 3e38, 0], np.float32)
    assert sqrtdk.assert_softmax(np.full(3, 1 / 3, np.float32), huge, temperature=3e38)
    with pytest.raises(KernelError):
        sqrtdk.assert_softmax(np.full(3, 1 / 3, np.float32), huge, temperature=3e38, arithmetic=strict())


def test_a_temperature_has_the_digits_of_what_is_computed_with():
    x = np.linspace(-90, 4, 40, dtype=np.float32)
    y = softmax(x.astype(np.float64) / 0.7).astype(np.float32)
    declared = strict(sums=17, computed="float64", scaled_first=True)
    assert sqrtdk.assert_softmax(y, x, temperature=0.7, arithmetic=declared)


def test_zeros_are_no_softmax_in_half_precision():
    with pytest.raises(KernelError):
        sqrtdk.assert_softmax(np.zeros(2000, np.float16), np.zeros(2000, np.float16))


def test_equal_weights_of_a_row_of_nothing_are_held_to_the_bound_of_equal_scores():
    for dtype in (np.float16, np.float32):
        x = np.full((1, 3), -np.inf, dtype)
        assert sqrtdk.assert_softmax(np.full((1, 3), 1 / 3, dtype), x).entries == 3
        with pytest.raises(KernelError):
            sqrtdk.assert_softmax(np.full((1, 3), 0.34, dtype), x)
