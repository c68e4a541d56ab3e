// SPDX-License-Identifier: BSL-1.0
// draw.mjs NAME.js NAME.dat OUT_FOLDER: draws a figure to move as it is at rest, NAME.svg, and writes what the browser
// needs to draw it otherwise, NAME.json.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { load } from "./load.mjs";

// In a page these colours come from the page's palette, which has another one for the dark.
const STYLE = `text { font: 15px "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--figure-text, #24272b); }
.head { font-weight: 600; } .quiet { fill: var(--figure-quiet, #565d66); }
.c1 { fill: var(--figure-1, #0072b2); } .c2 { fill: var(--figure-2, #c54e00); } .band, .track { fill: var(--figure-band, #e8e6e0); }
.region { fill: var(--figure-region, #f7e6da); } .axis, .frame { fill: none; stroke: var(--figure-axis, #555); }
.curve { fill: none; stroke: var(--figure-text, #24272b); stroke-width: 2; } .guide { stroke: var(--figure-quiet, #565d66); stroke-dasharray: 3 4; }`;

const [script, dataFile, out] = process.argv.slice(2);
const name = basename(script, ".js"), figure = load(script)[name];
const data = figure.data(readFileSync(dataFile, "utf8"));
const { width, height, content } = figure.draw(data, figure.rest(data));
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><style>${STYLE}</style>\n<g>\n${content}\n</g></svg>\n`;

mkdirSync(out, { recursive: true });
for (const [file, text] of [[`${name}.svg`, svg], [`${name}.json`, JSON.stringify(data)]]) {
  const path = join(out, file);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
