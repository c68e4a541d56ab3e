// SPDX-License-Identifier: BSL-1.0
// Pictures of the pages that are read, for eyes: SQRTDK_SCREENSHOTS/WIDTH-THEME/PAGE.png, the first three screens of each.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chaptersAndDocuments, DESK, LAPTOP, PHONE, reader, useBrowser } from "./book.mjs";

const folder = process.env.SQRTDK_SCREENSHOTS;
const browsing = useBrowser();

for (const [size, dark] of [[PHONE, false], [LAPTOP, true], [DESK, false]]) {
  const name = `${size.width}-${dark ? "dark" : "light"}`;
  test(`at ${size.width} px, ${dark ? "dark" : "light"}`, { skip: !folder && "SQRTDK_SCREENSHOTS names no folder" }, async () => {
    rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, name), { recursive: true });
    const visitor = await reader(browsing.browser, { ...size, dark });
    for (const page of chaptersAndDocuments) {
      await visitor.open(page);
      const height = Math.min(3 * size.height, await visitor.tab.evaluate(() => document.documentElement.scrollHeight));
      await visitor.tab.screenshot({ path: join(folder, name, page.replace(/html$/, "png")), fullPage: true, clip: { x: 0, y: 0, width: size.width, height } });
    }
    await visitor.close();
    assert.equal(readdirSync(join(folder, name)).length, chaptersAndDocuments.length);
  });
}
