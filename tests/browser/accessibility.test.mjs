// SPDX-License-Identifier: BSL-1.0
// axe-core finds nothing serious and nothing moderate, light on a phone and dark at a desk.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LAPTOP, modules, onEach, PHONE, useBrowser, visited } from "./book.mjs";

const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");

const browsing = useBrowser();

const findings = async tab => {
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  return violations.filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact}: ${id}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)}`);
};

test("on a phone, light", async () => { assert.deepEqual(await onEach(browsing.browser, visited, PHONE, findings), []); });
test("at a desk, dark", async () => { assert.deepEqual(await onEach(browsing.browser, visited, { ...LAPTOP, dark: true }, findings), []); });
