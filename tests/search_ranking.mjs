// The search of a rendered book: what rank has the page that a reader wants?
//   node tests/search_ranking.mjs BOOK [QUERIES.json]
// Queries are {query, who, wanted}: places, of which the best rank counts. A place with an anchor is met by that entry alone; a
// page by its own entry or a section of its prose, not by a claim on it. `within`, where there is one, is the worst rank that will
// do. All names of claims and tests, and lines that replay them, have to lead to their claim at once.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const LEAST = .93; // mean reciprocal rank, first ten results
const [book, file = new URL("search_queries.json", import.meta.url)] = process.argv.slice(2), require = createRequire(import.meta.url);
const search = require("../docs/theme/search.js"), MiniSearch = require(resolve(book, "minisearch.js"));
const index = JSON.parse(readFileSync(resolve(book, "search-index.js"), "utf8").replace(/^const SEARCH_INDEX=/, "").replace(/;\s*$/, ""));
const engine = await search.prepare(MiniSearch, index), found = query => search.find(engine, query).results.map(({ entry }) => entry);

const meets = ({ url, kind }, place) => url === place || kind !== "claim" && url.startsWith(`${place}#`);
let sum = 0, first = 0, wrong = 0;
const queries = JSON.parse(readFileSync(file, "utf8"));
for (const { query, who, wanted, within } of queries) {
  const entries = found(query), rank = entries.findIndex(entry => wanted.some(place => meets(entry, place))) + 1, late = within && !(rank && rank <= within);
  sum += rank && rank <= 10 ? 1 / rank : 0;
  first += rank === 1;
  wrong += late ? 1 : 0;
  console.log(`${late ? "✗" : " "} ${String(rank || "–").padStart(2)}  ${who.padEnd(10)} ${query.padEnd(46)} ${entries.slice(0, 3).map(({ url }) => url).join("  ")}`);
}
const mean = sum / queries.length;
console.log(`${queries.length} queries, wanted page first for ${first}; MRR@10 ${mean.toFixed(3)}, at least ${LEAST}`);

const claims = index.entries.filter(({ kind }) => kind === "claim"), names = claims.flatMap(claim => {
  const [name, ...tests] = claim.names, program = `build/release/properties/${claim.url.split(".")[0]}_properties`;
  return [name, name.toLowerCase(), `${name}.${tests[0]}`, ...tests.map(test => `replay: SQRTDK_SEED=20170612 ${program} --gtest_filter='${name}.${test}'`)].map(query => ({ query, claim }));
}).filter(({ query, claim }) => found(query)[0] !== claim);
for (const { query, claim } of names) console.log(`✗ ${query} does not lead to ${claim.url}`);
console.log(`${claims.length} claims, ${names.length} names that lead elsewhere`);
process.exitCode = wrong || names.length || !(mean >= LEAST) ? 1 : 0;
