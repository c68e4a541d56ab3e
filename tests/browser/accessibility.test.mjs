// SPDX-License-Identifier: BSL-1.0
// axe-core finds nothing serious and nothing moderate, light on a phone and dark at a desk.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, LAPTOP, modules, onEach, PHONE, visited } from "./book.mjs";

const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const findings = async tab => {
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  return violations.filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact}: ${id}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)}`);
};

test("on a phone, light", async () => { assert.deepEqual(await onEach(browser, visited, PHONE, findings), []); });
test("at a desk, dark", async () => { assert.deepEqual(await onEach(browser, visited, { ...LAPTOP, dark: true }, findings), []); });
