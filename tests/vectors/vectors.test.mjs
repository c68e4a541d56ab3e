// The test vectors, read by read_vectors.mjs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { numbers, read, report } from "./read_vectors.mjs";

const path = name => fileURLToPath(new URL(name, import.meta.url));
const inFolder = (name, data) => {
  const folder = mkdtempSync(join(tmpdir(), "vectors-")), file = join(folder, name);
  process.once("exit", () => rmSync(folder, { recursive: true }));
  writeFileSync(file, data);
  return file;
};

/// Right by default.
const softmax = ({ x, temperature }, { shift = Math.max(...x), power = 1 } = {}) => {
  const e = x.map(score => Math.exp((score - shift) / temperature ** power));
  return e.map(term => term / e.reduce((a, b) => a + b));
};

test("hexadecimal numbers are read to the last bit, and repeated", () => assert.deepEqual(
  numbers(["0x1.fffffffffffffp+1023", "0x1p-1074", "-0x1.8p+1", "0x0p+0", "-inf", "nan", "0x1.8p-1073", true, ["inf", 3], 2]),
  [Number.MAX_VALUE, Number.MIN_VALUE, -3, 0, -Infinity, NaN, 3 * Number.MIN_VALUE, true, ...Array(2).fill(Array(3).fill(Infinity))]));

test("a right kernel passes, also in single precision", () => {
  for (const [arithmetic, stored] of [["fp64", Number], ["fp64-any", Number], ["fp32", Math.fround], ["fp32-flushing", Math.fround]])
    assert.equal(report(read(path("softmax.json")), arithmetic, inputs => softmax(inputs).map(stored)), "");
});

test("bugs are caught", () => {
  for (const [id, change] of [["large-apart", { shift: 0 }], ["temperature-four", { power: 0 }], ["adversary-cold", { power: 2 }]])
    assert.match(report(read(path("softmax.json")), "fp64-any", inputs => softmax(inputs, change)), new RegExp(`^${id}: result`, "m"));
  for (const results of [[], [NaN], Array(99).fill(1)])
    assert.match(report(read(path("attention.json")), "fp64", () => results), /: result \d+ of \d+ is /);
});

test("one bit that was changed is noticed wherever it is", () => {
  for (const name of ["softmax.json", "attention.json"]) {
    const data = readFileSync(path(name)), changed = inFolder(name, data);
    for (let place = 0; place < data.length; place += 29) {
      const copy = Buffer.from(data);
      copy[place] ^= 1 << place % 8;
      writeFileSync(changed, copy);
      assert.throws(() => read(changed), `bit ${place % 8} of byte ${place}`);
    }
  }
});

test("the reader runs by itself", () => {
  const module = inFolder("own.mjs", `export const softmax = ${softmax};`);
  const run = arithmetic =>
    spawnSync(process.execPath, [path("read_vectors.mjs"), path("softmax.json"), arithmetic, module, "softmax"], { encoding: "utf8" });
  assert.equal(run("fp64").status, 0);
  assert.match(run("bf16-stored").stderr, /not in/);
  assert.match(run("fp8").stderr, /fp8 is none of fp64/);
});
