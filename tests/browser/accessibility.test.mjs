// SPDX-License-Identifier: BSL-1.0
// axe-core finds nothing serious and nothing moderate, light on a phone and dark at a desk. Of the pages that are only
// looked up, which come from a few templates, every thirtieth; all of them with SQRTDK_EVERY_PAGE=1.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { chaptersAndDocuments, launch, LAPTOP, modules, onEach, pages, PHONE } from "./book.mjs";

const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
const lookedUp = pages.filter(page => !chaptersAndDocuments.includes(page));
const chosen = [...chaptersAndDocuments, ...lookedUp.filter((_, i) => process.env.SQRTDK_EVERY_PAGE || i % 30 === 0)];

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const findings = async tab => {
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  return violations.filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact}: ${id}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)}`);
};

test("on a phone, light", async () => { assert.deepEqual(await onEach(browser, chosen, PHONE, findings), []); });
test("at a desk, dark", async () => { assert.deepEqual(await onEach(browser, chosen, { ...LAPTOP, dark: true }, findings), []); });
