// Five scores, of which one is moved: their weights, and beside them how fast each weight moves with it.
"use strict";

movable("jacobian_column", (() => {
  const row = 36, top = 70, moved = 2, bottom = top + 5 * row;
  const score = { right: 66 }, weight = { left: 84, full: 124 }, rate = { middle: 426, full: 64, most: 0.25 };

  const scoresAt = (data, state) => data.scores.map((own, i) => i === moved ? state.moved : own);
  const signed = number => Math.abs(number) < 0.0005 ? "≈ 0" : `${number > 0 ? "+" : ""}${shown(number, 3)}`;

  return {
    data(text) {
      const rows = parseFigureData(text), values = key => [...new Set(rows.map(line => line[key]))];
      return { divisors: values("divisor"), moves: values("moved"), scores: rows.slice(0, 5).map(line => line.score) };
    },
    rest: () => ({ moved: 8.8, divisor: 1 }),
    controls: data => [
      { key: "moved", label: "score of key 3", values: data.moves, show: move => shown(move, 1) },
      { key: "divisor", label: "divide all scores by", values: data.divisors, show: divisor => `${divisor}` },
    ],
    weights: (data, state) => softmaxWeights(scoresAt(data, state), state.divisor),
    /** ∂pᵢ/∂xⱼ = pᵢ(δᵢⱼ − pⱼ) for the score that is moved; 1 − p as the sum of the others, which loses nothing. */
    rates(data, state) {
      const weights = this.weights(data, state), others = weights.reduce((sum, own, i) => i === moved ? sum : sum + own, 0);
      return weights.map((own, i) => i === moved ? own * others : -own * weights[moved]);
    },
    draw(data, state, { colour, svgText, quiet, heading }) {
      const scores = scoresAt(data, state), weights = this.weights(data, state), rates = this.rates(data, state), parts = [];
      parts.push(heading(score.right, 20, "score", { "text-anchor": "end" }), heading(weight.left, 20, "weight p"), heading(rate.middle - 128, 20, "its derivative"));
      parts.push(quiet(weight.left, 45, state.divisor === 1 ? "raw" : `divided by ${state.divisor}`), quiet(rate.middle - 128, 45, "by the score of key 3"));
      parts.push(box(0, top + moved * row - 4, 560, row - 4, colour("rule")));
      parts.push(svgElement("line", { stroke: colour("soft"), x1: rate.middle, x2: rate.middle, y1: top - 6, y2: bottom - 4 }));
      scores.forEach((own, i) => {
        const y = top + i * row, full = weight.full * weights[i], length = Math.abs(rates[i]) / rate.most * rate.full, up = rates[i] > 0;
        parts.push((i === moved ? heading : svgText)(score.right, y + 19, shown(own, 1), { "text-anchor": "end" }));
        parts.push(box(weight.left, y + 4, Math.max(0.6, full), 20, colour(state.divisor === 1 ? "vermilion" : "blue")));
        parts.push(svgText(weight.left + full + 6, y + 19, percent(weights[i])));
        parts.push(box(up ? rate.middle : rate.middle - length, y + 4, length, 20, colour(up ? "green" : "mauve")));
        parts.push(svgText(up ? rate.middle + length + 6 : rate.middle - length - 6, y + 19, signed(rates[i]), up ? {} : { "text-anchor": "end" }));
      });
      parts.push(quiet(rate.middle - 6, bottom + 16, "falls", { "text-anchor": "end" }), quiet(rate.middle + 6, bottom + 16, "rises"));
      return { width: 560, height: bottom + 26, elements: parts };
    },
    says(data, state) {
      const rate = this.rates(data, state)[moved];
      return `With the score ${shown(state.moved, 1)}${state.divisor === 1 ? "" : `, all divided by ${state.divisor},`} key 3 has ${percent(this.weights(data, state)[moved])} of the weight, and its derivative p(1 − p) is ${rate < 0.0005 ? "less than 0.001" : shown(rate, 3)}, of at most 0.250.`;
    },
    seen(data, state) {
      return `Five keys in rows. Scores: ${scoresAt(data, state).map(own => shown(own, 1)).join(", ")}, ${state.divisor === 1 ? "raw" : `divided by ${state.divisor}`}. Weights: ${this.weights(data, state).map(percent).join(", ")}. `
        + `Derivatives by the score of key 3: ${this.rates(data, state).map(signed).join(", ")}. ${this.says(data, state)}`;
    },
  };
})());
