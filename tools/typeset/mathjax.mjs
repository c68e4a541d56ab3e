// MathJax, as far as it is needed: TeX to a tree of MathML, that tree to boxes and SVG elements. Nothing is looked up in the
// network, no command is defined on the way, and an error in the TeX is an error here, not a red word on the page.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const EM = 1000;

export async function loadMathJax(folder, font) {
  globalThis.MathJax = {
    loader: { paths: { mathjax: join(folder, "es5") }, require, load: ["input/tex-base", "[tex]/ams", "output/svg", "adaptors/liteDOM"] },
    tex: { packages: ["base", "ams"], formatError: (jax, error) => { throw new Error(error.message); } },
    svg: { fontCache: "global", mtextInheritFont: true },
    startup: { typeset: false },
  };
  require(join(folder, "es5", "startup.js"));
  await globalThis.MathJax.startup.promise;
  return new Engine(globalThis.MathJax, font);
}

class Engine {
  constructor(MathJax, font) {
    this.document = MathJax.startup.document;
    this.adaptor = MathJax.startup.adaptor;
    this.toMathML = MathJax.startup.toMML;
    this.svg = this.document.outputJax;
    this.font = font;
    // Words inside formulas are set in the book's typeface, whose widths MathJax could only measure in a browser.
    this.svg.measureText = text => ({ w: this.textWidth(text), h: 0.75, d: 0.2 });
    const createRoot = this.svg.createRoot;
    this.svg.createRoot = wrapper => {
      this.wrapper = wrapper;
      return createRoot.call(this.svg, wrapper);
    };
  }

  // Units of MathJax: its x-height is that of the surrounding text.
  textWidth(text) { return this.font.widthOf(text) * this.xHeight / this.font.xHeight; }
  get xHeight() { return this.svg.font.params.x_height; }

  // The boxes of a formula, left to right, and its MathML; throws what MathJax finds wrong with the TeX.
  typeset(tex, display) {
    const math = new this.document.options.MathItem(tex, this.document.inputJax[0], display);
    math.setMetrics(EM, EM * this.font.xHeight, 80 * EM, 1e6 * EM, 1);
    math.outputData = { mtextFamily: "inherit" }; // words in the typeface of the text around the formula
    math.compile(this.document);
    const mathml = this.toMathML(math.root);
    const container = this.svg.html("mjx-container");
    this.svg.toDOM(math, container, this.document);
    return { boxes: this.boxesOf(this.wrapper), mathml };
  }

  // The children of the outermost row with their places. Where one begins and ends includes the space that TeX puts
  // around it, so that they may be drawn one by one and still stand as in the whole.
  boxesOf(math) {
    let row = math.childNodes[0];
    if (!row.node.isInferred) row = { childNodes: [row] };
    let x = 0;
    return row.childNodes.map(child => {
      const { h, d, w, L = 0, R = 0, rscale = 1 } = child.getOuterBBox();
      const left = x + L * rscale, right = left + w * rscale;
      x = right + R * rscale;
      return { node: child.node, element: child.element, left, right, height: h * rscale, depth: d * rscale };
    });
  }

  // The look of each glyph that was used so far: its name to the data of its path, in MathJax's coordinates.
  glyphs() {
    return new Map(this.adaptor.childNodes(this.svg.fontCache.getCache()).map(path =>
      [this.adaptor.getAttribute(path, "id"), this.adaptor.getAttribute(path, "d")]));
  }
}
