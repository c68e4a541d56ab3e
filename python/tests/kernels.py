"""Kernels that are right, each in its way."""

# pylint: disable=invalid-name
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


def log_softmax(x, temperature=F(1)):
    """As most people write it."""
    shifted = (x - x.max(axis=-1, keepdims=True)) / x.dtype.type(temperature)
    return (shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))).astype(x.dtype)


def gradients(q, k, v, g, mask=None, is_causal=False, scale=None):
    """The derivatives of attention."""
    p = weights_of(scores_of(q, k, mask, is_causal, scale))
    dp = g @ v.T
    ds = p * (dp - (p * dp).sum(1, keepdims=True)) * F(q.shape[1] ** -.5 if scale is None else scale)
    return ds @ k, ds.T @ q, p.T @ g
