"""Sinks, log-sum-exps and heads that share keys: what attention has beside one head."""

import numpy as np
import pytest
from kernels import FORMATS, F, drawn, scores_of
from zoo import attention, gradients, masked

import sqrtdk
from sqrtdk import KernelError


def with_sink(q, k, v, sink, mask=None, is_causal=False, stored=F):
    """Output and log-sum-exp; the sink is in the sum alone, unless it is the maximum."""
    s = scores_of(q, k, mask, is_causal)
    m = np.maximum(s.max(1, keepdims=True, initial=-np.inf), F(sink))
    e = np.exp(s - m)
    z = e.sum(1, keepdims=True) + np.exp(F(sink) - m)
    return ((e / z).astype(stored).astype(F) @ v.astype(F)).astype(stored), (m + np.log(z))[:, 0]


def key_added(q, k, v, g, sink, mask=None, is_causal=False):
    """The derivatives, with the sink as a key of zeros whose score is added."""
    added = np.pad(masked(np.zeros((len(q), len(k)), F), mask, is_causal), ((0, 0), (0, 1)), constant_values=sink)
    dq, dk, dv = gradients(q, *(np.pad(array, ((0, 1), (0, 0))) for array in (k, v)), g, mask=added)
    return dq, dk[:-1], dv[:-1]


@pytest.mark.filterwarnings("ignore::sqrtdk.SaysNothing")
def test_right_sinks_and_log_sum_exps_are_right():
    rng = np.random.default_rng(6)
    for i in range(120):
        stored, n, m, d = FORMATS[i % 3], *map(int, rng.integers(1, (9, 30, 17)))
        q, k = (drawn(rng, 2, 3, rows, d, stored=stored, size=rng.choice([.1, 3])) for rows in (n, m))
        v, causal = drawn(rng, 2, 3, m, 4, stored=stored), bool(i % 2)
        mask = rng.random((n, m)) < .6 if i % 5 else None
        sinks = drawn(rng, 3, size=rng.choice([1, 20]))
        found = [[with_sink(q[b, h], k[b, h], v[b, h], sinks[h], mask, causal, stored) for h in range(3)]
                 for b in (0, 1)]
        out, lse = (np.array([[of[i] for of in row] for row in found]) for i in (0, 1))
        report = sqrtdk.assert_attention(out, q, k, v, mask=mask, is_causal=causal, sink=sinks, lse=lse)
        assert report.entries == out.size + lse.size and not report.unbounded
        one = float(sinks[0]) + .1  # a number is rounded as a kernel rounds it
        out, lse = with_sink(q[0, 0], k[0, 0], v[0, 0], F(one), mask, causal, stored)
        assert sqrtdk.assert_attention(out, q[0, 0], k[0, 0], v[0, 0], mask=mask, is_causal=causal, sink=one, lse=lse)


RNG = np.random.default_rng(7)
Q, K, V, G = drawn(RNG, 5, 8), drawn(RNG, 30, 8), drawn(RNG, 30, 3), drawn(RNG, 5, 3)
MASK = RNG.random((5, 30)) < .8
MASK[3] = False
SINK = 1.5
OUT, LSE = with_sink(Q, K, V, SINK, MASK, True)
MAXIMUM = scores_of(Q, K, MASK, True).max(1)


@pytest.mark.parametrize("sink, out, cause", (
    (SINK, attention(Q, K, V, MASK, True), "without the sink"),
    (SINK, with_sink(Q, K, V, SINK * 8 ** -.5, MASK, True)[0], "the sink multiplied by the scale"),
    (SINK, with_sink(Q, K, V, SINK, ~MASK, True)[0], "the mask inverted"), (None, OUT, "")))
def test_wrong_sinks_are_refused_with_a_cause(sink, out, cause):
    with pytest.raises(KernelError, match=f"(?s)attention is wrong at .*{cause}"):
        sqrtdk.assert_attention(out, Q, K, V, mask=MASK, is_causal=True, sink=sink)


@pytest.mark.parametrize("lse, cause", (
    (LSE / F(np.log(2)), "to the base 2"), (LSE * F(1.00001), ""), (np.maximum(MAXIMUM, F(SINK)), "the maximum alone"),
    (with_sink(Q, K, V, SINK * 8 ** -.5, MASK, True)[1], "multiplied by the scale"),
    (with_sink(Q, K, V, SINK, None, True)[1], "without the mask"), (np.full_like(LSE, np.nan), "")))
def test_wrong_log_sum_exps_of_attention_are_refused_with_a_cause(lse, cause):
    with pytest.raises(KernelError, match=f"(?s)log-sum-exp is wrong at .*{cause}"):
        sqrtdk.assert_attention(OUT, Q, K, V, mask=MASK, is_causal=True, sink=SINK, lse=lse)


def test_log_sum_exps_of_queries_without_keys_and_of_some_rows():
    out, lse = attention(Q, K, V, MASK), with_sink(Q, K, V, -1e30, MASK)[1]
    for of_none in (-np.inf, np.inf, np.nan, 7):
        lse[3] = of_none
        assert sqrtdk.assert_attention(out, Q, K, V, mask=MASK, lse=lse).unbounded == 1
    lse[4] += 1
    assert sqrtdk.assert_attention(out, Q, K, V, mask=MASK, lse=lse, rows=slice(0, 4)).entries == 4 * 4
    with pytest.raises(KernelError, match=r"log-sum-exp is wrong at \[1, 4\]"):
        two = [np.array([array, array]) for array in (out, Q, K, V, lse)]
        two[4][0, 4] -= 1
        sqrtdk.assert_attention(*two[:4], mask=MASK, lse=two[4])
    half = np.array([with_sink(Q, K, V, SINK)[1]]).astype(np.float16)
    assert sqrtdk.assert_attention(with_sink(Q, K, V, SINK)[0][None], Q, K, V[None], sink=[SINK], lse=half)
    with pytest.raises(ValueError, match=r"lse has the shape \(5, 1\), but must have \(5,\)"):
        sqrtdk.assert_attention(OUT, Q, K, V, lse=LSE[:, None])


@pytest.mark.parametrize("sink, error, words", (
    (np.ones(3, F), ValueError, r"the sink has the shape \(3,\), but must be a number, or fit the leading axes \(\)"),
    (-np.inf, ValueError, "the sink is -inf, but must be finite"), (np.float64(1) / 3, None, ""), (2, None, ""),
    (np.array(1 / 3), ValueError, "the sink has numbers that float32 does not hold"),
    (np.array(1), TypeError, "the sink is an array of int64")))
def test_sinks_of_other_kinds_are_refused_by_name(sink, error, words):
    if error is None:
        assert sqrtdk.assert_attention(with_sink(Q, K, V, sink)[0], Q, K, V, sink=sink)
        return
    with pytest.raises(error, match=words):
        sqrtdk.assert_attention(OUT, Q, K, V, sink=sink)


def in_sequence(parts):
    """What each head has, stored and added in the format of the results."""
    total = parts[0]
    for part in parts[1:]:
        total = (total.astype(F) + part.astype(F)).astype(total.dtype)
    return total


SUMS = (lambda parts, stored: parts.sum(0).astype(stored),
        lambda parts, stored: parts.astype(stored).astype(F).sum(0).astype(stored),
        lambda parts, stored: in_sequence(parts.astype(stored)),
        lambda parts, stored: in_sequence(np.sort(parts.astype(stored).astype(F), 0).astype(stored)))


def grouped(rng, stored, times, sinks=None, size=1, n=6, m=9):
    """Arguments of two heads of keys, the derivatives by queries, and what each head adds to the others."""
    q, g = drawn(rng, 2, 2 * times, n, 8, stored=stored), drawn(rng, 2, 2 * times, n, 3, stored=stored, size=size)
    k, v = drawn(rng, 2, 2, m, 8, stored=stored), drawn(rng, 2, 2, m, 3, stored=stored)
    mask = rng.random((2 * times, n, m)) < .8
    mask[..., 0] = True
    found = [[key_added(*(a.astype(F) for a in (q[b, h], k[b, h // times], v[b, h // times], g[b, h])),
                        -1e9 if sinks is None else sinks[h], mask[h], True) for h in range(2 * times)] for b in (0, 1)]
    dq, dk, dv = (np.array([[of[i] for of in row] for row in found]) for i in range(3))
    parts = [np.moveaxis(array.reshape(2, 2, times, m, -1), 2, 0) for array in (dk, dv)]
    given = {"q": q, "k": k, "v": v, "grad_out": g, "mask": mask, "is_causal": True, "enable_gqa": True, "sink": sinks}
    return given, dq.astype(stored), parts


def test_right_sums_over_heads_that_share_keys_are_right():
    rng = np.random.default_rng(8)
    for i in range(60):
        stored, times = FORMATS[i % 3], int(rng.choice([1, 2, 3, 8]))
        sinks = drawn(rng, 2 * times, size=3) if i % 2 else None
        given, dq, parts = grouped(rng, stored, times, sinks, rng.choice([1, 1e-6]))
        for added in SUMS:
            report = sqrtdk.assert_attention_gradients(dq, *(added(part, stored) for part in parts), **given)
            assert report.entries == dq.size + sum(part[0].size for part in parts) and not report.unbounded


@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("times", (2, 8))
def test_wrong_sums_over_heads_are_refused_with_a_cause(stored, times):
    given, dq, parts = grouped(np.random.default_rng(9), stored, times)
    right = [part.sum(0).astype(stored) for part in parts]
    for wrong, cause in (([part[:-1].sum(0) for part in parts], f"lack the part of head {times - 1}|alone"),
                         ([part.sum(0) + part[1] for part in parts], "have the part of head 1 of a group twice"),
                         ([part.mean(0) for part in parts], "are means over a group"),
                         ([part[0] for part in parts], "alone|lack"), ([right[0], parts[1][1:].sum(0)], "")):
        with pytest.raises(KernelError, match=f"(?s)d[kv] is wrong at .*({cause})"):
            sqrtdk.assert_attention_gradients(dq, *(part.astype(stored) for part in wrong), **given)
    dq[1, times + 1, 4, 2] += np.asarray(1, stored)
    with pytest.raises(KernelError, match=rf"dq is wrong at \[1, {times + 1}, 4, 2\]"):
        sqrtdk.assert_attention_gradients(dq, *right, **given)


def test_sums_of_parts_have_a_rounding_for_each_head():
    for times, units, right in ((1, 2, False), (2, 2, True), (2, 6, False), (8, 6, True), (8, 12, False)):
        one, of_keys = np.ones((1, times, 1, 1), np.float16), np.ones((1, 1, 1, 1), np.float16)
        dv = times * of_keys * np.float16(1 + units * 2.0 ** -11)
        arguments = (0 * one, 0 * of_keys, dv, one, of_keys, of_keys, one)
        options = {"enable_gqa": True, "arithmetic": sqrtdk.Arithmetic(stored_weights=None)}
        if right:
            assert sqrtdk.assert_attention_gradients(*arguments, **options)
        else:
            with pytest.raises(KernelError, match="dv is wrong"):
                sqrtdk.assert_attention_gradients(*arguments, **options)


def test_gradients_with_a_sink_and_shapes_that_do_not_fit():
    right = key_added(Q, K, V, G, SINK, MASK)
    assert not sqrtdk.assert_attention_gradients(*right, Q, K, V, G, mask=MASK, sink=SINK).unbounded
    with pytest.raises(KernelError, match="(?s)without the sink"):
        sqrtdk.assert_attention_gradients(*gradients(Q, K, V, G, mask=MASK), Q, K, V, G, mask=MASK, sink=SINK)
    given, dq, parts = grouped(np.random.default_rng(9), F, 2)
    dk, dv = (part.sum(0) for part in parts)
    for changed, words in (({"dk": np.repeat(dk, 2, 1)}, r"dk has the shape \(2, 4, 9, 8\), but must have \(2, 2, "),
                           ({"v": np.repeat(given["v"], 2, 1)}, "must have as many heads"),
                           ({"k": given["k"][:, :1].repeat(3, 1)}, "must be a multiple of theirs")):
        with pytest.raises(ValueError, match=words):
            sqrtdk.assert_attention_gradients(**{"dq": dq, "dk": dk, "dv": dv, **given, **changed})
