// The book's scripts and its printer on input that nobody meant them to get. Without a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";
import { launch } from "../tools/print/chromium.mjs";

const theme = name => readFileSync(new URL(`../docs/theme/${name}`, import.meta.url), "utf8");

test("an address that is no text leaves the folds alone", () => {
  for (const [hash, wanted] of [["", ""], ["#", ""], ["#%E0%A4%A", null], ["#%", null], ["#a%20b", "a b"], ["#</script>", "</script>"]]) {
    let asked = null;
    const document = { addEventListener() {}, getElementById(id) { asked = id; return null; } };
    vm.runInNewContext(`${theme("folds.js")}; reveal(true)`, { document, location: { hash } });
    assert.equal(asked, wanted, hash);
  }
});

test("Chromium has its sandbox, but for root and where there is none, which is said", async t => {
  const said = t.mock.method(console, "error", () => {});
  for (const [user, failure, tried, lines] of [[0, null, [false], 0], [1000, null, [true], 0], [1000, "No usable sandbox!", [true, false], 1], [1000, "no such file", [true], 0]]) {
    const seen = [], before = said.mock.callCount();
    const chromium = { async launch({ chromiumSandbox }) {
      seen.push(chromiumSandbox);
      if (failure && chromiumSandbox) throw new Error(failure);
    } };
    await launch([], { chromium }, user).catch(error => assert.equal(error.message, "no such file"));
    assert.deepEqual([seen, said.mock.callCount() - before], [tried, lines]);
  }
});
