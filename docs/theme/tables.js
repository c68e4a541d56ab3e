// Tables: each scrolls in its own box, some can be sorted and filtered. What scrolls sideways can be reached by keys.
"use strict";

// ---- what is wider than the page: a stop for the keyboard, with a name of its own, only while it does scroll ----
const SCROLLING = ".table-scroll, div.fragment, .textblock pre, p.formulaDsp, .dotgraph, .memproto";

function kind(box) {
  if (box.matches(".table-scroll")) return "Table";
  if (box.matches("p.formulaDsp")) return "Formula";
  return box.matches(".dotgraph") ? "Graph" : "Code";
}

function setUpScrolling() {
  const used = new Map();
  const name = box => {
    const base = `${kind(box)} that scrolls sideways`, count = (used.get(base) ?? 0) + 1;
    used.set(base, count);
    return `${base}, ${count}`;
  };
  // Asked when it is laid out anyway: at first, when its fold opens, when the window changes.
  const observer = new ResizeObserver(entries => {
    for (const { target } of entries) {
      const box = target.closest(SCROLLING);
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible") {
        if (box.tabIndex >= 0) continue;
        box.tabIndex = 0;
        box.setAttribute("role", "group");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", name(box));
      } else if (box.tabIndex >= 0) box.removeAttribute("tabindex");
    }
  });
  for (const box of all(SCROLLING)) {
    observer.observe(box);
    if (box.firstElementChild) observer.observe(box.firstElementChild); // which may grow alone, as when fonts arrive
  }
}

function setUpTables() {
  for (const drawing of all(".dotgraph iframe, .image object"))
    drawing.title = one(".caption", drawing.parentNode)?.textContent.trim() || "Drawing";
  for (const table of all(".textblock table:not(.memname)")) {
    if (table.closest(".table-scroll, table table")) continue;
    const box = element("div", { className: "table-scroll" });
    table.replaceWith(box);
    box.append(table);
  }
}

// ---- sorting: a button in each head, numbers as numbers, and the page's own order as the third click; a menu where no head is seen ----
const sortKey = (row, column) => {
  const cell = row.cells[column], keyed = cell?.dataset.sort ?? one("[data-sort]", cell)?.dataset.sort;
  return (keyed ?? cell?.textContent ?? "").trim();
};

function setUpSorting(table) {
  const rows = [...table.rows], head = rows.shift();
  if (!head || rows.length < 2) return;
  const compare = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const menu = element("select", { className: "table-sort", ariaLabel: "Sort the table" }, new Option("In reading order", "none"));
  const sort = (cell, order) => {
    for (const other of head.cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    cell?.setAttribute("aria-sort", order);
    menu.value = order === "none" ? order : `${order} ${cell.cellIndex}`;
    const sorted = order === "none" ? rows : [...rows].sort((a, b) => compare(sortKey(a, cell.cellIndex), sortKey(b, cell.cellIndex)));
    if (order === "descending") sorted.reverse();
    head.parentNode.append(...(head.parentNode.tagName === "THEAD" ? [] : sorted));
    if (head.parentNode.tagName === "THEAD") table.tBodies[0].append(...sorted);
  };
  for (const cell of head.cells) {
    if (cell.tagName !== "TH" || one("a", cell)) continue;
    for (const [order, said] of [["ascending", ""], ["descending", ", reversed"]])
      menu.add(new Option(`By ${cell.textContent.trim().toLowerCase()}${said}`, `${order} ${cell.cellIndex}`));
    const button = element("button", { className: "sort", type: "button" }, ...cell.childNodes);
    cell.append(button);
    cell.setAttribute("aria-sort", "none");
    button.addEventListener("click", () =>
      sort(cell, { none: "ascending", ascending: "descending", descending: "none" }[cell.getAttribute("aria-sort")]));
  }
  menu.addEventListener("change", () => {
    const [order, column] = menu.value.split(" ");
    sort(head.cells[column], order);
  });
  (table.closest(".table-scroll") ?? table).before(menu);
}

// ---- filters: words that a row must have, and the choices that the page offers ----
// A choice is an element of class "filters" before the table, with buttons whose data-filter is what a row's text must have;
// the text of a row is what is seen of it, and what its cells' data-filter add.
const rowText = row => [row.textContent, ...all("[data-filter]", row).map(cell => cell.dataset.filter)].join(" ").toLowerCase();

function setUpFilter(table) {
  const rows = [...table.rows].slice(1), texts = rows.map(rowText);
  const filter = element("input", { className: "table-filter", type: "search", placeholder: "Show only rows with …", ariaLabel: "Show only rows of the table that contain" });
  const nothing = element("p", { className: "no-row", hidden: true, textContent: "No row has this." });
  nothing.setAttribute("role", "status");
  const box = table.closest(".table-scroll") ?? table, choices = [];
  for (let before = box.previousElementSibling; before?.matches(".filters"); before = before.previousElementSibling) choices.push(before);
  const buttons = choices.flatMap(choice => all("button", choice));
  const show = () => {
    const pressed = buttons.filter(button => button.getAttribute("aria-pressed") === "true").map(button => button.dataset.filter.toLowerCase());
    const wanted = filter.value.toLowerCase().replace(/’/g, "'").split(/\s+/);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = ![...wanted, ...pressed].every(word => texts[i].replace(/’/g, "'").includes(word));
      shown += !row.hidden;
    });
    nothing.hidden = shown > 0;
  };
  for (const choice of choices) choice.hidden = false;
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const pressed = button.getAttribute("aria-pressed") !== "true";
      for (const other of all("button", button.parentNode)) other.setAttribute("aria-pressed", false); // one of a kind
      button.setAttribute("aria-pressed", pressed);
      show();
    });
  }
  filter.addEventListener("input", show);
  box.before(filter);
  box.after(nothing);
}

document.addEventListener("DOMContentLoaded", () => {
  setUpTables();
  for (const table of all("table.claims-table, table.filtered")) setUpFilter(table);
  for (const table of all("table.claims-table")) setUpSorting(table);
  setUpScrolling();
});
