// One query and eight keys: scores, and weights raw and divided, as the head dimension grows.
"use strict";

movable("one_query", (() => {
  const left = 52, row = 27, top = 62, keys = 8, bottom = top + keys * row;
  const columns = { score: [left, 190], raw: [262, 132], divided: [414, 132] }; // where each begins, how wide it is
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
    draw(data, state) {
      const scores = scoresAt(data, state.d), { raw, divided } = this.weights(data, state), root = Math.sqrt(state.d);
      const middle = columns.score[0] + columns.score[1] / 2, scale = columns.score[1] / 2 / most, parts = [];
      const head = (x, first, second) => parts.push(svgText(x, 20, first, { class: "head" }), svgText(x, 40, second, { class: "quiet" }));
      head(columns.score[0], "score q·k", `typical size √d = ${shown(root, root < 10 ? 1 : 0)}`);
      head(columns.raw[0], "softmax of q·k", "raw");
      head(columns.divided[0], "softmax of q·k/√d", "divided");
      parts.push(svgElement("rect", { class: "band", x: middle - root * scale, y: top - 6, width: 2 * root * scale, height: keys * row + 4 }));
      parts.push(svgElement("line", { class: "axis", x1: middle, x2: middle, y1: top - 6, y2: bottom - 2 }));
      scores.forEach((score, j) => {
        const y = top + j * row, length = Math.abs(score) * scale;
        parts.push(svgText(left - 10, y + 14, `key ${j + 1}`, { class: "quiet", "text-anchor": "end" }));
        parts.push(svgElement("rect", { class: "c1", x: score < 0 ? middle - length : middle, y: y + 1, width: length, height: 17 }));
        for (const [name, weights, colour] of [["raw", raw, "c2"], ["divided", divided, "c1"]]) {
          const [x, width] = columns[name];
          parts.push(svgElement("rect", { class: colour, x, y: y + 1, width: Math.max(0.6, weights[j] * (width - 62)), height: 17 }));
          parts.push(svgText(x + weights[j] * (width - 62) + 6, y + 14, percent(weights[j])));
        }
      });
      parts.push(svgText(middle, bottom + 16, "0", { class: "quiet", "text-anchor": "middle" }));
      for (const score of [-50, 50]) parts.push(svgText(middle + score * scale, bottom + 16, shown(score), { class: "quiet", "text-anchor": "middle" }));
      return { width: 560, height: bottom + 26, content: parts.join("\n") };
    },
    says(data, state) {
      const { raw, divided } = this.weights(data, state);
      return `At d = ${state.d} the heaviest key gets ${percent(Math.max(...raw))} of the weight raw and ${percent(Math.max(...divided))} divided by √d.`;
    },
  };
})());
