// A dot in the phase diagram: a head dimension and a number of keys, and on how many keys the weights lie.
"use strict";

movable("saturation_dot", (() => {
  const plot = { left: 98, right: 540, top: 34, bottom: 290 }, bar = { left: 124, width: 206, top: 366, step: 34 };
  const across = d => plot.left + (plot.right - plot.left) * Math.log2(d) / 9; // d from 1 to 512
  const down = n => plot.bottom - (plot.bottom - plot.top) * Math.log2(n) / 24; // n from 1 to 2²⁴
  const nearest = (values, place, wanted) => values.reduce((a, b) => Math.abs(place(b) - wanted) < Math.abs(place(a) - wanted) ? b : a);
  const grouped = n => n < 10000 ? `${n}` : n.toLocaleString("en").replaceAll(",", "\u202f");
  const positions = number => number < 10 ? shown(number, 1) : grouped(Math.round(number));
  const cell = (data, { d, n }) => data.rows.find(line => line.d === d && line.n === n);

  return {
    data(text) {
      const rows = parseFigureData(text);
      const border = rows.filter(line => line.n === 0).map(({ d, threshold }) => [d, Number(threshold.toPrecision(6))]);
      const cells = rows.filter(line => line.n > 0).map(({ d, n, ...results }) => // of 10 million keys, right to the last
        ({ d, n, ...Object.fromEntries(Object.entries(results).map(([key, value]) => [key, Number(value.toPrecision(9))])) }));
      return { rows: cells, border, ds: [...new Set(cells.map(line => line.d))], ns: [...new Set(cells.map(line => line.n))] };
    },
    rest: () => ({ d: 64, n: 1024 }),
    controls: data => [
      { key: "d", label: "head dimension <i>d</i>", values: data.ds, show: d => `${d}` },
      { key: "n", label: "keys <i>n</i>", values: data.ns, show: grouped },
    ],
    handle: (data, { d, n }) => [across(d), down(n)],
    point: (data, x, y) => ({ d: nearest(data.ds, across, x), n: nearest(data.ns, down, y) }),
    draw(data, state, { colour, svgText, quiet, heading }) {
      const line = cell(data, state), parts = [];
      const edge = data.border.map(([d, n]) => [across(d), Math.max(plot.top, down(n))]);
      const path = edge.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L ");
      parts.push(svgElement("path", { fill: colour("vermilion"), "fill-opacity": "0.12", d: `M ${plot.left} ${plot.bottom} L ${path} L ${plot.right} ${plot.top} L ${plot.right} ${plot.bottom} Z` }));
      parts.push(svgElement("path", { fill: "none", stroke: colour("ink"), "stroke-width": 2, d: `M ${path}` }));
      parts.push(heading(across(5), down(2 ** 19), "spread", { "text-anchor": "middle" }));
      parts.push(heading(across(128), down(2 ** 3), "condensed", { "text-anchor": "middle" }));
      for (const d of [1, 4, 16, 64, 256]) parts.push(quiet(across(d), plot.bottom + 22, d, { "text-anchor": "middle" }));
      for (const [power, name] of [[4, "16"], [10, "1024"], [16, grouped(2 ** 16)], [22, "4 million"]])
        parts.push(quiet(plot.left - 8, down(2 ** power) + 6, name, { "text-anchor": "end" }));
      parts.push(quiet((plot.left + plot.right) / 2, plot.bottom + 47, "head dimension d: the variance of a raw score", { "text-anchor": "middle" }));
      parts.push(quiet(8, 20, "keys n"));
      parts.push(svgElement("path", { fill: "none", stroke: colour("soft"), d: `M ${plot.left} ${plot.top} V ${plot.bottom} H ${plot.right}` }));
      parts.push(svgElement("line", { stroke: colour("soft"), "stroke-dasharray": "4 4", x1: across(1), x2: across(state.d), y1: down(state.n), y2: down(state.n) }));
      parts.push(svgElement("circle", { fill: colour("blue"), cx: across(1), cy: down(state.n), r: 6 }));
      parts.push(svgElement("circle", { fill: colour("vermilion"), cx: across(state.d), cy: down(state.n), r: 9 }));
      [["raw", "vermilion", line.positions], ["divided by √d", "blue", line.positions_divided]].forEach(([name, hue, value], i) => {
        const y = bar.top + i * bar.step, width = Math.max(2, bar.width * Math.log(value) / Math.log(state.n));
        parts.push(svgText(bar.left - 10, y + 17, name, { "text-anchor": "end" }));
        parts.push(box(bar.left, y, bar.width, 22, colour("rule")), box(bar.left, y, width, 22, colour(hue)));
        parts.push(svgText(bar.left + bar.width + 8, y + 17, `${positions(value)} of ${grouped(state.n)}`));
      });
      parts.push(quiet(8, bar.top + 2 * bar.step + 16, "keys that share the weight, on a logarithmic scale"));
      return { width: 560, height: bar.top + 2 * bar.step + 28, elements: parts };
    },
    says(data, state) {
      const { positions: raw, positions_divided: divided, same_key: same, same_key_divided: sameDivided } = cell(data, state);
      return `d = ${state.d}, n = ${grouped(state.n)}: the weight is as if shared by ${positions(raw)} keys raw and by ${positions(divided)} divided by √d; `
        + `two picks by the weights hit the same key with probability ${percent(same)} and ${percent(sameDivided)}.`;
    },
    seen(data, { d, n }) {
      const side = n > cell(data, { d, n }).threshold ? "spread" : "condensed";
      return `Head dimension from 1 to 512 against number of keys from 1 to 16 million, with the border between spread and condensed. The dot is at d = ${d} and n = ${grouped(n)}, in the region called ${side}. ${this.says(data, { d, n })}`;
    },
  };
})());
