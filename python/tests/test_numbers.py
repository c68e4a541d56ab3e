"""The book's numbers, beside SciPy's where it has them."""

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
    assert np.isnan(score.ppf([-.1, 1.1, np.nan])).all() and score.ppf(0) == -np.inf


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
        with pytest.raises(ValueError, match="the dimension is"):
            sqrtdk.score_distribution(d)


def test_keys():
    assert sqrtdk.critical_dimension(512) == pytest.approx(2 * math.log(512))
    effective = sqrtdk.effective_keys(512, [1, 8])
    assert 300 < effective[0] < 320 and 2 < effective[1] < 3
    assert sqrtdk.mean_squared_weights(1, 8) == pytest.approx(1)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        assert 0 < sqrtdk.mean_squared_weights(5, 8) < 1
    with pytest.raises(ValueError):
        sqrtdk.effective_keys(512, 100)
