// SPDX-License-Identifier: BSL-1.0
// The test vectors, read by vectors/read_vectors.mjs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { firstMiss, numbers } from "../vectors/read_vectors.mjs";
import * as right from "../vectors/right_kernels.mjs";

const path = name => fileURLToPath(new URL(`../vectors/${name}`, import.meta.url));
const fileOf = operation => JSON.parse(readFileSync(path(`${operation}.json`)));
const softmax = (shift, power = 1) => ({ x, temperature }) => {
  const e = x.map(score => Math.exp((score - shift(x)) / temperature ** power));
  return e.map(term => term / e.reduce((a, b) => a + b));
};
const read = changed => inputs => right.attention({ ...inputs, ...changed(inputs) });
const most = x => Math.max(...x);
const bugs = {
  softmax: { "no-maximum": softmax(() => 0), "maximum-from-zero": softmax(x => Math.max(0, ...x)),
    "temperature-ignored": softmax(most, 0), "temperature-twice": softmax(most, 2), "wrong-axis": ({ x }) => x.map(() => 1) },
  attention: { "scale-missing": read(({ scale }) => ({ scale: scale ?? 1 })),
    "scale-zero-is-default": read(({ scale }) => ({ scale: scale || null })),
    "causal-ignored": read(() => ({ causal: null })), "mask-ignored": read(() => ({ allowed: null })) } };

test("hexadecimal numbers are read to the last bit", () => assert.deepEqual(
  numbers(["0x1.fffffffffffffp+1023", "0x1p-1074", "-0x1.8p+1", "0x0p+0", "-inf", "nan", "0x1.8p-1073", null, true]),
  [Number.MAX_VALUE, Number.MIN_VALUE, -3, 0, -Infinity, NaN, 3 * Number.MIN_VALUE, null, true]));

for (const operation of ["softmax", "attention"]) {
  test(`${operation}: a right kernel passes, also in single precision`, () => {
    const rounded = inputs => right[operation](inputs).map(Math.fround);
    for (const arithmetic of ["fp64", "fp64-any"]) assert.equal(firstMiss(fileOf(operation), arithmetic, right[operation]), null);
    for (const arithmetic of ["fp32", "fp32-any", "fp32-flushing"]) assert.equal(firstMiss(fileOf(operation), arithmetic, rounded), null);
  });
  test(`${operation}: bugs are caught`, () => {
    for (const [bug, kernel] of Object.entries(bugs[operation])) {
      const miss = firstMiss(fileOf(operation), "fp64-any", kernel);
      assert.match(miss ?? "", /^[a-z-]+: result \d+ of .* misses\. /, bug);
    }
  });
  test(`${operation}: a bit that was changed is noticed`, () => {
    for (const change of [one => { one.exact[0][0] = "0x1p-3"; }, one => { one.accept.fp64[0][1] = "0x1p+9"; },
      one => { Object.values(one.inputs)[0][0] = "0x1p-3"; }]) {
      const vectors = fileOf(operation);
      change(vectors.cases[3]);
      assert.throws(() => firstMiss(vectors, "fp64", right[operation]), /changed/);
    }
  });
  test(`${operation}: the reader runs by itself`, () => {
    execFileSync(process.execPath, [path("read_vectors.mjs"), path(`${operation}.json`)]);
  });
}
