// The search's results for a query, on a few entries; search_ranking.mjs asks the whole book.
//   SQRTDK_BOOK   the folder of a rendered book, which has MiniSearch
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const search = require("../docs/theme/search.js"), MiniSearch = require(join(process.env.SQRTDK_BOOK, "minisearch.js"));

const entries = [
  { kind: "library", title: "dot_product_variance()", url: "l.html#v", text: "The variance of a temperature." },
  { kind: "library", title: "sqrtdk::Mutant", url: "l.html", text: "A variance." },
  { kind: "page", title: "Score", url: "s.html", names: ["score_properties"], text: "Opening." },
  { kind: "claim", title: "The variance of a score", url: "s.html#DotProductVariance", verdict: "✓ exact", names: ["DotProductVariance", "HoldsForAllDistributions"],
    text: "It grows with the root.", parts: [["Statement", "-statement", "It is 0.25."], ["Proof", "-proof", "By counting the entries, e⁵⁰ of them."]] },
  { kind: "page", title: "Temperature", url: "t.html", text: "A score is divided; it saturates. A standard text." },
  { kind: "page", title: "Parts", url: "o.html", text: "No words." },
  { kind: "section", title: "One pass", url: "o.html#one", text: "In parts, for head and tail." },
];
const terms = [
  { typed: ["sqrt", "square root"], here: ["root"], places: [], near: false },
  { typed: ["standardized"], here: ["variance 1"], places: [], near: false },
  { typed: ["flash attention"], here: [], places: ["o.html#one"], near: true },
  { typed: ["in small pieces", "which part"], here: [], places: ["o.html"], near: false },
];
const engine = await search.prepare(MiniSearch, { entries, terms });
const ask = query => search.find(engine, query), urls = query => ask(query).results.map(({ entry }) => entry.url);
const excerpt = (query, at = 0) => { const { results, marks } = ask(query); return search.excerpt(engine, results[at].entry, search.marker(marks)); };

test("claims come before the library", () => assert.deepEqual(urls("variance").slice(0, 1), ["s.html#DotProductVariance"]));

test("names are found at once however they are pasted", () => {
  for (const query of ["DotProductVariance", "dotproductvariance", "dot product variance", "DotProductVar", "DotProductVariance.HoldsForAllDistributions", "HoldsForAllDistributions",
    "replay: SQRTDK_SEED=1 ./x/score_properties --gtest_filter='DotProductVariance.*'"]) assert.equal(urls(query)[0], "s.html#DotProductVariance", query);
  for (const query of ["dot_product_variance", "sqrtdk::dot_product_variance()"]) assert.equal(urls(query)[0], "l.html#v", query);
  assert.equal(urls("score_properties")[0], "s.html");
});

test("every word counts and none excludes", () => {
  assert.equal(urls("temperature instead of qwxyz reproduce")[0], "t.html");
  assert.deepEqual(urls("score saturates")[0], "t.html");
});

test("endings do not matter", () => {
  for (const query of ["saturate", "saturation", "saturated"]) assert.deepEqual(urls(query), ["t.html"], query);
});

test("spelling is corrected, and said", () => {
  const { results, notes } = ask("tempreature");
  assert.equal(results[0].entry.url, "t.html");
  assert.deepEqual(notes.corrected, [["tempreature", "temperature"]]);
});

test("another name is a whole word or phrase, never a part or a stem of one", () => {
  assert.deepEqual(ask("square roots").notes.others, [{ name: "square root", other: "root" }]);
  assert.equal(urls("sqrt")[0], "s.html#DotProductVariance");
  assert.deepEqual(ask("standardized").notes.others, [{ name: "standardized", other: "variance 1" }]);
  for (const query of ["standard", "square", "standardize"]) assert.deepEqual(ask(query).notes.others, [], query);
});

test("an index leads to its places, and what is only near is said to be near", () => {
  const { results, notes } = ask("flash attention");
  assert.deepEqual([results[0].entry.url, notes.near, notes.missing], ["o.html#one", ["flash attention"], []]);
  assert.equal(urls("in a small piece")[0], "o.html");
  assert.ok(!engine.places.has("part"), "“which part” is not “part”");
});

test("numbers, roots and powers are words", () => {
  for (const query of ["0.25", "e^50", "√"]) assert.equal(urls(query)[0], "s.html#DotProductVariance", query);
});

test("nothing is said to be nothing", () => assert.deepEqual([urls("qwxyz"), ask("qwxyz").notes.missing, urls(""), urls("?!")], [[], ["qwxyz"], [], []]));

test("an excerpt of a claim is its sentence, and leads to the part that has the words", () => {
  assert.deepEqual(excerpt("counting entries"), { path: "Score › Proof", text: "It grows with the root.", url: "s.html#DotProductVariance-proof" });
  assert.equal(excerpt("root").url, "s.html#DotProductVariance");
  assert.deepEqual("These entries are counting.".split(search.marker(ask("counting entry").marks)), ["These ", "entries", " are ", "counting", "."]);
});

test("a long query is answered at once, and a word that is typed often counts once", async () => {
  const many = Array.from({ length: 500 }, (_, id) => ({ kind: "page", title: `Page ${id}`, url: `${id}.html`, text: `the root sqrt and word${id} of ${"text ".repeat(50)}` }));
  const large = await search.prepare(MiniSearch, { entries: many, terms: [] }), begun = process.cpuUsage();
  assert.deepEqual(search.find(large, "√".repeat(10000)), search.find(large, "√"));
  assert.equal(search.find(large, Array.from({ length: 10000 }, (_, id) => `${id}qqqqqqqqqqqq`).join(" ")).results.length, 0);
  const spent = process.cpuUsage(begun).user / 1000; // of the processor: a machine may be busy
  assert.ok(spent < 2000, `${spent} ms`);
});
