# SPDX-License-Identifier: BSL-1.0
"""Faults that were reported in public, each emulated by a small kernel beside a right twin.

    python zoo.py [NAME…]     prints the table of docs/zoo.md, or the rows of some faults

Each kernel is written here, from what a report or a commit says; none is anybody's code. Arrays may have leading axes.
Half precision is computed in float32, unless that is the fault.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import sqrtdk
from sqrtdk.strategies import AttentionCase, attention_cases

MINUS = -np.inf
STATE: dict[str, Any] = {}
"""What kernels remember between calls; empty before each campaign."""


@dataclass(frozen=True)
class Fault:
    """A wrong kernel, its right twin, and the campaign that they are held to."""

    kernel: Callable[..., Any]
    twin: Callable[..., Any]
    kind: str
    reported: str
    """Projects, with a commit if that was read; empty for a fault that is not one report's."""
    laws: str | list[str]
    words: dict[str, Any]
    """More arguments of sqrtdk.check."""
    given: Callable[[AttentionCase], AttentionCase] | None
    """What makes a case of one without a mask, for a kernel that has a mask of its own."""

    @property
    def name(self) -> str:
        """Its name in words."""
        return self.kernel.__name__.replace("_", " ")

    def campaign(self, kernel: Callable[..., Any]) -> Any:
        """Hold the wrong kernel or its twin to the laws."""
        STATE.clear()
        inputs = {"inputs": CASES.map(self.given)} if self.given else {}
        return sqrtdk.check(kernel, self.laws, **self.words, **inputs)


CASES = attention_cases(masks=False, causal=(False,), scales=(None,))
FAULTS: dict[str, Fault] = {}


def fault(kind: str, reported: str = "", *, twin: Callable[..., Any] | None = None, laws: list[str] | None = None,
          given: Callable[[AttentionCase], AttentionCase] | None = None, **words: Any) -> Callable[[Any], Any]:
    """A decorator that adds a kernel to FAULTS, by its name; the docstring says what goes wrong."""
    def add(kernel: Any) -> Any:
        FAULTS[kernel.__name__] = Fault(kernel, twin or TWINS[kind], kind, reported, laws or kind, words, given)
        return kernel
    return add


# ---- right twins


def wide(x: Any) -> Any:
    """In float32, or in float64 if it is that."""
    return x.astype(np.result_type(x, np.float32))


def exponentials(x: Any) -> Any:
    """The greatest of a row is 1."""
    x = wide(x)
    return np.exp(x - x.max(-1, keepdims=True))


def normalised(e: Any) -> Any:
    """Each row divided by its sum."""
    return e / e.sum(-1, keepdims=True)


def softmax(x: Any, temperature: float = 1.0) -> Any:
    """Along the last axis."""
    return normalised(exponentials(wide(x) / temperature)).astype(x.dtype)


def log_softmax(x: Any) -> Any:
    """The maximum is subtracted first."""
    y = wide(x) - wide(x).max(-1, keepdims=True)
    return (y - np.log(np.exp(y).sum(-1, keepdims=True))).astype(x.dtype)


def scale_of(q: Any, scale: float | None) -> float:
    """1/√d by default."""
    return float(q.shape[-1] ** -0.5 if scale is None else scale)


def masked(s: Any, mask: Any = None, is_causal: bool = False, diagonal: int = 0) -> Any:
    """-inf where a key is masked; numbers are added."""
    if is_causal:
        s = np.where(np.tri(*s.shape[-2:], diagonal, dtype=bool), s, MINUS)
    if mask is not None:
        s = np.where(mask, s, MINUS) if mask.dtype == bool else s + mask
    return s


def scores(q: Any, k: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None,
           diagonal: int = 0) -> Any:
    """Scaled and masked."""
    return masked(wide(q) @ np.swapaxes(wide(k), -1, -2) * scale_of(q, scale), mask, is_causal, diagonal)


def weights(s: Any) -> Any:
    """Softmax of each row; 0 where no key is seen."""
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(m > MINUS, m, 0))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z > 0, z, 1)


def attention(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
    """The causal mask is aligned top left."""
    return (weights(scores(q, k, mask, is_causal, scale)) @ wide(v)).astype(v.dtype)


def gradients(q: Any, k: Any, v: Any, g: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None,
              *, mean: bool = True, scaled: bool = True, by: Callable[[Any], Any] = weights) -> Any:
    """The derivatives of attention, or what they become without a term."""
    p, wide_g = by(scores(q, k, mask, is_causal, scale)), wide(g)
    dp = wide_g @ np.swapaxes(wide(v), -1, -2)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True) * mean) * (scale_of(q, scale) if scaled else 1.0)
    dq, dk, dv = ds @ wide(k), np.swapaxes(ds, -1, -2) @ wide(q), np.swapaxes(p, -1, -2) @ wide_g
    return dq.astype(q.dtype), dk.astype(k.dtype), dv.astype(v.dtype)


TWINS: dict[str, Callable[..., Any]] = {"softmax": softmax, "log_softmax": log_softmax, "attention": attention,
                                        "attention_gradients": gradients}


def of_weights(weigh: Callable[[Any], Any]) -> Callable[..., Any]:
    """Attention whose weights a function makes of the scores."""
    def kernel(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
        return (weigh(scores(q, k, mask, is_causal, scale)) @ wide(v)).astype(v.dtype)

    kernel.__name__, kernel.__doc__ = weigh.__name__, weigh.__doc__
    return kernel


# ---- softmax: the maximum


@fault("softmax", "nntrainer c6805a22c")
def no_maximum(x: Any) -> Any:
    """No maximum is subtracted, so exponentials overflow or vanish."""
    return normalised(np.exp(x))


@fault("softmax", "NNlib.jl 57f1bff, TinyEngine 47bb283")
def maximum_from_zero(x: Any) -> Any:
    """The search for the maximum starts at 0, so a row of negative scores is not shifted."""
    return normalised(np.exp(x - np.maximum(x.max(-1, keepdims=True), 0)))


@fault("softmax", "warp-ctc 36de6f7")
def maximum_of_sums(x: Any) -> Any:
    """Each of 128 threads adds its scores where it should keep the greatest."""
    n = x.shape[-1]
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -n % 128)])
    lanes = padded.reshape(*x.shape[:-1], -1, 128).sum(-2)[..., :n]
    return normalised(np.exp(x - lanes.max(-1, keepdims=True)))


@fault("softmax")
def maximum_of_the_first_block(x: Any) -> Any:
    """The maximum is that of the first 32 scores."""
    return normalised(np.exp(x - x[..., :32].max(-1, keepdims=True)))


@fault("softmax", "minerva")
def first_is_skipped(x: Any) -> Any:
    """The search for the maximum starts at the second score."""
    return normalised(np.exp(x - x[..., min(1, x.shape[-1] - 1):].max(-1, keepdims=True)))


# ---- softmax: the exponentials


@fault("softmax", "tract 8cb5501e9")
def coarse_exponential(x: Any) -> Any:
    """The exponential is Schraudolph's, the bits of a linear function."""
    t = np.maximum((x - x.max(-1, keepdims=True)) * 12102203.0 + 1064866805.0, 0)
    return normalised(t.astype(np.int32).view(np.float32))


@fault("softmax", "llama.cpp")
def exponents_clamped(x: Any) -> Any:
    """No exponent is less than -80."""
    return normalised(np.exp(np.maximum(x - x.max(-1, keepdims=True), -80)))


@fault("softmax", "vLLM")
def masked_weights_are_positive(x: Any) -> Any:
    """The exponential is never less than the smallest normal number, of -inf neither."""
    return normalised(np.maximum(exponentials(x), np.finfo(np.float32).tiny))


@fault("softmax", "burn")
def maximum_and_sum_from_below(x: Any) -> Any:
    """The maximum is at least -1e4, the sum at least 1e-6."""
    e = np.exp(x - np.maximum(x.max(-1, keepdims=True), -1e4))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-6)


@fault("softmax", "tt-metal")
def not_a_number_is_hidden(x: Any) -> Any:
    """What is not a number becomes a plausible weight."""
    return np.nan_to_num(normalised(np.exp(x)), nan=1 / x.shape[-1], posinf=1)


# ---- softmax: the sum


@fault("softmax", "tract 3ec88c324", dtype="float16")
def sum_in_half(x: Any) -> Any:
    """The sum is kept in float16, where it outgrows its terms."""
    e = exponentials(x)
    return (e / wide(np.add.accumulate(e.astype(np.float16), -1)[..., -1:])).astype(x.dtype)


@fault("softmax", "CTranslate2 7bd03695")
def epsilon_in_the_sum(x: Any) -> Any:
    """1e-6 is added to a sum that is never 0."""
    e = exponentials(x)
    return e / (e.sum(-1, keepdims=True) + 1e-6)


@fault("softmax", "tt-metal")
def padding_counts(x: Any) -> Any:
    """Zeros that fill the row up to a multiple of 32 are summed as scores."""
    n = x.shape[-1]
    return softmax(np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -n % 32)]))[..., :n]


@fault("softmax")
def tail_is_dropped(x: Any) -> Any:
    """Scores after the last whole vector of 8 are not summed."""
    e = exponentials(x)
    return e / e[..., :x.shape[-1] // 8 * 8 or x.shape[-1]].sum(-1, keepdims=True)


@fault("softmax")
def last_is_lost(x: Any) -> Any:
    """The sum ends one term too early in rows of more than 64."""
    e = exponentials(x)
    return e / e[..., :-1 if x.shape[-1] > 64 else None].sum(-1, keepdims=True)


@fault("softmax", "FlashInfer")
def sum_of_another_row(x: Any) -> Any:
    """The sum is that of another row, here of one that is nearly the same."""
    return exponentials(x) / np.exp(np.roll(x, 1, -1) * 1.0001 - x.max(-1, keepdims=True)).sum(-1, keepdims=True)


@fault("softmax", "neon, llama.cpp")
def race(x: Any) -> Any:
    """In one call of 500, half of the sum is not yet there."""
    STATE["calls"] = STATE.get("calls", 0) + 1
    return softmax(x) * (2 if STATE["calls"] % 500 == 200 else 1)


# ---- softmax: which numbers


@fault("softmax", "torch-xpu-ops")
def lengths_of_a_tile(x: Any) -> Any:
    """Rows of 257 to 384 and of 513 to 768 scores are garbage."""
    return np.roll(softmax(x), 1, -1) if 256 < x.shape[-1] <= 384 or 512 < x.shape[-1] <= 768 else softmax(x)


@fault("softmax", "nntrainer 07f0dc34d", batch=2)
def rows_are_one(x: Any) -> Any:
    """Softmax is taken of all rows together."""
    return softmax(x.reshape(-1)).reshape(x.shape)


@fault("softmax")
def axis_of_length_1(x: Any) -> Any:
    """Softmax is taken of each number alone."""
    return np.ones_like(x)


@fault("softmax")
def weights_through_half(x: Any) -> Any:
    """The weights are stored in float16 on the way."""
    return softmax(x).astype(np.float16).astype(x.dtype)


@fault("softmax", "CodonTransformer")
def temperature_twice(x: Any, temperature: float) -> Any:
    """The scores are divided by the temperature twice."""
    return softmax(x, temperature * temperature)


@fault("softmax")
def temperature_ignored(x: Any, temperature: float) -> Any:  # pylint: disable=unused-argument
    """The scores are not divided by the temperature."""
    return softmax(x)


@fault("softmax", "KernelBench")
def zeros(x: Any) -> Any:
    """All weights are 0, which is near the right ones in long rows."""
    return np.zeros_like(x)


@fault("softmax", "KernelBench")
def uniform(x: Any) -> Any:
    """All weights are 1/n."""
    return np.full_like(x, 1 / x.shape[-1])


@fault("softmax")
def output_of_the_last_call(x: Any) -> Any:
    """A buffer of the right length is returned again before it is written."""
    before, STATE[str(x.shape)] = STATE.get(str(x.shape)), softmax(x)
    return STATE[str(x.shape)] if before is None else before


# ---- log-softmax


@fault("log_softmax", "coremltools, PyTorch")
def logarithm_of_weights(x: Any) -> Any:
    """The logarithm is taken of weights, of which small ones are 0."""
    return np.log(softmax(x))


@fault("log_softmax", "MLX d935276de, PyTorch", arithmetic=sqrtdk.Arithmetic(sum_first=False))
def log_sum_first(x: Any) -> Any:
    """The maximum is added to the logarithm of the sum, which is lost beside it."""
    m = x.max(-1, keepdims=True)
    return x - (m + np.log(np.exp(x - m).sum(-1, keepdims=True)))


@fault("log_softmax", "PyTorch")
def epsilon_in_the_logarithm(x: Any) -> Any:
    """1e-6 is added to the weights before the logarithm."""
    return np.log(softmax(x) + 1e-6).astype(x.dtype)


@fault("log_softmax", "PyTorch")
def log_sum_in_half(x: Any) -> Any:
    """The logarithm of the sum is stored in float16."""
    y = x - x.max(-1, keepdims=True)
    return y - np.log(np.exp(y).sum(-1, keepdims=True)).astype(np.float16).astype(x.dtype)


@fault("log_softmax", "burn, tt-metal")
def log_without_maximum(x: Any) -> Any:
    """No maximum is subtracted before the exponentials are summed."""
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


@fault("log_softmax", "SGLang")
def logarithm_to_base_2(x: Any) -> Any:
    """The logarithm of the sum has the base 2."""
    y = x - x.max(-1, keepdims=True)
    return y - np.log2(np.exp(y).sum(-1, keepdims=True))


# ---- attention: scores and their scale


@fault("attention", "mlc-llm 7a4f8033")
def scale_missing(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    """Scores are not multiplied by 1/√d."""
    return attention(q, k, v, scale=1.0 if scale is None else scale, **masks)


@fault("attention", "perceiver-io")
def scale_inverted(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    """Scores are multiplied by √d."""
    return attention(q, k, v, scale=q.shape[-1] ** 0.5 if scale is None else scale, **masks)


@fault("attention", "ipex-llm")
def scale_of_padding(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    """The dimension in the scale is that of heads that were padded to a multiple of 64."""
    return attention(q, k, v, scale=(-(-q.shape[-1] // 64) * 64) ** -0.5 if scale is None else scale, **masks)


@fault("attention")
def scale_by_values(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    """The dimension in the scale is the width of the values."""
    return attention(q, k, v, scale=v.shape[-1] ** -0.5 if scale is None else scale, **masks)


@fault("attention", "FlashInfer 82784bb11")
def scale_of_the_first_call(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    """A plan is kept with its scale, and used again with another."""
    return attention(q, k, v, scale=STATE.setdefault("scale", scale_of(q, scale)), **masks)


@fault("attention", "metal-flash-attention, ONNX Runtime")
def products_in_half(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False,
                     scale: float | None = None) -> Any:
    """Products of queries and keys are stored in float16 before they are scaled, where they overflow."""
    s = (q.astype(np.float16) @ np.swapaxes(k, -1, -2).astype(np.float16)).astype(q.dtype) * scale_of(q, scale)
    return weights(masked(s, mask, is_causal)) @ v


# ---- attention: weights


@fault("attention", "burn fcc8dacdf")
@of_weights
def floors(s: Any) -> Any:
    """The maximum is at least -1e4, the sum at least 1e-6."""
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), -1e4))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-6)


@fault("attention", "FlashInfer d7f2c6464")
@of_weights
def maximum_from_a_sentinel(s: Any) -> Any:
    """The search for the maximum starts at -5e4, so a row of scores below that is 0."""
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), -5e4))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z > 0, z, 1)


@fault("attention", "lattice")
@of_weights
def sentinel(s: Any) -> Any:
    """The score of a masked key is -10000."""
    return weights(np.where(np.isneginf(s), -1e4, s))


@fault("attention", "JAX, CubeCL")
@of_weights
def padded_keys_count(s: Any) -> Any:
    """Keys that fill a block of 32 have the score 0, and count in the sum."""
    padding = np.zeros((*s.shape[:-1], -s.shape[-1] % 32), s.dtype)
    return weights(np.concatenate([s, padding], -1))[..., :s.shape[-1]]


@fault("attention", "PyTorch")
@of_weights
def last_key_after_a_block(s: Any) -> Any:
    """The last key is lost if it is alone in a block of 32."""
    lost = np.arange(s.shape[-1]) == s.shape[-1] - 1 if s.shape[-1] % 32 == 1 < s.shape[-1] else False
    return weights(np.where(lost, MINUS, s))


@fault("attention")
@of_weights
def keys_beyond_1024(s: Any) -> Any:
    """Keys after the first 1024 are lost."""
    return weights(np.where(np.arange(s.shape[-1]) < 1024, s, MINUS))


@fault("attention", "rten 384b6a2e, MLX 711a64580", empty_rows="zero")
@of_weights
def empty_rows_are_nan(s: Any) -> Any:
    """A query without keys gets the quotient of 0 by 0."""
    return normalised(exponentials(s))


@fault("attention")
@of_weights
def empty_rows_are_twice_the_mean(s: Any) -> Any:
    """A query without keys gets twice the mean of all values."""
    return np.where((s == MINUS).all(-1, keepdims=True), 2 / s.shape[-1], weights(s)).astype(s.dtype)


@fault("attention", "timm 884ef888")
@of_weights
def dropout_at_inference(s: Any) -> Any:
    """A tenth of the weights is dropped, as in training."""
    p = weights(s)
    return p * (np.random.default_rng(0).random(p.shape) >= 0.1) / 0.9


@fault("attention", "TileLang a2a278149")
def maximum_of_a_block(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """One pass over blocks of 32 keys rescales by the maximum of the block, not by the greatest so far."""
    s, m, z, o = scores(q, k, **call), np.float32(MINUS), np.float32(0), np.float32(0)
    for start in range(0, s.shape[-1], 32):
        part = s[..., start:start + 32]
        new = part.max(-1, keepdims=True)
        new = np.where(new > MINUS, new, 0)
        e, factor = np.exp(part - new), np.exp(m - new)
        z, o, m = z * factor + e.sum(-1, keepdims=True), o * factor + e @ wide(v)[..., start:start + 32, :], new
    return (o / np.where(z == 0, 1, z)).astype(v.dtype)


@fault("attention", "PyTorch")
@of_weights
def output_is_not_rescaled(s: Any) -> Any:
    """The output of the first 32 keys keeps its maximum when a later block has a greater one."""
    first = np.minimum(exponentials(np.where(s > MINUS, s, -1e30)[..., :32]), 1)
    m = s.max(-1, keepdims=True)
    late = np.exp(s - np.where(m > MINUS, m, 0))
    z = late.sum(-1, keepdims=True)
    e = np.concatenate([np.where(s[..., :32] > MINUS, first, 0), late[..., 32:]], -1)
    return e / np.where(z == 0, 1, z)


@fault("attention", "AITER c17f867ad5, FlashInfer d7f2c6464")
def split_without_keys(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Keys are split in four; a split in which a query sees none is merged as not a number times 0."""
    s, size = scores(q, k, **call), -(-k.shape[-2] // 4)
    largest = s.max(-1, keepdims=True)
    o = z = np.zeros((*s.shape[:-1], 1), s.dtype)
    for start in range(0, 4 * size, size):
        part = s[..., start:start + size]
        m = part.max(-1, keepdims=True, initial=MINUS)
        e, factor = np.exp(part - m), np.exp(m - largest)
        own = e.sum(-1, keepdims=True)
        o, z = o + factor * own * (e @ wide(v)[..., start:start + size, :] / own), z + factor * own
    return (o / z).astype(v.dtype)


# ---- attention: masks


@fault("attention", "flash-attention 9e5e8bc9")
def causal_corner(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False,
                  scale: float | None = None) -> Any:
    """The causal mask is aligned bottom right where top left is meant."""
    s = scores(q, k, mask, is_causal, scale, k.shape[-2] - q.shape[-2])
    return (weights(s) @ wide(v)).astype(v.dtype)


@fault("attention")
def causal_off_by_one(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """The causal mask shows the next key as well."""
    return (weights(scores(q, k, **call, diagonal=1)) @ wide(v)).astype(v.dtype)


@fault("attention", "x-transformers d731d82")
def mask_inverted(q: Any, k: Any, v: Any, mask: Any = None, **call: Any) -> Any:
    """True is taken for what is masked."""
    return attention(q, k, v, ~mask if mask is not None and mask.dtype == bool else mask, **call)


@fault("attention", "Transformer Engine, transformers")
def mask_added(q: Any, k: Any, v: Any, mask: Any = None, **call: Any) -> Any:
    """A mask of True and False is added as 1 and 0."""
    return attention(q, k, v, wide(mask) if mask is not None and mask.dtype == bool else mask, **call)


@fault("attention", "ONNX Script, maxtext")
def mask_ignored_if_causal(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False,
                           scale: float | None = None) -> Any:
    """Of two masks only the causal one is applied."""
    return attention(q, k, v, None if is_causal else mask, is_causal, scale)


@fault("attention")
def mask_after_softmax(q: Any, k: Any, v: Any, mask: Any = None, **call: Any) -> Any:
    """Weights of masked keys are set to 0, but count in the sum."""
    s = scores(q, k, **call)
    return weights(s) * (masked(s, mask) > MINUS) @ v


def ignoring(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
    """Keys and values that no query sees are 0, whatever they hold."""
    s = masked(np.zeros((q.shape[-2], k.shape[-2]), np.float32), mask, is_causal)
    seen = (s > MINUS).any(-2)[..., None]
    return attention(q, np.where(seen, k, k.dtype.type(0)), np.where(seen, v, v.dtype.type(0)), mask, is_causal, scale)


@fault("attention", "PyTorch", twin=ignoring, laws=["attention.masked_values"])
def masked_values_leak(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """A value that no query sees is multiplied by 0, which is not a number if the value is not."""
    return attention(q, k, v, **call)


@fault("attention", batch=2)
def mask_of_the_first_head(q: Any, k: Any, v: Any, mask: Any = None, **call: Any) -> Any:
    """The mask of the first head is read for every head."""
    return attention(q, k, v, mask[..., :1, :, :] if mask is not None and mask.ndim > 2 else mask, **call)


def windowed(case: AttentionCase) -> AttentionCase:
    """A query sees its own key and three before it."""
    i, j = np.ogrid[:case.q.shape[-2], :case.k.shape[-2]]
    return replace(case, mask=(j <= i) & (j > i - 4))


def window(q: Any, k: Any, v: Any, mask: Any = None, width: int = 4) -> Any:  # pylint: disable=unused-argument
    """A window of four keys, which the kernel knows by itself."""
    i, j = np.ogrid[:q.shape[-2], :k.shape[-2]]
    return attention(q, k, v, (j <= i) & (j > i - width))


@fault("attention", "mlx-lm 6fd60d3e", twin=window, given=windowed)
def window_off_by_one(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """A sliding window has one key too many."""
    return window(q, k, v, mask, width=5)


def with_alibi(case: AttentionCase) -> AttentionCase:
    """The further back a key, the less its score; later ones are not seen."""
    i, j = np.ogrid[:case.q.shape[-2], :case.k.shape[-2]]
    return replace(case, mask=np.where(j <= i, (j - i) * 0.25, MINUS).astype(np.float32))


def alibi(q: Any, k: Any, v: Any, mask: Any = None, slope: float = 0.25) -> Any:  # pylint: disable=unused-argument
    """Biases by distance, which the kernel knows by itself."""
    i, j = np.ogrid[:q.shape[-2], :k.shape[-2]]
    return attention(q, k, v, ((j - i) * slope).astype(np.float32), is_causal=True)


@fault("attention", "attention-gym 290c1e7", twin=alibi, given=with_alibi)
def sign_of_alibi(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """The bias grows with the distance of a key."""
    return alibi(q, k, v, mask, slope=-0.25)


@fault("attention", "MLX, aprender", twin=alibi, given=with_alibi)
def slope_of_alibi(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """The slope of the bias is that of the next head."""
    return alibi(q, k, v, mask, slope=0.0625)


def with_sink(case: AttentionCase) -> AttentionCase:
    """A sink is a last key whose score is 1 and whose value is 0."""
    k, v, mask = case.k.copy(), case.v.copy(), np.zeros((case.q.shape[-2], case.k.shape[-2]), np.float32)
    k[..., -1, :], v[..., -1, :], mask[:, -1] = 0, 0, 1
    return replace(case, k=k, v=v, mask=mask)


def sink(q: Any, k: Any, v: Any, mask: Any = None, times: int = 1) -> Any:  # pylint: disable=unused-argument
    """A sink, which the kernel adds to the sum by itself."""
    s = scores(q, k[..., :-1, :])
    m = s.max(-1, keepdims=True, initial=1)
    e = np.exp(s - m)
    z = e.sum(-1, keepdims=True) + times * np.exp(1 - m)
    return (e @ wide(v)[..., :-1, :] / np.where(z > 0, z, 1)).astype(v.dtype)


@fault("attention", "vllm-metal b489dfb", twin=sink, given=with_sink)
def sink_missing(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """A sink is not summed."""
    return sink(q, k, v, mask, times=0)


@fault("attention", "vllm-metal b489dfb", twin=sink, given=with_sink)
def sink_in_each_warp(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """A sink is summed by each of eight groups of threads."""
    return sink(q, k, v, mask, times=8)


# ---- attention: heads, strides, sizes


def grouped(q: Any, k: Any, v: Any, enable_gqa: bool = False, **call: Any) -> Any:
    """Successive heads of queries share keys and values."""
    group = q.shape[-3] // k.shape[-3] if enable_gqa else 1
    return attention(q, np.repeat(k, group, -3), np.repeat(v, group, -3), **call)


@fault("attention", "ONNX 062ee9228", twin=grouped, batch=2, enable_gqa=True)
def heads_are_tiled(q: Any, k: Any, v: Any, enable_gqa: bool = False, **call: Any) -> Any:
    """Heads that share keys are taken in turns and not in groups."""
    group = q.shape[-3] // k.shape[-3] if enable_gqa else 1
    return attention(q, *(np.concatenate([x] * group, -3) for x in (k, v)), **call)


@fault("attention", batch=2)
def keys_of_the_first_head(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Every head reads keys and values of the first."""
    return attention(q, *(np.broadcast_to(x[..., :1, :, :], x.shape) for x in (k, v)), **call)


@fault("attention", batch=2)
def keys_of_the_first_batch(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Every batch reads keys and values of the first."""
    return attention(q, *(np.broadcast_to(x[:1], x.shape) for x in (k, v)), **call)


@fault("attention", "PyTorch, torch-spyre", batch=2)
def strides_ignored(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Numbers are read in the order of memory, whatever the strides."""
    return attention(*(x.ravel(order="K").reshape(x.shape) for x in (q, k, v)), **call)


@fault("attention")
def keys_are_transposed(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Keys are read column by column."""
    return attention(q, np.swapaxes(k, -1, -2).reshape(k.shape), v, **call)


@fault("attention", "CUDA.jl, TVM")
def last_queries_are_not_written(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Queries after the last whole tile of 16 are not computed."""
    written = np.arange(q.shape[-2])[:, None] < (q.shape[-2] // 16 * 16 or 16)
    return attention(q, k, v, **call) * written.astype(v.dtype)


@fault("attention")
def last_columns_are_not_written(q: Any, k: Any, v: Any, **call: Any) -> Any:
    """Columns of the output after the last whole vector of 8 are not computed."""
    return attention(q, k, v, **call) * (np.arange(v.shape[-1]) < (v.shape[-1] // 8 * 8 or 8)).astype(v.dtype)


@fault("attention")
def features_beyond_64(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    """Scores are products of the first 64 features."""
    return attention(q[..., :64], k[..., :64], v, scale=scale_of(q, scale), **masks)


@fault("attention", "KernelBench")
def output_is_zero(q: Any, k: Any, v: Any, **_: Any) -> Any:  # pylint: disable=unused-argument
    """All outputs are 0."""
    return np.zeros((*q.shape[:-1], v.shape[-1]), v.dtype)


@fault("attention", "mlir-air")
def mean_of_values(q: Any, k: Any, v: Any, **_: Any) -> Any:  # pylint: disable=unused-argument
    """All outputs are the mean of the values."""
    return np.broadcast_to(v.mean(-2, keepdims=True), (*q.shape[:-1], v.shape[-1])).astype(v.dtype)


# ---- gradients


@fault("attention_gradients", "libnd4j, darknet")
def term_of_softmax_missing(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
    """The mean of the weights' derivatives is not subtracted."""
    return gradients(q, k, v, g, **call, mean=False)


@fault("attention_gradients")
def scale_missing_backward(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
    """The derivatives of queries and keys are not scaled."""
    return gradients(q, k, v, g, **call, scaled=False)


@fault("attention_gradients", "Triton")
def backward_is_not_causal(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
    """The backward pass ignores that the mask is causal."""
    return gradients(q, k, v, g, **(call | {"is_causal": False}))


@fault("attention_gradients", "Triton")
def backward_is_causal(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
    """The backward pass takes each mask for a causal one."""
    return gradients(q, k, v, g, **(call | {"is_causal": True}))


@fault("attention_gradients")
def mask_missing_backward(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
    """The backward pass ignores the mask."""
    return gradients(q, k, v, g, **(call | {"mask": None}))


@fault("attention_gradients")
def values_unmasked_backward(q: Any, k: Any, v: Any, g: Any, mask: Any = None, **call: Any) -> Any:
    """The derivatives of values have those of masked keys in them."""
    return (*gradients(q, k, v, g, mask, **call)[:2], gradients(q, k, v, g, **call)[2])


@fault("attention_gradients", "PyTorch, nGPT", empty_rows="zero")
def empty_row_poisons(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
    """A query without keys makes the derivatives of all keys and values not a number."""
    return gradients(q, k, v, g, **call, by=lambda s: normalised(exponentials(s)))


# ---- what sees them


@functools.cache
def found(name: str) -> tuple[str, str] | None:
    """The law that a fault breaks, and the size of the simplest case found, if a campaign sees it."""
    one = FAULTS[name]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            one.campaign(one.kernel)
    except sqrtdk.KernelError as error:
        law = re.findall(r"the law '(\w+)' is broken", str(error))
        return law[0], _size(str(error))
    return None


def _size(text: str) -> str:
    """The size of a case that is written in a message."""
    shapes = {}
    for name, array, shape in re.findall(r"\b(x|q|k|v) ?= ?(\[[^=]*\])(?: of the shape (\([^)]*\)))?", text):
        numbers = re.sub(r"\bnan\b", "0", re.sub(r"\binf\b", "1e999", array))
        shapes[name] = ast.literal_eval(shape) if shape else np.shape(ast.literal_eval(numbers))
    if "x" in shapes:
        return " × ".join(map(str, shapes["x"])) + (" score" if shapes["x"] == (1,) else " scores")
    heads = [f"{_times(shapes['q'][:-2])} heads"] if len(shapes["q"]) > 2 else []
    parts = (("query", "queries", shapes["q"][-2]), ("key", "keys", shapes["k"][-2]))
    widths = [f"{word} {of}" for word, of in (("d", shapes["q"][-1]), ("d_v", shapes["v"][-1])) if of > 1]
    return ", ".join([*heads, *(f"{n} {one if n == 1 else more}" for one, more, n in parts), *widths])


def _times(sizes: tuple[int, ...]) -> str:
    return " × ".join(map(str, sizes))


def usual_case(one: Fault) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of a case that a test would take: normal numbers, causal, of the shapes that the page names."""
    rng = np.random.default_rng(0)
    dtype = one.words.get("dtype", "float32")
    if not one.kind.startswith("attention"):
        return (rng.normal(size=(8, 256)).astype(dtype),), {"temperature": 1.0} if "temperature" in one.name else {}
    q, k, v, g = rng.normal(size=(4, 2, 4, 128, 64)).astype(dtype)
    if one.words.get("enable_gqa"):
        return (q, k[:, :2], v[:, :2]), {"is_causal": True, "enable_gqa": True}
    if one.given:
        case = one.given(AttentionCase(q, k, v, g))
        return (case.q, case.k, case.v), {"mask": case.mask}
    return (q, k, v, g)[:4 if "gradients" in one.kind else 3], {"is_causal": True}


def assert_close_sees(one: Fault) -> bool:
    """True if |actual - expected| <= atol + rtol |expected| fails somewhere with PyTorch's default tolerances, beside
    the twin in float64, rounded to the format."""
    STATE.clear()
    arrays, options = usual_case(one)
    rtol = 1e-3 if arrays[0].dtype == np.float16 else 1.3e-6
    with np.errstate(all="ignore"):
        actual = one.kernel(*arrays, **options)
        expected = one.twin(*(array.astype(np.float64) for array in arrays), **options)
    pairs = zip(actual, expected) if isinstance(actual, tuple) else [(actual, expected)]
    return not all(np.allclose(mine, right.astype(mine.dtype), rtol, 1e-5) for mine, right in pairs)


def rows(names: list[str]) -> Iterator[str]:
    """The table of the page, in Markdown."""
    yield "| fault | what goes wrong | reported to | law, smallest case | `assert_close` |"
    yield "|:--|:--|:--|:--|:--|"
    for name in names or FAULTS:
        one, seen = FAULTS[name], found(name)
        by = ": ".join(seen) if seen else "missed"
        yield (f"| {one.name} | {one.kernel.__doc__} | {one.reported or '–'} | {by} | "
               f"{'sees it' if assert_close_sees(one) else '–'} |")


if __name__ == "__main__":
    for row in rows(sys.argv[1:]):
        print(row, flush=True)
