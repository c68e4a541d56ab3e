"""Right kernels are held to their own conventions; hints name the cause; what would have passed is said."""

import functools
import itertools
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from zoo import FAULTS, attention

import sqrtdk
from sqrtdk import Arithmetic, KernelError
from sqrtdk._foreign_words import INSTEAD

Float = np.float32
BOTTOM_RIGHT = FAULTS["causal corner"].kernel
GROUPED = FAULTS["heads tiled"].twin
ALL_OF = {dtype: sqrtdk.strategies.attention_cases(dtype) for dtype in ("float16", "float32", "float64")}
ALL = ALL_OF["float32"]


def with_sentinel(q, k, v, mask=None):
    assert mask is None or np.isfinite(mask).all()
    return attention(q, k, v, mask)


@pytest.mark.parametrize("kernel, words", (
    (attention, {}), (BOTTOM_RIGHT, {"is_causal": "bottom_right"}), (GROUPED, {"enable_gqa": True}),
    (GROUPED, {"enable_gqa": True, "batch": 3}), (with_sentinel, {"mask_value": -1e9}),
    (lambda q, k, v: attention(q, k, v, None), {}),
    (lambda q, k, v, mask=None: attention(q, k, v, mask, True), {"is_causal": True}),
    (lambda q, k, v: BOTTOM_RIGHT(q, k, v, is_causal=True), {"is_causal": "bottom_right"}),
    (lambda q, k, v: attention(q, k, v, scale=1), {"scale": 1})))
def test_a_right_kernel_passes_with_its_words_and_with_wider_inputs(kernel, words):
    for inputs in (None, ALL):
        options = {"cases": 25, "longest": 70, "widest": 17, **words}
        assert sqrtdk.check(kernel, "attention", inputs=inputs, **options).cases["output"]


def test_inputs_of_both_alignments_need_a_word():
    both = sqrtdk.strategies.attention_cases(causal=("top_left", "bottom_right"))
    with pytest.raises(ValueError, match="say is_causal='top_left' or is_causal='bottom_right'"):
        sqrtdk.check(attention, "attention", inputs=both, cases=50)
    assert sqrtdk.check(BOTTOM_RIGHT, "attention", inputs=both, cases=20, is_causal="bottom_right")


@pytest.mark.parametrize("kernel, word", (
    (attention, r"takes q, k, v: say 'attention'"), (lambda q, k, v, g: None, "say 'attention_gradients'"),
    (lambda *arrays: None, "which of 'softmax'"), (lambda q, k=None, v=None: q, "takes q: say which of")))
def test_what_a_kernel_computes_is_not_guessed(kernel, word):
    for call in (sqrtdk.check, sqrtdk.laws):
        with pytest.raises(ValueError, match=word):
            call(kernel)


@pytest.mark.parametrize("word, instead", [(word, instead) for words, instead in INSTEAD.items()
                                           for word in words.split()])
def test_words_of_other_libraries_are_refused_by_name(word, instead):
    one = np.ones((1, 1), Float)
    calls = [functools.partial(sqrtdk.check, attention, "attention"),
             functools.partial(sqrtdk.assert_attention, *[one] * 4),
             functools.partial(sqrtdk.assert_attention_gradients, *[one] * 7)]
    for call in calls:
        with pytest.raises(TypeError, match=re.escape(f"{call.func.__name__} takes no {word}: {instead}")):
            call(**{word: 1})
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        sqrtdk.assert_attention(*[one] * 4, colour=1)


WORDS = [{name: value} for name, values in {
    "computed": ("float16", "float32", "float64"), "sums": (8,), "rescalings": (0,), "flushing": (False,),
    "exp2_folded": (False,), "reciprocal": (False,), "scale_folded": (False,), "sum_first": (True,), "exp_ulps": (4,),
    "stored_weights": ("float16", "bfloat16", "float32", "float64", "e4m3", "e5m2", None),
    "products": (8, (16, 24), (16, 24, 22)),
    "rounded_inputs": ("float16", "bfloat16", "float32", "tf32", "e4m3", "e5m2"),
    "stored_scores": ("float16", "bfloat16", "float32", "float64", "e4m3", "e5m2"), "rounded_products": (1, 2),
    "exp_slope": (1,), "exp_cut": (80.0,), "tile": (32,), "lag": (8,), "weight_offset": (8,), "sum_of_stored": (True,),
    "by_log_sum_exp": (True, "gradients")}.items() for value in values]


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_a_right_kernel_lives_with_each_word_in_each_pair_of_formats(words):
    for dtype, returns in itertools.product(("float16", "float32", "float64"), repeat=2):
        if words.get("computed", dtype) < dtype:
            continue  # which is refused
        assert sqrtdk.check(
            lambda *arrays, mask=None, of=returns: attention(*(x.astype(float) for x in arrays), mask).astype(of),
            ["attention.output"], dtype=dtype, returns=returns, cases=4, inputs=ALL_OF[dtype],
            arithmetic=Arithmetic(**words)).cases["output"]


@pytest.mark.parametrize("name, hint", (
    ("no maximum", "no maximum is subtracted"), ("exponents clamped", "look cut off at -80"),
    ("epsilon in the sum", "times the right one: the sum is wrong"),
    ("coarse exponential", "the exponential is coarse"), ("temperature ignored", "the temperature was left out"),
    ("logarithm to base 2", "to the base 2"),
    ("mask inverted", "the mask inverted"), ("mask after softmax", "applied after softmax"),
    ("causal shows the next", "also shows the next key"), ("last key alone", "last key was left out"),
    ("causal corner", "say is_causal='bottom_right'"),
    ("term of softmax missing", "mean of the weights' derivatives"),
    ("scale missing in gradients", "scale is missing in dq and dk"),
    ("masked values leak", "in what no query sees"), ("products in half", "stored_scores='float16'")))
def test_a_hint_names_the_cause(name, hint):
    with pytest.raises(KernelError) as caught:
        FAULTS[name].campaign(FAULTS[name].kernel, cases=60, dtype="float16" if "stored" in hint else "float32")
    assert hint.replace(" ", "") in str(caught.value).replace("\n", "").replace(" ", "")


def test_products_of_half_precision_are_told():
    q, k, v = (np.random.default_rng(1).normal(size=(n, 8)).astype(Float) for n in (4, 6, 6))
    with pytest.raises(KernelError, match=r"rounded to float16,\s+and\s+their\s+products"):
        sqrtdk.assert_attention(FAULTS["products in half"].kernel(q, k, v), q, k, v)


def test_rows_whose_sum_is_wrong_are_told():
    q, k, v = (np.random.default_rng(1).normal(size=(n, 64)).astype(Float) for n in (8, 512, 512))
    out = attention(q, k, v) * np.linspace(.7, .9, 8, dtype=Float)[:, None]
    with pytest.raises(KernelError, match=r"a factor, for query 0 0\.7:\s+the\s+sum\s+of\s+its\s+weights"):
        sqrtdk.assert_attention(out, q, k, v)


def test_what_is_softmax_along_another_axis_is_told():
    x = np.arange(12, dtype=Float).reshape(3, 4) % 5
    with pytest.raises(KernelError, match="softmax along axis -2"):
        sqrtdk.assert_softmax(np.exp(x) / np.exp(x).sum(0), x)


def test_an_assertion_says_what_it_would_not_have_seen():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=shape).astype(Float) for shape in ((1, 64), (1 << 16, 64), (1 << 16, 2)))
    with pytest.warns(sqrtdk.SaysNothing, match="zeros and the mean of the values and attention without the last key"):
        sqrtdk.assert_attention(np.zeros((1, 2), Float), q, k, v)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sqrtdk.assert_attention(attention(q, k[:64], v[:64]), q, k[:64], v[:64])
        sqrtdk.assert_softmax(np.array([1, 0], Float), np.array([200, 0], Float))  # a lost key changes no digit
    with pytest.warns(sqrtdk.SaysNothing, match="nothing to compare"):
        sqrtdk.assert_softmax(np.zeros((0, 6), Float), np.zeros((0, 6), Float))


def test_looking_for_a_cause_replaces_no_verdict():
    one, nan = np.ones((2, 2), Float), np.full((2, 2), np.nan, Float)
    with warnings.catch_warnings(), pytest.raises(KernelError):
        warnings.simplefilter("error")
        sqrtdk.assert_attention_gradients(nan, one, one, *[one] * 4, scale=0.0)
    for y in ([np.inf, 0, 0], [np.nan, 1, 0]):
        for held in (sqrtdk.assert_softmax, sqrtdk.assert_log_softmax):
            with warnings.catch_warnings(), pytest.raises(KernelError):
                warnings.simplefilter("error")
                held(np.array(y, Float), np.array([0, -np.inf, 3e38], Float))


def test_masked_weights_are_0_and_padding_may_be_anything():
    with pytest.raises(KernelError, match="instead of 0"):
        sqrtdk.assert_softmax(np.array([1, 1.2e-38], Float), np.array([0, -np.inf], Float))
    one, v = np.ones((1, 1), Float), np.array([[1], [np.nan]], Float)
    nothing = np.zeros((1, 2), bool)
    for out in (0, np.nan):
        assert sqrtdk.assert_attention(np.full((1, 1), out, Float), one, np.ones((2, 1), Float), v, mask=nothing)
    with pytest.raises(KernelError, match="it is 1 instead of"):
        sqrtdk.assert_attention(one, one, np.ones((2, 1), Float), v, mask=nothing)
    with pytest.raises(KernelError, match="it is 7 instead of 0"):
        sqrtdk.assert_attention(np.full((1, 1), 7, Float), one, np.ones((0, 1), Float), np.ones((0, 1), Float))


def test_sizes_are_drawn_up_to_what_is_asked_for():
    most = {}

    @settings(max_examples=300, derandomize=True, database=None, deadline=None)
    @given(sqrtdk.strategies.scores(longest=512), sqrtdk.strategies.attention_cases(queries=40, keys=300, features=200))
    def draw(x, case):
        for name, size in (("row", len(x)), ("q", len(case.q)), ("k", len(case.k)), ("d", case.q.shape[1]),
                           ("d_v", case.v.shape[1])):
            most[name] = max(most.get(name, 0), size)

    draw()  # pylint: disable=no-value-for-parameter
    assert most["row"] > 260 and most["q"] > 30 and most["k"] > 200 and most["d"] > 130 and most["d_v"] > 100


def test_the_module_shows_its_names():
    assert {"check", "laws", "strategies", "assert_softmax", "__version__"} <= set(dir(sqrtdk))
    assert sqrtdk.__version__
