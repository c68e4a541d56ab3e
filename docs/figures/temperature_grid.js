// Twelve queries and twelve keys: the weights at a temperature to choose, beside those at the root of d.
"use strict";

movable("temperature_grid", (() => {
  const count = 12, cell = 19.5, size = count * cell, top = 58, grids = { chosen: 34, root: 34 + size + 52 };

  const shownDivisor = temperature => shown(temperature, temperature < 10 ? 2 : 1);
  const scoresOf = (data, i) => data.scores.slice(i * count, (i + 1) * count);
  const weights = (data, temperature) => Array.from({ length: count }, (_, i) => softmaxWeights(scoresOf(data, i), temperature));
  const positions = row => Math.exp(-row.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0));
  const meanPositions = grid => grid.reduce((sum, row) => sum + positions(row), 0) / count;

  return {
    data(text) {
      const rows = parseFigureData(text), temperatures = [...new Set(rows.map(line => line.temperature))];
      return { d: temperatures.at(-1), temperatures, scores: rows.slice(0, count * count).map(line => line.score) };
    },
    rest: () => ({ temperature: 1 }),
    controls: data => [{ key: "temperature", label: "divide the scores by", values: data.temperatures, show: shownDivisor }],
    weights: (data, { temperature }) => weights(data, temperature),
    draw(data, { temperature }, { colour, quiet, heading }) {
      const parts = [];
      for (const [name, title, divisor] of [["chosen", temperature === 1 ? "raw scores" : `divided by ${shownDivisor(temperature)}`, temperature],
        ["root", `divided by √d = ${shown(Math.sqrt(data.d))}`, Math.sqrt(data.d)]]) {
        const grid = weights(data, divisor), x = grids[name];
        parts.push(heading(x, 20, title));
        parts.push(quiet(x, 45, `${shown(meanPositions(grid), 1)} keys a query, on average`));
        parts.push(box(x, top, size, size, "none", { stroke: colour("soft") }));
        grid.forEach((row, i) => row.forEach((weight, j) => {
          const side = cell * Math.sqrt(weight);
          if (side > 0.4) parts.push(box(x + (j + 0.5) * cell - side / 2, top + (i + 0.5) * cell - side / 2, side, side, colour(name === "root" ? "blue" : "vermilion")));
        }));
        parts.push(quiet(x + size / 2, top + size + 24, "key", { "text-anchor": "middle" }));
        parts.push(quiet(x - 10, top + size / 2, "query", { "text-anchor": "middle", transform: `rotate(-90 ${x - 10} ${top + size / 2})` }));
      }
      return { width: 560, height: top + size + 34, elements: parts };
    },
    says(data, { temperature }) {
      return `Divided by ${shownDivisor(temperature)}, a query spreads its weight as if over ${shown(meanPositions(weights(data, temperature)), 1)} of ${count} keys on average; at √d, over ${shown(meanPositions(weights(data, Math.sqrt(data.d))), 1)}.`;
    },
    seen(data, state) {
      return `Two grids of twelve queries by twelve keys; the area of a square is a weight. Left, the scores divided by ${shownDivisor(state.temperature)}; right, by √d. ${this.says(data, state)}`;
    },
  };
})());
