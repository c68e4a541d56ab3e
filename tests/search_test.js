// SPDX-License-Identifier: BSL-1.0
// The search of a rendered book: queries.json says which page a reader wants, and how far down it may stand.
//   node tests/search_test.js BOOK
"use strict";
const fs = require("node:fs"), path = require("node:path"), { performance } = require("node:perf_hooks");
const search = require("../docs/theme/search.js");

const book = process.argv[2], { queries, mean } = JSON.parse(fs.readFileSync(path.join(__dirname, "../tools/weave/tests/queries.json"), "utf8"));
const text = fs.readFileSync(path.join(book, "search-index.js"), "utf8");
const started = performance.now();
const index = JSON.parse(text.replace(/^const SEARCH_INDEX=/, "").replace(/;\s*$/, ""));
const engine = search.prepare(index), prepared = performance.now() - started;
const known = new Set(index.entries.map(entry => entry.url));

let sum = 0, counted = 0, late = 0, time = 0, first = 0, three = 0;
for (const { query, wanted, within } of queries) {
  const there = wanted.filter(url => known.has(url));
  if (!there.length) { console.log(`  –  ${query}: none of the wanted pages is in this book`); continue; }
  const begun = performance.now(), { results } = search.find(engine, query);
  time += performance.now() - begun;
  const rank = results.findIndex(result => there.includes(result.entry.url)) + 1, good = rank && rank <= within;
  counted++;
  sum += rank ? 1 / rank : 0;
  first += rank === 1;
  three += rank > 0 && rank <= 3;
  late += !good;
  console.log(`${good ? " " : "✗"} ${String(rank || "–").padStart(2)} of ${within}  ${query.padEnd(34)} ${results.slice(0, 3).map(result => result.entry.title).join(" | ")}`);
}
console.log(`${counted} queries: wanted page first for ${first}, among the first three for ${three}; mean reciprocal rank ${(sum / counted).toFixed(3)}, at least ${mean} wanted`);
console.log(`index ${(text.length / 1e3).toFixed(0)} kB, ${index.entries.length} entries, made ready in ${prepared.toFixed(0)} ms; ${(time / counted).toFixed(1)} ms a query`);
process.exitCode = late || sum / counted < mean ? 1 : 0;
