// What the book's scripts share, and copy buttons. Each of the others has one concern and its own file: theme.js,
// navigation.js, folds.js, tables.js, search.js. No dependencies; all of it works from file://.
"use strict";

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const element = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// ---- copying BibTeX and commands ----
function setUpCopying() {
  if (!navigator.clipboard) return;
  for (const block of all(".textblock details :is(pre, div.fragment)")) {
    const button = element("button", { className: "copy-button", type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      const lines = all(".line", block);
      await navigator.clipboard.writeText(lines.length ? lines.map(line => line.textContent).join("\n") : block.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const box = element("div", { className: "copy-box" });
    block.replaceWith(box);
    box.append(button, block);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  setUpCopying();
});
