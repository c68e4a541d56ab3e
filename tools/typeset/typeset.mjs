// node tools/typeset/typeset.mjs BOOK MATHJAX FONT: typesets the formulas that Doxygen left in the pages of the folder BOOK.
// MATHJAX is the folder that has es5/, FONT the typeface of its text.
// Exit status: 0, or 1 if a formula is wrong or does not fit a phone.
import { readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { glyphName, glyphPath } from "./drawing.mjs";
import { Font } from "./font.mjs";
import { Formulas } from "./formula.mjs";
import { replaceFormulas } from "./html.mjs";
import { loadMathJax } from "./mathjax.mjs";
import { PHONE } from "./widths.mjs";

const BODY = /<body\b[^>]*>/;

// The page with its formulas set, or unchanged if it has none; what is wrong is added to `problems`.
export function typesetPage(name, html, formulas, problems) {
  const glyphs = new Set();
  const result = replaceFormulas(html, (tex, display, elements, line) => {
    try {
      const formula = formulas.formula(tex, display, elements);
      if (formula.least > formula.room)
        problems.push(`${name}:${line}: needs ${Math.ceil(formula.least)} px where a phone has ${Math.floor(formula.room)} px: ${tex}\n`
          + "  break it in the source, with aligned or in two formulas");
      for (const glyph of formula.glyphs) glyphs.add(glyph);
      return formula.html;
    } catch (error) {
      problems.push(`${name}:${line}: ${error.message}: ${tex}`);
      return "";
    }
  }, (message, line) => problems.push(`${name}:${line}: ${message}`));
  if (!glyphs.size) return result;
  if (!BODY.test(html)) throw new Error(`${name} has formulas but no <body>`);
  const paths = new Map([...formulas.engine.glyphs()].map(([id, data]) => [glyphName(id), data]));
  const defined = [...glyphs].sort().map(glyph => glyphPath(glyph, paths.get(glyph))).join("");
  return result.replace(BODY, body => `${body}\n<svg id="glyphs" width="0" height="0" aria-hidden="true"><defs>${defined}</defs></svg>`);
}

async function main([book, mathjax, fontFile]) {
  const font = new Font(fontFile);
  const formulas = new Formulas(await loadMathJax(mathjax, font));
  const problems = [];
  const written = [];
  for (const name of readdirSync(book).filter(file => file.endsWith(".html")).sort()) {
    const path = join(book, name), html = readFileSync(path, "utf8"), result = typesetPage(name, html, formulas, problems);
    if (result !== html) written.push([path, result]);
  }
  for (const [path, html] of written) {
    writeFileSync(`${path}.new`, html);
    renameSync(`${path}.new`, path);
  }
  if (problems.length) {
    console.error([...new Set(problems)].join("\n"));
    return 1;
  }
  console.log(`typeset ${formulas.memory.size} formulas on ${written.length} pages; none is cut on a screen of ${PHONE.page} px`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
