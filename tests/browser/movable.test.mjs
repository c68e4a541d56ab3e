// SPDX-License-Identifier: BSL-1.0
// The figures to move: what they show is what the library computed, they move by keys, mouse and touch, and rest complete.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chaptersAndDocuments, folder, LAPTOP, PHONE, reader, useVisitor } from "./book.mjs";

const NAMES = ["one_query", "saturation_dot", "temperature_grid"];
const homes = new Map(NAMES.map(name => [name, chaptersAndDocuments.find(page =>
  readFileSync(join(folder, page), "utf8").includes(`id="figure-${name}" data-movable="${name}"`))]));

const visitor = useVisitor();

const open = async name => {
  assert.ok(homes.get(name), `no page is the home of ${name}`);
  await visitor.open(`${homes.get(name)}#figure-${name}`);
  return visitor.tab.locator(`#figure-${name}`);
};

/** The rows of NAME.dat that the run wrote, as objects by the names of the columns. */
const written = name => {
  const [head, ...lines] = readFileSync(join(folder, `${name}.dat`), "utf8").trim().split("\n");
  const columns = head.slice(2).split(" ");
  return lines.filter(Boolean).map(line => Object.fromEntries(line.split(" ").map((number, i) => [columns[i], Number(number)])));
};

/** The weights of a figure in the browser in one state, and the bound that the page's script states for them. */
const weightsOf = (name, state) => visitor.tab.evaluate(([figure, at]) => {
  const { data } = JSON.parse(document.querySelector(`#figure-${figure} script[type="application/json"]`).textContent);
  return { weights: movableFigures[figure].weights(data, at), bound: SOFTMAX_RELATIVE_ERROR };
}, [name, state]);

const near = (found, wanted, bound) => assert.ok(Math.abs(found - wanted) <= bound * Math.abs(wanted), `${found} is not ${wanted}`);

test("the weights of one query are those of the library, for every dimension", async () => {
  await open("one_query");
  for (const [d, rows] of grouped(written("one_query"), "d")) {
    const { weights, bound } = await weightsOf("one_query", { d });
    rows.forEach((row, j) => {
      near(weights.raw[j], row.weight, 2 * bound);
      near(weights.divided[j], row.weight_divided, 2 * bound);
    });
  }
});

test("the grids are those of the library, at every temperature", async () => {
  await open("temperature_grid");
  for (const [temperature, rows] of grouped(written("temperature_grid"), "temperature")) {
    const { weights, bound } = await weightsOf("temperature_grid", { temperature });
    for (const row of rows) near(weights[row.query - 1][row.key - 1], row.weight, 2 * bound);
  }
});

test("the dot says what the library says, at every place of the grid, to six digits", async () => {
  await open("saturation_dot");
  const shown = await visitor.tab.evaluate(() => JSON.parse(document.querySelector("#figure-saturation_dot script[type='application/json']").textContent).data.rows);
  const rows = written("saturation_dot");
  assert.equal(shown.length, rows.length);
  rows.forEach((row, i) => { for (const key in row) near(shown[i][key], row[key], 5e-6); });
});

for (const name of NAMES) {
  test(`${name} moves by keys and says where it is`, async () => {
    const figure = await open(name), slider = figure.locator("input[type=range]").first();
    const [before, said] = [await figure.locator("svg.drawing").innerHTML(), await figure.locator(".movable-says[role=status]").textContent()];
    await slider.focus();
    for (let i = 0; i < 3; ++i) await visitor.tab.keyboard.press("ArrowLeft");
    for (let i = 0; i < 2; ++i) await visitor.tab.keyboard.press("ArrowRight");
    await visitor.tab.keyboard.press("Home");
    await visitor.tab.keyboard.press("ArrowRight");
    assert.equal(await slider.inputValue(), "1");
    assert.ok(await slider.getAttribute("aria-valuetext"));
    assert.notEqual(await figure.locator("svg.drawing").innerHTML(), before);
    assert.notEqual(await figure.locator(".movable-says[role=status]").textContent(), said);
  });

  test(`${name} rests as the build drew it, also without JavaScript and on paper`, async () => {
    await open(name);
    const moving = await visitor.tab.locator(`#figure-${name} svg.drawing text`).allTextContents();
    const still = await reader(visitor.browser, { ...LAPTOP, javaScriptEnabled: false });
    await still.open(homes.get(name));
    assert.deepEqual(await still.tab.locator(`#figure-${name} svg.drawing text`).allTextContents(), moving);
    await still.close();
    await visitor.tab.emulateMedia({ media: "print" });
    assert.ok(!await visitor.tab.locator(`#figure-${name} input`).first().isVisible());
  });
}

test("the dot follows a finger", async () => {
  const phone = await reader(visitor.browser, PHONE);
  await phone.open(`${homes.get("saturation_dot")}#figure-saturation_dot`);
  const figure = phone.tab.locator("#figure-saturation_dot"), said = await figure.locator(".movable-says[role=status]").textContent();
  await figure.locator("svg.drawing").scrollIntoViewIfNeeded();
  const box = await figure.locator("svg.drawing").boundingBox();
  await phone.tab.touchscreen.tap(box.x + 0.3 * box.width, box.y + 0.3 * box.height);
  assert.notEqual(await figure.locator(".movable-says[role=status]").textContent(), said);
  assert.deepEqual(phone.wrong, []);
  await phone.close();
});

function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(row[key], [...groups.get(row[key]) ?? [], row]);
  return groups;
}
