// print.mjs BOOK OUT.pdf: the book on paper, as one would give it to a class. One document of all pages that are read in
// order, with links between them, an outline, numbers of pages in its contents, the chapter's name at the head of a page,
// and the solutions of the exercises at the end. It is printed twice: the first time tells on which page a part begins.
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";
import { compose } from "./compose.mjs";
import { pagesOfDestinations } from "./destinations.mjs";

const [book, out] = process.argv.slice(2);
if (!book || !out) {
  console.error("print: say which book and where to: print.mjs BOOK OUT.pdf");
  process.exit(2);
}
if (!existsSync(join(book, "index.html"))) {
  console.error(`print: ${book} has no index.html; run ./tools/verify first`);
  process.exit(2);
}

const read = name => readFileSync(join(book, `${name}.html`), "utf8");
// Beside OUT, so that the finished PDF is renamed; with links to the book's style sheets and figures, which print.html names.
const room = mkdtempSync(join(dirname(resolve(out)), "sqrtdk-print-"));
process.on("exit", () => rmSync(room, { recursive: true, force: true }));
for (const name of readdirSync(book)) symlinkSync(resolve(book, name), join(room, name));
const whole = join(room, "print.html"), pdf = join(room, "print.pdf");
const browser = await launch();
try {
  const tab = await browser.newPage();
  await tab.goto("about:blank");
  writeFileSync(whole, await compose(tab, read));
  await tab.goto(pathToFileURL(whole).href, { waitUntil: "load" });
  await tab.evaluate(() => document.fonts.ready);
  const print = finished => tab.pdf({ preferCSSPageSize: true, printBackground: finished, outline: finished, tagged: finished, timeout: 300000 });
  const places = pagesOfDestinations(await print(false));
  await tab.evaluate(numbers => {
    for (const entry of document.querySelectorAll(".print-contents a")) entry.dataset.page = numbers[entry.getAttribute("href").slice(1)] ?? "";
  }, Object.fromEntries(places));
  writeFileSync(pdf, await print(true));
  renameSync(pdf, out);
  console.log(`${out}: ${places.get("print-end") ?? "?"} pages`);
} finally {
  await browser.close();
}
