"""Right kernels of which nothing could be said before, and kernels by name."""

import numpy as np
import pytest
from ml_dtypes import bfloat16, float8_e4m3fn

import sqrtdk
from sqrtdk import Arithmetic, KernelError

F = np.float32  # pylint: disable=invalid-name
RNG = np.random.default_rng(30)
LOG2E = F(np.log2(np.e))
FAR = (3000 + RNG.normal(size=12)).astype(F)
"""Logits whose products with log2 e are rounded to multiples of 2^-12."""


def total(x):
    """A sum in single precision, one number after the other."""
    return np.cumsum(x, axis=-1, dtype=F)[..., -1:]


def of_rounded_products(x):
    e = np.exp2(x * LOG2E - x.max() * LOG2E)
    return e / total(e)


def fused_in_tiles(x):
    """Each tile of three has its own rounded mc; a product of single precision is exact in double."""
    m, parts = -np.inf, []
    for tile in x.reshape(-1, 3):
        new = max(m, tile.max())
        parts = [part * np.exp2(F(m - new) * LOG2E) for part in parts]
        parts.append(np.exp2((np.float64(tile) * LOG2E - np.float64(F(new) * LOG2E)).astype(F)))
        m = new
    e = np.concatenate(parts)
    return e / total(e)


def of_log_sum_exp(x):
    return np.exp(x - (x.max() + np.log(total(np.exp(x - x.max())))))


def truncated(a, b, terms=32, bits=13):
    """a @ b by a tensor core in FP8: what lies below 2^-13 of the greatest of a step is cut off."""
    def step(numbers):
        unit = np.ldexp(1.0, int(np.frexp(np.abs(numbers).max())[1]) - 1 - bits)
        added = np.trunc(numbers / unit).sum() * unit
        last = np.ldexp(1.0, int(np.frexp(added)[1]) - 1 - bits)
        return np.trunc(added / last) * last
    result = np.zeros((len(a), b.shape[1]), F)
    for i, j in np.ndindex(result.shape):
        for at in range(0, a.shape[1], terms):
            products = a[i, at:at + terms].astype(float) * b[at:at + terms, j]
            result[i, j] = step(np.append(products, result[i, j]))
    return result


def attended(scores, v):
    e = np.exp(scores - scores.max(axis=1, keepdims=True)).astype(F)
    return (e / total(e)) @ v


def right_if_declared(declared, assertion, *arguments, less=None):
    """A result is condemned if less is declared. With the declaration it passes, and has a bound in each entry."""
    with pytest.raises(KernelError):
        assertion(*arguments, arithmetic=less)
    assert not assertion(*arguments, arithmetic=declared).unbounded


@pytest.mark.parametrize("kernel, declared", (
    (of_rounded_products, {"rounded_products": 2}), (fused_in_tiles, {"rounded_products": 1, "tile": 3}),
    (of_log_sum_exp, {"by_log_sum_exp": True})))
def test_a_softmax_that_does_not_ignore_shifts(kernel, declared):
    right_if_declared(Arithmetic(**declared), sqrtdk.assert_softmax, kernel(FAR).astype(F), FAR)


def test_logarithms_by_powers_of_two():
    z = FAR * LOG2E - FAR.max() * LOG2E
    y = z * F(np.log(2)) - np.log(total(np.exp2(z)))
    less = Arithmetic(sum_first=False)
    right_if_declared(less.but(rounded_products=2), sqrtdk.assert_log_softmax, y, FAR, less=less)


def test_scores_by_a_tensor_core_that_cuts_off():
    q, k = (np.abs(RNG.normal(size=(8, 64))).astype(float8_e4m3fn).astype(F) for _ in range(2))
    v = RNG.choice([-1, 1], size=(8, 3)).astype(F)
    out = attended(truncated(q, k.T) / F(8), v).astype(F)
    right_if_declared(Arithmetic(products=(32, 13, 13)), sqrtdk.assert_attention, out, q, k, v)


def test_scores_that_are_stored_in_sixteen_bits():
    q, k, v = (RNG.normal(size=(16, 8)).astype(F) for _ in range(3))
    scores = ((q @ k.T).astype(bfloat16) / bfloat16(np.sqrt(8))).astype(bfloat16).astype(F)
    right_if_declared(Arithmetic(stored_scores="bfloat16"), sqrtdk.assert_attention, attended(scores, v), q, k, v)


def test_a_kernel_by_name():
    decides, warns = Arithmetic.named("pytorch-cpu-flash"), Arithmetic.named("flash-attention-2")
    assert decides.decides and not warns.decides
    q, k, v = (RNG.normal(size=(16, 8)).astype(np.float16) for _ in range(3))
    x = (q.astype(F) @ k.T.astype(F)) / F(np.sqrt(8))
    out = attended(x, v.astype(F)).astype(np.float16)
    for by in (decides, warns):
        assert not sqrtdk.assert_attention(out, q, k, v, arithmetic=by).unbounded
        assert np.isfinite(sqrtdk.attention_bound(q, k, v, arithmetic=by)).all()
    with pytest.raises(KernelError, match="the arithmetic of pytorch-cpu-flash"):
        sqrtdk.assert_attention(out + np.float16(1), q, k, v, arithmetic=decides)
    with pytest.warns(sqrtdk.NotDecided, match="only sampled"):
        assert not sqrtdk.assert_attention(out + np.float16(1), q, k, v, arithmetic=warns)
    with pytest.raises(KernelError, match="nan"):  # which no constant explains
        sqrtdk.assert_attention(out * np.float16(np.nan), q, k, v, arithmetic=warns)
    with pytest.raises(ValueError, match="'flash', but must be one of plain, .*flash-attention-2"):
        Arithmetic.named("flash")
    with pytest.raises(ValueError, match="exp_ulps is 4, but must be left to Arithmetic.named"):
        warns.but(exp_ulps=4)


def test_a_wider_result_of_a_named_kernel_is_not_rounded_to_the_format_of_its_arguments():
    q, k, v = (RNG.normal(size=(16, 8)).astype(bfloat16) for _ in range(3))
    plain, flash = Arithmetic.named("plain"), Arithmetic.named("pytorch-cpu-flash")
    assert (2 * sqrtdk.attention_bound(q, k, v, arithmetic=plain, dtype="float32")
            < sqrtdk.attention_bound(q, k, v, arithmetic=plain)).any()
    # A backward pass reads the output as it was stored beside its arguments, whatever it returns.
    q, k, v = np.zeros((1, 1), np.float16), np.array([[1], [0]], np.float16), np.zeros((2, 64), np.float16)
    v[1] = 2 ** -24
    g, stored = np.full((1, 64), 1000, np.float16), (v.mean(0)).astype(np.float16)
    ds = (np.float16(0.5) * (g @ v.T - g @ stored)).astype(np.float16)
    results = [x.astype(F) for x in (ds @ k, ds.T @ q, np.full((2, 1), 0.5, F) @ g)]
    assert sqrtdk.assert_attention_gradients(*results, q, k, v, g, arithmetic=flash)


@pytest.mark.parametrize("wrong", (
    {"computed": "float8"}, {"sums": 0}, {"sums": "sorted"}, {"rescalings": -1}, {"exp_ulps": 0},
    {"stored_weights": "int8"}, {"products": 0}, {"products": (8,)}, {"rounded_inputs": "int8"},
    {"stored_scores": "tf32"}, {"rounded_products": 3}, {"exp_slope": -1}, {"exp_cut": 0}, {"tile": 0}, {"lag": 64},
    {"weight_offset": -1}, {"by_log_sum_exp": "lse"}))
def test_what_no_kernel_does_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Arithmetic(**wrong)


@pytest.mark.parametrize("wider", (
    {"products": (8, 10)}, {"rounded_inputs": "bfloat16"}, {"stored_scores": "e5m2"}, {"rounded_products": 1},
    {"exp_slope": 99}, {"exp_cut": 1}, {"tile": 1, "rescalings": 0}, {"lag": 8, "rounded_products": 1},
    {"stored_weights": "e4m3", "weight_offset": 8}, {"stored_weights": "e4m3", "sum_of_stored": True},
    {"by_log_sum_exp": True}))
def test_each_word_makes_the_bound_wider(wider):
    q, k, v = (RNG.normal(size=(4, 8)).astype(F) for _ in range(3))
    base = Arithmetic(rescalings=0)
    bound, with_it = (sqrtdk.attention_bound(q, k, v, arithmetic=by) for by in (base, base.but(**wider)))
    assert (with_it >= bound).all() and (with_it > bound).any()
