"""assert_attention and assert_attention_gradients."""

import functools

import kernels
import numpy as np
import pytest
import zoo
from kernels import F

import sqrtdk
from sqrtdk import KernelError, strict

RNG = np.random.default_rng(5)
drawn = functools.partial(kernels.drawn, RNG)
Q, K, V, G = drawn(5, 8), drawn(70, 8), drawn(70, 3), drawn(5, 3)
OUT = zoo.attention(Q, K, V)
MASK = RNG.random((5, 70)) < .8
ONE_WITHOUT_KEYS = np.ones((5, 70), bool)
ONE_WITHOUT_KEYS[3] = False


def test_any_batch_is_broadcast_and_the_head_of_a_wrong_entry_named():
    q, k, v = drawn(2, 3, 4, 8), drawn(1, 3, 9, 8), drawn(3, 9, 2)
    out = zoo.attention(q, k, v)
    assert sqrtdk.assert_attention(out, q, k, v).entries == out.size
    out[1, 2, 3, 0] += 1
    with pytest.raises(KernelError, match=r"wrong at \[1, 2, 3, 0\]"):
        sqrtdk.assert_attention(out, q, k, v)


@pytest.mark.parametrize("convention, row", (("zero", 0), ("nan", np.nan), ("mean", None)))
def test_conventions_of_rows_without_keys(convention, row):
    out = OUT.copy()
    out[3] = V.mean(0) if row is None else row
    assert sqrtdk.assert_attention(out, Q, K, V, mask=ONE_WITHOUT_KEYS)
    assert sqrtdk.assert_attention(out, Q, K, V, mask=ONE_WITHOUT_KEYS, empty_rows=convention)
    for other in {"zero", "nan", "mean"} - {convention}:
        with pytest.raises(KernelError, match=r"wrong at \[3, "):
            sqrtdk.assert_attention(out, Q, K, V, mask=ONE_WITHOUT_KEYS, empty_rows=other)


@pytest.mark.parametrize("scale, words", (
    (1.0, "1, which is 1,"), (1 / 8, "0.125, which is 1/d,"), (1 / 4, r"0.25, which is 1/√\(2d\),"),
    (8 ** .5, "2.828, which is √d,"), (0.2, "0.2"), (0.05, "0.05"), (0.5 ** 5, "0.03125"), (2.0, "2")))
def test_a_wrong_scale_is_recognized(scale, words):
    for mask in (None, MASK):
        with pytest.raises(KernelError, match=f"  scores look multiplied by {words} instead of 0.3536"):
            sqrtdk.assert_attention(zoo.attention(Q, K, V, mask, scale=scale), Q, K, V, mask=mask)


@pytest.mark.parametrize("name, factor", (("1/d", lambda d: 1 / d), ("1", lambda d: 1.0),
                                          (r"1/√\(2d\)", lambda d: (2 * d) ** -.5)))
@pytest.mark.parametrize("seed", range(3))
def test_a_campaign_names_the_missing_root(name, factor, seed):
    kernel = zoo.attention_by(scale_by=lambda q, v: factor(q.shape[-1]))
    with pytest.raises(KernelError, match=f"scores look multiplied by [^,]*, which is ([^,]* or )?{name}[ ,]"):
        sqrtdk.check(lambda q, k, v, mask=None: kernel(q, k, v, mask), "attention", seed=seed)


def test_no_scale_is_made_responsible_for_another_mistake():
    two_keys = (np.ones((1, 1), F), F([[1], [0]]), F([[1], [0]]))
    for out, arguments in ((F([[0.6]]), two_keys), (OUT + F(.01), (Q, K, V))):
        with pytest.raises(KernelError) as failure:
            sqrtdk.assert_attention(out, *arguments)
        assert "scores look" not in str(failure.value)


@pytest.mark.parametrize("keys", (0, 1))
def test_no_keys_or_one(keys):
    k, v = np.ones((keys, 1), F), np.full((keys, 2), 3, F)
    assert sqrtdk.assert_attention(np.full((1, 2), 3 * keys, F), np.ones((1, 1), F), k, v)
    with pytest.raises(KernelError, match=r"wrong at \[0, 0\]|2 wrong"):
        sqrtdk.assert_attention(np.full((1, 2), 7, F), np.ones((1, 1), F), k, v)


def test_bounds_and_exact_numbers_are_arrays():
    bound, sharp = sqrtdk.attention_bound(Q, K, V), sqrtdk.attention_bound(Q, K, V, arithmetic=strict())
    assert (np.abs(OUT - sqrtdk.exact_attention(Q, K, V)) <= bound).all()
    assert (sharp < bound).all() and sharp.shape == (5, 3)


def test_gradients_and_what_is_wrong_with_them():
    mask = MASK & (np.arange(70) != 7)
    right = zoo.gradients(Q, K, V, G, mask=mask)
    assert sqrtdk.assert_attention_gradients(*right, Q, K, V, G, mask=mask).entries == Q.size + K.size + V.size
    for which, name in enumerate(("dq", "dk", "dv")):
        wrong = [x.copy() for x in right]
        wrong[which][2, 1] *= F(1.01)
        with pytest.raises(KernelError, match=rf"{name} is wrong at \[2, 1\]"):
            sqrtdk.assert_attention_gradients(*wrong, Q, K, V, G, mask=mask)
    right[2][7] = 1e-6
    with pytest.raises(KernelError, match=r"dv is wrong at \[7, "):
        sqrtdk.assert_attention_gradients(*right, Q, K, V, G, mask=mask)


def test_a_cause_is_named_where_terms_cancel():
    # The first query sees the sink alone, and both keys with the mask inverted: 1/3 - 1/3 may be a rounding error.
    mask, v = np.array([[False, False], [True, False]]), np.array([[1, 3], [-1, 5]], F)
    out = np.array([[2.0 ** -24, 8 / 3], v[1] / 2], F)
    with pytest.raises(KernelError, match="the mask inverted"):
        sqrtdk.assert_attention(out, np.zeros((2, 8), F), K[:2], v, mask=mask, sink=0.0)
    # A large value of one query neither excuses nor hides anything of another.
    mask, v = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]], bool), np.array([[1e8], [0], [0], [1], [3]], F)
    for out, names in (([[33333332], [1]], [("it looks as if the last key was left out",)]), ([[0], [7]], [])):
        with pytest.raises(KernelError) as caught:
            sqrtdk.assert_attention(np.array(out, F), np.zeros((2, 8), F), K[:5], v, mask=mask)
        assert [hint.names for hint in caught.value.hints()] == names
    for seed in range(20):
        q, k, v, g = (kernels.drawn(np.random.default_rng((seed, i)), *x.shape) for i, x in enumerate((Q, K, V, G)))
        inverted = zoo.gradients(q, k, v, g, mask=~ONE_WITHOUT_KEYS)
        with pytest.raises(KernelError, match="the mask inverted"):
            sqrtdk.assert_attention_gradients(*inverted, q, k, v, g, mask=ONE_WITHOUT_KEYS)


@pytest.mark.parametrize("wrong, error, words", (
    ({"k": K[:, :7]}, ValueError, "rows must be as long"),
    ({"k": np.where(K == K[3], F(np.nan), K)}, ValueError, "an entry of a key is"),
    ({"v": V[:9]}, ValueError, "as many rows"),
    ({"out": OUT[:4]}, ValueError, "out has the shape"),
    ({"q": Q[0]}, ValueError, "needs an axis of rows"),
    ({"mask": np.ones((4, 70), bool)}, ValueError, "must fit"),
    ({"mask": np.ones((5, 70), np.int32)}, TypeError, "the mask"),
    ({"mask": np.where(np.arange(70) < 9, 0, -1e300)}, ValueError, "the mask has numbers that float32 does not hold"),
    ({"mask_value": 1.0}, ValueError, "mask_value is 1"), ({"scale": [1.0]}, TypeError, "scale is an array"),
    ({"is_causal": "left"}, ValueError, "is_causal"),
    ({"arithmetic": sqrtdk.Arithmetic(computed="float16")}, ValueError, "q has numbers that float16 does not hold"),
    ({"arithmetic": sqrtdk.Arithmetic(computed="bfloat16")}, ValueError, "q has numbers that bfloat16 does not hold")))
def test_what_does_not_fit_is_refused_by_name(wrong, error, words):
    with pytest.raises(error, match=words):
        sqrtdk.assert_attention(**{"out": OUT, "q": Q, "k": K, "v": V, **wrong})


def test_no_heads_and_no_queries():
    assert sqrtdk.assert_attention(np.zeros((0, 5, 3), F), drawn(0, 5, 8), K, V).entries == 0
    assert sqrtdk.assert_attention(np.zeros((0, 3), F), drawn(0, 8), K, V).entries == 0


def test_a_wider_result_is_not_rounded_before_it_is_compared():
    one = np.ones((1, 1), F)
    with pytest.raises(KernelError):
        sqrtdk.assert_attention(np.full((1, 1), 1 + 2.0 ** -26), one, one, one,
                                arithmetic=strict(computed="float64"))


def test_masks_of_all_kinds():
    for mask in (np.ones(70, bool), np.array(True), [[True] * 70] * 5, [0.0] * 70, np.zeros((5, 70), np.float16)):
        assert sqrtdk.assert_attention(OUT, Q, K, V, mask=mask)
    far = np.where(np.arange(70) < 9, 0, -1e300)  # finite in float64 alone
    out = zoo.attention(Q, K[:9], V[:9])
    assert not sqrtdk.assert_attention(out, Q, K, V, mask=far, mask_value=-1e300).unbounded


def test_derivatives_of_a_query_without_keys_are_a_convention():
    given = {"q": Q, "k": K, "v": V, "grad_out": G, "mask": ONE_WITHOUT_KEYS}
    right = zoo.gradients(Q, K, V, G, mask=ONE_WITHOUT_KEYS)
    assert not sqrtdk.assert_attention_gradients(*right, **given).unbounded
    dq = right[0].copy()
    dq[3] = np.nan
    nothing = (dq, np.full_like(K, np.nan), np.full_like(V, np.nan))
    assert sqrtdk.assert_attention_gradients(*nothing, **given).unbounded == 8 + K.size + V.size
    dq[2, 0] += 1
    for wrong, rule in (((dq, *right[1:]), "any"), (nothing, "zero")):
        with pytest.raises(KernelError):
            sqrtdk.assert_attention_gradients(*wrong, **given, empty_rows=rule)


def test_the_root_of_the_scale_may_be_in_queries_and_keys():
    scale = 1.0076419
    q, k, v = (np.array(rows, F) for rows in ([[33.471878]], [[1.0344625], [-1.0344625]], [[0], [1]]))
    out = kernels.folded_by_root(q, k, v, scale=scale)
    assert sqrtdk.assert_attention(out, q, k, v, scale=scale)
    assert sqrtdk.assert_attention(out, q, k, v, scale=scale, arithmetic=strict(scale_folded=True))
    with pytest.raises(KernelError, match=r"declare\s+sqrtdk.Arithmetic\(scale_folded=True\)"):
        sqrtdk.assert_attention(out, q, k, v, scale=scale, arithmetic=strict())


def test_stored_weights_are_recognized():
    out = zoo.attention_by(lambda s: zoo.weights(s).astype(np.float16).astype(F))(Q, K, V)
    with pytest.raises(KernelError, match="this looks like weights stored in float16"):
        sqrtdk.assert_attention(out, Q, K, V, arithmetic=strict(sums="any order"))


def test_what_flushing_loses_is_magnified_by_what_it_meets():
    by = strict(flushing=True)
    # A scale that is lost meets the sum of all products.
    q, k, v = (np.array(rows, F) for rows in ([[1e16] * 64], [[1e16] * 64, [0] * 64], [[1], [0]]))
    scale = 1.1e-38
    assert not sqrtdk.assert_attention(np.full((1, 1), 0.5, F), q, k, v, scale=scale, arithmetic=by).unbounded
    # A lost query meets derivatives by scores.
    q, k = np.array([[1.1e-38]], F), np.array([[1], [-1]], F)
    v, g = np.array([[1e14] * 9, [-1e14] * 9], F), np.full((1, 9), 1e14, F)
    right = zoo.gradients(np.zeros_like(q), k, v, g, scale=1.0)
    assert not sqrtdk.assert_attention_gradients(*right, q, k, v, g, scale=1.0, arithmetic=by).unbounded
    with pytest.raises(KernelError):
        sqrtdk.assert_attention_gradients(*right, q, k, v, g, scale=1.0, arithmetic=strict())


def test_where_scores_may_overflow_nothing_is_promised():
    for out in (V[:5], np.full((5, 3), np.nan, F)):
        with pytest.warns(sqrtdk.SaysNothing):
            sqrtdk.assert_attention(out, Q, K, V, scale=1e38)
    k = np.array([[1e20, 1e20], [1e20, -1e20]], F)
    with pytest.warns(sqrtdk.SaysNothing):
        sqrtdk.assert_attention(np.full((1, 2), np.nan, F), k[:1], k, k)


def test_a_query_whose_scores_overflow_silences_no_other():
    q = Q.copy()
    q[2] *= F(1e37)
    out = OUT.copy()
    out[2] = np.nan
    declared = sqrtdk.Arithmetic(flushing=False)
    assert sqrtdk.assert_attention(out, q, K, V, arithmetic=declared).unbounded == 3
    out[1, 0] += F(0.01)
    with pytest.raises(KernelError):
        sqrtdk.assert_attention(out, q, K, V, arithmetic=declared)


def test_what_no_query_sees_weakens_no_bound():
    k, v, g = K.copy(), V.copy(), G.copy()
    k[9], v[9] = 3e38, np.inf
    mask = np.ones((5, 70), bool)
    mask[:, 9], mask[4], g[4] = False, False, np.nan
    right = sqrtdk.attention_bound(Q, K, V, mask=mask)
    assert (sqrtdk.attention_bound(Q, k, v, mask=mask) == right).all()
    assert (sqrtdk.attention_bound(Q, k, v, mask=np.where(mask, F(0), -np.inf))[:4] < 2 * right[:4]).all()
    seen = mask[0][:, None]
    right = zoo.gradients(Q, *(np.where(seen, x, F(0)) for x in (k, v)), np.where(np.isnan(g), F(0), g), mask=mask)
    report = sqrtdk.assert_attention_gradients(*right, Q, k, v, g, mask=mask)
    assert report and not report.unbounded


def test_one_head_does_not_weaken_the_bounds_of_another():
    q, k, v = drawn(2, 5, 8), drawn(2, 70, 8), drawn(2, 70, 3)
    v[1] *= F(1e35)
    assert (sqrtdk.attention_bound(q, k, v)[0] == sqrtdk.attention_bound(q[0], k[0], v[0])).all()


def test_some_rows_of_a_large_result():
    q, k, v = drawn(2, 4, 16), drawn(2, 64, 16), drawn(2, 64, 16)
    out = zoo.attention(q, k, v)
    out[1, 2, 3] += 1
    for right in (0, -1, slice(0, 2), sqrtdk.RandomRows(1, seed=1)):
        assert sqrtdk.assert_attention(out, q, k, v, rows=right)
    for wrong in (2, slice(1, None), sqrtdk.RandomRows(8), sqrtdk.RandomRows(99)):
        with pytest.raises(KernelError, match=r"wrong at \[1, 2, 3\]"):
            sqrtdk.assert_attention(out, q, k, v, rows=wrong)
    some = sqrtdk.RandomRows(5, seed=3)
    report = sqrtdk.assert_attention(out[:1], q[:1], k[:1], v[:1], rows=sqrtdk.RandomRows(3, seed=3))
    assert report.entries == 3 * 16
    assert "3 of 4 rows, drawn at random with the seed 3; a fault of 90 % of them" in " ".join(str(report).split())
    assert some.chance_to_miss(1 - 0.001 ** (1 / 5)) == pytest.approx(0.001)
    for none in (4, "x", -5):
        with pytest.raises(ValueError, match="rows is .* but must be an index from -4 to 3"):
            sqrtdk.assert_attention(out, q, k, v, rows=none)
    with pytest.raises(ValueError, match="count is 0"):
        sqrtdk.RandomRows(0)


def test_parts_of_a_head_are_as_the_whole(monkeypatch):
    q, k, v = (drawn(70, 4) for _ in range(3))
    mask = np.random.default_rng(1).random((70, 70)) < .3
    for options in ({}, {"is_causal": True}, {"mask": mask, "is_causal": "bottom_right"},
                    {"mask": np.where(mask, -np.inf, 1).astype(F)}):
        found = []
        for block in (1 << 19, 1):
            monkeypatch.setattr("sqrtdk._call.BLOCK", block)
            found.append([sqrtdk.attention_bound(q, k, v, **options), sqrtdk.exact_attention(q, k, v, **options)])
        assert all(np.allclose(one, other, rtol=1e-7, atol=0) for one, other in zip(*found))
