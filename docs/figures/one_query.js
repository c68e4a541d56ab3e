// One query and eight keys: scores, and weights raw and divided, as the head dimension grows.
"use strict";

movable("one_query", (() => {
  const left = 54, row = 27, top = 62, keys = 8, bottom = top + keys * row;
  const columns = { score: [left, 190], raw: [264, 136], divided: [416, 136] }; // where each begins, how wide it is
  const most = 72; // the largest score, of either sign, that has room

  const scoresAt = (data, d) => data.rows.filter(line => line.d === d).map(line => line.score);

  return {
    data: text => ({ rows: parseFigureData(text).map(({ d, key, score }) => ({ d, key, score })) }),
    rest: () => ({ d: 512 }),
    controls: data => [{ key: "d", label: "head dimension <i>d</i>", values: [...new Set(data.rows.map(line => line.d))], show: d => `${d}` }],
    weights: (data, { d }) => {
      const scores = scoresAt(data, d);
      return { raw: softmaxWeights(scores, 1), divided: softmaxWeights(scores, Math.sqrt(d)) };
    },
    draw(data, state, { colour, svgText, quiet, heading }) {
      const scores = scoresAt(data, state.d), { raw, divided } = this.weights(data, state), root = Math.sqrt(state.d);
      const middle = columns.score[0] + columns.score[1] / 2, scale = columns.score[1] / 2 / most, parts = [];
      const head = (x, first, second) => parts.push(heading(x, 18, first), quiet(x, 40, second));
      head(columns.score[0], "score q·k", `typical size √d = ${shown(root, root < 10 ? 1 : 0)}`);
      head(columns.raw[0], "softmax(q·k)", "raw");
      head(columns.divided[0], "softmax(q·k/√d)", "divided");
      parts.push(box(middle - root * scale, top - 6, 2 * root * scale, keys * row + 4, colour("rule")));
      parts.push(svgElement("line", { stroke: colour("soft"), x1: middle, x2: middle, y1: top - 6, y2: bottom - 2 }));
      scores.forEach((score, j) => {
        const y = top + j * row, length = Math.abs(score) * scale;
        parts.push(quiet(left - 8, y + 15, `key ${j + 1}`, { "text-anchor": "end" }));
        parts.push(box(score < 0 ? middle - length : middle, y + 1, length, 17, colour("ink")));
        for (const [name, weights] of [["raw", raw], ["divided", divided]]) {
          const [x, width] = columns[name], full = (width - 66) * weights[j];
          parts.push(box(x, y + 1, Math.max(0.6, full), 17, colour(name === "raw" ? "vermilion" : "blue")));
          parts.push(svgText(x + full + 6, y + 15, percent(weights[j])));
        }
      });
      for (const score of [-50, 0, 50]) parts.push(quiet(middle + score * scale, bottom + 16, shown(score), { "text-anchor": "middle" }));
      return { width: 560, height: bottom + 26, elements: parts };
    },
    says(data, state) {
      const { raw, divided } = this.weights(data, state);
      return `At d = ${state.d} the heaviest key gets ${percent(Math.max(...raw))} of the weight raw and ${percent(Math.max(...divided))} divided by √d.`;
    },
  };
})());
