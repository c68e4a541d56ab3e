"""assert_softmax_gradient, assert_log_softmax_gradient and assert_log_sum_exp."""

import numpy as np
import pytest
from kernels import FORMATS, F, flush
from zoo import log_softmax, top, total

import sqrtdk
from sqrtdk import KernelError, strict


def added(x, then=lambda x: x):
    """One term after the other."""
    z = F(0) * x[..., 0]
    for term in np.moveaxis(x, -1, 0):
        z = then(z + term)
    return z[..., None]


def products_stored(p, g, stored):
    """PyTorch's kernel for GPUs."""
    products = (p * g).astype(stored).astype(F)
    return products - p * added(products)


def flushing(p, g, _=None):
    p, g = flush(p), flush(g)
    return flush(p * flush(g - added(flush(p * g), flush)))


def flushing_products(p, g, _):
    p, g = flush(p), flush(g)
    return flush(flush(p * g) - flush(p * added(flush(p * g), flush)))


RIGHT = (lambda p, g, _: p * (g - total(p * g)), products_stored, flushing, flushing_products)
RIGHT_LOG = (lambda y, g, _: g - np.exp(y) * total(g),
             lambda y, g, _: g - np.exp2(y * F(np.log2(np.e))) * added(g),
             lambda y, g, _: flush(flush(g) - flush(flush(np.exp(flush(y))) * added(flush(g), flush))))


def log_weights(rng, n, spread):
    """Logarithms of three rows of weights, some of them 0."""
    x = np.where(rng.random((3, n)) < .2, -np.inf, rng.normal(size=(3, n)) * spread).astype(F)
    x[:, 0] = 0
    return log_softmax(x)


@pytest.mark.filterwarnings("ignore::sqrtdk.SaysNothing")
def test_right_backward_passes_are_right_in_every_format():
    rng = np.random.default_rng(3)
    for i in range(300):
        stored, n = FORMATS[i % 3], int(rng.choice([1, 2, 9, 64, 300]))
        y = log_weights(rng, n, rng.choice([.1, 3, 60]))
        size = rng.choice([1e-6, 1, 100] if stored is np.float16 else [1e-40, 1e-38, 1, 1e30])
        g = (size * (rng.normal(size=y.shape) + rng.choice([0, 30]))).astype(stored)
        for of, right, held in ((np.exp(y).astype(stored), RIGHT, sqrtdk.assert_softmax_gradient),
                                (y.astype(stored), RIGHT_LOG, sqrtdk.assert_log_softmax_gradient)):
            for kernel in right:
                assert held(kernel(of.astype(F), g.astype(F), stored).astype(stored), of, g)


RNG = np.random.default_rng(4)
Y = log_weights(RNG, 40, 2)
P, G = np.exp(Y), (RNG.normal(size=Y.shape) + 1).astype(F)
DX, LOG_DX = RIGHT[0](P, G, F), RIGHT_LOG[0](Y, G, F)


def test_products_are_only_stored_if_that_is_declared():
    p, g = P.astype(np.float16), G.astype(np.float16)
    dx = products_stored(p.astype(F), g.astype(F), np.float16)
    assert sqrtdk.assert_softmax_gradient(dx, p, g)
    with pytest.raises(KernelError):
        sqrtdk.assert_softmax_gradient(dx, p, g, arithmetic=strict())


def test_what_flushing_loses_needs_its_declaration():
    p, g = F([0.5, 0.5]), F([2e-38, 0])
    small, large = F([1, 1e-38]), F([1, 1e20])
    for of, by in ((p, g), (small, large)):
        dx = flushing(of, by)
        assert sqrtdk.assert_softmax_gradient(dx, of, by)
        with pytest.raises(KernelError, match="subnormal numbers taken for 0"):
            sqrtdk.assert_softmax_gradient(dx, of, by, arithmetic=strict())


SUM, TOTAL = total(P * G), total(G)
BROKEN = ((DX * F(1.0001), ""), (P * G, "the sum of the products is not subtracted"), (-DX, "the sign is wrong"),
          (P * (G - TOTAL), "the sum has no weights in it"), (P * P * (G - SUM), "the weights are squared"),
          (P * (G - total((P * G)[:, :-1])), "the sum lacks its last term"),
          (G - SUM, "the difference is not multiplied"), (LOG_DX, "this is the derivative of log-softmax"),
          (P * (1 - P) * G, "the diagonal of the Jacobian alone"), (DX.astype(np.float16).astype(F), "of float16"),
          (np.full_like(DX, np.nan), ""), (P * (G - (P * G).sum()), ""))
BROKEN_LOG = ((LOG_DX * F(1.0001), ""), (G, "grad_out is passed on"), (DX, "this is the derivative of softmax"),
              (G - Y * TOTAL, ""), (G - TOTAL, "the sum is not multiplied by the weight"),
              (G - P * SUM, "the sum has the weights in it"), (G - P * G.mean(-1, keepdims=True), "taken for its mean"),
              (G - P * total(G[:, :-1]), "the sum lacks its last term"), (-LOG_DX, "the sign is wrong"))


@pytest.mark.parametrize("held, of, broken", (
    *((sqrtdk.assert_softmax_gradient, P, case) for case in BROKEN),
    *((sqrtdk.assert_log_softmax_gradient, Y, case) for case in BROKEN_LOG)))
def test_broken_backward_passes_are_refused_with_a_cause(held, of, broken):
    dx, cause = broken
    with pytest.raises(KernelError, match=f"(?s)gradient is wrong at .*{cause}"):
        held(dx, of, G)


def test_any_axis_and_what_says_nothing():
    assert sqrtdk.assert_softmax_gradient(DX.T, P.T, G.T, axis=0).entries == DX.size
    assert sqrtdk.assert_log_softmax_gradient(LOG_DX[None, ..., None], Y[None, ..., None], G[None, ..., None], 2)
    wrong = DX.T.copy()
    wrong[7, 1] += 1
    with pytest.raises(KernelError, match=r"wrong at \[7, 1\]"):
        sqrtdk.assert_softmax_gradient(wrong, P.T, G.T, axis=0)
    with pytest.warns(sqrtdk.SaysNothing, match="nothing to compare"):
        sqrtdk.assert_softmax_gradient(DX[:0], P[:0], G[:0])
    with pytest.warns(sqrtdk.SaysNothing, match="so would be zeros"):
        sqrtdk.assert_softmax_gradient(F([0]), F([1 - 2.0 ** -24]), F([1]))


@pytest.mark.parametrize("wrong, error, words", (
    ({"y": P[:2]}, ValueError, r"y has the shape \(2, 40\) and dx \(3, 40\)"),
    ({"y": P.T, "grad_out": G.T}, ValueError, "must be the same"),
    ({"y": P + 1}, ValueError, r"y\[0, 0\] is 1\.\d+, but must be a weight, from 0 to 1"),
    ({"grad_out": np.full_like(G, np.inf)}, ValueError, r"grad_out\[0, 0\] is inf, but must be finite"),
    ({"axis": 2}, ValueError, "the axis is 2"),
    ({"grad_out": G.astype(int)}, TypeError, "grad_out is an array of int64"),
    ({"arithmetic": sqrtdk.Arithmetic(computed="float16")}, ValueError, "y has numbers that float16 does not hold")))
def test_arguments_that_do_not_fit_are_refused_by_name(wrong, error, words):
    with pytest.raises(error, match=words):
        sqrtdk.assert_softmax_gradient(**{"dx": DX, "y": P, "grad_out": G, **wrong})
    if "y" not in wrong:
        with pytest.raises(error, match=words):
            sqrtdk.assert_log_softmax_gradient(**{"dx": DX, "y": Y, "grad_out": G, **wrong})
    with pytest.raises(ValueError, match="is nan, but must be a logarithm"):
        sqrtdk.assert_log_softmax_gradient(DX, np.where(Y == Y[0, 0], np.nan, Y), G)


def log_sum_exp(x, temperature=F(1)):
    return (top(x) / temperature + np.log(total(np.exp((x - top(x)) / temperature))))[..., 0].astype(F)


def log_sum_exp_of_scaled(x, temperature=F(1)):
    x = x * (F(1) / temperature)
    return (top(x) + np.log(added(np.exp(x - top(x)))))[..., 0].astype(F)


@pytest.mark.filterwarnings("ignore::sqrtdk.SaysNothing")
def test_right_log_sum_exps_are_right_in_every_format():
    rng = np.random.default_rng(5)
    for i in range(200):
        stored, n, tau = FORMATS[i % 3], int(rng.choice([1, 2, 9, 300])), F(rng.choice([1, .3, 7]))
        x = (rng.normal(size=(3, n)) * rng.choice([1e-39, .1, 5, 40]) + rng.choice([0, 99, -99])).astype(stored)
        x[2] = -np.inf if i % 5 else x[2]
        for kernel in (log_sum_exp, log_sum_exp_of_scaled):
            lse = kernel(x.astype(F), tau).astype(stored)
            assert sqrtdk.assert_log_sum_exp(lse, x, temperature=float(tau))
            assert sqrtdk.assert_log_sum_exp(lse[:, None], x, temperature=float(tau)).entries == 3
            assert sqrtdk.assert_log_sum_exp(lse[None], x.T[:, None], 0, temperature=float(tau))


X = (RNG.normal(size=(3, 40)) * 3 + 90).astype(F)
LSE = log_sum_exp(X)


@pytest.mark.parametrize("lse, cause", (
    (LSE * F(1.001), ""), (LSE / F(np.log(2)), "to the base 2"), (X.max(-1), "the maximum alone"),
    (LSE - X.max(-1), "the maximum is not added"), (np.log(np.exp(X).sum(-1)), "no maximum is subtracted"),
    (log_sum_exp(X, F(2)), ""), (log_sum_exp(X[:, :-1]), "last"), (LSE - F(np.log(40)), "the mean of the exponentials"),
    (np.full_like(LSE, np.nan), "")))
def test_broken_log_sum_exps_are_refused_with_a_cause(lse, cause):
    with pytest.raises(KernelError, match=f"(?s)log_sum_exp is wrong at .*{cause}"):
        sqrtdk.assert_log_sum_exp(lse, X)


def test_log_sum_exp_without_scores_and_of_other_shapes():
    x = X.copy()
    x[1] = -np.inf
    for of_none in (-np.inf, np.nan):
        assert sqrtdk.assert_log_sum_exp(np.where([False, True, False], F(of_none), LSE), x)
    with pytest.raises(KernelError, match=r"(?s)of a row of -inf alone is wrong at \[1\]: it is 7 .*1 of 3 entries"):
        sqrtdk.assert_log_sum_exp(np.where([False, True, False], F(7), LSE), x)
    with pytest.raises(ValueError, match=r"lse has the shape \(40,\), but must have \(3,\) or \(3, 1\)"):
        sqrtdk.assert_log_sum_exp(X[0], X)
    for wrong, words in (({"temperature": 0}, "the temperature is 0"), ({"axis": 5}, "the axis is 5")):
        with pytest.raises(ValueError, match=words):
            sqrtdk.assert_log_sum_exp(LSE, X, **wrong)
    with pytest.warns(sqrtdk.SaysNothing, match="nothing is promised"):
        sqrtdk.assert_log_sum_exp(F([3]), F([[3]]), arithmetic=sqrtdk.Arithmetic(exp_ulps=1e9))
    with pytest.warns(sqrtdk.SaysNothing, match="so would be the maximum:"):
        sqrtdk.assert_log_sum_exp(F([1]), F([[1, -6]]), arithmetic=sqrtdk.Arithmetic(exp_ulps=2e4))
    with pytest.raises(KernelError, match="a very fast exponential: if that is meant"):
        sqrtdk.assert_log_sum_exp(log_sum_exp(X - 90) + F(2e-5), X - 90, arithmetic=strict())
