// SPDX-License-Identifier: BSL-1.0
// Every drawing on a phone, wherever it is moved: its labels can be read, none covers another, none is cut, and no page scrolls
// sideways.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chaptersAndDocuments, folder, onEach, PHONE, useBrowser } from "./book.mjs";

const LEAST = 12, WIDTHS = [PHONE.width, 360]; // px
const browsing = useBrowser();
const drawn = chaptersAndDocuments.filter(page => readFileSync(join(folder, page), "utf8").includes('class="drawing"'));

const unreadable = least => {
  const found = new Set(), wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.add(`the page is ${wide} px wider than the screen`);
  const look = (drawing, name) => {
    const frame = drawing.getBoundingClientRect(), scale = frame.width / drawing.viewBox.baseVal.width;
    const labels = [...drawing.querySelectorAll("text")].filter(text => text.textContent.trim()).map(text => ({
      text: text.textContent, size: parseFloat(getComputedStyle(text).fontSize) * scale, box: text.getBoundingClientRect() }));
    if (!labels.length) found.add(`${name} has no label`);
    labels.forEach(({ text, size, box }, i) => {
      if (size < least) found.add(`${name}: "${text}" is ${size.toFixed(1)} px high`);
      const air = 0.18 * size; // above and below letters, in their boxes
      if (box.left < frame.left || box.right > frame.right || box.top + air < frame.top || box.bottom - air > frame.bottom) found.add(`${name}: "${text}" is cut`);
      for (const { text: other, box: its } of labels.slice(i + 1)) {
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left), down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (across > 0.5 && down > 2 * air + 0.5) found.add(`${name}: "${text}" covers "${other}"`);
      }
    });
  };
  for (const drawing of document.querySelectorAll("svg.drawing")) {
    const figure = drawing.closest("figure"), name = figure.querySelector(".figure-number").textContent;
    look(drawing, name);
    for (const input of figure.querySelectorAll("input[type=range]"))
      for (input.value = input.min; ; input.value = Number(input.value) + 1) {
        input.dispatchEvent(new Event("input"));
        look(drawing, name);
        if (input.value === input.max) break;
      }
    for (const button of figure.querySelectorAll(".movable-controls button"))
      for (let again = 0; again < 40; ++again) {
        button.click();
        look(drawing, name);
      }
  }
  return [...found];
};

test("on a phone every label is large enough, whole, and covers no other", async () => {
  assert.ok(drawn.length > 10);
  assert.deepEqual(await onEach(browsing.browser, drawn, PHONE, async tab => {
    await tab.evaluate(() => document.querySelectorAll("details").forEach(fold => { fold.open = true; }));
    const found = [];
    for (const width of WIDTHS) {
      await tab.setViewportSize({ ...PHONE, width });
      found.push(...(await tab.evaluate(unreadable, LEAST)).map(complaint => `${width} px: ${complaint}`));
    }
    await tab.setViewportSize(PHONE);
    return found;
  }), []);
});
