// SPDX-License-Identifier: BSL-1.0
// Softmax and attention as their formulas are written, for read_vectors.mjs.
const range = n => [...Array(n).keys()], sum = x => x.reduce((a, b) => a + b, 0);

/// The weights of a list of logits.
export const softmax = ({ x, temperature }) => {
  const e = x.map(score => Math.exp((score - Math.max(...x)) / temperature)), all = sum(e);
  return e.map(term => term / all);
};

/// The outputs, row by row in one list. What is masked may be NaN, and is not looked at.
export const attention = ({ queries, keys, values, scale, causal, allowed, bias }) => queries.flatMap((q, i) => {
  const last = causal === null ? keys.length : causal === "top_left" ? i : i + keys.length - queries.length;
  const seen = range(keys.length).filter(j => j <= last && (allowed?.[i][j] ?? true) && (bias?.[i][j] ?? 0) > -Infinity);
  const dots = seen.map(j => sum(q.map((a, l) => a * keys[j][l])));
  const x = dots.map((dot, a) => (scale === null ? dot / Math.sqrt(q.length) : dot * scale) + (bias?.[i][seen[a]] ?? 0));
  const weights = softmax({ x, temperature: 1 });
  return values[0].map((_, c) => sum(weights.map((w, a) => w * values[seen[a]][c])));
});
