// The distribution of a score in bins, raw and divided by the root, at a head dimension to choose.
"use strict";

movable("score_spread", (() => {
  const top = 74, height = 200, bottom = top + height, bins = 33;
  const panels = [
    { name: "share", title: "score q·k", left: 8, width: 258, reach: 66, ticks: [-64, -32, 0, 32, 64], most: 0.95, hue: "vermilion" },
    { name: "share_divided", title: "divided by √d", left: 294, width: 258, reach: 4.125, ticks: [-4, -2, 0, 2, 4], most: 0.3, hue: "blue" },
  ];
  const at = (data, d) => data.find(line => line.d === d);

  return {
    data(text) {
      const rows = parseFigureData(text);
      return [...new Set(rows.map(line => line.d))].map(d => {
        const own = rows.filter(line => line.d === d), shares = key => own.map(line => Number(line[key].toPrecision(6)));
        return { d, deviation: own[0].deviation, within: own[0].within_deviation, share: shares("share"), share_divided: shares("share_divided") };
      });
    },
    rest: () => ({ d: 16 }),
    controls: data => [{ key: "d", label: "head dimension <i>d</i>", values: data.map(line => line.d), show: d => `${d}` }],
    draw(data, { d }, { colour, svgText, quiet, heading }) {
      const line = at(data, d), parts = [];
      for (const { name, title, left, width, reach, ticks, most, hue } of panels) {
        const across = x => left + width * (x + reach) / (2 * reach), wide = width / bins, middle = across(0);
        const deviation = name === "share" ? line.deviation : 1;
        parts.push(heading(left, 20, title));
        parts.push(quiet(left, 45, name === "share" ? `deviation √d = ${shown(deviation, 1)}` : "deviation 1"));
        parts.push(box(across(-deviation), top - 12, across(deviation) - across(-deviation), height + 12, colour("rule")));
        line[name].forEach((share, i) => {
          const high = height * share / most;
          if (high > 0.05) parts.push(box(left + i * wide + 0.5, bottom - high, wide - 1, high, colour(hue)));
        });
        parts.push(svgElement("path", { stroke: colour("ink"), "stroke-width": 2, fill: "none", d: `M ${across(-deviation).toFixed(1)} ${top - 12} H ${across(deviation).toFixed(1)}` }));
        parts.push(svgElement("line", { stroke: colour("soft"), x1: left, x2: left + width, y1: bottom, y2: bottom }));
        for (const tick of ticks) {
          parts.push(svgElement("line", { stroke: colour("soft"), x1: across(tick), x2: across(tick), y1: bottom, y2: bottom + 5 }));
          parts.push(quiet(tick === ticks[0] ? middle - width / 2 : tick === ticks.at(-1) ? middle + width / 2 : across(tick), bottom + 24, shown(tick), { "text-anchor": tick === ticks[0] ? "start" : tick === ticks.at(-1) ? "end" : "middle" }));
        }
      }
      return { width: 560, height: bottom + 34, elements: parts };
    },
    says(data, { d }) {
      const { deviation, within } = at(data, d);
      return `d = ${d}: the standard deviation of a score is ${shown(deviation, 1)}, and 1 once it is divided by √d. ${percent(within)} of all scores lie within one deviation of 0.`;
    },
    seen(data, state) {
      const line = at(data, state.d), peak = name => percent(Math.max(...line[name]));
      return `Two histograms at d = ${state.d}. Left, scores from −64 to 64 in bins 4 wide: the middle bin has ${peak("share")} of them, and a band from −${shown(line.deviation, 1)} to ${shown(line.deviation, 1)} marks one deviation. `
        + `Right, the same scores divided by √d, from −4 to 4 in bins a quarter wide: the middle bin has ${peak("share_divided")}, and the band reaches from −1 to 1. ${this.says(data, state)}`;
    },
  };
})());
