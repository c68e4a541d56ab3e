// Code and evidence are folded; a link to a part of them opens it, and a switch opens all, on every page.
"use strict";

// What the address names; a link may be written in any way.
function named() {
  try { return document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return null; }
}

function reveal(jump) {
  const made = named(), closed = [];
  for (let fold = made?.closest("details"); fold; fold = fold.parentElement.closest("details"))
    if (!fold.open) closed.push(fold);
  for (const fold of closed) fold.open = true;
  if (closed.length && jump) made.scrollIntoView();
}

function setUpFolds() {
  const folds = all("details.machinery"), button = one("#code-toggle");
  const held = folds.filter(fold => !fold.open);
  const stored = () => { try { return localStorage.getItem("sqrtdk-code") === "shown"; } catch { return false; } };
  const show = shown => {
    for (const fold of held) fold.open = shown;
    button.setAttribute("aria-pressed", shown);
    one("[aria-hidden]", button).textContent = shown ? "▾" : "▸";
    one(".word", button).textContent = shown ? "Hide code" : "Show code";
    button.setAttribute("aria-label", shown ? "Hide code" : "Show code");
  };
  // What the documents say is a note in the margin of a wide page.
  if (matchMedia("(min-width: 1280px)").matches) for (const note of all("details.documents")) note.open = true;
  if (folds.length) {
    button.hidden = false;
    show(stored());
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      show(shown);
      try { localStorage.setItem("sqrtdk-code", shown ? "shown" : "hidden"); } catch { /* not remembered, still shown */ }
    });
  }
  // Who comes back, or loads the page again, wants to be where he was: the browser knows.
  reveal(performance.getEntriesByType("navigation")[0]?.type === "navigate");
  addEventListener("hashchange", () => reveal(true));
}

document.addEventListener("DOMContentLoaded", setUpFolds);
