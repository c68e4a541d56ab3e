// Each page once, by two readers at a time, every second page on a phone and light, the others at a desk and dark: axe-core finds
// nothing serious and nothing moderate. Then on narrower and narrower phones: every label of a drawing can be read, wherever the
// drawing is moved, no formula is cut, no page scrolls sideways; none says anything to the console or asks the network.
// Pictures of what is read, for eyes: SQRTDK_SCREENSHOTS/WIDTH-THEME/PAGE.png, the first three screens.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { modules } from "../../tools/print/chromium.mjs";
import { chaptersAndDocuments, DESK, every, having, LAPTOP, pages, PHONE, reader, visited } from "./book.mjs";

const VIEWS = [{ ...PHONE, colorScheme: "light" }, { ...LAPTOP, colorScheme: "dark" }, { ...DESK, colorScheme: "light" }];
const LEAST = 12; // px
const chapters = having('class="chapter-claims"'), drawn = having('class="drawing"');
const axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8"), pictures = process.env.SQRTDK_SCREENSHOTS;

const findings = async tab => {
  await tab.evaluate(axe);
  return tab.evaluate(async () => {
    // To axe a formula is a word: of its glyphs and of what its MathML consists of, half of a page, no rule says anything.
    for (const glyph of document.querySelectorAll(".drawn use")) glyph.remove();
    for (const math of document.querySelectorAll("math")) math.textContent = math.textContent;
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"], preload: false });
    return violations.filter(({ impact }) => impact !== "minor")
      .map(({ id, impact, nodes }) => `${impact}: ${id}, ${nodes.length} times, first ${nodes[0].html.slice(0, 160)}`);
  });
};

// Parts that a reader of a phone cannot see: a page that is wider than the screen, or a formula that goes on beyond its edge.
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

const unreadable = least => {
  const found = new Set();
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

const headings = () => {
  const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(heading => Number(heading.tagName[1]));
  const skipped = levels.flatMap((level, i) => i && level > levels[i - 1] + 1 ? [`h${levels[i - 1]} is followed by h${level}`] : []);
  const first = levels.filter(level => level === 1).length;
  return first === 1 ? skipped : [`${first} headings h1`, ...skipped];
};

async function visit({ tab, load }, page, views) {
  const found = [], read = chaptersAndDocuments.includes(page);
  const look = async (where, what, ...more) => found.push(...(await tab.evaluate(what, ...more)).map(complaint => `${where}: ${complaint}`));
  for (const { width, height, colorScheme } of views) {
    await tab.setViewportSize({ width, height });
    await tab.emulateMedia({ colorScheme });
    await load(page);
    if (pictures && read) {
      const clip = { x: 0, y: 0, width, height: Math.min(3 * height, await tab.evaluate(() => document.documentElement.scrollHeight)) };
      await tab.screenshot({ path: join(pictures, `${width}-${colorScheme}`, page.replace(/html$/, "png")), fullPage: true, clip });
    }
    found.push(...(await findings(tab)).map(finding => `${width} px, ${colorScheme}: ${finding}`));
  }
  if (read) await look("outline", headings);
  await tab.evaluate(() => document.querySelectorAll("details").forEach(fold => { fold.open = true; }));
  for (const width of drawn.includes(page) ? [PHONE.width, 360, 320] : [320]) {
    await tab.setViewportSize({ ...PHONE, width });
    await look(`${width} px`, tooWide);
    if (width >= 360) await look(`${width} px`, unreadable, LEAST);
  }
  return found;
}

// The distance that the page has moved since it was first seen: Chromium's cumulative layout shift.
const moved = () => new Promise(tell => {
  let sum = 0;
  new PerformanceObserver(list => { for (const { value } of list.getEntries()) sum += value; }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => tell(sum), 50);
});

const free = [];
describe("each page", { concurrency: 2 }, () => {
  if (pictures) rmSync(pictures, { recursive: true, force: true });
  for (const [i, page] of visited.entries())
    test(page, async () => {
      const visitor = free.pop() ?? await reader();
      const found = await visit(visitor, page, every ? VIEWS : [VIEWS[i % 2]]);
      assert.deepEqual([...found, ...visitor.wrong.splice(0)].map(complaint => `${page}: ${complaint}`), []);
      free.push(visitor);
    });

  for (const page of chapters)
    test(`${page} does not move on a phone once it is seen, but for typefaces, which come when they come`, async () => {
      const { tab, load, close } = await reader(PHONE);
      await tab.route("**/*.woff2", route => route.abort());
      await load(page);
      const shift = await tab.evaluate(moved);
      assert.ok(shift < 0.1, `${page} moves by ${shift}`);
      await close();
    });
});

test("the book has pages, and those that are read among them", () => {
  assert.ok(chapters.length > 10 && drawn.length > 10 && chaptersAndDocuments.length > 40 && pages.length > chaptersAndDocuments.length);
});

test("without JavaScript the text, its formulas and the contents are there", async () => {
  const { tab, load } = await reader({ ...LAPTOP, javaScriptEnabled: false });
  await load("score.html");
  const text = await tab.locator("main").innerText();
  assert.match(text, /dot product/);
  assert.doesNotMatch(text, /\\\(|\\\[/);
  assert.ok(await tab.locator("nav a[href='saturation.html']").first().isVisible());
});
