// The rendered book in a browser: which pages it has, and a page opened as a reader would, with what went wrong noted.
//   SQRTDK_BOOK              the folder of the book
//   SQRTDK_BROWSER_MODULES   the folder node_modules that has playwright-core and axe-core
//   SQRTDK_CHROMIUM          the browser; chromium unless given
//   SQRTDK_EVERY_PAGE        1 visits every page in every view, and prints every chapter
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "../../tools/print/chromium.mjs";

const given = name => process.env[name] || (() => { throw new Error(`${name} is not set; run ./tools/test browser`); })();
export const folder = given("SQRTDK_BOOK"), every = process.env.SQRTDK_EVERY_PAGE;
given("SQRTDK_BROWSER_MODULES");

/** Every page, and of these the ones that are read rather than looked up: not sources, classes, files and lists. */
export const pages = readdirSync(folder).filter(file => file.endsWith(".html")).sort();
const LOOKED_UP = /(_source|_8[ch]pp)\.html$|^(class|struct|union|group__|modules|namespacemembers|namespace|concept|dir_|functions|globals|annotated|files|hierarchy|pages)(?:.*(-members))?/;
export const chaptersAndDocuments = pages.filter(page => !LOOKED_UP.test(page));
export const having = text => chaptersAndDocuments.filter(page => readFileSync(join(folder, page), "utf8").includes(text));
/** Those that are read, and of the others the first of each template. */
export const visited = every ? pages : [...new Map(pages.slice().reverse().map(page => [page.match(LOOKED_UP)?.slice(1).join() ?? page, page])).values()];

export const PHONE = { width: 390, height: 844 }, LAPTOP = { width: 1280, height: 800 }, DESK = { width: 1920, height: 1080 };

export const url = page => {
  const [file, anchor] = page.split("#");
  return pathToFileURL(join(folder, file)).href + (anchor ? `#${anchor}` : "");
};

const QUIET = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let browser;
after(async () => (await browser)?.close());

/** A browser window of one reader. `options`: a size, `dark`, `touch`, `javaScriptEnabled`. */
export async function reader({ width, height, dark = false, touch = width < 500, ...more } = LAPTOP) {
  const context = await (await (browser ??= launch(QUIET))).newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch, permissions: ["clipboard-read", "clipboard-write"], ...more,
  });
  const tab = await context.newPage(), wrong = [];
  tab.on("console", message => ["error", "warning"].includes(message.type()) && wrong.push(`console: ${message.text()}`));
  tab.on("pageerror", error => wrong.push(`error: ${error.message}`));
  tab.on("requestfailed", request => wrong.push(`failed: ${request.url()}`));
  tab.on("request", request => /^(file|data|blob|about):/.test(request.url()) || wrong.push(`request to the network: ${request.url()}`));
  const load = async page => {
    await tab.goto(url(page), { waitUntil: "load" });
    if (more.javaScriptEnabled === false) return;
    // Laid out all at once: settling.js takes seconds for it, piece by piece.
    await tab.evaluate(() => document.querySelectorAll(".textblock > *").forEach(piece => { piece.style.contentVisibility = "visible"; }));
    await tab.waitForFunction(() => !("settling" in document.documentElement.dataset));
  };
  /** Loads a page unless it is open, and goes to the place that is named. */
  const open = async page => page.includes("#") || tab.url().split("#")[0] !== url(page) ? load(page) : undefined;
  return { tab, wrong, load, open, close: () => context.close() };
}

/** A reader at a laptop, in one tab for all tests of a file; each leaves nothing remembered, and nothing may go wrong. */
export function useVisitor() {
  const visitor = {};
  before(async () => { Object.assign(visitor, await reader()); });
  afterEach(async () => {
    await visitor.tab.evaluate(() => localStorage.clear());
    await visitor.tab.emulateMedia({ media: null });
    assert.deepEqual(visitor.wrong.splice(0), []);
  });
  return visitor;
}
