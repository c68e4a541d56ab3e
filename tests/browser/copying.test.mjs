// SPDX-License-Identifier: BSL-1.0
// What a reader takes away: formulas as TeX, code as text, statements and citations.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { launch, LAPTOP, reader } from "./book.mjs";

let browser, visitor;
before(async () => { browser = await launch(); });
after(() => browser.close());
beforeEach(async () => { visitor = await reader(browser, LAPTOP); });
afterEach(async () => {
  assert.deepEqual(visitor.wrong, []);
  await visitor.close();
});

const clipboard = () => visitor.tab.evaluate(() => navigator.clipboard.readText());

test("a selected sentence yields its formulas as TeX without macros of the book", async () => {
  await visitor.open("score.html");
  await visitor.tab.evaluate(() => {
    const paragraph = [...document.querySelectorAll("main p, .contents p")].find(p => p.querySelector("[data-tex]"));
    getSelection().selectAllChildren(paragraph);
  });
  await visitor.tab.keyboard.press("Control+c");
  assert.match(await clipboard(), /\$[^$]+\$|\\\[[^]+\\\]/);
});

test("no formula of the book carries a macro that only the book knows", async () => {
  await visitor.open("score.html");
  const tex = await visitor.tab.evaluate(() => [...document.querySelectorAll("[data-tex]")].map(formula => formula.dataset.tex));
  assert.ok(tex.length > 100);
  assert.deepEqual(tex.filter(text => /\\(E|Var|Cov|Corr|Prob|softmax|norm|abs|inner|eps|dk)(?![A-Za-z])/.test(text)), []);
});

test("code is copied line by line", async () => {
  await visitor.open("ci.html");
  await visitor.tab.locator(".copy-button").first().click();
  assert.match(await clipboard(), /^\.\/tools\/setup properties\n\.\/tools\/test properties/);
});
