"""Kernels that are right, each in its way, beside the right twins of the zoo."""

# pylint: disable=invalid-name
import ml_dtypes
import numpy as np
from zoo import MINUS, attention, masked, products, root_of_d, softmax, top, total

F = np.float32
FORMATS = (F, np.float16, ml_dtypes.bfloat16)


def drawn(rng, *shape, stored=F, size=1):
    """Normal numbers in a format."""
    return (rng.normal(size=shape) * size).astype(stored)


def sequential(x, temperature=F(1)):
    """One term after the other, and a product with the reciprocal."""
    e = np.exp((x - x.max()) / F(temperature))
    return e * (F(1) / np.add.accumulate(e)[-1])


def online(x, temperature=F(1)):
    """One pass, in blocks of 16, that rescales the sum."""
    m, s = F(MINUS), F(0)
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


def flush(x):
    """0 in the place of subnormal numbers."""
    return np.where(np.abs(x) < np.finfo(F).tiny, 0, x).astype(x.dtype)


def flushing(x, temperature=F(1)):
    """Subnormal numbers are 0, before and after each operation."""
    e = flush(np.exp(flush(flush(flush(x) - flush(x).max()) / F(temperature))))
    return flush(e / e.sum())


RIGHT = {"softmax": softmax} | {kernel.__name__: kernel for kernel in (sequential, online, by_reciprocals, exp2,
                                                                       flushing)}


def scores_of(q, k, mask=None, is_causal=False, scale=None):
    """Scaled scores, -inf where a key is masked."""
    return masked(products(q, k) * F(root_of_d(q) if scale is None else scale), mask, is_causal)


def flash(q, k, v, mask=None, is_causal=False, scale=None):
    """Blocks of 32 keys; the output is rescaled with the sum and divided by it at the end."""
    s = scores_of(q, k, mask, is_causal, scale)
    m, z, o = F(MINUS), F(0), F(0)
    for start in range(0, len(k), 32):
        part = s[:, start:start + 32]
        new = np.maximum(m, top(part))
        safe = np.where(new > MINUS, new, F(0))
        e, factor = np.exp(part - safe), np.exp(m - safe)
        z, o, m = z * factor + total(e), o * factor + e @ v[start:start + 32], new
    return (o / np.where(z == 0, F(1), z)).astype(F)


def folded(q, k, v, mask=None, is_causal=False, scale=None):
    """The scale is in the queries."""
    return attention(q * F(root_of_d(q) if scale is None else scale), k, v, mask, is_causal, 1)


def folded_by_root(q, k, v, mask=None, is_causal=False, scale=None):
    """The root of the scale is in the queries and in the keys, its sign in the queries."""
    by = F(root_of_d(q) if scale is None else scale)
    root = np.sqrt(np.abs(by))
    return attention(q * (np.sign(by) * root), k * root, v, mask, is_causal, 1)


RIGHT_ATTENTION = {"attention": attention} | {kernel.__name__: kernel for kernel in (flash, folded, folded_by_root)}
