// SPDX-License-Identifier: BSL-1.0
// axe-core finds nothing serious and nothing moderate: on every second page light on a phone, on the others dark at a desk. With
// SQRTDK_EVERY_PAGE=1 on every page both.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { modules } from "../../tools/print/chromium.mjs";
import { LAPTOP, onEach, PHONE, useBrowser, visited } from "./book.mjs";

const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");

const browsing = useBrowser();

const findings = async tab => {
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  return violations.filter(({ impact }) => impact !== "minor")
    .map(({ id, impact, nodes }) => `${impact}: ${id}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)}`);
};

const half = remainder => visited.filter((page, i) => process.env.SQRTDK_EVERY_PAGE || i % 2 === remainder);

test("on a phone, light", async () => { assert.deepEqual(await onEach(browsing.browser, half(0), PHONE, findings), []); });
test("at a desk, dark", async () => { assert.deepEqual(await onEach(browsing.browser, half(1), { ...LAPTOP, dark: true }, findings), []); });
