// Figures to move. A figure NAME registers itself here with what it takes from the run's data, its controls, how it is
// drawn, what it says, and what is to be seen once it was moved. The build draws it once, in Node, as it is at rest; in a browser the same functions draw it again
// whenever a control is moved. No dependencies; works from file://.
"use strict";

const movableFigures = {};
const movable = (name, figure) => { movableFigures[name] = figure; };

// ---- what the figures share

/** The rows of a data file of the run, as objects by the names of its columns. */
function parseFigureData(text) {
  const lines = text.split("\n"), columns = lines[0].replace(/^#\s*/, "").split(" ");
  return lines.slice(1).filter(line => line.trim() && !line.startsWith("#"))
    .map(line => Object.fromEntries(line.split(" ").map((number, i) => [columns[i], Number(number)])));
}

/**
 * The weights of some scores at a temperature. Each exponential is right to 2 units in the last place, its argument
 * is rounded twice, and a sum of n adds n − 1 roundings: for n ≤ 16 and score differences up to 2⁷ a weight
 * is off by less than 2⁻⁴⁴ of itself.
 */
function softmaxWeights(scores, temperature) {
  const most = Math.max(...scores), powers = scores.map(score => Math.exp((score - most) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map(power => power / sum);
}
const SOFTMAX_RELATIVE_ERROR = 2 ** -44;

const shown = (number, digits = 0) => number.toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−"); // −0.04 is 0.0
const percent = weight => weight >= 0.9995 && weight < 1 ? "> 99.9 %" : weight > 0 && weight < 0.0005 ? "< 0.1 %" : `${(100 * weight).toFixed(1)} %`;
const svgElement = (tag, attributes, content = "") =>
  `<${tag} ${Object.entries(attributes).map(([key, value]) => `${key}="${typeof value === "number" ? Number(value.toFixed(2)) : value}"`).join(" ")}>${content}</${tag}>`;
const box = (x, y, width, height, fill, attributes = {}) => svgElement("rect", { x, y, width, height, fill, ...attributes });

/**
 * What a figure is drawn with. `colour` gives a colour of docs/figures/common.gp by its name: in a page the theme's, which
 * has another for the dark; in a file, that one.
 */
function pens(colour) {
  const svgText = (x, y, content, attributes = {}) =>
    svgElement("text", { x, y, fill: colour("ink"), ...attributes }, String(content).replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
  const quiet = (x, y, content, attributes = {}) => svgText(x, y, content, { fill: colour("soft"), ...attributes });
  const heading = (x, y, content, attributes = {}) => svgText(x, y, content, { "font-weight": 600, ...attributes });
  return { colour, svgText, quiet, heading };
}

// ---- in a browser

function setUpMovable(place) {
  const figure = movableFigures[place.dataset.movable], drawing = place.querySelector("svg");
  const { palette, data } = JSON.parse(place.querySelector("script[type='application/json']").textContent);
  const inTheme = pens(name => `var(--figure-${name},${palette[name]})`);
  const state = figure.rest(data), controls = document.createElement("div"), said = document.createElement("p");
  controls.className = "movable-controls";
  said.className = "movable-says";
  said.setAttribute("role", "status");
  const inputs = figure.controls(data).map(({ key, label, values, show }) => {
    const input = Object.assign(document.createElement("input"), { type: "range", min: 0, max: values.length - 1, step: 1 });
    const value = document.createElement("output"), holder = document.createElement("label"), name = document.createElement("span");
    name.innerHTML = label;
    holder.append(name, input, value);
    controls.append(holder);
    const follow = () => {
      input.value = values.indexOf(state[key]);
      value.textContent = show(state[key]);
      input.setAttribute("aria-valuetext", value.textContent);
    };
    input.addEventListener("input", () => { state[key] = values[input.value]; moved(); });
    return follow;
  });
  for (const { label, act } of figure.actions ?? []) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
    button.addEventListener("click", () => { Object.assign(state, act(data, state)); moved(); });
    controls.append(button);
  }
  const redraw = () => {
    drawing.innerHTML = figure.draw(data, state, inTheme).elements.join("\n");
    for (const follow of inputs) follow();
    said.textContent = figure.says(data, state);
  };
  const moved = () => {
    redraw();
    drawing.setAttribute("aria-label", figure.seen(data, state));
  };
  if (figure.point) followPointer(figure, drawing, data, state, moved);
  drawing.after(controls, said);
  redraw();
}

/** A mouse moves the dot from anywhere; a finger drags the dot itself, taps elsewhere, and otherwise scrolls the page. */
function followPointer(figure, drawing, data, state, moved) {
  const REACH = 28; // how far from the dot, in pixels, a finger may be that takes it
  let dragging;
  const place = ({ clientX, clientY }) => {
    const { left, top, width } = drawing.getBoundingClientRect(), scale = drawing.viewBox.baseVal.width / width;
    return { x: (clientX - left) * scale, y: (clientY - top) * scale, scale };
  };
  const follow = event => {
    const { x, y } = place(event);
    Object.assign(state, figure.point(data, x, y));
    moved();
  };
  const onDot = event => {
    const { x, y, scale } = place(event), [dotX, dotY] = figure.handle(data, state);
    return Math.hypot(x - dotX, y - dotY) <= REACH * scale;
  };
  drawing.addEventListener("pointerdown", event => {
    if (event.pointerType !== "mouse" && !onDot(event)) return;
    dragging = event.pointerId; // a finger is captured anyhow, so that asking for its capture says nothing
    drawing.setPointerCapture(dragging);
    follow(event);
  });
  drawing.addEventListener("pointermove", event => { if (event.pointerId === dragging) follow(event); });
  drawing.addEventListener("lostpointercapture", () => { dragging = undefined; });
  drawing.addEventListener("click", follow);
  drawing.addEventListener("touchstart", event => { if (event.touches.length === 1 && onDot(event.touches[0])) event.preventDefault(); }, { passive: false });
}

if (typeof document !== "undefined")
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("[data-movable]").forEach(setUpMovable));
