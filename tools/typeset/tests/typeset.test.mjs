// node --test tools/typeset/tests, with MATHJAX naming the folder that has es5/.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { Font } from "../font.mjs";
import { Formulas } from "../formula.mjs";
import { replaceFormulas } from "../html.mjs";
import { loadMathJax } from "../mathjax.mjs";
import { partsOf, widthOf } from "../pieces.mjs";
import { PHONE, SMALLEST, roomInside } from "../widths.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const fontFile = join(root, "docs/theme/fonts/source-serif-4-latin-400-normal.woff2");
const font = new Font(fontFile);
const engine = await loadMathJax(process.env.MATHJAX, font);
const formulas = new Formulas(engine);
const set = (tex, display = false, elements = ["p"]) => formulas.formula(tex, display, elements);

const found = html => {
  const seen = [], wrong = [];
  const result = replaceFormulas(html, (tex, display, elements) => (seen.push([tex, display, elements.join(" ")]), "F"), (message, line) => wrong.push(`${line}: ${message}`));
  return { result, seen, wrong };
};

test("formulas in text are found, and all else keeps its bytes", () => {
  const { result, seen, wrong } = found("<p CLASS='a'>x \\( a &lt; b \\)<br>\n<td>\\[ c \\]</td> \\begin{align*} d &amp;= e \\end{align*}\n<p>&quot;");
  assert.equal(result, "<p CLASS='a'>x F<br>\n<td>F</td> F\n<p>&quot;");
  assert.deepEqual(seen, [["a < b", false, "p"], ["c", true, "p td"], ["\\begin{align*} d &= e \\end{align*}", true, "p"]]);
  assert.deepEqual(wrong, []);
});

test("punctuation stays beside a formula of the text", () => {
  assert.equal(found("<p>a (\\(b\\), \\(c\\) d \\(e\\)&quot;. \\(f\\)-g \\[h\\].").result,
    "<p>a <span class=\"together\">(F,</span> F d <span class=\"together\">F&quot;.</span> F-g F.");
});

test("code, scripts, titles, comments, attributes and drawings are left alone", () => {
  for (const html of ["<code>\\(x\\)</code>", "<pre>\\(</pre>", "<div class=\"fragment\"><div class=\"line\">\\[x</div></div>", "<script>if (a<b) \"<p>\\(x\\)\"</script>",
    "<title>\\(x\\)</title>", "<!-- \\(x\\) -->", "<a title=\"\\(x\\) > y\">z</a>", "<svg><text>\\(x\\)</text></svg>", "<style>\\(x\\)</style>"]) {
    assert.deepEqual(found(html), { result: html, seen: [], wrong: [] });
  }
});

test("delimiters without a partner are told, with their line", () => {
  assert.deepEqual(found("<p>a\n\\( b</p>").wrong, ["2: “\\(” has no partner"]);
  assert.deepEqual(found("<p>\\(a\\) \\]</p>").wrong, ["1: “\\]” has no partner"]);
  assert.deepEqual(found("<p>\\(a <b>b</b> c\\)</p>").wrong, ["1: “\\(” has no partner", "1: “\\)” has no partner"]);
});

test("a formula is drawn, spoken and can be copied", () => {
  const { html, glyphs } = set("d_k < 2");
  assert.match(html, /^<span class="formula" data-tex="d_k &lt; 2"><span class="drawn" aria-hidden="true"><svg [^]*<\/svg><\/span><span class="spoken"><math>/);
  assert.match(html, /<msub><mi>d<\/mi><mi>k<\/mi><\/msub><mo>&lt;<\/mo><mn>2<\/mn><\/math><\/span><\/span>$/);
  for (const [, name] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(glyphs.has(name), name);
  assert.equal(glyphs.size, 4);
  assert.match(set("x", true).html, /^<span class="formula display"/);
});

test("wrong TeX is an error and not a red word", () => {
  assert.throws(() => set("\\foo"), /Undefined control sequence \\foo/);
  assert.throws(() => set("\\frac{a}"), /Missing argument/);
  assert.throws(() => set("\\left( x"), /Missing \\right|Extra/);
});

const em = engine.xHeight / font.xHeight;
const shape = part => part.parts.length ? part.parts.map(shape) : part.boxes.map(({ node }) => node.isToken ? node.getText() : node.kind).join("");
const broken = (tex, room) => shape(partsOf(engine.typeset(tex, true).boxes, room * em, em));

test("what fits is not broken", () => assert.equal(broken("a=b+c", 10), "a=b+c"));
test("wide spaces are the best places to break, then relations, then signs", () => {
  assert.deepEqual(broken("a=b,\\qquad c=d", 4), ["a=b,", "c=d"]);
  assert.deepEqual(broken("a=b+c\\le d", 5.2), ["a", "=b+c", "≤d"]);
  assert.deepEqual(broken("a=b+c+d-e", 3), ["a", ["=b", "+c", "+d", "−e"]]);
  assert.deepEqual(broken("a=b+c,\\quad d", 3), [["a", ["=b", "+c,"]], "d"]);
});
test("nothing is broken inside brackets, after a sign of its own, or in a factorial", () => {
  assert.deepEqual(broken("f(a=b)=-c", 1), ["f(a=b)", "=−c"]);
  assert.deepEqual(broken("\\bigl(a=b\\bigr)^2=c", 1), ["TeXAtoma=bmsup", "=c"]);
  assert.equal(broken("\\left(a=b\\right)", 1), "mrow");
  assert.equal(broken("(a=b", 1), "(a=b");
  assert.deepEqual(broken("n!=m!", 1), ["n!", "=m!"]);
  assert.deepEqual(broken("P(a \\mid b)=c", 1), ["P(a∣b)", "=c"]);
});

test("pieces and gaps make up the whole", () => {
  const { boxes } = engine.typeset("a+b=c\\quad d", true), whole = partsOf(boxes, 0.1, em);
  const ends = part => part.parts.length ? part.parts.flatMap(ends) : [[part.boxes[0].left, part.boxes.at(-1).right]];
  const leaves = ends(whole), gaps = leaves.slice(1).map(([left], i) => left - leaves[i][1]);
  assert.ok(gaps.every(gap => gap > 0));
  const sum = leaves.reduce((total, [left, right]) => total + right - left, 0) + gaps.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum - widthOf({ boxes })) < 1e-9);
});

test("words in formulas are as wide as in the book's typeface", () => {
  assert.ok(Math.abs(widthOf({ boxes: engine.typeset("\\text{that is, by step 1,}", false).boxes }) / em - font.widthOf("that is, by step 1,")) < 1e-9);
  assert.equal(font.xHeight, 0.475);
});

test("lists and quotations leave less room, tables scroll", () => {
  assert.equal(roomInside(["body", "p"]), 288);
  assert.ok(roomInside(["ul", "li", "p"]) < 288);
  assert.ok(roomInside(["ul", "li", "ul", "li"]) < roomInside(["ul", "li"]));
  assert.equal(roomInside(["table", "td"]), Infinity);
});

test("the lengths of the phone are those of the style sheets", () => {
  const theme = join(root, "docs/theme"), css = readdirSync(theme).filter(name => name.endsWith(".css")).sort()
    .map(name => readFileSync(join(theme, name), "utf8")).join("\n");
  const phone = css.slice(css.indexOf("@media screen and (max-width: 767px)"));
  assert.ok(phone.includes(`--page-font-size: ${PHONE.font}px`));
  assert.match(phone, new RegExp(`div\\.contents \\{ padding-left: ${PHONE.margin}px; padding-right: ${PHONE.margin}px`));
  assert.ok(css.includes(`--formula-hang: ${PHONE.hang}em`));
  assert.match(css, new RegExp(`\\.textblock ul, \\.textblock ol \\{ padding-left: ${PHONE.list}em`));
  assert.match(css, new RegExp(`blockquote \\{[^}]*border-left: ${PHONE.quoteLine}px[^}]*padding: 0 0 0 ${PHONE.quote}em`));
});

test("what cannot be broken is shrunk, to a limit that is told", () => {
  const wide = set(`\\sqrt{${"abcdefgh".repeat(5)}}`, true);
  assert.match(wide.html, /class="shrinks" style="[^"]*min-width:/);
  assert.ok(wide.least > 0 && wide.least / SMALLEST > wide.room);
  assert.ok(!set("x", true).html.includes("shrinks"));
});

// ---- the program

const book = pages => {
  const folder = mkdtempSync(join(tmpdir(), "typeset-"));
  for (const [name, body] of Object.entries(pages)) writeFileSync(join(folder, name), `<html><head></head>\n<body>\n${body}\n</body></html>\n`);
  return folder;
};
const program = [join(root, "tools/typeset/typeset.mjs")];
const run = folder => spawnSync(process.execPath, [...program, folder, process.env.MATHJAX, fontFile], { encoding: "utf8" });
const read = folder => Object.fromEntries(readdirSync(folder).sort().map(name => [name, readFileSync(join(folder, name), "utf8")]));

test("a book is set with each glyph once a page, and twice the same", () => {
  const pages = { "a.html": "<p>\\(x\\) and \\(x + d_k\\)</p>", "b.html": "<p>none</p>", "c.html": "<p>\\[ x \\]</p>" };
  const [first, second] = [book(pages), book(pages)];
  for (const folder of [first, second]) assert.equal(run(folder).status, 0);
  const set = read(first);
  assert.deepEqual(set, read(second));
  assert.deepEqual(Object.keys(set), ["a.html", "b.html", "c.html"]);
  assert.equal(set["b.html"], read(book(pages))["b.html"]);
  assert.equal(set["a.html"].match(/<path id="gI1D465"/g).length, 1);
  assert.ok(!set["c.html"].includes("gI1D451"));
  assert.ok(set["a.html"].startsWith("<html><head></head>\n<body>\n<svg id=\"glyphs\""));
});

test("a fault names page, line and formula, and all are told", () => {
  const done = run(book({ "a.html": "<p>\\(\\foo\\)</p>\n<p>\\(a", "b.html": `<p>\\[\\sqrt{${"abcdefgh".repeat(9)}}\\]</p>` }));
  assert.equal(done.status, 1);
  assert.match(done.stderr, /a\.html:3: Undefined control sequence \\foo: \\foo/);
  assert.match(done.stderr, /a\.html:4: “\\\(” has no partner/);
  assert.match(done.stderr, /b\.html:3: needs \d+ px where a phone has 288 px/);
});
