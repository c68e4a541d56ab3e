# SPDX-License-Identifier: BSL-1.0
"""Words of other libraries, each refused by its name, with what to say instead."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
INSTEAD = {
    "softcap logits_soft_cap": "no law speaks of capped scores: hold the kernel with the cap off",
    "dropout dropout_p": "no law speaks of weights dropped at random: hold the kernel without, and leave this out",
    "alibi_slopes attn_bias bias score_mod": "say what is added to the scaled scores as mask=",
    "window_size sliding_window block_mask mask_mod attn_mask":
        "say mask=, of bool, True where a query may see a key, or of numbers to add",
    "key_padding_mask": "say mask=, of the shape (B, 1, 1, m), True where a key is seen, which in PyTorch's is False",
    "cu_seqlens cu_seqlens_q cu_seqlens_k": "hold each sequence by itself, or say mask= with its blocks",
    "block_table page_table": "gather the keys and values of the pages, and hold the kernel to these",
    "q_descale k_descale v_descale": "multiply q, k and v by their scales, or say that of q and k as scale=",
    "need_weights return_attn_probs": "hold the weights as an output, with the identity for v",
    "sinks s_aux": "say sink=", "causal": "say is_causal=", "softmax_scale sm_scale": "say scale=",
    "axis dim": "rows lie along the last axis here: wrap a kernel that has them elsewhere",
    "rtol atol": "there is no tolerance to choose: the bound follows from arithmetic="}
"""By words that mean the same."""


def names_foreign_words(function: Callable[P, R]) -> Callable[P, R]:
    """A function that raises TypeError for one of these words, unless it takes it, and says what is right instead."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # pytest shows the caller's line
        for words, instead in INSTEAD.items():
            for word in words.split():
                if word in kwargs and word not in known:
                    raise TypeError(f"{function.__name__} takes no {word}: {instead}")
        return function(*args, **kwargs)

    return called
