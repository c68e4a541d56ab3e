"""The book's numbers, beside SciPy's where it has them."""

import functools
import math
import warnings

import numpy as np
import pytest

import sqrtdk


def test_the_methods_are_those_of_a_frozen_distribution():
    score = sqrtdk.score_distribution(64)
    x = np.array([[-40.0, -8, 0], [1, 8, 40]])
    assert score.cdf(x).shape == x.shape and isinstance(score.cdf(1.0), float)
    np.testing.assert_allclose(score.cdf(x) + score.sf(x), 1, rtol=1e-15)
    np.testing.assert_allclose(np.exp(score.logpdf(x)), score.pdf(x), rtol=1e-13)
    np.testing.assert_allclose(np.exp(score.logcdf(x)), score.cdf(x), rtol=1e-13)
    np.testing.assert_allclose(np.exp(score.logsf(x)), score.sf(x), rtol=1e-13)
    np.testing.assert_allclose(score.ppf(score.cdf(x)), x, atol=1e-5)
    np.testing.assert_allclose(score.isf(score.sf(x)), x, atol=1e-5)
    assert score.var() == 64 and score.std() == 8 and score.mean() == score.median() == 0
    assert score.stats("mvk") == (0, 64, 6 / 64) and score.support() == (-math.inf, math.inf)
    assert score.stats("k") == 6 / 64 and score.hazard(-8) == pytest.approx(score.pdf(8) / score.cdf(8), rel=1e-15)
    assert np.isnan(score.ppf([-.1, 1.1, np.nan])).all() and score.ppf(0) == -np.inf


def test_arrays_of_dimensions_and_scales_are_broadcast():
    d, scale = np.array([.5, 2, 64]), np.array([[1], [1 / 8]])
    scores = sqrtdk.score_distribution(d, scale=scale)
    calls = dict.fromkeys("pdf logpdf cdf logcdf sf logsf hazard characteristic_function".split(), (2,))
    calls |= dict.fromkeys("mean median var std entropy support".split(), ())
    calls |= {"ppf": (.9,), "isf": (1e-9,), "stats": ("mvsk",), "moment": (4,), "expect": (abs, 0), "interval": (.9,)}
    for name, arguments in calls.items():
        each = [[getattr(sqrtdk.score_distribution(n, scale=s), name)(*arguments) for n in d] for s in scale[:, 0]]
        np.testing.assert_array_equal(getattr(scores, name)(*arguments), np.moveaxis(each, (0, 1), (-2, -1)), name)
    assert scores.cdf(np.zeros((5, 1, 1))).shape == scores.rvs((5, 2, 3)).shape == (5, 2, 3)
    assert scores.rvs().shape == scores.stats("k").shape == (2, 3)


def test_a_scale_multiplies_the_scores():
    score, scaled = sqrtdk.score_distribution(64), sqrtdk.score_distribution(64, scale=1 / 8)
    x = np.array([-3, 0, .5, 9])
    for name in ("cdf", "logcdf", "sf", "logsf"):
        np.testing.assert_array_equal(getattr(scaled, name)(x), getattr(score, name)(8 * x))
    for name in ("pdf", "hazard"):
        np.testing.assert_array_equal(getattr(scaled, name)(x), 8 * getattr(score, name)(8 * x))
    np.testing.assert_allclose(scaled.logpdf(x), np.log(scaled.pdf(x)), rtol=1e-13)
    assert scaled.ppf(.1) == score.ppf(.1) / 8 and scaled.std() == 1
    assert scaled.entropy() == score.entropy() - math.log(8)
    assert (scaled.rvs(9, random_state=1) == score.rvs(9, random_state=1) / 8).all()
    assert repr(scaled) == "score_distribution(64, scale=0.125)"


@pytest.mark.parametrize("d", [.5, 1, 2, 3, 7.25, 64, 65, 1000])
def test_quantiles_come_back_whatever_else_is_asked(d):
    score = sqrtdk.score_distribution(d)
    drawn = np.random.default_rng(1).random(1000)
    q = np.concatenate([drawn, 10.0 ** -np.arange(1, 300), .5 - 2.0 ** -np.arange(2, 50)])
    x = score.isf(q)
    np.testing.assert_array_less(abs(score.sf(x) / q - 1), 1e-15 * (1 + abs(x) * score.pdf(x) / q))
    assert (x[::97] == [score.isf(one) for one in q[::97]]).all() and (x == -score.ppf(q)).all()


@pytest.mark.parametrize("d", [.5, 1, 2, 7.25, 64, 1000])
def test_means_have_their_closed_forms(d):
    near = functools.partial(pytest.approx, rel=1e-12, abs=0)
    score = sqrtdk.score_distribution(d, scale=1 / 3)
    for order, mean in enumerate([1, 0, d, 0, 3 * d * (d + 2), 0, 15 * d * (d + 2) * (d + 4)]):
        assert score.moment(order) == near(mean / 3 ** order)
        assert score.expect(lambda x, n=order: x ** n) == near(mean / 3 ** order)
    size = 2 / 3 / math.sqrt(math.pi) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    assert score.expect(abs) == near(size)
    assert score.expect(lambda x: math.cos(.3 * x)) == near(1.01 ** (-d / 2))
    assert score.characteristic_function(.3) == near(1.01 ** (-d / 2))
    assert score.expect(lambda x: math.exp(1.5 * x)) == near(.75 ** (-d / 2))
    assert score.expect(lambda x: 1, 9) == near(score.sf(9))
    assert score.expect(lambda x: 1, -1, 2, True) == near(1) and score.expect(abs, 0, -1) == -score.expect(abs, -1, 0)


def test_a_moment_is_lost_only_if_it_is_out_of_range():
    logarithm = sum(math.log((2 * i + 1) * (64 + 2 * i) * 1e-6) for i in range(1000))  # −472, by way of −881
    assert math.log(sqrtdk.score_distribution(64, scale=1e-3).moment(2000)) == pytest.approx(logarithm)
    assert sqrtdk.score_distribution(64).moment(10 ** 9) == math.inf


def test_the_density_is_the_product_of_two_normals_for_one_dimension():
    special = pytest.importorskip("scipy.special")
    x = np.array([.1, 1, 5])
    np.testing.assert_allclose(sqrtdk.score_distribution(1).pdf(x), special.k0(x) / np.pi, rtol=1e-13)


def test_draws_repeat_with_a_seed_and_have_the_variance():
    score = sqrtdk.score_distribution(16)
    draws = score.rvs((1000, 100), random_state=1)
    assert draws.shape == (1000, 100) and (draws == score.rvs((1000, 100), random_state=1)).all()
    assert abs(draws.var() / 16 - 1) < .05  # the standard error is .005
    assert isinstance(score.rvs(random_state=np.random.default_rng(1)), float)


def test_dimensions_out_of_range_are_refused():
    for d in (0, -1, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"the dimension is {d:g}, but must be positive and finite"):
            sqrtdk.score_distribution([1, d])
        with pytest.raises(ValueError, match=f"the scale is {d:g}, but must be positive and finite"):
            sqrtdk.score_distribution(1, scale=d)


def test_other_wrong_arguments_are_refused():
    score = sqrtdk.score_distribution([1, 2])
    for order in (-1, 2.5, math.nan, math.inf):
        with pytest.raises(ValueError, match=f"the order is {order}, but must be a whole number of at least 0"):
            score.moment(order)
    with pytest.raises(ValueError, match="moments is 'vq', but must have no letters other than 'mvsk'"):
        score.stats("vq")
    with pytest.raises(ValueError, match="the confidence is 1.5, but must be from 0 to 1"):
        score.interval(1.5)
    with pytest.raises(ValueError):
        score.rvs(3)
    with pytest.warns(RuntimeWarning, match="has not converged"):
        sqrtdk.score_distribution(1).expect(lambda x: x > 1)


def test_keys():
    assert sqrtdk.mean_squared_weights(1, 8) == pytest.approx(1)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        assert 0 < sqrtdk.mean_squared_weights(5, 8) < 1
    with pytest.raises(ValueError):
        sqrtdk.effective_keys(512, 100)
