// SPDX-License-Identifier: BSL-1.0
// The book's scripts are plain ones, so that they work from file://; here they run in a context of their own.
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";

const SHARED = new URL("../../docs/theme/movable.js", import.meta.url);

/** The figures that a script registers, by name. */
export function load(script) {
  const context = createContext({});
  runInContext(readFileSync(SHARED, "utf8"), context);
  runInContext(readFileSync(script, "utf8"), context);
  return runInContext("movableFigures", context);
}
