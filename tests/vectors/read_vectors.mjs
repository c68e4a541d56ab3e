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

/// The numbers of hexadecimal text, at any depth. In a list, an integer says how often what is before it is there.
export const numbers = x => {
  if (Array.isArray(x)) return x.flatMap((one, i) => one === +one ? [] : Array(x[i + 1] === +x[i + 1] ? x[i + 1] : 1).fill(numbers(one)));
  if (x instanceof Object) return Object.fromEntries(Object.entries(x).map(([name, value]) => [name, numbers(value)]));
  if (typeof x !== "string" || x === "nan") return x === "nan" ? NaN : x;
  if (x.endsWith("inf")) return x === "inf" ? Infinity : -Infinity;
  const [, sign, whole, part, exponent] = /^(-?)0x([01])\.?([0-9a-f]*)p([+-]\d+)$/.exec(x);
  return (sign ? -1 : 1) * parseInt(whole + part, 16) / 16 ** part.length * 2 ** exponent;
};

/// The misses of a kernel, in words; nothing if there are none. Results are a flat list.
export const report = (vectors, arithmetic, kernel, without = []) => {
  if (!(arithmetic in vectors.arithmetics)) throw new Error(`${arithmetic} is none of ${Object.keys(vectors.arithmetics)}`);
  const lines = [];
  for (const { id, claim, comment, inputs, accept } of vectors.cases) {
    if (!accept[arithmetic] || without.includes(id)) continue;
    const ends = numbers(accept[arithmetic]), results = [...kernel(numbers(inputs))];
    const i = [...ends, []].findIndex(([low, high], place) => !(low <= results[place] && results[place] <= high));
    if (i < ends.length || i !== results.length)
      lines.push(`${id}: result ${i} of ${ends.length} is ${results[i]}, not in [${ends[i]}]. ${comment} (${claim})`);
  }
  return lines.join("\n");
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, arithmetic, module, name, ...without] = process.argv.slice(2);
  const missed = report(read(file), arithmetic, (await import(pathToFileURL(resolve(module))))[name], without);
  if (missed) { console.error(missed); process.exitCode = 1; }
}
