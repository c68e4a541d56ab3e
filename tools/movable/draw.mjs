// draw.mjs NAME.js NAME.dat < PALETTE.json: prints a figure to move as {"drawing": how it is at rest, "data": what a
// browser needs to draw it otherwise}. The palette has the colours by their names.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createContext, runInContext } from "node:vm";

// The book's scripts are plain ones, so that they work from file://; here they run in a context of their own.
const SHARED = new URL("../../docs/theme/movable.js", import.meta.url);
const [script, dataFile] = process.argv.slice(2);
const context = createContext({ palette: JSON.parse(readFileSync(0, "utf8")) });
runInContext(readFileSync(SHARED, "utf8"), context);
runInContext(readFileSync(script, "utf8"), context);
const figure = runInContext("movableFigures", context)[basename(script, ".js")];

const data = figure.data(readFileSync(dataFile, "utf8")), inPalette = runInContext("pens(name => palette[name])", context);
console.log(JSON.stringify({ drawing: figure.draw(data, figure.rest(data), inPalette), data }));
