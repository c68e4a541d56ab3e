# SPDX-License-Identifier: BSL-1.0
"""Softmax and attention as their formulas are written, for read_vectors.py."""
import math


def softmax(x, temperature=1.0):
    """The weights of a list of logits."""
    e = [math.exp((score - max(x)) / temperature) for score in x]
    return [term / sum(e) for term in e]


def attention(queries, keys, values, scale, causal, allowed, bias):
    """The outputs, row by row in one list. What is masked may be NaN, and is not looked at."""
    last = {None: len(keys), "top_left": 0, "bottom_right": len(keys) - len(queries)}[causal]
    outputs = []
    for i, q in enumerate(queries):
        seen = [j for j in range(len(keys)) if j <= i + last and (allowed is None or allowed[i][j])
                and (bias is None or bias[i][j] > -math.inf)]
        scores = [sum(a * b for a, b in zip(q, keys[j])) for j in seen]
        scores = [s / math.sqrt(len(q)) if scale is None else s * scale for s in scores]
        scores = [s if bias is None else s + bias[i][j] for s, j in zip(scores, seen)]
        weights = softmax(scores) if seen else []
        outputs += [sum(w * values[j][c] for w, j in zip(weights, seen)) for c in range(len(values[0]))]
    return outputs
