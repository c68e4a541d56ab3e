// The book's few moving parts: theme, phone navigation, permalinks, scrolling and sortable tables, copy buttons.
// No dependencies; works from file://.
"use strict";

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const element = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// ---- light and dark: follows the system until the reader chooses otherwise ----
function setUpTheme() {
  const root = document.documentElement, button = one("#theme-toggle"), system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("sqrtdk-theme"); } catch { return null; } };
  const show = dark => {
    root.className = dark ? "dark-mode" : "light-mode";
    button.textContent = dark ? "◑ Light" : "◐ Dark";
    button.setAttribute("aria-label", `Switch to ${dark ? "light" : "dark"} colours`);
  };
  show(root.classList.contains("dark-mode"));
  system.addEventListener("change", () => stored() || show(system.matches));
  let shown;
  addEventListener("beforeprint", () => { shown = root.className; root.className = "light-mode"; }); // paper is white
  addEventListener("afterprint", () => { root.className = shown; });
  button.addEventListener("click", () => {
    const dark = !root.classList.contains("dark-mode");
    show(dark);
    try {
      if (dark === system.matches) localStorage.removeItem("sqrtdk-theme");
      else localStorage.setItem("sqrtdk-theme", dark ? "dark" : "light");
    } catch { /* not remembered, still shown */ }
  });
}

// ---- the sidebar as a drawer on phones ----
function setUpDrawer() {
  const button = one("#nav-toggle");
  const open = wanted => {
    document.body.classList.toggle("nav-open", wanted);
    button.setAttribute("aria-expanded", wanted);
    button.textContent = wanted ? "✕" : "☰ Contents";
    button.setAttribute("aria-label", wanted ? "Close the contents" : "Open the contents");
  };
  button.addEventListener("click", () => open(!document.body.classList.contains("nav-open")));
  document.addEventListener("keydown", event => event.key === "Escape" && open(false));
  document.addEventListener("click", event => {
    if (document.body.classList.contains("nav-open") && event.target.closest("#nav-tree a[href]:not([href*='javascript'])")) open(false);
  });
}

// ---- permalinks: headings with a name of their own, and the parts of a claim as Claim-part ----
function setUpPermalinks() {
  let owner = "";
  for (const heading of all(".textblock :is(h1, h2, h3, h4)")) {
    const anchor = one("a.anchor", heading);
    let id = anchor?.id || heading.id;
    if (!id || id.startsWith("autotoc_md")) {
      if (!owner) continue;
      const part = heading.textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
      id = `${owner}-${part}`;
      if (!part || document.getElementById(id)) continue;
      heading.id = id;
    } else if (heading.tagName === "H1" || !owner || /^[A-Z]/.test(id)) owner = id;
    if (!one(".permalink", heading))
      heading.append(element("a", { className: "permalink", href: `#${id}`, textContent: "#", ariaLabel: `Link to “${heading.textContent.trim()}”` }));
  }
  reveal();
  addEventListener("hashchange", reveal);
}

// ---- code and evidence are folded; a link to a part of them opens it, and a switch opens all, on every page ----
function reveal() {
  const made = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!made) return;
  for (let fold = made.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  setTimeout(() => made.scrollIntoView(), 50); // Doxygen has looked for it before it existed
}

function setUpFolds() {
  const folds = all("details.machinery"), button = one("#code-toggle");
  if (!folds.length) return;
  const held = folds.filter(fold => !fold.open);
  const stored = () => { try { return localStorage.getItem("sqrtdk-code") === "shown"; } catch { return false; } };
  const show = shown => {
    for (const fold of held) fold.open = shown;
    button.setAttribute("aria-pressed", shown);
    button.textContent = shown ? "▾ Hide code" : "▸ Show code";
  };
  button.hidden = false;
  if (stored()) show(true);
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    show(shown);
    try { localStorage.setItem("sqrtdk-code", shown ? "shown" : "hidden"); } catch { /* not remembered, still shown */ }
  });
}

// ---- tables: each scrolls in its own box; drawings are named by their captions ----
function setUpTablesAndDrawings() {
  for (const drawing of all(".dotgraph iframe, .image object"))
    drawing.title = one(".caption", drawing.parentNode)?.textContent.trim() || "Drawing";
  for (const table of all(".textblock table:not(.memname)")) {
    if (table.closest(".table-scroll, table table")) continue;
    const box = element("div", { className: "table-scroll" });
    table.replaceWith(box);
    box.append(table);
    const reach = () => {
      if (box.scrollWidth > box.clientWidth) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", "Table, scrolls sideways");
      }
    };
    reach();
    box.closest("details")?.addEventListener("toggle", reach); // what is folded has no width
  }
}

// ---- sorting: a button in each head, numbers as numbers, and the page's own order as the third click ----
const sortKey = (row, column) => (row.cells[column]?.dataset.sort ?? row.cells[column]?.textContent ?? "").trim();

function setUpSorting(table) {
  const rows = [...table.rows], head = rows.shift();
  if (!head || rows.length < 2) return;
  const compare = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  [...head.cells].forEach((cell, column) => {
    const button = element("button", { className: "sort", type: "button" }, ...cell.childNodes);
    cell.append(button);
    cell.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[cell.getAttribute("aria-sort")];
      for (const other of head.cells) other.setAttribute("aria-sort", "none");
      cell.setAttribute("aria-sort", next);
      const sorted = next === "none" ? rows : [...rows].sort((a, b) => compare(sortKey(a, column), sortKey(b, column)));
      if (next === "descending") sorted.reverse();
      head.parentNode.append(...(head.parentNode.tagName === "THEAD" ? [] : sorted));
      if (head.parentNode.tagName === "THEAD") table.tBodies[0].append(...sorted);
    });
  });
  const filter = element("input", { className: "table-filter", type: "search", placeholder: "Show only rows with …", ariaLabel: "Show only rows of the table that contain" });
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !wanted.every(word => row.textContent.toLowerCase().includes(word));
  });
  (table.closest(".table-scroll") ?? table).before(filter);
}

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
  setUpTheme();
  setUpDrawer();
  setUpTablesAndDrawings();
  for (const table of all("table.claims-table, .claims-table table")) setUpSorting(table);
  setUpFolds();
  setUpPermalinks();
  setUpCopying();
  const text = one("#doc-content");
  if (text) text.tabIndex = -1; // so that the skip link and the arrow keys reach it
});
