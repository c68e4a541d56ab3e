// Chromium, as the tests of the book and its print start it: with its sandbox wherever there is one.
import { createRequire } from "node:module";
import { resolve } from "node:path";

/** What npm installed: SQRTDK_BROWSER_MODULES is the folder node_modules that has playwright-core. */
export const modules = createRequire(resolve(process.env.SQRTDK_BROWSER_MODULES ?? "", "package.json"));

/** The browser that SQRTDK_CHROMIUM names, or chromium; `more` are options of its command line. */
export async function launch(more = [], { chromium } = modules("playwright-core"), user = process.getuid()) {
  const start = chromiumSandbox => chromium.launch({
    executablePath: process.env.SQRTDK_CHROMIUM || "/usr/bin/chromium", chromiumSandbox,
    args: ["--disable-gpu", "--disable-dev-shm-usage", ...more], // a container has little shared memory
  });
  if (user === 0) return start(false); // Chromium has none for root
  try {
    return await start(true);
  } catch (error) {
    if (!/no usable sandbox/i.test(error.message)) throw error;
    console.error("Chromium runs without its sandbox, for which this machine has no user namespaces; it opens nothing but the book");
    return start(false);
  }
}
