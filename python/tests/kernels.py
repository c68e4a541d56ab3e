"""Kernels that are right, each in its way, and kernels with the bugs that projects have shipped."""

# pylint: disable=unused-argument,invalid-name,invalid-unary-operand-type
import functools

import numpy as np

F = np.float32
MINUS = F(-np.inf)


def softmax(x, temperature=F(1)):
    """As most people write it."""
    e = np.exp((x - x.max(axis=-1, keepdims=True)) / x.dtype.type(temperature))
    return e / e.sum(axis=-1, keepdims=True)


def sequential(x, temperature=F(1)):
    """One term after the other, and a product with the reciprocal."""
    e = np.exp((x - x.max()) / F(temperature))
    return e * (F(1) / np.add.accumulate(e)[-1])


def online(x, temperature=F(1)):
    """One pass, in blocks of 16, that rescales the sum."""
    m, s = MINUS, F(0)
    for start in range(0, len(x), 16):
        block = x[start:start + 16]
        new = max(m, block.max())
        if new == MINUS:
            continue
        s = s * np.exp((m - new) / F(temperature)) + np.exp((block - new) / F(temperature)).sum()
        m = new
    return np.exp((x - m) / F(temperature)) / s


def by_reciprocals(x, temperature=F(1)):
    """Products with the reciprocals of the temperature, before the maximum is found, and of the sum."""
    x = x * (F(1) / F(temperature))
    e = np.exp(x - x.max())
    return e * (F(1) / e.sum())


def exp2(x, temperature=F(1)):
    """By powers of two."""
    e = np.exp2((x - x.max()) / F(temperature) * F(np.log2(np.e)))
    return e / e.sum()


def flushing(x, temperature=F(1)):
    """Subnormal numbers are 0, before and after each operation."""
    def flush(y):
        return np.where(np.abs(y) < np.finfo(F).tiny, F(0), y)

    t = flush(flush(flush(x) - flush(x).max()) / F(temperature))
    e = flush(np.exp(t))
    return flush(e / e.sum())


RIGHT = {kernel.__name__: kernel for kernel in (softmax, sequential, online, by_reciprocals, exp2, flushing)}


def _weights(e):
    return e / e.sum()


def wrong_axis(x):
    """nntrainer 430: a softmax of each single number."""
    return np.ones_like(x)


def low_precision_sum(x):
    """tract 2586, executorch 20090."""
    e = np.exp(x - x.max())
    total = np.float16(0)
    for term in e:
        total = np.float16(total + np.float16(term))
    return e / F(total)


def tail_is_dropped(x):
    """CTranslate2 351: what is left over by vectors of 8."""
    whole = len(x) // 8 * 8 or len(x)
    e = np.exp(x - x.max())
    return e / e[:whole].sum()


def padding_counts(x):
    """tt-metal 19781: zeros up to a multiple of 32 are summed."""
    padded = np.concatenate([x, np.zeros(-len(x) % 32, F)])
    return _weights(np.exp(padded - padded.max()))[:len(x)]


def crude_exponential(x):
    """openvino 37857: (1 + x/1024)^1024."""
    t = np.maximum(1 + (x - x.max()) / F(1024), 0).astype(F)
    for _ in range(10):
        t = t * t
    return _weights(t)


def epsilon(x):
    """1e-6 in the denominator."""
    e = np.exp(x - x.max())
    return e / (e.sum() + F(1e-6))


def last_is_lost(x):
    """A sum that ends one term too early, where there are more than 64."""
    e = np.exp(x - x.max())
    return e / (e[:-1].sum() if len(x) > 64 else e.sum())


def nan_is_hidden(x):
    """tt-metal 56056: what is not a number becomes plausible."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(_weights(np.exp(x)), nan=1 / len(x), posinf=1)


def neighbours_sum(x):
    """flashinfer 3838: the sum of another row, here one that is shifted."""
    e = np.exp(x - x.max())
    return e / np.exp(np.roll(x, 1) * F(1.0001) - x.max()).sum()


BROKEN = {
    # machinelearning 3648: exp overflows.
    "no_maximum": lambda x: _weights(np.exp(x)),
    # NNlib 43, tinyengine 107.
    "maximum_from_zero": lambda x: _weights(np.exp(x - max(F(0), x.max()))),
    # A maximum that is not merged.
    "maximum_of_the_first_32": lambda x: _weights(np.exp(x - x[:32].max())),
    # minerva 40.
    "first_is_skipped": lambda x: _weights(np.exp(x - x[min(1, len(x) - 1):].max())),
    # funes 160: no exponent below -20.
    "clamped": lambda x: _weights(np.exp(np.maximum(x - x.max(), F(-20)))),
    # Weights that went through float16.
    "half_weights": lambda x: softmax(x).astype(np.float16).astype(F),
    # CodonTransformer 20, and its opposite.
    "temperature_twice": lambda x, temperature: softmax(x, temperature * temperature),
    "temperature_ignored": lambda x, temperature: softmax(x),
} | {kernel.__name__: kernel for kernel in (
    wrong_axis, low_precision_sum, tail_is_dropped, padding_counts, crude_exponential, epsilon, last_is_lost,
    nan_is_hidden, neighbours_sum)}


def scores_of(q, k, mask, is_causal, scale):
    """Scaled scores, -inf where a key is masked."""
    s = q @ k.T * F(q.shape[1] ** -.5 if scale is None else scale)
    if is_causal:
        s = np.where(np.tril(np.ones(s.shape, bool)), s, MINUS)
    if mask is not None:
        s = np.where(mask, s, MINUS) if mask.dtype == bool else s + mask
    return s.astype(F)


def finite(m):
    """0 in the place of the maximum of nothing."""
    return np.where(np.isfinite(m), m, F(0))


def weights_of(s):
    """Row by row; 0 where there is no key."""
    e = np.exp(s - finite(s.max(axis=1, keepdims=True)))
    z = e.sum(axis=1, keepdims=True)
    return e / np.where(z == 0, F(1), z)


def attention(q, k, v, mask=None, is_causal=False, scale=None):
    """As the formula is written."""
    return weights_of(scores_of(q, k, mask, is_causal, scale)) @ v


def flash(q, k, v, mask=None, is_causal=False, scale=None):
    """Blocks of 32 keys; the output is rescaled with the sum and divided by it at the end."""
    s = scores_of(q, k, mask, is_causal, scale)
    m = np.full((len(q), 1), MINUS)
    z = np.zeros((len(q), 1), F)
    o = np.zeros((len(q), v.shape[1]), F)
    for start in range(0, len(k), 32):
        part = s[:, start:start + 32]
        new = np.maximum(m, part.max(axis=1, keepdims=True))
        safe = finite(new)
        e = np.exp(part - safe)
        factor = np.where(np.isfinite(m), np.exp(m - safe), F(0)).astype(F)
        z, o, m = z * factor + e.sum(axis=1, keepdims=True), o * factor + e @ v[start:start + 32], new
    return o / np.where(z == 0, F(1), z)


def folded(q, k, v, mask=None, is_causal=False, scale=None):
    """The scale is in the queries."""
    by = F(q.shape[1] ** -.5 if scale is None else scale)
    return weights_of(scores_of(q * by, k, mask, is_causal, 1.0)) @ v


def folded_by_root(q, k, v, mask=None, is_causal=False, scale=None):
    """The root of the scale is in the queries and in the keys, its sign in the queries."""
    by = F(1) / np.sqrt(F(q.shape[1])) if scale is None else F(scale)
    root = np.sqrt(np.abs(by))
    return weights_of(scores_of(q * (np.sign(by) * root), k * root, mask, is_causal, 1.0)) @ v


RIGHT_ATTENTION = {kernel.__name__: kernel for kernel in (attention, flash, folded, folded_by_root)}


def scale_missing(q, k, v, mask=None, is_causal=False, scale=None):
    """mlc-llm 3426."""
    return attention(q, k, v, mask, is_causal, 1.0 if scale is None else scale)


def scale_by_values(q, k, v, mask=None, is_causal=False, scale=None):
    """The root of the width of the values."""
    return attention(q, k, v, mask, is_causal, v.shape[1] ** -.5 if scale is None else scale)


def scale_inverted(q, k, v, mask=None, is_causal=False, scale=None):
    """maxtext 1370."""
    return attention(q, k, v, mask, is_causal, q.shape[1] ** .5 if scale is None else scale)


def causal_off_by_one(q, k, v, mask=None, is_causal=False, scale=None):
    """transformers 39408."""
    s = scores_of(q, k, mask, False, scale)
    return weights_of(np.where(np.tril(np.ones(s.shape, bool), 1), s, MINUS) if is_causal else s) @ v


def causal_bottom_right(q, k, v, mask=None, is_causal=False, scale=None):
    """mlx 2835, onnx 8068."""
    s = scores_of(q, k, mask, False, scale)
    return weights_of(np.where(np.tril(np.ones(s.shape, bool), len(k) - len(q)), s, MINUS) if is_causal else s) @ v


def mask_inverted(q, k, v, mask=None, is_causal=False, scale=None):
    """True is what is masked."""
    return attention(q, k, v, ~mask if mask is not None and mask.dtype == bool else mask, is_causal, scale)


def mask_after_softmax(q, k, v, mask=None, is_causal=False, scale=None):
    """Weights of masked keys are 0, but count in the sum."""
    p = weights_of(scores_of(q, k, None, is_causal, scale))
    return (np.where(scores_of(q, k, mask, is_causal, scale) > MINUS, p, F(0)) if mask is not None else p) @ v


def unscaled_blocks(q, k, v, mask=None, is_causal=False, scale=None):
    """pytorch 130014: the output is not rescaled when a later block has the greater score."""
    s = scores_of(q, k, mask, is_causal, scale)
    e = np.exp(s - finite(s[:, :32].max(1, keepdims=True)))
    late = np.exp(s - finite(s.max(1, keepdims=True)))
    z = late.sum(1, keepdims=True)
    return (np.where(np.arange(len(k)) < 32, np.minimum(e, 1), late) / np.where(z == 0, F(1), z)).astype(F) @ v


def last_key_is_lost(q, k, v, mask=None, is_causal=False, scale=None):
    """A loop that ends one key too early, where there are more than 64."""
    s = scores_of(q, k, mask, is_causal, scale)
    return weights_of(np.where((np.arange(len(k)) == len(k) - 1) & (len(k) > 64), MINUS, s)) @ v


def empty_rows_are_ones(q, k, v, mask=None, is_causal=False, scale=None):
    """A query without keys is answered with ones."""
    s = scores_of(q, k, mask, is_causal, scale)
    return np.where((s == MINUS).all(1, keepdims=True), F(1), weights_of(s) @ v).astype(F)


def zeros(q, k, v, mask=None, is_causal=False, scale=None):
    """KernelBench 165."""
    return np.zeros((len(q), v.shape[1]), F)


def mean_of_values(q, k, v, mask=None, is_causal=False, scale=None):
    """mlir-air 1427."""
    return np.broadcast_to(v.mean(0), (len(q), v.shape[1])).astype(F)


def transposed_keys(q, k, v, mask=None, is_causal=False, scale=None):
    """Keys are read with the wrong stride."""
    return attention(q, k.T.reshape(k.shape), v, mask, is_causal, scale)


def half_scores(q, k, v, mask=None, is_causal=False, scale=None):
    """metal-flash-attention 8: products overflow half precision."""
    with np.errstate(over="ignore"):
        s = (q.astype(np.float16) @ k.T.astype(np.float16)).astype(F) * F(q.shape[1] ** -.5 if scale is None else scale)
    return weights_of(np.where(scores_of(q, k, mask, is_causal, scale) > MINUS, s, MINUS)) @ v


SCALES: dict[str, float] = {}


def scale_of_the_first_call(q, k, v, mask=None, is_causal=False, scale=None):
    """flashinfer 4014: a plan is kept, with its scale."""
    first = SCALES.setdefault("first", q.shape[1] ** -.5 if scale is None else scale)
    return attention(q, k, v, mask, is_causal, first)


def small_sentinel(q, k, v, mask=None, is_causal=False, scale=None):
    """flashinfer 4401: a finite number that is not far enough below the scores."""
    return weights_of(np.maximum(scores_of(q, k, mask, is_causal, scale), F(-50))) @ v


def masked_blocks_are_nan(q, k, v, mask=None, is_causal=False, scale=None):
    """pytorch 130014, vllm 39148: a block without keys is merged as -inf less -inf."""
    s = scores_of(q, k, mask, is_causal, scale)
    with np.errstate(invalid="ignore"):
        of_first = np.exp(s[:, :32].max(1, keepdims=True) - s[:, :32].max(1, keepdims=True))
    return (attention(q, k, v, mask, is_causal, scale) * of_first).astype(F)


BROKEN_ATTENTION = {kernel.__name__: kernel for kernel in (
    scale_missing, scale_by_values, scale_inverted, causal_off_by_one, causal_bottom_right, mask_inverted,
    mask_after_softmax, unscaled_blocks, last_key_is_lost, empty_rows_are_ones, zeros, mean_of_values, transposed_keys,
    half_scores, scale_of_the_first_call, small_sentinel, masked_blocks_are_nan)}


def log_softmax(x, temperature=F(1)):
    """As most people write it."""
    shifted = (x - x.max(axis=-1, keepdims=True)) / x.dtype.type(temperature)
    return (shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))).astype(x.dtype)


def in_base_2(x):
    """sglang 40903: the logarithm of the sum has another base."""
    shifted = x - x.max()
    return (shifted - np.log2(np.exp(shifted).sum())).astype(x.dtype)


def logarithm_of_weights(x):
    """Small weights are 0, and their logarithm is -inf."""
    with np.errstate(divide="ignore"):
        return np.log(softmax(x))


BROKEN_LOG_SOFTMAX = {kernel.__name__: kernel for kernel in (in_base_2, logarithm_of_weights)}


def gradients(q, k, v, g, mask=None, is_causal=False, scale=None, *, mean=True, scaled=True, own=False):
    """The derivatives of attention, or what comes of a step that is left out or taken from elsewhere."""
    by = F(q.shape[1] ** -.5 if scale is None else scale)
    p = weights_of(scores_of(q, k, mask, is_causal, scale))
    dp = g @ v.T
    ds = p * (dp - (p * dp).sum(1, keepdims=True) if mean else dp) * (by if scaled else F(1))
    seen = weights_of(scores_of(q, k, None, is_causal, scale)) if own else p
    return ds @ k, ds.T @ q, seen.T @ g


BROKEN_GRADIENTS = {
    "the mean is not subtracted": functools.partial(gradients, mean=False),
    "the scale is forgotten": functools.partial(gradients, scaled=False),
    "the mask is ignored": lambda q, k, v, g, mask=None: gradients(q, k, v, g),
    # flash-attention 9ee0ff1d and a4f148b6: what is masked has a part in the backward pass
    "dV is not masked": functools.partial(gradients, own=True),
}
