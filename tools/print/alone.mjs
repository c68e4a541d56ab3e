// alone.mjs PAGE.html OUT.pdf: a page that stands alone, the slides or the handout, as it would print from a browser. Links to pages
// of a book that is not on the web are left out: they would lead to files of this machine.
import { renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";

const [page, out] = process.argv.slice(2);
if (!page || !out) {
  console.error("alone: say which page and where to: alone.mjs PAGE.html OUT.pdf");
  process.exit(2);
}
const browser = await launch(), unfinished = `${out}.${process.pid}`;
try {
  const tab = await browser.newPage({ colorScheme: "light" });
  await tab.goto(pathToFileURL(resolve(page)).href, { waitUntil: "load" });
  await tab.evaluate(() => {
    for (const link of document.querySelectorAll("a[href]")) if (link.protocol === "file:" && link.pathname !== location.pathname) link.removeAttribute("href");
    return document.fonts.ready;
  });
  await tab.pdf({ path: unfinished, preferCSSPageSize: true, printBackground: true, outline: true, tagged: true });
  renameSync(unfinished, out);
  console.log(out);
} finally {
  rmSync(unfinished, { force: true });
  await browser.close();
}
