// The search box as one types into it; which results are wanted is tested without a browser (tests/search_ranking.mjs).
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE, reader, useVisitor } from "./book.mjs";

const visitor = useVisitor();

const results = tab => tab.locator("#search-list [role=option]");
const type = async (tab, text) => {
  await tab.locator("#search-input").fill(text);
  await results(tab).first().waitFor();
};

test("a slash on index.html leads to the box, arrows and Enter to a result", async () => {
  await visitor.open("index.html");
  await visitor.tab.keyboard.press("/");
  await visitor.tab.keyboard.type("DotProductVariance");
  await results(visitor.tab).first().waitFor();
  await visitor.tab.keyboard.press("ArrowDown");
  await visitor.tab.keyboard.press("Enter");
  await visitor.tab.waitForURL(/score\.html#DotProductVariance$/);
});

test("from score.html a claim is found before the library, with its verdict, and no TeX is left in what is quoted", async () => {
  await visitor.open("score.html");
  await type(visitor.tab, "variance");
  assert.ok(await results(visitor.tab).first().locator(".glyph").count());
  assert.doesNotMatch((await results(visitor.tab).allTextContents()).join("\n"), /\\\(|\\[a-z]+\{/);
});

test("a slip of the finger on score.html is understood, and said", async () => {
  await visitor.open("score.html");
  await type(visitor.tab, "tempreature");
  assert.match(await visitor.tab.locator("#search-note").textContent(), /temperature/);
  assert.match(await results(visitor.tab).first().getAttribute("href"), /temperature/);
});

test("a whole word typed on score.html has another name here, a part of one has none", async () => {
  await visitor.open("score.html");
  const note = visitor.tab.locator("#search-note");
  await type(visitor.tab, "std");
  assert.match(await note.textContent(), /Here “std” is called standard deviation/);
  await visitor.tab.locator("#search-input").fill("standard");
  await visitor.tab.waitForFunction(() => !document.getElementById("search-note").textContent);
});

test("score.html fetches MiniSearch and the index when they are needed, and once", async () => {
  const fetched = [];
  visitor.tab.on("request", request => /minisearch|search-index/.test(request.url()) && fetched.push(request.url().split("/").pop()));
  await visitor.load("score.html");
  assert.deepEqual(fetched, []);
  await type(visitor.tab, "softmax");
  await type(visitor.tab, "variance");
  assert.deepEqual(fetched.sort(), ["minisearch.js", "search-index.js"]);
});

test("Escape closes the list on score.html", async () => {
  await visitor.open("score.html");
  await type(visitor.tab, "softmax");
  await visitor.tab.keyboard.press("Escape");
  assert.ok(!await visitor.tab.locator("#search-results").isVisible());
});

test("on a phone the box of saturation.html opens by its button and its results can be tapped", async () => {
  const phone = await reader(PHONE);
  await phone.open("saturation.html");
  await phone.tab.locator("#search-toggle").tap();
  await type(phone.tab, "xavier");
  await results(phone.tab).first().tap();
  await phone.tab.waitForURL(/initialization\.html/);
  assert.deepEqual(phone.wrong, []);
  await phone.close();
});
