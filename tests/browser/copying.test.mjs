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

for (const [form, wanted] of [["latex", /\\operatorname\{Var\}/], ["markdown", /\*\*The variance of a score is the dimension/], ["text", /Var\(q·k\) = d/]])
  test(`a statement of score.html is copied as ${form}, and the form is remembered`, async () => {
    await visitor.open("score.html");
    await tools("DotProductVariance").locator("select").selectOption(form);
    await tools("DotProductVariance").locator(".statement-button").click();
    assert.match(await clipboard(), wanted);
    assert.match(await tools("DotProductVariance").locator("[role=status]").textContent(), /Copied/);
    await visitor.open("scale.html");
    assert.equal(await visitor.tab.locator(".claim-meta select").first().inputValue(), form);
  });

test("a claim of score.html is cited and linked by one click each", async () => {
  await visitor.open("score.html");
  await tools("DotProductVariance").getByRole("button", { name: "Cite DotProductVariance" }).click();
  assert.match(await clipboard(), /@misc\{sqrtdk:DotProductVariance,[^]+year += \{20\d\d\}[^]+Version [^]+, commit [0-9a-f]{40}/);
  await tools("DotProductVariance").getByRole("button", { name: "Link to DotProductVariance" }).click();
  assert.match(await clipboard(), PERMANENT("DotProductVariance"));
});

test("a figure of score.html is cited and linked by one click each, and has no statement", async () => {
  await visitor.open("score.html");
  const below = visitor.tab.locator("#figure-score_walks .claim-tools-row");
  await below.getByRole("button", { name: /^Cite Figure/ }).click();
  assert.match(await clipboard(), /@misc\{sqrtdk:figure-score_walks,[^]+Figure \d+\.\d+, score\\_walks/);
  await below.getByRole("button", { name: /^Link to Figure/ }).click();
  assert.match(await clipboard(), PERMANENT("figure-score_walks"));
  assert.equal(await below.getByRole("button").count(), 2);
});

test("a displayed formula of score.html is copied by its own button", async () => {
  await visitor.open("score.html");
  const formula = visitor.tab.locator(".formula.display").first();
  await formula.hover();
  await formula.locator(".copy-button").click();
  assert.match(await clipboard(), /q_1 *k_1/);
});
