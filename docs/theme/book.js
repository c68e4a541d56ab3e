// The book's few moving parts: theme, phone navigation, permalinks, scrolling and sortable tables, search.
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
  const measures = []; // only when all boxes stand: a layout for each would take most of a long page's time
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
    measures.push(reach);
    box.closest("details")?.addEventListener("toggle", reach); // what is folded has no width
  }
  for (const measure of measures) measure();
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

// ---- full-text search over search-index.js, fetched when first needed ----
let searchIndex;

function loadSearchIndex() {
  searchIndex ??= new Promise((resolve, reject) => document.head.append(element("script", {
    src: "search-index.js",
    onload: () => resolve(SEARCH_INDEX.map(entry => ({ ...entry, lowTitle: entry.title.toLowerCase(), lowText: entry.text.toLowerCase() }))),
    onerror: reject,
  })));
  return searchIndex;
}

const SMALL_WORDS = new Set(["a", "an", "and", "by", "for", "in", "is", "of", "on", "the", "to"]);

// What to look for: words are found inside others, except those of one or two letters, such as "d".
function wanted(phrase) {
  const all = phrase.split(/\s+/).filter(Boolean), telling = all.filter(word => !SMALL_WORDS.has(word));
  return (telling.length ? telling : all).map(word => {
    const literal = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return word.length > 2 ? literal : `(?<![\\p{L}\\d])${literal}(?![\\p{L}\\d])`;
  });
}

// Every word must occur; a word in a title weighs more than in the text, more still at its beginning.
function score(entry, words, phrase) {
  let total = entry.lowTitle === phrase ? 200 : entry.lowTitle.includes(phrase) ? 60 : entry.lowText.includes(phrase) ? 8 : 0;
  for (const word of words) {
    const inTitle = entry.lowTitle.search(new RegExp(word, "u")), inText = (entry.lowText.match(new RegExp(word, "gu")) ?? []).length;
    if (inTitle < 0 && !inText) return 0;
    if (inTitle >= 0) total += 40 + (inTitle === 0 || !/\w/.test(entry.lowTitle[inTitle - 1]) ? 20 : 0);
    total += Math.min(10, inText);
  }
  return total;
}

function marked(text, words) {
  return text.split(new RegExp(`(${words.join("|")})`, "giu")).map((part, index) => index % 2 ? element("mark", { textContent: part }) : part);
}

function context(entry, words) {
  const places = words.map(word => entry.lowText.search(new RegExp(word, "u"))).filter(place => place >= 0);
  const near = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
  const start = near ? entry.text.indexOf(" ", near) + 1 : 0, end = entry.text.lastIndexOf(" ", start + 180);
  return start + 180 >= entry.text.length ? `${start ? "… " : ""}${entry.text.slice(start)}` : `${start ? "… " : ""}${entry.text.slice(start, end)} …`;
}

function setUpSearch() {
  const input = one("#search-input"), list = one("#search-results"), status = one("#search-status");
  let chosen = -1;
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); chosen = -1; };
  const choose = index => {
    const options = all("a", list);
    if (!options.length) return;
    chosen = (index + options.length) % options.length;
    options.forEach((option, i) => option.setAttribute("aria-selected", i === chosen));
    options[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[chosen].id);
  };
  const search = async () => {
    const phrase = input.value.trim().toLowerCase(), words = wanted(phrase);
    if (!words.length) return close();
    let entries;
    try { entries = await loadSearchIndex(); }
    catch { list.replaceChildren(element("p", { textContent: "The search index is missing from this copy of the book." })); list.hidden = false; return; }
    if (phrase !== input.value.trim().toLowerCase()) return; // typed on meanwhile
    const found = entries.map(entry => [score(entry, words, phrase), entry]).filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]).slice(0, 30);
    list.replaceChildren(...found.map(([, entry], i) => {
      const option = element("a", { id: `result-${i}`, href: entry.url, tabIndex: -1 },
        element("strong", {}, ...marked(entry.title, words)),
        ...(entry.section ? [element("small", { textContent: entry.section })] : []),
        element("span", {}, ...marked(context(entry, words), words)));
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      return option;
    }));
    if (!found.length) list.append(element("p", { textContent: `Nothing in the book has ${words.length > 1 ? "all of these words" : "this word"}.` }));
    list.style.top = `${input.getBoundingClientRect().bottom}px`;
    list.hidden = false;
    chosen = -1;
    input.setAttribute("aria-expanded", "true");
    status.textContent = `${found.length} result${found.length === 1 ? "" : "s"}`;
  };
  input.addEventListener("input", search);
  input.addEventListener("focus", () => { loadSearchIndex().catch(() => {}); if (input.value) search(); });
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") all("a", list)[Math.max(chosen, 0)]?.click();
    else if (event.key === "Escape") { close(); return; }
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", event => event.target.closest("a") && close());
  document.addEventListener("click", event => event.target.closest("#search") || close());
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
  });
}

document.addEventListener("DOMContentLoaded", () => {
  setUpTheme();
  setUpDrawer();
  setUpTablesAndDrawings();
  for (const table of all("table.claims-table, .claims-table table")) setUpSorting(table);
  setUpFolds();
  setUpPermalinks();
  setUpSearch();
  const text = one("#doc-content");
  if (text) text.tabIndex = -1; // so that the skip link and the arrow keys reach it
});
