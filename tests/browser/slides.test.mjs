// The slides and the handout: turned by keys, read from the last row, nothing cut, and on paper a slide or the whole a page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder, PHONE, reader } from "./book.mjs";

const ROOM = { width: 1280, height: 720 };

async function visit(size, look) {
  const visitor = await reader(size);
  await visitor.open("slides.html");
  await look(visitor.tab);
  assert.deepEqual(visitor.wrong, []);
  await visitor.close();
}
const shown = tab => tab.evaluate(() => [...document.querySelectorAll(".slide")].findIndex(slide => Math.abs(slide.getBoundingClientRect().top) < 2));
const count = tab => tab.locator(".slide").count();

test("keys turn the slides, open the notes and change the colours", () => visit(ROOM, async tab => {
  const last = await count(tab) - 1;
  for (const [key, at] of [["ArrowRight", 1], ["Space", 2], ["ArrowLeft", 1], ["End", last], ["ArrowDown", last], ["Home", 0], ["PageDown", 1]]) {
    await tab.keyboard.press(key);
    assert.equal(await shown(tab), at, key);
  }
  assert.match(tab.url(), /#slides-/);
  const open = () => tab.locator(".slide-notes[open]").count();
  assert.equal(await open(), 0);
  await tab.keyboard.press("n");
  assert.deepEqual([await open(), await shown(tab)], [last + 1, 1]);
  await tab.keyboard.press("ArrowRight");
  assert.equal(await shown(tab), 2);
  await tab.keyboard.press("n");
  assert.deepEqual([await open(), await shown(tab)], [0, 2]);
  await tab.keyboard.press("d");
  assert.equal(await tab.evaluate(() => document.documentElement.className), "dark-mode");
}));

test("in a room a slide fills the screen and no more, and no word is lower than 24 px", () => visit(ROOM, async tab => {
  assert.deepEqual(await tab.evaluate(() => [...document.querySelectorAll(".stage")].flatMap(stage => {
    const name = stage.parentElement.id, found = [], height = stage.getBoundingClientRect().height;
    if (Math.abs(height - innerHeight) > 1 || stage.scrollWidth > stage.clientWidth) found.push(`${name} is ${height} px high, ${stage.scrollWidth} px wide`);
    for (const part of stage.querySelectorAll("*")) {
      const within = part.closest("svg"), size = parseFloat(getComputedStyle(part).fontSize) * (within ? within.getScreenCTM().a : 1);
      const words = [...part.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (words && size < 23.9 && !part.closest(".formula, tspan")) found.push(`${name}: ${size} px: ${part.textContent.trim()}`); // a tspan is an exponent
    }
    return found;
  })), []);
}));

test("every slide leads to a claim or a page, and the minutes end at ninety", () => visit(ROOM, async tab => {
  assert.equal(await tab.locator(".slide-foot:has(a[href])").count(), await count(tab));
  assert.match(await tab.locator(".slide-clock").last().innerText(), /–90$/);
}));

test("on a phone nothing is cut", () => visit(PHONE, async tab => {
  assert.deepEqual(await tab.evaluate(() => [...document.querySelectorAll(".stage")].filter(stage => stage.scrollWidth > innerWidth).map(stage => stage.parentElement.id)), []);
}));

test("without JavaScript the slides are scrolled and notes can be opened", () => visit({ ...ROOM, javaScriptEnabled: false }, async tab => {
  await tab.locator(".slide-notes summary").first().click();
  assert.ok(await tab.locator(".slide-notes p").first().isVisible());
  assert.ok(await tab.locator(".slide").last().isVisible());
}));

test("on paper a slide is a page, the handout is one, and no link leads to a file of this machine", async () => {
  const out = mkdtempSync(join(tmpdir(), "sqrtdk-slides-"));
  const pages = name => {
    execFileSync("node", [fileURLToPath(new URL("../../tools/print/alone.mjs", import.meta.url)), join(folder, `${name}.html`), join(out, name)]);
    const pdf = readFileSync(join(out, name), "latin1");
    assert.doesNotMatch(pdf, /URI \(file:/);
    return [...pdf.matchAll(/\/Type \/Page\b(?!s)/g)].length;
  };
  try {
    assert.equal(pages("handout"), 1);
    assert.equal(pages("slides"), readFileSync(join(folder, "slides.html"), "utf8").match(/<section class="slide"/g).length);
  } finally {
    rmSync(out, { recursive: true });
  }
});
