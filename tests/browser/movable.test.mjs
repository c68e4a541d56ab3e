// The figures to move: what they show is what the library computed, they move by keys, mouse and touch, and rest complete.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, having, LAPTOP, PHONE, reader, useVisitor } from "./book.mjs";

const NAMES = ["jacobian_column", "one_query", "saturation_dot", "score_spread", "temperature_grid"];
const homes = new Map(NAMES.map(name => [name, having(`id="figure-${name}" data-movable="${name}"`)[0]]));

const visitor = useVisitor();

const open = async name => {
  assert.ok(homes.get(name), `no page is the home of ${name}`);
  await visitor.open(homes.get(name));
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

/** What a figure draws from, in the page that is open. */
const dataOf = name => visitor.tab.evaluate(figure => JSON.parse(document.querySelector(`#figure-${figure} script[type='application/json']`).textContent).data, name);

const near = (found, wanted, bound) => assert.ok(Math.abs(found - wanted) <= bound * Math.abs(wanted), `${found} is not ${wanted}`);

/** Of each figure first: how it rests on a page that was just opened, then how it moves. The page stays open for what follows. */
function restsAndMoves(name) {
  test(`${name} in ${homes.get(name)} rests as the build drew it, also without JavaScript and on paper`, async () => {
    const moving = await (await open(name)).locator("svg.drawing text").allTextContents();
    const still = await reader({ ...LAPTOP, javaScriptEnabled: false });
    await still.load(homes.get(name));
    assert.deepEqual(await still.tab.locator(`#figure-${name} svg.drawing text`).allTextContents(), moving);
    await still.close();
    await visitor.tab.emulateMedia({ media: "print" });
    assert.ok(!await visitor.tab.locator(`#figure-${name} input`).first().isVisible());
  });

  test(`${name} in ${homes.get(name)} moves by keys and says where it is`, async () => {
    const figure = await open(name), slider = figure.locator("input[type=range]").first();
    const drawing = figure.locator("svg.drawing"), rest = await drawing.getAttribute("aria-label");
    const [before, said] = [await drawing.innerHTML(), await figure.locator(".movable-says[role=status]").textContent()];
    await slider.focus();
    for (let i = 0; i < 3; ++i) await visitor.tab.keyboard.press("ArrowLeft");
    for (let i = 0; i < 2; ++i) await visitor.tab.keyboard.press("ArrowRight");
    await visitor.tab.keyboard.press("Home");
    await visitor.tab.keyboard.press("ArrowRight");
    assert.equal(await slider.inputValue(), "1");
    assert.ok(await slider.getAttribute("aria-valuetext"));
    assert.ok(await drawing.innerHTML() !== before, "nothing moved");
    const says = await figure.locator(".movable-says[role=status]").textContent(), label = await drawing.getAttribute("aria-label");
    assert.notEqual(says, said);
    assert.ok(label !== rest && label.endsWith(says), `it is still described as ${label}`);
  });
}

restsAndMoves("one_query");

test("the first screen has a figure that moves: at 512 dimensions raw scores leave one key all the weight", async () => {
  await visitor.load("index.html");
  const figure = visitor.tab.locator('[data-movable="one_query"]'), slider = figure.locator("input[type=range]");
  const { y, height } = await figure.locator("svg.drawing").boundingBox();
  assert.ok(y + height < LAPTOP.height, `it ends ${y + height} px below the top`);
  await slider.focus();
  await visitor.tab.keyboard.press("End");
  assert.match(await figure.locator(".movable-says").textContent(), /^At d = 512, in draw 23, the heaviest key gets (> 99|100|9\d)/);
});

test("the weights of one query are those of the library, in every draw and dimension", async () => {
  await open("one_query");
  for (const [draw, ofDraw] of grouped(written("one_query").filter(row => row.draw > 0), "draw"))
    for (const [d, rows] of grouped(ofDraw, "d")) {
      const { weights, bound } = await weightsOf("one_query", { d, draw });
      rows.forEach((row, j) => {
        near(weights.raw[j], row.weight, 2 * bound);
        near(weights.divided[j], row.weight_divided, 2 * bound);
      });
    }
});

test("what the caption says of the mean of all draws is so: raw it grows with every step, divided it is about a third", async () => {
  await open("one_query");
  const heaviest = written("one_query").filter(row => row.draw === 0 && row.rank === 1), { means } = await dataOf("one_query");
  assert.ok(heaviest.length > 10 && heaviest.every(row => row.of >= 1000));
  heaviest.forEach((row, i) => {
    assert.ok(i === 0 || row.weight > heaviest[i - 1].weight, `at ${row.d} it does not grow`);
    assert.ok(Math.abs(row.weight_divided - 1 / 3) < 0.05, `${row.weight_divided} at ${row.d} is not about a third`);
    assert.deepEqual([means.raw[i][0], means.divided[i][0]], [row.weight, row.weight_divided]);
  });
  assert.ok(heaviest.at(-1).weight > 0.9);
});

test("another draw can be had, by keys too, and after the last comes the first", async () => {
  const figure = await open("one_query"), again = figure.getByRole("button", { name: "draw again" }), drawing = figure.locator("svg.drawing");
  const draws = (await dataOf("one_query")).scores.length, first = await drawing.innerHTML(), seen = new Set([first]);
  await again.focus();
  for (let i = 1; i < draws; ++i) {
    await visitor.tab.keyboard.press("Enter");
    seen.add(await drawing.innerHTML());
    assert.match(await figure.locator(".movable-says").textContent(), new RegExp(`in draw ${(22 + i) % draws + 1},`));
  }
  assert.equal(seen.size, draws);
  await visitor.tab.keyboard.press("Enter");
  assert.equal(await drawing.innerHTML(), first);
});

restsAndMoves("jacobian_column");

test("weights and derivatives are those of the library wherever the score is moved, and largest at one half", async () => {
  await open("jacobian_column");
  const found = await visitor.tab.evaluate(rows => {
    const figure = movableFigures.jacobian_column, { data } = JSON.parse(document.querySelector("#figure-jacobian_column script[type='application/json']").textContent);
    return { bound: SOFTMAX_RELATIVE_ERROR, each: rows.map(state => [figure.weights(data, state), figure.rates(data, state)]) };
  }, written("jacobian_column"));
  written("jacobian_column").forEach((row, i) => {
    const [weights, rates] = found.each[i], own = weights[2];
    near(weights[row.key - 1], row.weight, 2 * found.bound);
    // The library's 1 − p is off by up to a rounding error of 1, which is more than the page's if p is near 1.
    assert.ok(Math.abs(rates[row.key - 1] - row.derivative) <= 8 * found.bound, `${rates[row.key - 1]} is not ${row.derivative}`);
    near(rates[2], 0.25 - (own - 0.5) ** 2, 2 ** -20 + 2 ** -50 / rates[2]);
    assert.ok(Math.abs(rates.reduce((sum, rate) => sum + rate, 0)) < 8 * found.bound);
  });
});

restsAndMoves("score_spread");

test("the histograms are those of the library, to six digits, and the band is the root wide", async () => {
  await open("score_spread");
  const found = await dataOf("score_spread");
  for (const [d, rows] of grouped(written("score_spread"), "d")) {
    const line = found.find(own => own.d === d);
    near(line.deviation, Math.sqrt(d), 1e-15);
    rows.forEach((row, i) => {
      near(line.share[i], row.share, 5e-6);
      near(line.share_divided[i], row.share_divided, 5e-6);
    });
  }
});

restsAndMoves("temperature_grid");

test("the grids are those of the library, at every temperature", async () => {
  await open("temperature_grid");
  for (const [temperature, rows] of grouped(written("temperature_grid"), "temperature")) {
    const { weights, bound } = await weightsOf("temperature_grid", { temperature });
    for (const row of rows) near(weights[row.query - 1][row.key - 1], row.weight, 2 * bound);
  }
});

restsAndMoves("saturation_dot");

test("the dot says what the library says, at every place of the grid: what is chosen exactly, the rest to nine digits", async () => {
  const figure = await open("saturation_dot"), { rows: shown, border } = await dataOf("saturation_dot");
  const rows = written("saturation_dot").filter(row => row.n > 0);
  assert.equal(shown.length, rows.length);
  rows.forEach((row, i) => { for (const key in row) near(shown[i][key], row[key], ["d", "n"].includes(key) ? 0 : 5e-9); });
  for (const [d, n] of border) near(n, Math.exp(d / 2), 1e-5);
  await figure.locator("input[type=range]").last().press("End");
  assert.match((await figure.locator(".movable-says").textContent()).replaceAll("\u202f", " "), /n = 16 777 216:/);
});

test("a finger taps a place, drags the dot, and scrolls the page anywhere else", async () => {
  const phone = await reader(PHONE), { tab } = phone;
  await phone.load(`${homes.get("saturation_dot")}#figure-saturation_dot`);
  const figure = tab.locator("#figure-saturation_dot"), drawing = figure.locator("svg.drawing"), fingers = await tab.context().newCDPSession(tab);
  const says = () => figure.locator(".movable-says[role=status]").textContent(), scrolled = () => tab.evaluate(() => scrollY);
  const swipe = async (from, by) => {
    const at = ({ x, y }) => [{ x, y }], steps = 10;
    await fingers.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(from) });
    for (let i = 1; i <= steps; ++i)
      await fingers.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at({ x: from.x + by.x * i / steps, y: from.y + by.y * i / steps }) });
    await fingers.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    for (let last; last !== await scrolled();) { // a page goes on when the finger has left it
      last = await scrolled();
      await tab.waitForTimeout(200);
    }
  };
  await drawing.scrollIntoViewIfNeeded();
  const rest = await says(), before = await scrolled(), box = await drawing.boundingBox();
  await swipe({ x: box.x + 0.3 * box.width, y: box.y + 0.5 * box.height }, { x: 0, y: -150 });
  assert.ok(await scrolled() - before > 100, `the page scrolled by ${await scrolled() - before} px`);
  assert.equal(await says(), rest);

  await tab.evaluate(y => scrollTo(0, y), before);
  const dot = await drawing.locator("circle").last().boundingBox(), middle = { x: dot.x + dot.width / 2, y: dot.y + dot.height / 2 };
  await swipe(middle, { x: -20, y: -60 });
  assert.equal(await scrolled(), before);
  const dragged = await says();
  assert.notEqual(dragged, rest);

  await tab.touchscreen.tap(box.x + 0.3 * box.width, box.y + 0.3 * box.height);
  assert.notEqual(await says(), dragged);
  assert.deepEqual(phone.wrong, []);
  await phone.close();
});

function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(row[key], [...groups.get(row[key]) ?? [], row]);
  return groups;
}
