// SPDX-License-Identifier: BSL-1.0
// Holds a kernel to test vectors: node read_vectors.mjs FILE ARITHMETIC MODULE FUNCTION [CASE LEFT OUT]…
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/// The vectors of a file, if its checksum is FNV-1a of the bytes before it, without white space.
export const read = path => {
  const text = readFileSync(path, "latin1"), vectors = JSON.parse(text);
  const bytes = Buffer.from(text.split('"checksum"')[0].replace(/[ \n\r\t]/g, ""), "latin1");
  const checksum = bytes.reduce((total, byte) => Math.imul(total ^ byte, 16777619) >>> 0, 2166136261);
  if (vectors.version !== 1 || vectors.checksum !== checksum) throw new Error(`${path} was changed, or is not of version 1`);
  return vectors;
};

const words = { "inf": Infinity, "-inf": -Infinity, "nan": NaN };

/// Hexadecimal numbers at any depth; all else as it is.
export const numbers = x => {
  if (Array.isArray(x)) return x.map(numbers);
  if (x instanceof Object) return Object.fromEntries(Object.entries(x).map(([name, value]) => [name, numbers(value)]));
  if (typeof x !== "string" || x in words) return words[x] ?? x;
  const [, sign, whole, part, exponent] = /^(-?)0x([01])\.?([0-9a-f]*)p([+-]\d+)$/.exec(x);
  return (sign ? -1 : 1) * parseInt(whole + part, 16) / 16 ** part.length * 2 ** exponent;
};

/// What a kernel misses, in words; nothing if that is nothing. Results are a flat list.
export const report = (vectors, arithmetic, kernel, without = []) => {
  if (!(arithmetic in vectors.arithmetics)) throw new Error(`no arithmetic is called ${arithmetic}`);
  let lines = [], suspects = Object.keys(vectors.bugs);
  for (const { id, claim, comment, catches, inputs, accept } of vectors.cases) {
    if (without.includes(id) || !accept[arithmetic]) continue;
    const ends = accept[arithmetic].flatMap(([low, high, times = 1]) => Array(times).fill(numbers([low, high])));
    const results = [...kernel(numbers(inputs))];
    const i = ends.findIndex(([low, high], place) => !(low <= results[place] && results[place] <= high));
    if (i < 0 && results.length === ends.length) continue;
    lines.push(`${id}: result ${i} of [${results}] is not in [${ends[i]}]. ${comment} (${claim})`);
    suspects = catches.filter(bug => suspects.includes(bug));
  }
  return lines.length ? [...lines, "Bugs that each of these catches: " + suspects.join(", ")].join("\n") : "";
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, arithmetic, module, name, ...without] = process.argv.slice(2);
  const kernels = await import(pathToFileURL(resolve(module)));
  const missed = report(read(file), arithmetic, kernels[name], without);
  if (missed) { console.error(missed); process.exitCode = 1; }
}
