"""Campaigns: right kernels pass, each bug dies by a fixed case, and reports say what they are worth."""

import dataclasses

import kernels
import numpy as np
import pytest
import zoo
from hypothesis import strategies

import sqrtdk
from sqrtdk import KernelError


@pytest.mark.parametrize("kind, kernel", (
    *(("softmax", kernel) for kernel in kernels.RIGHT.values()),
    *(("attention", kernel) for kernel in kernels.RIGHT_ATTENTION.values()), ("log_softmax", zoo.log_softmax),
    ("attention_gradients", zoo.FAULTS["empty row poisons"].kernel)))  # which is right if empty_rows may be anything
def test_right_kernels_pass(kind, kernel):
    report = sqrtdk.check(kernel, kind, cases=60, longest=130, widest=40)
    assert report.power or kind == "attention_gradients"  # of whose results none is broken on purpose
    assert len(report.skipped) == {"softmax": 1}.get(kind, 2)
    assert all(4 * n < report.cases[law] for law, n in report.silent.items())


def test_a_report_says_what_was_not_tried():
    report = sqrtdk.check(lambda x: kernels.softmax(x, 1), ["softmax.accuracy"], cases=5)
    assert "temperatures, which the kernel does not take" in str(report)
    report = sqrtdk.check(lambda q, k, v: kernels.attention(q, k, v, None), ["attention.output"], cases=5)
    assert len(report.skipped) == 5
    report = sqrtdk.check(lambda q, k, v: kernels.attention(q, k, v).astype(np.float16), "attention",
                          returns="float16", cases=5)
    assert "the law 'convexity'" in str(report)


def test_a_campaign_without_power_says_so():
    just_zero = strategies.just(np.zeros(1, np.float32))
    report = sqrtdk.check(kernels.softmax, ["softmax.accuracy"], cases=5, inputs=just_zero)
    assert not report.power and "no power" in str(report)


def by_rows(q, k, v, mask=None):
    """A query at a time."""
    mask = np.broadcast_to(True if mask is None else mask, (len(q), len(k)))
    return np.concatenate([kernels.attention(q[i:i + 1], k, v, mask[i:i + 1]) for i in range(len(q))])


def test_the_same_bits_are_asked_for_on_request():
    calls = []

    def remembers(x):
        calls.append(x)
        return kernels.softmax(x) * np.float32(1 if len(calls) % 2 else 1 + 2 ** -23)

    def tuned(q, k, v):
        return by_rows(q, k, v) if len(q) > 1 else by_rows(q, k[::-1], v[::-1])

    assert sqrtdk.check(kernels.softmax, ["softmax.repeated"], cases=20).cases["repeated"] > 20
    with pytest.raises(KernelError, match="the same call again: .* bit for bit"):
        sqrtdk.check(remembers, ["softmax.repeated"], cases=1)
    laws = ["attention.repeated", "attention.batch_invariance"]
    assert all(sqrtdk.check(by_rows, laws, cases=20).cases.values())
    with pytest.raises(KernelError, match=r"query \d alone: .* became .* at \[0, 0\]"):
        sqrtdk.check(tuned, laws, cases=1)


def test_a_bound_of_sampled_constants_is_no_verdict_and_no_pass():
    declared = sqrtdk.Arithmetic.named("mlas")
    with pytest.warns(sqrtdk.NotDecided, match="no verdict on the law 'accuracy'"):
        found = sqrtdk.check(np.zeros_like, ["softmax.accuracy"], arithmetic=declared, cases=5)
    assert "no verdict on accuracy" in str(found) and "every law" not in str(found)
    with pytest.warns(sqrtdk.NotDecided, match="no verdict on the law 'probability'"):
        sqrtdk.check(np.zeros_like, ["softmax.probability"], arithmetic=declared, cases=5)
    assert sqrtdk.check(kernels.softmax, ["softmax.accuracy"], arithmetic=declared, cases=5).power
    with pytest.raises(KernelError, match="the law 'accuracy' is broken"):
        sqrtdk.check(lambda x: kernels.softmax(x)[None], ["softmax.accuracy"], arithmetic=declared, cases=5)


def test_no_sampled_constant_explains_what_is_no_matter_of_degree():
    declared = sqrtdk.Arithmetic.named("xla-cpu")

    def more(q, k, v, mask=None):
        return kernels.attention(q, k, v, mask) * np.float32(1 + 2 ** -10)

    def late(q, k, v):
        if len(k) > 40:
            raise RuntimeError("too many")
        return more(q, k, v)

    nan, sees_nothing = zoo.attention_by(write=lambda o: o * np.nan), zoo.FAULTS["empty rows are ones"].kernel
    options = {"arithmetic": declared, "cases": 20, "empty_rows": "zero"}
    for wrong in (nan, late, sees_nothing):
        with pytest.raises(KernelError, match="the law 'output' is broken"):
            sqrtdk.check(wrong, ["attention.output"], **options)
    with pytest.warns(sqrtdk.NotDecided, match=r"q=\[\[0.\]\]"):  # the simplest case, whatever came first
        found = sqrtdk.check(more, ["attention.output"], **options)
    assert 0 < found.beyond["output"] < found.cases["output"] and "beyond its bound in" in str(found)


def test_a_pass_of_nothing_is_none():
    def refuses(x):
        raise NotImplementedError

    with pytest.warns(sqrtdk.SaysNothing):
        found = sqrtdk.check(refuses, ["softmax.accuracy", "softmax.shift"], cases=5)
    assert str(found).startswith("softmax: nothing was tried of accuracy, shift\n")
    assert found.cases["accuracy"] == 0 and "not supported" in str(found)
    with pytest.warns(sqrtdk.SaysNothing, match="softmax: nothing was tried"):
        sqrtdk.check(np.zeros_like, ["softmax.temperature"])
    with pytest.warns(sqrtdk.SaysNothing, match="attention: nothing was tried"):
        sqrtdk.check(kernels.attention, ["attention.convexity"], returns="float16")
    found = sqrtdk.check(kernels.attention, ["attention.repeated", "attention.convexity"], returns="float32", cases=1)
    assert "every law is kept" in str(found)
    found = sqrtdk.check(np.zeros_like, ["softmax.shift", "softmax.temperature"], cases=1)
    assert str(found).startswith("softmax: every law that was tried is kept")
    empty = sqrtdk.strategies.AttentionCase(*(np.zeros((n, 3), np.float32) for n in (0, 2, 2, 0)))
    with pytest.warns(sqrtdk.SaysNothing, match="nothing is promised in any case of output"):
        sqrtdk.check(kernels.attention, ["attention.output"], inputs=strategies.just(empty))
    nothing = sqrtdk.Arithmetic(computed="float16", exp_ulps=1e6)
    with pytest.warns(sqrtdk.SaysNothing, match="nothing is promised in any case of accuracy"):
        sqrtdk.check(lambda x: x * np.float16(np.nan), ["softmax.accuracy"], dtype="float16", arithmetic=nothing,
                     cases=5, inputs=strategies.just(np.zeros(200, np.float16)))


def test_a_causal_mask_is_asked_of_queries_alone_too():
    def leaks(q, k, v, mask=None, is_causal=False):
        mask = np.tri(len(q), len(k), dtype=bool) if is_causal else mask
        out = kernels.attention(q, k, v, mask)
        return out if len(q) > 1 or mask is None else out * np.float32(1 + 2 ** -20)

    def without_mask(q, k, v, is_causal=False):
        return by_rows(q, k, v, np.tri(len(q), len(k), dtype=bool) if is_causal else None)

    causal = sqrtdk.strategies.AttentionCase(*(np.ones((3, 3), np.float32) for _ in range(4)), is_causal="top_left")
    law = ["attention.batch_invariance"]
    with pytest.raises(KernelError, match="query 0 alone"):
        sqrtdk.check(leaks, law, cases=1, inputs=strategies.just(causal))
    assert "is_causal in the law" in str(sqrtdk.check(without_mask, law, cases=1, inputs=strategies.just(causal)))
    one_mask = dataclasses.replace(causal, mask=np.array([[True, False, True]]), is_causal=False)
    assert sqrtdk.check(by_rows, law, cases=1, inputs=strategies.just(one_mask)).cases["batch_invariance"]


@pytest.mark.parametrize("laws, options, words", (
    (["softmax.speed"], {}, "there is no law 'softmax.speed'"),
    (["softmax.order", "attention.output"], {}, "not of one kind"),
    (["softmax.accuracy"], {"inputs": strategies.just(np.full(3, np.nan, np.float32))}, r"x\[0\] is nan"),
    ("softmax", {"arithmetic": sqrtdk.Arithmetic(computed="float16")}, "say dtype='float16'"),
    ([], {}, r"laws is \[\]"), ("softmax", {"scale": 2.0}, "scale is 2.0, but must be left out, since softmax is not"),
    *(("attention", {word: value}, f"{word} is {value!r}, but must be ") for word, value in (
        ("timeout", 0), ("timeout", "x"), ("mask_value", "x"), ("scale", "x"), ("enable_gqa", "x"), ("seed", "x"),
        ("executor", 3), ("array", 3), ("inputs", 3), ("batch", 1.5), ("batch", -1), ("dtype", "fp8"),
        ("isolate", "no"), ("is_causal", "left"), ("empty_rows", "x"), ("longest", 0), ("widest", "x"), ("cases", 1.5),
        ("shards", True)))))
def test_what_is_wrong_with_the_call_is_no_failure_of_the_kernel(laws, options, words):
    with pytest.raises(ValueError, match=words):
        sqrtdk.check(kernels.attention if laws == "attention" else kernels.softmax, laws, **options)


def test_a_kernel_that_changes_the_mask_is_caught():
    def cheats(q, k, v, mask=None):
        if mask is not None and mask.dtype == bool:
            mask[...] = True
        return kernels.attention(q, k, v)

    with pytest.raises(KernelError, match="changed its argument mask in place"):
        sqrtdk.check(cheats, ["attention.output"], cases=5)


@pytest.mark.parametrize("dtype, wrong", (("float16", np.nan), ("float32", -np.inf), ("float64", 6e4)))
def test_what_is_no_weight_breaks_each_law_and_nothing_else(dtype, wrong):
    """Laws that compare two runs may keep a constant; none may raise anything but what says that it is broken."""
    for law in ("accuracy", "probability", "order", "shift", "permutation", "lipschitz", "temperature"):
        try:
            sqrtdk.check(lambda x, temperature=1: np.full_like(x, wrong), [f"softmax.{law}"], dtype=dtype, cases=3)
        except KernelError as error:
            assert f"the law '{law}' is broken" in str(error)
        else:
            assert law not in ("accuracy", "probability")


@pytest.mark.parametrize("kind, wrong, words", (
    ("softmax", lambda x: (e := np.exp(x - x.max(-1, keepdims=True))) / e.sum(-1, keepdims=True)[:1], {"batch": 1}),
    ("log_softmax_gradient", lambda y, g: g - np.exp(y) * g.sum(-1, keepdims=True)[:1], {"batch": 1}),
    ("attention", lambda q, k, v, is_causal=False: kernels.attention(
        q, k, v, np.tri(len(q), len(k), int(len(q) == len(k) == 128), dtype=bool) if is_causal else None), {}),
    ("attention", lambda q, k, v, mask=None: kernels.attention(q, k, v, mask if len(q) < 129 else None), {}),
    ("attention", lambda q, k, v, scale=None: kernels.attention(q, k, v, None, False, scale or None), {})))
def test_rows_square_masks_and_scales_of_0_are_tried(kind, wrong, words):
    with pytest.raises(KernelError, match="is broken"):
        sqrtdk.check(wrong, kind, cases=1, **words)


def test_only_sizes_that_the_kernel_took_were_tried():
    def small(x):
        if len(x) > 20:
            raise NotImplementedError
        return kernels.softmax(x)

    assert "tried: 1 to 20 scores" in str(sqrtdk.check(small, ["softmax.accuracy"], cases=20))
