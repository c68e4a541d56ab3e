// SPDX-License-Identifier: BSL-1.0
// A softmax in JavaScript, and the loop that serves it: each line on the standard input is a JSON list of scores, and the answer
// is a line with a list of weights. -Infinity, which JSON has not, is null. node_kernel.py talks to it.
import { createInterface } from 'node:readline';

function softmax(x) {
  const max = x.reduce((a, b) => Math.max(a, b));
  const e = x.map((score) => Math.fround(Math.exp(Math.fround(score - max))));
  const sum = e.reduce((a, b) => Math.fround(a + b));
  return e.map((term) => Math.fround(term / sum));
}

for await (const line of createInterface({ input: process.stdin })) {
  const scores = Float32Array.from(JSON.parse(line), (score) => score ?? -Infinity);
  process.stdout.write(`${JSON.stringify(Array.from(softmax(scores)))}\n`);
}
