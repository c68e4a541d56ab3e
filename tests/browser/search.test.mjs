// SPDX-License-Identifier: BSL-1.0
// The search box as one types into it; which results are wanted is tested without a browser (tests/search_test.js).
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE, reader, useVisitor } from "./book.mjs";

const visitor = useVisitor();

const results = tab => tab.locator("#search-list [role=option]");
const type = async (tab, text) => {
  await tab.locator("#search-input").fill(text);
  await results(tab).first().waitFor();
};

test("a slash leads to the box, arrows and Enter to a result", async () => {
  await visitor.open("index.html");
  await visitor.tab.keyboard.press("/");
  await visitor.tab.keyboard.type("DotProductVariance");
  await results(visitor.tab).first().waitFor();
  await visitor.tab.keyboard.press("ArrowDown");
  await visitor.tab.keyboard.press("Enter");
  await visitor.tab.waitForURL(/score\.html#DotProductVariance$/);
});

test("a claim comes before the library, with its verdict, and no TeX is left in what is quoted", async () => {
  await visitor.open("score.html");
  await type(visitor.tab, "variance");
  assert.ok(await results(visitor.tab).first().locator(".glyph").count());
  assert.doesNotMatch((await results(visitor.tab).allTextContents()).join("\n"), /\\\(|\\[a-z]+\{/);
});

test("a slip of the finger is understood, and said", async () => {
  await visitor.open("score.html");
  await type(visitor.tab, "tempreature");
  assert.match(await visitor.tab.locator("#search-note").textContent(), /temperature/);
  assert.match(await results(visitor.tab).first().getAttribute("href"), /temperature/);
});

test("Escape closes the list", async () => {
  await visitor.open("score.html");
  await type(visitor.tab, "softmax");
  await visitor.tab.keyboard.press("Escape");
  assert.ok(!await visitor.tab.locator("#search-results").isVisible());
});

test("on a phone the box opens by its button and its results can be tapped", async () => {
  const phone = await reader(visitor.browser, PHONE);
  await phone.open("saturation.html");
  await phone.tab.locator("#search-toggle").tap();
  await type(phone.tab, "xavier");
  await results(phone.tab).first().tap();
  await phone.tab.waitForURL(/initialization\.html/);
  assert.deepEqual(phone.wrong, []);
  await phone.close();
});
