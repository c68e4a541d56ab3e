// SPDX-License-Identifier: BSL-1.0
// Holds a kernel to test vectors: node read_vectors.mjs FILE [ARITHMETIC [MODULE FUNCTION [CASE LEFT OUT]…]]
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const words = { "inf": Infinity, "-inf": -Infinity, "nan": NaN, "top_left": "top_left", "bottom_right": "bottom_right" };

/// Hexadecimal numbers at any depth; names of masks, true, false and null as they are.
export const numbers = x => {
  if (x instanceof Array) return x.map(numbers);
  if (x instanceof Object) return Object.fromEntries(Object.entries(x).map(([name, value]) => [name, numbers(value)]));
  if (typeof x !== "string" || x in words) return words[x] ?? x;
  const [, sign, whole, part, exponent] = /^(-?)0x([01])\.?([0-9a-f]*)p([+-]\d+)$/.exec(x);
  return (sign ? -1 : 1) * parseInt(whole + part, 16) / 16 ** part.length * 2 ** exponent;
};

/// The first case that a kernel misses, in words; null if there is none. Results are a flat list.
export const firstMiss = (vectors, arithmetic, kernel, without = []) => {
  const digest = createHash("sha256").update(JSON.stringify(vectors.cases)).digest("hex");
  if (vectors.version !== 1 || digest !== vectors.sha256 || !vectors.arithmetics[arithmetic])
    throw new Error(`not version 1, or cases that were changed, or no arithmetic ${arithmetic}`);
  for (const { id, comment, claim, inputs, accept } of vectors.cases.filter(one => one.accept[arithmetic] && !without.includes(one.id))) {
    const accepted = numbers(accept[arithmetic]), results = [...kernel(numbers(inputs))];
    const place = accepted.findIndex((of, i) => of && !(of[0] <= results[i] && results[i] <= of[1]));
    if (place >= 0 || results.length !== accepted.length) return `${id}: result ${place} of [${results}] misses. ${comment} ${claim}`;
  }
  return null;
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, arithmetic = "fp64-any", module = new URL("right_kernels.mjs", import.meta.url).pathname, name, ...without] = process.argv.slice(2);
  const vectors = JSON.parse(readFileSync(file)), kernels = await import(pathToFileURL(resolve(module)));
  const miss = firstMiss(vectors, arithmetic, kernels[name ?? vectors.operation], without);
  if (miss) throw new Error(miss);
}
