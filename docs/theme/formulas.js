// How MathJax 3 typesets the book. Doxygen's own $mathjax is not used: it would fetch a script from the network.
window.MathJax = {
  options: { ignoreHtmlClass: "fragment|line" },
  svg: { mtextInheritFont: true },
  tex: {
    macros: {
      E: "\\operatorname{\\mathbb{E}}",
      Var: "\\operatorname{Var}",
      Cov: "\\operatorname{Cov}",
      Corr: "\\operatorname{Corr}",
      Prob: "\\operatorname{\\mathbb{P}}",
      R: "\\mathbb{R}",
      Q: "\\mathbb{Q}",
      N: "\\mathbb{N}",
      Z: "\\mathbb{Z}",
      softmax: "\\operatorname{softmax}",
      LSE: "\\operatorname{LSE}",
      diag: "\\operatorname{diag}",
      tr: "\\operatorname{tr}",
      abs: ["\\left\\lvert #1 \\right\\rvert", 1],
      norm: ["\\left\\lVert #1 \\right\\rVert", 1],
      inner: ["\\langle #1, #2 \\rangle", 2],
      one: "\\mathbf{1}",
      indep: "\\perp\\!\\!\\!\\perp",
      eps: "\\varepsilon",
      dk: "d_k",
    },
  },
};
