// A reader's actions on a page: keys, Back, folds, links to parts, colours, paper.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LAPTOP, PHONE, reader, url, useVisitor } from "./book.mjs";

const CLAIM = "score.html#DotProductVariance";
const visitor = useVisitor();

const place = () => visitor.tab.evaluate(() => scrollY);
/** Waits until nothing has moved for .4 s. */
const settled = () => visitor.tab.evaluate(() => new Promise(resolve => {
  const where = () => `${scrollY} ${document.documentElement.scrollHeight}`;
  let last = where(), since = performance.now();
  const watch = setInterval(() => {
    if (where() !== last) [last, since] = [where(), performance.now()];
    else if (document.readyState === "complete" && document.fonts.status === "loaded" && performance.now() - since > 400) resolve(clearInterval(watch));
  }, 50);
}));

test("Space and End scroll score.html when it was just opened", async () => {
  await visitor.load("score.html");
  await visitor.tab.keyboard.press("Space");
  await settled();
  assert.ok(await place() > 300);
  await visitor.tab.keyboard.press("End");
  await settled();
  assert.ok(await place() > 5000);
});

test("moments.html is laid out piece by piece, and in the end nothing of it is skipped", async () => {
  await visitor.tab.goto(url("moments.html"));
  await visitor.tab.waitForFunction(() => !("settling" in document.documentElement.dataset));
  assert.ok(await visitor.tab.evaluate(() => [...document.querySelectorAll(".textblock > *")].every(piece => getComputedStyle(piece).contentVisibility === "visible")));
});

test("Back and reload return to the place in score.html that was left", async () => {
  await visitor.load("score.html");
  await visitor.tab.mouse.wheel(0, 4000);
  await settled();
  const left = await place();
  assert.ok(left > 1000);
  await visitor.tab.reload();
  await settled();
  assert.ok(Math.abs(await place() - left) < 40, `reload: ${await place()}, left at ${left}`);
  await visitor.load("scale.html");
  await visitor.tab.goBack();
  await settled();
  assert.ok(Math.abs(await place() - left) < 40, `Back: ${await place()}, left at ${left}`);
});

test("a link to a claim of score.html puts its heading below whatever stays on screen", async () => {
  for (const size of [PHONE, LAPTOP]) {
    const narrow = await reader(size);
    await narrow.load(CLAIM);
    await narrow.tab.waitForTimeout(400);
    const { top, covering } = await narrow.tab.evaluate(() => {
      const heading = document.getElementById("DotProductVariance").closest("h1, h2, h3").getBoundingClientRect();
      const seen = document.elementFromPoint(heading.left + 5, heading.top + heading.height / 2);
      return { top: heading.top, covering: seen?.closest("h1, h2, h3") ? "" : seen?.outerHTML.slice(0, 80) };
    });
    assert.ok(top >= 0 && top < 200, `at ${size.width} px the heading stands at ${top}`);
    assert.equal(covering, "");
    await narrow.close();
  }
});

test("code and evidence of score.html are folded, and a link to a part of them opens it", async () => {
  await visitor.load(CLAIM);
  assert.equal(await visitor.tab.locator("details.machinery[open]").count(), 0);
  await visitor.load("score.html#DotProductVariance-evidence-of-this-run");
  await settled();
  assert.equal(await visitor.tab.locator("details.machinery[open]").count(), 1);
  assert.ok(await visitor.tab.evaluate(() => document.getElementById("DotProductVariance-evidence-of-this-run").closest("h2, h3, h4, h5").checkVisibility()));
});

test("Show code opens all folds of score.html and is remembered in scale.html", async () => {
  await visitor.load("score.html");
  await visitor.tab.locator("#code-toggle").click();
  const folds = await visitor.tab.locator("details.machinery").count();
  assert.equal(await visitor.tab.locator("details.machinery[open]").count(), folds);
  await visitor.load("scale.html");
  assert.equal(await visitor.tab.locator("details.machinery:not([open])").count(), 0);
});

test("the colours chosen in score.html are kept in scale.html, and paper is white", async () => {
  await visitor.load("score.html");
  await visitor.tab.locator("#theme-toggle").click();
  await visitor.load("scale.html");
  assert.match(await visitor.tab.locator("html").getAttribute("class"), /dark-mode/);
  await visitor.tab.emulateMedia({ media: "print" });
  await visitor.tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.match(await visitor.tab.locator("html").getAttribute("class"), /light-mode/);
});

test("on a phone the contents open from score.html, list the chapter's claims, and close by Escape", async () => {
  const phone = await reader(PHONE);
  await phone.load("score.html");
  await phone.tab.locator("#nav-toggle").tap();
  const claim = phone.tab.locator("nav a[href$='#DotProductVariance']").first();
  assert.ok(await claim.isVisible());
  await phone.tab.keyboard.press("Escape");
  await phone.tab.waitForTimeout(300);
  assert.ok(!await claim.isVisible() || !await claim.evaluate(link => link.getBoundingClientRect().right > 0));
  await phone.close();
});

test("every claim in the table of claims.html can be reached by its name", async () => {
  await visitor.load("claims.html");
  await visitor.tab.locator(".table-filter").first().fill("DotProductVariance");
  assert.equal(await visitor.tab.locator("table.claims-table tr:visible td:first-child").count(), 1);
});

test("a phone, which shows no heads, sorts the table of claims.html by a menu", async () => {
  const phone = await reader(PHONE), first = phone.tab.locator("table.claims-table tr:has(td) td:first-child a").first();
  await phone.load("claims.html");
  const names = await phone.tab.locator("table.claims-table tr td:first-child > a").allTextContents();
  await phone.tab.getByLabel("Sort the table").selectOption("By claim, reversed");
  assert.equal(await first.textContent(), names.sort(new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare).at(-1));
  await phone.close();
});

/** In graph.html: the claims on which one rests, those that rest on it, and how many arrows lead from one of them all to another. */
const graphAround = chosen => {
  const uses = new Map([...document.querySelectorAll(".claim-graph .node")].map(({ dataset }) => [dataset.name, (dataset.uses ?? "").split(" ").filter(Boolean)]));
  const reach = next => { const found = new Set(next(chosen)); for (const name of found) next(name).forEach(other => found.add(other)); return [...found]; };
  const below = reach(name => uses.get(name)), above = reach(name => [...uses.keys()].filter(other => uses.get(other).includes(name)));
  const marked = [chosen, ...below, ...above];
  return { below, above, arrows: marked.flatMap(name => uses.get(name).filter(used => marked.includes(used))).length };
};
const namesOf = (tab, kind) => tab.evaluate(marked => [...document.querySelectorAll(`.claim-graph .node.${marked}`)].map(box => box.dataset.name), kind);

test("the first screen of graph.html has claims, and the page is no wider than it", async () => {
  await visitor.load("graph.html");
  const seen = await visitor.tab.evaluate(() => [...document.querySelectorAll(".claim-graph .node")].filter(box => box.getBoundingClientRect().bottom < innerHeight).length);
  assert.ok(seen >= 10, `${seen} boxes`);
  assert.ok(await visitor.tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test("a box of graph.html marks all claims on which it rests and all that rest on it, with the arrows among them", async () => {
  await visitor.load("graph.html");
  const box = visitor.tab.locator(".node[data-name='DotProductVariance']"), lines = visitor.tab.locator(".claim-graph > svg path");
  const { below, above, arrows } = await visitor.tab.evaluate(graphAround, "DotProductVariance");
  await box.hover();
  assert.ok(below.length > 1 && above.length > 1 && arrows > below.length);
  assert.deepEqual((await namesOf(visitor.tab, "ancestor")).sort(), below.sort());
  assert.deepEqual((await namesOf(visitor.tab, "descendant")).sort(), above.sort());
  assert.equal(await lines.count(), arrows);
  const said = await visitor.tab.getByRole("status").filter({ hasText: "DotProductVariance" }).textContent();
  assert.match(said, new RegExp(`rests on ${below.length} claims, .*; ${above.length} rest on it`));
  await visitor.tab.keyboard.press("Escape");
  assert.equal(await lines.count(), 0);
  assert.equal(await visitor.tab.locator(".node.ancestor, .node.descendant, .marking").count(), 0);
  await visitor.tab.keyboard.press("Tab");
  await box.focus();
  assert.equal(await lines.count(), arrows);
});

test("on a phone the first tap on a box of graph.html marks, and the second opens the claim", async () => {
  const phone = await reader(PHONE), box = phone.tab.locator(".node[data-name='DotProductVariance']");
  await phone.load("graph.html");
  await box.tap();
  assert.ok((await namesOf(phone.tab, "ancestor")).length > 0 && phone.tab.url() === url("graph.html"));
  await box.tap();
  await phone.tab.waitForURL(url(CLAIM));
  await phone.close();
});
