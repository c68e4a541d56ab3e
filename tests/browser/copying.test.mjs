// The things that a reader takes away: formulas as TeX, code as text, statements and citations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { useVisitor } from "./book.mjs";

const visitor = useVisitor();

const clipboard = () => visitor.tab.evaluate(() => navigator.clipboard.readText());

test("a selected sentence of score.html yields its formulas as TeX", async () => {
  await visitor.open("score.html");
  await visitor.tab.evaluate(() => {
    const paragraph = [...document.querySelectorAll("main p, .contents p")].find(p => p.querySelector("[data-tex]"));
    getSelection().selectAllChildren(paragraph);
  });
  await visitor.tab.keyboard.press("Control+c");
  assert.match(await clipboard(), /\$[^$]+\$|\\\[[^]+\\\]/);
});

test("code of ci.html is copied line by line", async () => {
  await visitor.open("ci.html");
  await visitor.tab.locator(".copy-button").first().click();
  assert.match(await clipboard(), /^\.\/tools\/setup properties\n\.\/tools\/test properties/);
});

/** The address of the published book if it has one, and never where this copy of it lies. */
const PERMANENT = name => new RegExp(`^(https?://(?!localhost|127)\\S+/)?score\\.html#${name}$`);

const tools = claim => visitor.tab.locator(`:is(h1, h2, h3):has(#${claim}) ~ .claim-meta, #${claim} ~ .claim-meta`).first();

/** Opens the menu in a line, and takes what a button of it copies. */
async function taken(line, name) {
  await line.locator("details.menu > summary").click();
  await line.getByRole("button", { name }).click();
  assert.match(await line.locator("[role=status]").textContent(), /Copied/);
  return clipboard();
}

test("statement, citation and link of a claim of score.html are in its menu, which closes", async () => {
  await visitor.open("score.html");
  const line = tools("DotProductVariance");
  assert.match(await taken(line, /statement/), /\\operatorname\{Var\}/);
  assert.match(await taken(line, /citation/), /@misc\{sqrtdk:DotProductVariance,[^]+year += \{20\d\d\}[^]+Version [^]+, commit [0-9a-f]{40}/);
  assert.match(await taken(line, /link/), PERMANENT("DotProductVariance"));
  await line.locator("summary").click();
  assert.equal(await line.locator("details.menu").evaluate(menu => menu.open), true);
  await visitor.tab.keyboard.press("Escape");
  assert.equal(await line.locator("details.menu").evaluate(menu => menu.open), false);
});

test("citation and link of a figure of score.html are in its menu, and no statement", async () => {
  await visitor.open("score.html");
  const below = visitor.tab.locator("#figure-score_walks .claim-tools-row");
  assert.match(await taken(below, /citation/), /@misc\{sqrtdk:figure-score_walks,[^]+Figure \d+\.\d+, score\\_walks/);
  assert.match(await taken(below, /link/), PERMANENT("figure-score_walks"));
  assert.equal(await below.locator("button").count(), 2);
});

test("a displayed formula of score.html is copied by its own button", async () => {
  await visitor.open("score.html");
  const formula = visitor.tab.locator(".formula.display").first();
  await formula.hover();
  await formula.locator(".copy-button").click();
  assert.match(await clipboard(), /q_1 *k_1/);
});
