// The book on paper: every part has its page, in order, and nothing of a screen is left. Without SQRTDK_EVERY_PAGE its chapters end
// with the score, since it takes minutes to print all of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { pagesOfDestinations } from "../../tools/print/destinations.mjs";
import { every, folder } from "./book.mjs";

const CHAPTERS = ["why", "moments", "score", "scale", "score_distribution", "softmax", "softmax_jacobian", "temperature", "saturation", "attention",
  "initialization", "training", "softmax_error", "jacobian_error", "attention_error", "score_numerics", "trust"];
let out, book, pdf, places, pages;
before(() => {
  out = mkdtempSync(join(tmpdir(), "sqrtdk-print-"));
  book = every ? folder : join(out, "book");
  if (!every) {
    mkdirSync(book);
    for (const name of readdirSync(folder).filter(name => name !== "score.html")) symlinkSync(join(folder, name), join(book, name));
    writeFileSync(join(book, "score.html"), readFileSync(join(folder, "score.html"), "utf8").replace(/"scale.html"(?=>[^<]*<\/a> →)/, '"exercises.html"'));
  }
  pages = readdirSync(book);
  execFileSync("node", [fileURLToPath(new URL("../../tools/print/print.mjs", import.meta.url)), book, join(out, "book.pdf")], { stdio: "inherit" });
  pdf = readFileSync(join(out, "book.pdf"));
  places = pagesOfDestinations(pdf);
});
after(() => rmSync(out, { recursive: true, force: true }));

test("chapters begin on later and later pages, and the solutions come last", () => {
  const parts = [...every ? CHAPTERS : CHAPTERS.slice(0, 3), "exercise-1", "errata", "solutions"];
  const numbers = parts.map(part => places.get(part));
  assert.ok(numbers.every(Number.isInteger), `without a page: ${parts.filter(part => !places.has(part))}`);
  assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
  assert.ok(numbers.at(-1) > (every ? 150 : 65), `the solutions begin on page ${numbers.at(-1)}`);
});

test("nothing is left in the book or beside the document", () => {
  assert.deepEqual(readdirSync(book), pages);
  assert.deepEqual(readdirSync(out), every ? ["book.pdf"] : ["book", "book.pdf"]);
});

test("a claim can be reached by its name", () => assert.ok(places.get("score--DotProductVariance") > places.get("score")));

test("no link leads to a file of this machine", () => assert.doesNotMatch(pdf.toString("latin1"), /URI \(file:/));

test("the document has an outline and is tagged", () => {
  const text = pdf.toString("latin1");
  assert.match(text, /\/Outlines/);
  assert.match(text, /\/MarkInfo/);
});
