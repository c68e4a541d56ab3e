// One query and eight keys: scores, and weights raw and divided, as the head dimension grows; the means of many draws behind.
"use strict";

movable("one_query", (() => {
  const row = 30, top = 64, keys = 8, bottom = top + keys * row, full = 86; // how long a weight of 1 is
  const columns = { score: 8, raw: 226, divided: 398 }; // where each begins
  const middle = 116, scale = 60 / 72; // of the scores: where 0 is, and how long a score of 1

  const weightsOf = (scores, d) => ({ raw: softmaxWeights(scores, 1), divided: softmaxWeights(scores, Math.sqrt(d)) });
  const thousands = number => number.toLocaleString("en");

  return {
    data(text) {
      const rows = parseFigureData(text), ds = [...new Set(rows.map(line => line.d))];
      const draws = [...new Set(rows.map(line => line.draw))].filter(draw => draw > 0);
      const column = (draw, key) => ds.map(d => rows.filter(line => line.draw === draw && line.d === d).map(line => line[key]));
      return { ds, of: rows.find(line => line.draw === 0).of, scores: draws.map(draw => column(draw, "score")), means: { raw: column(0, "weight"), divided: column(0, "weight_divided") } };
    },
    rest: () => ({ d: 64, draw: 23 }),
    controls: data => [{ key: "d", label: "head dimension <i>d</i>", values: data.ds, show: d => `${d}` }],
    actions: [{ label: "draw again", act: (data, { draw }) => ({ draw: draw % data.scores.length + 1 }) }],
    scores: (data, { d, draw }) => data.scores[draw - 1][data.ds.indexOf(d)],
    weights(data, state) { return weightsOf(this.scores(data, state), state.d); },
    means: (data, { d }) => ({ raw: data.means.raw[data.ds.indexOf(d)], divided: data.means.divided[data.ds.indexOf(d)] }),
    draw(data, state, { colour, svgText, quiet, heading }) {
      const scores = this.scores(data, state), weights = this.weights(data, state), means = this.means(data, state), root = Math.sqrt(state.d);
      const parts = [];
      const head = (x, first, second) => parts.push(heading(x, 20, first), quiet(x, 45, second));
      head(columns.score, "score q·k", `grey: ±√d = ${shown(root, root < 10 ? 1 : 0)}`);
      head(columns.raw, "weight, raw", "softmax(q·k)");
      head(columns.divided, "divided by √d", "softmax(q·k/√d)");
      parts.push(box(middle - root * scale, top - 4, 2 * root * scale, keys * row, colour("rule")));
      parts.push(svgElement("line", { stroke: colour("soft"), x1: middle, x2: middle, y1: top - 4, y2: bottom - 4 }));
      scores.forEach((score, j) => {
        const y = top + j * row, length = Math.abs(score) * scale;
        parts.push(box(score < 0 ? middle - length : middle, y + 3, length, 16, colour("ink")));
        parts.push(svgText(middle + (score < 0 ? -6 - length : 6 + length), y + 17, shown(score, 1), score < 0 ? { "text-anchor": "end" } : {}));
        for (const [name, hue] of [["raw", "vermilion"], ["divided", "blue"]]) {
          const x = columns[name], weight = weights[name][j], mean = means[name][j];
          parts.push(box(x, y - 2, full * mean, 26, colour("soft"), { "fill-opacity": 0.35 }), box(x, y + 5, Math.max(0.6, full * weight), 12, colour(hue)));
          parts.push(svgText(x + full * Math.max(weight, mean) + 6, y + 17, percent(weight)));
        }
      });
      parts.push(quiet(columns.raw, bottom + 19, `grey: the mean of ${thousands(data.of)} draws`));
      return { width: 560, height: bottom + 30, elements: parts };
    },
    says(data, state) {
      const { raw, divided } = this.weights(data, state), means = this.means(data, state);
      return `At d = ${state.d}, in draw ${state.draw}, the heaviest key gets ${percent(raw[0])} of the weight raw and ${percent(divided[0])} divided by √d; in the mean of ${thousands(data.of)} draws, ${percent(means.raw[0])} and ${percent(means.divided[0])}.`;
    },
    seen(data, state) {
      const listed = numbers => numbers.map(percent).join(", "), { raw, divided } = this.weights(data, state);
      return `Eight keys in rows, that of the highest score first, at d = ${state.d}. Their scores: ${this.scores(data, state).map(score => shown(score, 1)).join(", ")}. `
        + `Their weights raw: ${listed(raw)}. Their weights divided by √d: ${listed(divided)}. ${this.says(data, state)}`;
    },
  };
})());
