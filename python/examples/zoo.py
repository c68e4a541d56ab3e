# SPDX-License-Identifier: BSL-1.0
"""Faults that were reported in public, each emulated by a small kernel beside a right twin; and kernels that game.

    python zoo.py [NAME…]     prints the table of docs/zoo.md, or the rows of some faults

A kernel is written here, from what a report or a commit says; none is anybody's code. It is the right one with a stage
replaced: the maximum, the scores, the mask… Arrays may have leading axes. Half precision is computed in float32.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import sqrtdk
from sqrtdk.strategies import AttentionCase, attention_cases

Kernel = Callable[..., Any]
Given = Callable[[AttentionCase], AttentionCase]
MINUS = -np.inf
STATE: dict[str, Any] = {}
"""What kernels remember between calls."""


@dataclass(frozen=True)
class Fault:
    """A wrong kernel, its right twin, and what sqrtdk.check is told of both."""

    kind: str
    wrong: str
    """What goes wrong, in a sentence."""
    kernel: Kernel
    reported: str
    """Projects, as owner/name@commit if that was read; empty for a common fault that is not one report's."""
    twin: Kernel
    laws: str | list[str]
    words: dict[str, Any]
    given: Given | None
    """For a kernel with a mask of its own: gives a case that mask, for the law to compare with."""

    def campaign(self, kernel: Kernel, **options: Any) -> sqrtdk.CheckReport:
        """Hold the kernel or its twin to the laws; options are more arguments of sqrtdk.check."""
        STATE.clear()
        cases = attention_cases(masks=False, causal=(False,), scales=(None,))
        inputs: dict[str, Any] = {"inputs": cases.map(self.given)} if self.given else {}
        return sqrtdk.check(kernel, self.laws, **(options | self.words | inputs))


FAULTS: dict[str, Fault] = {}


def add(kind: str, name: str, wrong: str, kernel: Kernel, reported: str = "", *, twin: Kernel | None = None,
        laws: list[str] | None = None, given: Given | None = None, **words: Any) -> None:
    """Add a fault; words are more arguments of sqrtdk.check."""
    FAULTS[name] = Fault(kind, wrong, kernel, reported, twin or TWINS[kind], laws or kind, words, given)


# ---- right twins, and stages that may be replaced


def wide(x: Any) -> Any:
    """In float32, or in float64 if it is that."""
    return x.astype(np.result_type(x, np.float32))


def top(x: Any) -> Any:
    """The greatest of each row."""
    return x.max(-1, keepdims=True)


def total(e: Any) -> Any:
    """The sum of each row."""
    return e.sum(-1, keepdims=True)


def softmax_by(maximum: Kernel = top, exp: Kernel = np.exp, divisor: Kernel = total) -> Kernel:
    """Softmax along the last axis, of stages."""
    def kernel(x: Any, temperature: float = 1.0) -> Any:
        y = wide(x) / temperature
        e = exp(y - maximum(y))
        return (e / divisor(e)).astype(x.dtype)

    return kernel


def log_softmax_by(maximum: Kernel = top, log: Kernel = np.log) -> Kernel:
    """The logarithm of softmax, of stages."""
    def kernel(x: Any) -> Any:
        y = wide(x) - maximum(wide(x))
        return (y - log(total(np.exp(y)))).astype(x.dtype)

    return kernel


def masked(s: Any, mask: Any = None, is_causal: bool = False, diagonal: int = 0) -> Any:
    """-inf where a key is masked; numbers are added."""
    if is_causal:
        s = np.where(np.tri(s.shape[-2], s.shape[-1], diagonal, dtype=bool), s, MINUS)
    if mask is not None:
        s = np.where(mask, s, MINUS) if mask.dtype == bool else s + mask
    return s


def products(q: Any, k: Any) -> Any:
    """Of each query with each key."""
    return wide(q) @ np.swapaxes(wide(k), -1, -2)


def seen_top(s: Any) -> Any:
    """The greatest of each row; 0 where no key is seen."""
    return np.where(top(s) > MINUS, top(s), 0)


weights = softmax_by(seen_top, divisor=lambda e: np.where(total(e) > 0, total(e), 1))
"""Softmax of each row; 0 where no key is seen."""


def root_of_d(q: Any, *_: Any) -> float:
    """1/√d."""
    return float(q.shape[-1] ** -0.5)


def attention_by(weigh: Kernel = weights, multiply: Kernel = products, scale_by: Kernel = root_of_d,
                 mask_by: Kernel = lambda mask, is_causal: mask, diagonal_by: Kernel = lambda n, m: 0,
                 read: Kernel = lambda *arrays: arrays, write: Kernel = lambda o: o) -> Kernel:
    """Attention of stages."""
    def kernel(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
        q, k, v = read(q, k, v)
        s = multiply(q, k) * float(scale_by(q, v) if scale is None else scale)
        s = masked(s, None if mask is None else mask_by(mask, is_causal), is_causal, diagonal_by(*s.shape[-2:]))
        return write(weigh(s) @ wide(v)).astype(v.dtype)

    return kernel


def gradients_by(weigh: Kernel = weights, mean: bool = True, scaled: bool = True, values_see: bool = False,
                 **changed: Any) -> Kernel:
    """The derivatives of attention, without some terms or with changed arguments."""
    def kernel(q: Any, k: Any, v: Any, g: Any, **call: Any) -> Any:
        call |= changed
        scale = call.pop("scale", None)
        by = root_of_d(q) if scale is None else float(scale)
        s, dp = products(q, k) * by, products(g, v)
        p = weigh(masked(s, **call))
        ds = p * (dp - total(p * dp) * mean) * (by if scaled else 1.0)
        dv = np.swapaxes(weigh(s) if values_see else p, -1, -2) @ wide(g)
        return tuple(d.astype(q.dtype) for d in (ds @ wide(k), np.swapaxes(ds, -1, -2) @ wide(q), dv))

    return kernel


softmax, log_softmax, attention, gradients = softmax_by(), log_softmax_by(), attention_by(), gradients_by()
TWINS = {"softmax": softmax, "log_softmax": log_softmax, "attention": attention, "attention_gradients": gradients}

# ---- softmax


def sums_of_128_threads(x: Any) -> Any:
    n = x.shape[-1]
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -n % 128)])
    return top(padded.reshape(*x.shape[:-1], -1, 128).sum(-2)[..., :n])


def floored(lowest: float, least: float) -> Kernel:
    """Softmax of a maximum that is at least one number, and of a sum that is at least another."""
    return softmax_by(lambda x: np.maximum(top(x), lowest), divisor=lambda e: np.maximum(total(e), least))


def of_padded(x: Any) -> Any:
    """Softmax with zeros up to a multiple of 32."""
    zeros = np.zeros((*x.shape[:-1], -x.shape[-1] % 32), x.dtype)
    return softmax(np.concatenate([x, zeros], -1))[..., :x.shape[-1]]


def race(x: Any) -> Any:
    """Wrong in call 200, and every 500 calls from there."""
    STATE["calls"] = STATE.get("calls", 0) + 1
    return softmax(x) * (2 if STATE["calls"] % 500 == 200 else 1)


def last_output(x: Any) -> Any:
    """What the call before gave for a row of this length."""
    before, STATE[str(x.shape)] = STATE.get(str(x.shape)), softmax(x)
    return STATE[str(x.shape)] if before is None else before


of = functools.partial(add, "softmax")
of("no maximum", "No maximum is subtracted, so exponentials overflow or vanish.",
   softmax_by(maximum=lambda x: 0), "nntrainer/nntrainer@c6805a22c")
of("maximum from zero", "The search for the maximum starts at 0, so a row of negative scores is not shifted.",
   softmax_by(maximum=lambda x: np.maximum(top(x), 0)), "FluxML/NNlib.jl@57f1bff, mit-han-lab/tinyengine@47bb283")
of("maximum of sums", "Each of 128 threads adds its scores instead of keeping the greatest.",
   softmax_by(maximum=sums_of_128_threads), "baidu-research/warp-ctc@36de6f7")
of("maximum of a block", "The maximum is that of the first 32 scores.", softmax_by(maximum=lambda x: top(x[..., :32])))
of("first is skipped", "The search for the maximum starts at the second score.",
   softmax_by(maximum=lambda x: top(x[..., min(1, x.shape[-1] - 1):])), "minerva")
of("maximum from below", "The maximum is at least −10⁴, the sum at least 10⁻⁶.",
   floored(-1e4, 1e-6), "tracel-ai/burn@fcc8dacdf")
of("coarse exponential", "The exponential is Schraudolph's, the bits of a linear function.",
   softmax_by(exp=lambda t: np.maximum(t * 12102203.0 + 1064866805.0, 0).astype(np.int32).view(np.float32)),
   "sonos/tract@8cb5501e9")
of("exponents clamped", "No exponent is less than −80.",
   softmax_by(exp=lambda t: np.exp(np.maximum(t, -80))), "llama.cpp")
of("masked are positive", "No exponential is less than the smallest normal number, not even that of −∞.",
   softmax_by(exp=lambda t: np.maximum(np.exp(t), np.finfo(np.float32).tiny)), "vLLM")
of("NaN is hidden", "What is not a number becomes a plausible weight.",
   lambda x: np.nan_to_num(softmax_by(maximum=lambda y: 0)(x), nan=1 / x.shape[-1], posinf=1), "tt-metal")
of("sum in half", "The sum is kept in float16, where it outgrows its terms.",
   softmax_by(divisor=lambda e: wide(np.add.accumulate(e.astype(np.float16), -1)[..., -1:])), "sonos/tract@3ec88c324",
   dtype="float16")
of("epsilon in the sum", "10⁻⁶ is added to a sum that is never 0.",
   softmax_by(divisor=lambda e: total(e) + 1e-6), "OpenNMT/CTranslate2@7bd03695")
of("padding counts", "Zeros that fill a row up to a multiple of 32 count as scores.", of_padded, "tt-metal")
of("tail is dropped", "Scores after the last whole vector of 8 are not summed.",
   softmax_by(divisor=lambda e: total(e[..., :e.shape[-1] // 8 * 8 or 8])))
of("last is lost", "The sum ends one term too early in rows of more than 64.",
   softmax_by(divisor=lambda e: total(e[..., :-1 if e.shape[-1] > 64 else None])))
of("sum of another row", "The sum is that of another row, here of one that is nearly the same.",
   lambda x: np.exp(x - top(x)) / total(np.exp(np.roll(x, 1, -1) * 1.0001 - top(x))), "FlashInfer")
of("race", "In one call of 500, half of the sum is not there yet.", race, "neon, llama.cpp")
of("tile lengths", "Rows of 257 to 384 and of 513 to 768 scores are garbage.",
   lambda x: np.roll(softmax(x), int(256 < x.shape[-1] <= 384 or 512 < x.shape[-1] <= 768), -1), "torch-xpu-ops")
of("rows are one", "Softmax is taken of all rows together.",
   lambda x: softmax(x.reshape(-1)).reshape(x.shape), "nntrainer/nntrainer@07f0dc34d", batch=2)
of("axis of length 1", "Softmax is taken of each number alone.", np.ones_like)
of("weights through half", "The weights are stored in float16 on the way.",
   lambda x: softmax(x).astype(np.float16).astype(x.dtype))
of("temperature twice", "The scores are divided by the temperature twice.",
   lambda x, temperature=1: softmax(x, temperature * temperature), "CodonTransformer")
of("temperature ignored", "The scores are not divided by the temperature.", lambda x, temperature=1: softmax(x))
of("zeros", "All weights are 0, which is near the right ones in long rows.", np.zeros_like, "KernelBench")
of("uniform", "All weights are 1/n.", lambda x: np.full_like(x, 1 / x.shape[-1]), "KernelBench")
of("last output", "The output of the call before is returned, if it has the right length.", last_output)

# ---- log-softmax

of = functools.partial(add, "log_softmax")
of("logarithm of weights", "The logarithm is taken of weights, of which small ones are 0.",
   lambda x: np.log(softmax(x)), "coremltools, PyTorch")
of("log-sum-exp first", "The logarithm of the sum is added to the maximum, beside which it is lost.",
   lambda x: x - (top(x) + np.log(total(np.exp(x - top(x))))), "ml-explore/mlx@d935276de, PyTorch",
   arithmetic=sqrtdk.Arithmetic(sum_first=False))
of("epsilon in the logarithm", "10⁻⁶ is added to the weights before the logarithm.",
   lambda x: np.log(softmax(x) + x.dtype.type(1e-6)), "PyTorch")
of("log-sum-exp in half", "The logarithm of the sum is stored in float16.",
   log_softmax_by(log=lambda z: wide(np.log(z).astype(np.float16))), "PyTorch")
of("log without maximum", "No maximum is subtracted before exponentials are summed.",
   log_softmax_by(maximum=lambda x: 0), "burn, tt-metal")
of("logarithm to base 2", "The logarithm of the sum has the base 2.", log_softmax_by(log=np.log2), "SGLang")

# ---- attention


def scale_kept(q: Any, k: Any, v: Any, scale: float | None = None, **masks: Any) -> Any:
    by = STATE.setdefault("scale", root_of_d(q) if scale is None else scale)
    return attention(q, k, v, scale=by, **masks)


def of_first_keys(count: Kernel) -> Kernel:
    """Attention to so many of n keys as count(n) says."""
    return attention_by(lambda s: weights(np.where(np.arange(s.shape[-1]) < count(s.shape[-1]), s, MINUS)))


def block_maximum(s: Any) -> Any:
    """One pass over blocks of 32 keys, of which each is rescaled to its own maximum."""
    m: Any = np.float32(MINUS)
    z: Any = np.float32(0)
    parts: list[Any] = []
    for start in range(0, s.shape[-1], 32):
        part = s[..., start:start + 32]
        new = seen_top(part)
        parts = [before * np.exp(m - new) for before in parts] + [np.exp(part - new)]
        z, m = z * np.exp(m - new) + total(parts[-1]), new
    return np.concatenate(parts, -1) / np.where(z == 0, 1, z)


def first_block_unscaled(s: Any) -> Any:
    """The first 32 exponentials are those of the maximum of their block."""
    first, e = (np.exp(part - seen_top(part)) for part in (s[..., :32], s))
    return np.concatenate([first, e[..., 32:]], -1) / np.where(total(e) > 0, total(e), 1)


def splits(s: Any) -> Any:
    """Keys in four parts; the weights of each are merged by its sum."""
    size, parts = -(-s.shape[-1] // 4), []
    for part in (s[..., start:start + size] for start in range(0, 4 * size, size)):
        m = part.max(-1, keepdims=True, initial=MINUS)
        e = np.exp(part - m)
        parts.append((e, total(e) * np.exp(m - top(s))))
    # A part is divided by its own sum: NaN if that is 0, also where it has no keys and so no weight that could show it.
    z = sum(own + 0 * total(e) / total(e) for e, own in parts)
    return np.concatenate([e / total(e) * own / z for e, own in parts], -1)


def of_all_seen(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
    """Right whatever keys and values hold that no query sees."""
    s = masked(np.zeros((q.shape[-2], k.shape[-2]), np.float32), mask, is_causal)
    seen = (s > MINUS).any(-2)[..., None]
    return attention(q, *(np.where(seen, x, x.dtype.type(0)) for x in (k, v)), mask, is_causal, scale)


def own_mask(make: Kernel, right: float, wrong: float) -> dict[str, Any]:
    """A kernel that masks by itself, whatever it is given, its twin, and what makes cases of it; make(distances from
    each query back to each key, a number) gives the mask."""
    def of_shape(q: Any, k: Any, number: float = right) -> Any:
        return make(np.arange(q.shape[-2])[:, None] - np.arange(k.shape[-2]), number)

    def by(number: float) -> Kernel:
        return lambda q, k, v, mask=None: attention(q, k, v, of_shape(q, k, number))

    return {"kernel": by(wrong), "twin": by(right), "given": lambda c: replace(c, mask=of_shape(c.q, c.k))}


def window(back: Any, keys: float) -> Any:
    """A query sees its own key and some before it."""
    return (back >= 0) & (back < keys)


def alibi(back: Any, slope: float) -> Any:
    """The score of a key changes with its distance; a query sees no later key."""
    return np.where(back >= 0, back * slope, MINUS).astype(np.float32)


def with_sink(case: AttentionCase) -> AttentionCase:
    """A sink is a last key whose score is 1 and whose value is 0."""
    k, v, mask = case.k.copy(), case.v.copy(), np.zeros((case.q.shape[-2], case.k.shape[-2]), np.float32)
    k[..., -1, :], v[..., -1, :], mask[:, -1] = 0, 0, 1
    return replace(case, k=k, v=v, mask=mask)


def sinks(times: int) -> Kernel:
    """Attention with a sink that is summed some times."""
    def weigh(s: Any) -> Any:
        e = np.exp(s - s.max(-1, keepdims=True, initial=1))
        z = total(e) + times * np.exp(1 - s.max(-1, keepdims=True, initial=1))
        return e / np.where(z > 0, z, 1)

    return lambda q, k, v, mask=None: attention_by(weigh)(q, k[..., :-1, :], v[..., :-1, :])


def with_groups(share: Kernel) -> Kernel:
    """Attention whose heads of keys and values are made as many as those of queries."""
    def kernel(q: Any, k: Any, v: Any, enable_gqa: bool = False, **call: Any) -> Any:
        group = q.shape[-3] // k.shape[-3] if enable_gqa else 1
        return attention(q, share(k, group), share(v, group), **call)

    return kernel


def first_of(axis: int) -> Kernel:
    """Attention that reads keys and values of the first head or batch for all."""
    return attention_by(read=lambda q, *rest: (q, *(np.repeat(x.take([0], axis), x.shape[axis], axis) for x in rest)))


def written(o: Any, axis: int, tile: int) -> Any:
    """0 after the last whole tile."""
    n = o.shape[axis]
    return o * np.expand_dims(np.arange(n) < (n // tile * tile or tile), -1 if axis == -2 else 0).astype(o.dtype)


of = functools.partial(add, "attention")
of("scale missing", "Scores are not multiplied by 1/√d.",
   attention_by(scale_by=lambda q, v: 1), "mlc-ai/mlc-llm@7a4f8033")
of("scale inverted", "Scores are multiplied by √d.",
   attention_by(scale_by=lambda q, v: q.shape[-1] ** 0.5), "perceiver-io")
of("scale of padding", "The scale is that of heads which were padded to a multiple of 64.",
   attention_by(scale_by=lambda q, v: (-(-q.shape[-1] // 64) * 64) ** -0.5), "ipex-llm")
of("scale by values", "The scale is that of the width of the values.",
   attention_by(scale_by=lambda q, v: v.shape[-1] ** -0.5))
of("scale is kept", "A plan is kept with its scale, and used again with another.",
   scale_kept, "flashinfer-ai/flashinfer@82784bb11")
of("products in half", "Products of queries and keys are stored in float16, unscaled, where they overflow.",
   attention_by(multiply=lambda q, k: wide(q.astype(np.float16) @ np.swapaxes(k, -1, -2).astype(np.float16))),
   "metal-flash-attention, ONNX Runtime")
of("features lost", "Scores are products of the first 64 features.",
   attention_by(multiply=lambda q, k: products(q[..., :64], k[..., :64])))
of("floors", "The maximum is at least −10⁴, the sum at least 10⁻⁶.",
   attention_by(floored(-1e4, 1e-6)), "tracel-ai/burn@fcc8dacdf")
of("maximum from a sentinel", "The search for the maximum starts at −50,000: a row of scores below that is 0.",
   attention_by(floored(-5e4, 1e-37)), "flashinfer-ai/flashinfer@d7f2c6464")
of("sentinel", "The score of a masked key is −10,000.",
   attention_by(lambda s: weights(np.where(np.isneginf(s), -1e4, s))), "lattice")
of("padded keys count", "Keys that fill a block of 32 have the score 0, and count in the sum.",
   attention_by(of_padded), "JAX, CubeCL")
of("last key alone", "The last key is lost if it is alone in a block of 32.",
   of_first_keys(lambda n: n - 1 if n % 32 == 1 < n else n), "PyTorch")
of("keys lost", "Keys after the first 1024 are lost.", of_first_keys(lambda n: 1024))
of("empty rows are NaN", "A query that sees no key gets the quotient of 0 by 0.",
   attention_by(softmax), "robertknight/rten@384b6a2e, ml-explore/mlx@711a64580", empty_rows="zero")
of("empty rows are ones", "A query that sees no key gets ones.",
   attention_by(softmax, write=lambda o: np.nan_to_num(o, nan=1)))
of("dropout", "A tenth of the weights is dropped, as in training.",
   attention_by(lambda s: weights(s) * (np.random.default_rng(0).random(s.shape) >= 0.1) / 0.9),
   "huggingface/pytorch-image-models@884ef888")
of("block maximum", "One pass rescales by the maximum of each block of 32 keys, not by the greatest so far.",
   attention_by(block_maximum), "tile-ai/tilelang@a2a278149")
of("output not rescaled", "The output of the first 32 keys keeps its maximum when a later block has a greater one.",
   attention_by(first_block_unscaled), "PyTorch")
of("split without keys", "Keys are split in four; a split of which a query sees no key is merged as NaN times 0.",
   attention_by(splits), "ROCm/aiter@c17f867ad5, flashinfer-ai/flashinfer@d7f2c6464")
of("causal corner", "The causal mask is aligned bottom right where top left is meant.",
   attention_by(diagonal_by=lambda n, m: m - n), "Dao-AILab/flash-attention@9e5e8bc9")
of("causal shows the next", "The causal mask shows one key too many.", attention_by(diagonal_by=lambda n, m: 1))
of("mask inverted", "True is taken for what is masked.",
   attention_by(mask_by=lambda mask, causal: ~mask if mask.dtype == bool else mask),
   "lucidrains/x-transformers@d731d82")
of("mask added", "A mask of True and False is added to the scores as 1 and 0.",
   attention_by(mask_by=lambda mask, causal: wide(mask)), "Transformer Engine, transformers")
of("one mask of two", "A mask is ignored if there is a causal one as well.",
   attention_by(mask_by=lambda mask, causal: np.array(True) if causal else mask), "ONNX Script, maxtext")
of("mask after softmax", "Weights of masked keys are set to 0, but count in the sum.",
   lambda q, k, v, mask=None, **call: attention_by(lambda s: weights(s) * (masked(s, mask) > MINUS))(q, k, v, **call))
of("mask of the first head", "The mask of the first head is read for every head.",
   attention_by(mask_by=lambda mask, causal: mask[..., :1, :, :] if mask.ndim > 2 else mask), batch=2)
of("masked values leak", "A value that no query sees is multiplied by 0, which is NaN if the value is NaN.",
   attention_by(), "PyTorch", twin=of_all_seen, laws=["attention.masked_values"])
of("window off by one", "A sliding window has one key too many.",
   **own_mask(window, 4, 5), reported="ml-explore/mlx-lm@6fd60d3e")
of("ALiBi's sign", "The bias grows with the distance of a key.",
   **own_mask(alibi, -0.25, 0.25), reported="pytorch-labs/attention-gym@290c1e7")
of("ALiBi's slope", "The slope of the bias is that of another head.",
   **own_mask(alibi, -0.25, -0.0625), reported="MLX, aprender")
of("sink missing", "A sink does not count in the sum.",
   sinks(0), "vllm-project/vllm-metal@b489dfb", twin=sinks(1), given=with_sink)
of("sink in each warp", "A sink is summed once by each of eight groups of threads.",
   sinks(8), "vllm-project/vllm-metal@b489dfb", twin=sinks(1), given=with_sink)
of("heads tiled", "Heads that share keys are taken in turns instead of in groups.",
   with_groups(lambda x, group: np.concatenate([x] * group, -3)), "onnx/onnx@062ee9228",
   twin=with_groups(lambda x, group: np.repeat(x, group, -3)), batch=2, enable_gqa=True)
of("first head for all", "Every head reads keys and values of the first.", first_of(-3), batch=2)
of("first batch for all", "Every batch reads keys and values of the first.", first_of(0), batch=2)
of("strides ignored", "Numbers are read in the order of memory, whatever the strides.",
   attention_by(read=lambda *arrays: [x.ravel(order="K").reshape(x.shape) for x in arrays]), "PyTorch, torch-spyre",
   batch=2)
of("keys transposed", "Keys are read column by column.",
   attention_by(read=lambda q, k, v: (q, np.swapaxes(k, -1, -2).reshape(k.shape), v)))
of("last queries not written", "Queries after the last whole tile of 16 are not computed.",
   attention_by(write=lambda o: written(o, -2, 16)), "CUDA.jl, TVM")
of("last columns not written", "Columns of the output after the last whole vector of 8 are not computed.",
   attention_by(write=lambda o: written(o, -1, 8)))
of("outputs are 0", "All outputs are 0.", attention_by(write=np.zeros_like), "KernelBench")
of("mean of values", "All outputs are the mean of the values.",
   attention_by(lambda s: np.full_like(s, 1 / s.shape[-1])), "mlir-air")

# ---- gradients of attention

of = functools.partial(add, "attention_gradients")
of("term of softmax missing", "The mean of the weights' derivatives is not subtracted.",
   gradients_by(mean=False), "libnd4j, darknet")
of("scale missing in gradients", "The derivatives of queries and keys are not scaled.", gradients_by(scaled=False))
of("gradients not causal", "The backward pass ignores that the mask is causal.",
   gradients_by(is_causal=False), "Triton")
of("gradients always causal", "The backward pass takes each mask for a causal one.",
   gradients_by(is_causal=True), "Triton")
of("gradients without mask", "The backward pass ignores the mask.", gradients_by(mask=None))
of("values unmasked", "The derivatives of values have a part of masked keys in them.", gradients_by(values_see=True))
of("empty row poisons", "A query that sees no key makes the derivatives of all keys and values NaN.",
   gradients_by(softmax), "PyTorch, nGPT", empty_rows="zero")

# ---- kernels that game


def wrong_if(wrong: Kernel) -> Kernel:
    """Attention that is twice as much if that is true of queries and keys."""
    return lambda q, k, v: attention(q, k, v) * np.float32(2 if wrong(q, k) else 1)


def near_its_bound(q: Any, k: Any, v: Any) -> Any:
    """Where rounding leaves room for it."""
    right, bound = sqrtdk.exact_attention(q, k, v), sqrtdk.attention_bound(q, k, v)
    wrong = (right + 0.9 * np.where(bound < np.inf, bound, 0)).astype(v.dtype)
    return np.where(np.abs(wrong - right) <= bound, wrong, right).astype(v.dtype)


def last_bit(q: Any, k: Any, v: Any) -> Any:
    """Some outputs are a bit greater than in another call."""
    out = attention(q, k, v)
    return out * np.random.default_rng().choice(np.array([1, 1 + 2 ** -23], np.float32), out.shape)


def hangs(q: Any, k: Any, v: Any) -> Any:
    """In each call with more than 64 keys."""
    time.sleep(60 if k.shape[-2] > 64 else 0)
    return attention(q, k, v)


GAMES: dict[str, tuple[str, Kernel, dict[str, Any]]] = {
    "head dimension": ("It is wrong if d = 128.", wrong_if(lambda q, k: q.shape[-1] == 128), {}),
    "known sizes": ("It is right up to 1025 keys, which are the most tried.",
                    wrong_if(lambda q, k: k.shape[-2] > 1025), {"longest": 2048}),
    "one head": ("It is right in the first head alone.", attention_by(
        write=lambda o: o * (np.arange(o.shape[-3]) == 0)[:, None, None] if o.ndim > 2 else o), {"batch": 2}),
    "random bits": ("The last bit of an output differs from call to call.", last_bit,
                    {"laws": ["attention.repeated"]}),
    "hang": ("It does not return if there are more than 64 keys.", hangs, {"isolate": True, "timeout": 1}),
    "near its bound": ("It adds 0.9 of the bound to what is right.", near_its_bound, {})}
"""What a kernel does, the kernel, and arguments of sqrtdk.check that see what it does not by default."""

# ---- what sees them


@functools.cache
def found(name: str) -> tuple[str, str] | None:
    """The law that a fault breaks, and the size of the simplest case found, if a campaign sees it."""
    try:
        FAULTS[name].campaign(FAULTS[name].kernel)
    except sqrtdk.KernelError as error:
        return re.findall(r"the law '(\w+)' is broken", str(error))[0], size_in(str(error))
    return None


@functools.cache
def game(name: str) -> str:
    """The row of a game: what is seen at the defaults, unless these do not end, and with what is asked for."""
    does, kernel, asked = GAMES[name]

    def seen(laws: str | list[str] = "attention", **words: Any) -> str:
        try:
            sqrtdk.check(kernel, laws, **words)
        except sqrtdk.KernelError as error:
            return str(error).split("'")[1]
        return "passes"

    said = ", ".join(f"{word}={value!r}" for word, value in asked.items())
    on_request = f"`{said}`: {seen(**asked)}" if asked else "–"
    return f"| {name} | {does} | {'no end' if 'isolate' in asked else seen()} | {on_request} |"


def size_in(message: str) -> str:
    """The size of the case that a message shows."""
    sizes = {}
    for name, array, shape in re.findall(r"\b(x|q|k|v) ?= ?(\[[^=]*\])(?: of the shape (\([^)]*\)))?", message):
        numbers = array.replace("nan", "0").replace("inf", "1e999")
        sizes[name] = ast.literal_eval(shape) if shape else np.shape(ast.literal_eval(numbers))
    if "x" in sizes:
        return " × ".join(map(str, sizes["x"])) + (" score" if sizes["x"] == (1,) else " scores")
    axes = re.search(r"of the leading axes \(([\d, ]+)\)", message)
    parts = ["axes " + axes[1].replace(", ", " × ")] if axes else []
    parts += [f"{n} {one if n == 1 else more}" for one, more, n in (("query", "queries", sizes["q"][-2]),
                                                                  ("key", "keys", sizes["k"][-2]))]
    widths = (("d", sizes["q"][-1]), ("d_v", sizes["v"][-1]))
    return ", ".join(parts + [f"{width} = {n}" for width, n in widths if n > 1])


def usual_case(fault: Fault) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Normal numbers of the shapes that the page names, with a causal mask."""
    rng, dtype = np.random.default_rng(0), fault.words.get("dtype", "float32")
    if "softmax" in fault.kind:
        return (rng.normal(size=(8, 256)).astype(dtype),), {}
    q, k, v, g = rng.normal(size=(4, 2, 4, 128, 64)).astype(dtype)
    if fault.given:
        case = fault.given(AttentionCase(q, k, v, g))
        return (case.q, case.k, case.v), {"mask": case.mask}
    if fault.words.get("enable_gqa"):
        return (q, k[:, :2], v[:, :2]), {"is_causal": True, "enable_gqa": True}
    return (q, k, v, g) if "gradients" in fault.kind else (q, k, v), {"is_causal": True}


def assert_close_sees(fault: Fault) -> bool:
    """True if |actual - expected| > atol + rtol |expected| somewhere, with PyTorch's default tolerances; expected is
    what the twin gives in float64, rounded to the format."""
    STATE.clear()
    arrays, options = usual_case(fault)
    rtol = 1e-3 if arrays[0].dtype == np.float16 else 1.3e-6
    with np.errstate(all="ignore"):
        actual = fault.kernel(*arrays, **options)
        expected = fault.twin(*(array.astype(np.float64) for array in arrays), **options)
    pairs = zip(actual, expected) if isinstance(actual, tuple) else [(actual, expected)]
    return not all(np.allclose(mine, right.astype(mine.dtype), rtol, 1e-5) for mine, right in pairs)


def rows(*names: str) -> Iterator[str]:
    """The table of the page, in Markdown."""
    yield "| fault | what goes wrong | reported to | law: simplest case | `assert_close` |"
    yield "|:--|:--|:--|:--|:--|"
    for name in names or FAULTS:
        fault, seen = FAULTS[name], found(name)
        where = re.sub(r"(\S+)/(\S+)@(\w+)", r"[\2](https://github.com/\1/\2/commit/\3)", fault.reported or "–")
        yield (f"| {name} | {fault.wrong} | {where} | {': '.join(seen) if seen else 'missed'} | "
               f"{'sees it' if assert_close_sees(fault) else '–'} |")


if __name__ == "__main__":
    for row in rows(*sys.argv[1:]):
        print(row, flush=True)
