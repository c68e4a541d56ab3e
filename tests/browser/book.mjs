// SPDX-License-Identifier: BSL-1.0
// The rendered book in a browser: which pages it has, and a page opened as a reader would, with what went wrong noted.
//   SQRTDK_BOOK              the folder of the book
//   SQRTDK_BROWSER_MODULES   the folder node_modules that has playwright-core and axe-core
//   SQRTDK_CHROMIUM          the browser; chromium unless given
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "../../tools/print/chromium.mjs";

const given = name => process.env[name] || (() => { throw new Error(`${name} is not set; run ./tools/test browser`); })();
export const folder = given("SQRTDK_BOOK");
given("SQRTDK_BROWSER_MODULES");

/** Every page, and of these the ones that are read rather than looked up: not sources, classes, files and lists. */
export const pages = readdirSync(folder).filter(file => file.endsWith(".html")).sort();
const LOOKED_UP = /_source\.html$|_8(hpp|cpp)\.html$|^(class|struct|union|namespace|concept|dir_|functions|globals|annotated|classes|files|hierarchy|concepts|pages)/;
export const chaptersAndDocuments = pages.filter(page => !LOOKED_UP.test(page));
/** Those, and of the others, which come from a few templates, every thirtieth; all of them with SQRTDK_EVERY_PAGE=1. */
export const visited = pages.filter((page, i) => process.env.SQRTDK_EVERY_PAGE || chaptersAndDocuments.includes(page) || i % 30 === 0);

export const NARROW = { width: 320, height: 640 }, PHONE = { width: 390, height: 844 }, LAPTOP = { width: 1280, height: 800 }, DESK = { width: 1920, height: 1080 };

export const url = page => {
  const [file, anchor] = page.split("#");
  return pathToFileURL(join(folder, file)).href + (anchor ? `#${anchor}` : "");
};

const QUIET = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A browser window of one reader. `options`: a size, `dark`, `touch`, `javaScriptEnabled`. */
export async function reader(browser, { width, height, dark = false, touch = width < 500, ...more } = LAPTOP) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch, permissions: ["clipboard-read", "clipboard-write"], ...more,
  });
  const tab = await context.newPage(), wrong = [];
  tab.on("console", message => ["error", "warning"].includes(message.type()) && wrong.push(`console: ${message.text()}`));
  tab.on("pageerror", error => wrong.push(`error: ${error.message}`));
  tab.on("requestfailed", request => wrong.push(`failed: ${request.url()}`));
  tab.on("request", request => /^(file|data|blob|about):/.test(request.url()) || wrong.push(`request to the network: ${request.url()}`));
  const open = async page => {
    await tab.goto(url(page), { waitUntil: "load" });
    if (more.javaScriptEnabled !== false) await tab.waitForFunction(() => !("settling" in document.documentElement.dataset));
  };
  return { tab, wrong, open, close: () => context.close() };
}

/** One browser for all tests of a file: `browsing.browser`. */
export function useBrowser() {
  const browsing = {};
  before(async () => { browsing.browser = await launch(QUIET); });
  after(() => browsing.browser.close());
  return browsing;
}

/** A reader at a laptop, another for each test, in one `browser`; nothing may go wrong on the pages that are visited. */
export function useVisitor() {
  const visitor = useBrowser();
  beforeEach(async () => { Object.assign(visitor, await reader(visitor.browser, LAPTOP)); });
  afterEach(async () => {
    assert.deepEqual(visitor.wrong, []);
    await visitor.close();
  });
  return visitor;
}

/** Runs `visit(reader, page)` on all pages and gathers the complaints, each with the name of its page. */
export async function onEach(browser, names, size, visit) {
  const complaints = [], visitor = await reader(browser, size);
  for (const page of names) {
    visitor.wrong.length = 0;
    await visitor.open(page);
    for (const complaint of [...await visit(visitor.tab, page), ...visitor.wrong]) complaints.push(`${page}: ${complaint}`);
  }
  await visitor.close();
  return complaints;
}
