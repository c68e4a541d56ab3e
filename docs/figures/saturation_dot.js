// A dot in the phase diagram: a head dimension and a number of keys, and on how many keys the weights lie.
"use strict";

movable("saturation_dot", (() => {
  const plot = { left: 90, right: 540, top: 26, bottom: 282 }, bar = { left: 116, width: 230, top: 346, step: 30 };
  const across = d => plot.left + (plot.right - plot.left) * Math.log2(d) / 9; // d from 1 to 512
  const down = n => plot.bottom - (plot.bottom - plot.top) * Math.log2(n) / 24; // n from 1 to 2²⁴
  const nearest = (values, place, wanted) => values.reduce((a, b) => Math.abs(place(b) - wanted) < Math.abs(place(a) - wanted) ? b : a);
  const grouped = n => n < 10000 ? `${n}` : n.toLocaleString("en").replaceAll(",", "\u202f");
  const positions = number => number < 10 ? shown(number, 1) : grouped(Math.round(number));
  const cell = (data, { d, n }) => data.rows.find(line => line.d === d && line.n === n);

  return {
    data(text) {
      const rows = parseFigureData(text);
      for (const line of rows) for (const key in line) line[key] = Number(line[key].toPrecision(6));
      return { rows, ds: [...new Set(rows.map(line => line.d))], ns: [...new Set(rows.map(line => line.n))] };
    },
    rest: () => ({ d: 64, n: 1024 }),
    controls: data => [
      { key: "d", label: "head dimension <i>d</i>", values: data.ds, show: d => `${d}` },
      { key: "n", label: "keys <i>n</i>", values: data.ns, show: grouped },
    ],
    point: (data, x, y) => ({ d: nearest(data.ds, across, x), n: nearest(data.ns, down, y) }),
    draw(data, state, { colour, svgText, quiet, heading }) {
      const line = cell(data, state), parts = [];
      const threshold = data.ds.map(d => data.rows.find(row => row.d === d)).filter(row => row.threshold <= 2 ** 24);
      const last = Math.log2(24 * Math.log(2) * 2) / 9 * (plot.right - plot.left) + plot.left; // where e^(d/2) = 2²⁴
      const edge = [...threshold.map(row => [across(row.d), down(row.threshold)]), [last, plot.top]];
      const path = edge.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L ");
      parts.push(svgElement("path", { fill: colour("vermilion"), "fill-opacity": "0.12", d: `M ${plot.left} ${plot.bottom} L ${path} L ${plot.right} ${plot.top} L ${plot.right} ${plot.bottom} Z` }));
      parts.push(svgElement("path", { fill: "none", stroke: colour("ink"), "stroke-width": 2, d: `M ${path}` }));
      parts.push(heading(across(5), down(2 ** 19), "spread", { "text-anchor": "middle" }));
      parts.push(heading(across(128), down(2 ** 3), "condensed", { "text-anchor": "middle" }));
      for (const d of [1, 4, 16, 64, 256]) parts.push(quiet(across(d), plot.bottom + 18, d, { "text-anchor": "middle" }));
      for (const [power, name] of [[4, "16"], [10, "1024"], [16, grouped(2 ** 16)], [22, "4 million"]])
        parts.push(quiet(plot.left - 8, down(2 ** power) + 5, name, { "text-anchor": "end" }));
      parts.push(quiet((plot.left + plot.right) / 2, plot.bottom + 40, "head dimension d: the variance of a raw score", { "text-anchor": "middle" }));
      parts.push(quiet(8, 16, "keys n"));
      parts.push(svgElement("path", { fill: "none", stroke: colour("soft"), d: `M ${plot.left} ${plot.top} V ${plot.bottom} H ${plot.right}` }));
      parts.push(svgElement("line", { stroke: colour("soft"), "stroke-dasharray": "4 4", x1: across(1), x2: across(state.d), y1: down(state.n), y2: down(state.n) }));
      parts.push(svgElement("circle", { fill: colour("blue"), cx: across(1), cy: down(state.n), r: 6 }));
      parts.push(svgElement("circle", { fill: colour("vermilion"), cx: across(state.d), cy: down(state.n), r: 9 }));
      [["raw", "vermilion", line.positions], ["divided by √d", "blue", line.positions_divided]].forEach(([name, hue, value], i) => {
        const y = bar.top + i * bar.step, width = Math.max(2, bar.width * Math.log(value) / Math.log(state.n));
        parts.push(svgText(bar.left - 10, y + 15, name, { "text-anchor": "end" }));
        parts.push(box(bar.left, y, bar.width, 20, colour("rule")), box(bar.left, y, width, 20, colour(hue)));
        parts.push(svgText(bar.left + bar.width + 8, y + 15, `${positions(value)} of ${grouped(state.n)}`));
      });
      parts.push(quiet(bar.left, bar.top + 2 * bar.step + 14, "keys that share the weight (a logarithmic scale)"));
      return { width: 560, height: bar.top + 2 * bar.step + 24, elements: parts };
    },
    says(data, state) {
      const { positions: raw, positions_divided: divided, same_key: same, same_key_divided: sameDivided } = cell(data, state);
      return `d = ${state.d}, n = ${grouped(state.n)}: the weight is as if shared by ${positions(raw)} keys raw and by ${positions(divided)} divided by √d; `
        + `two picks by the weights hit the same key with probability ${percent(same)} and ${percent(sameDivided)}.`;
    },
  };
})());
