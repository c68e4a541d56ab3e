// SPDX-License-Identifier: BSL-1.0
// Pages are quiet, offline, no wider than a phone, no formula cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chaptersAndDocuments, LAPTOP, NARROW, onEach, pages, PHONE, reader, useBrowser, visited } from "./book.mjs";

const browsing = useBrowser();

// How far the page has moved since it was first seen: Chromium's cumulative layout shift.
const moved = () => new Promise(tell => {
  let sum = 0;
  new PerformanceObserver(list => { for (const { value } of list.getEntries()) sum += value; }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => tell(sum), 50);
});

test("the book has pages, and those that are read among them", () => {
  assert.ok(chaptersAndDocuments.length > 40 && pages.length > chaptersAndDocuments.length);
});

// What a reader of a phone cannot see: a page that is wider than the screen, or a formula that goes on beyond its edge.
const tooWide = () => {
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} px wide, the screen ${width} px`);
  for (const formula of document.querySelectorAll("[data-tex]")) {
    if (formula.closest("table, details:not([open])") || !formula.getClientRects().length) continue; // tables scroll in boxes of their own
    const over = [formula, ...formula.querySelectorAll("svg")].map(part => part.getBoundingClientRect().right).reduce((a, b) => Math.max(a, b)) - width;
    if (over > 0) found.push(`a formula is cut by ${Math.round(over)} px: ${formula.dataset.tex}`);
  }
  return found;
};

test("on a phone no page says anything to the console, asks the network, is too wide or cuts a formula", async () => {
  assert.deepEqual(await onEach(browsing.browser, visited, NARROW, async tab => {
    await tab.evaluate(() => document.querySelectorAll("details").forEach(fold => { fold.open = true; }));
    return tab.evaluate(tooWide);
  }), []);
});

test("no chapter moves on a phone once it is seen, but for typefaces, which come when they come", async () => {
  const visitor = await reader(browsing.browser, PHONE), found = [];
  await visitor.tab.route("**/*.woff2", route => route.abort());
  for (const page of chaptersAndDocuments) {
    await visitor.open(page);
    const shift = await visitor.tab.evaluate(moved);
    if (shift >= 0.1 && await visitor.tab.locator(".chapter-claims").count()) found.push(`${page}: ${shift}`);
  }
  await visitor.close();
  assert.deepEqual(found, []);
});

test("every page has one heading of the first level, and headings that skip no level", async () => {
  assert.deepEqual(await onEach(browsing.browser, chaptersAndDocuments, LAPTOP, tab => tab.evaluate(() => {
    const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(heading => Number(heading.tagName[1]));
    const skipped = levels.flatMap((level, i) => i && level > levels[i - 1] + 1 ? [`h${levels[i - 1]} is followed by h${level}`] : []);
    const first = levels.filter(level => level === 1).length;
    return first === 1 ? skipped : [`${first} headings h1`, ...skipped];
  })), []);
});

test("without JavaScript the text, its formulas and the contents are there", async () => {
  const visitor = await reader(browsing.browser, { ...LAPTOP, javaScriptEnabled: false });
  await visitor.open("score.html");
  const text = await visitor.tab.locator("main").innerText();
  assert.match(text, /dot product/);
  assert.doesNotMatch(text, /\\\(|\\\[/);
  assert.ok(await visitor.tab.locator("nav a[href='saturation.html']").first().isVisible());
  await visitor.close();
});
