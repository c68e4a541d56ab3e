// The search box: what a reader types goes to search.js, what it finds is listed below the box. "/" leads there from
// anywhere; arrows, Enter and Escape do what they do in any such list. MiniSearch and the entries are fetched when they are needed.
"use strict";

(() => {
  const input = document.getElementById("search-input"), box = document.getElementById("search-results");
  const list = document.getElementById("search-list"), note = document.getElementById("search-note"), status = document.getElementById("search-status");
  let engine, chosen = -1;

  const script = src => new Promise((onload, onerror) => document.head.append(element("script", { src, onload, onerror })));
  const load = () => engine ??= Promise.all(["minisearch.js", "search-index.js"].map(script)).then(() => bookSearch.prepare(MiniSearch, SEARCH_INDEX));
  const marked = (text, pattern) => text.split(pattern).map((piece, index) => index % 2 ? element("mark", { textContent: piece }) : piece);

  // A claim shows its verdict, what belongs to the library says so.
  function option(ready, { entry, exact }, pattern, index) {
    const { path, text, url } = bookSearch.excerpt(ready, entry, pattern);
    const node = element("a", { id: `result-${index}`, href: exact ? entry.url : url, tabIndex: -1 });
    if (entry.verdict) {
      const [glyph, ...word] = entry.verdict.split(" ");
      node.append(element("span", { className: `glyph badge-${word.join("-")}`, textContent: glyph, title: word.join(" ") }), " ");
    }
    node.append(element("strong", {}, ...marked(entry.title, pattern)));
    if (path) node.append(" ", element("small", { textContent: path }));
    if (text) node.append(element("span", { className: "excerpt" }, ...marked(text, pattern)));
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", "false");
    return node;
  }

  // What a reader should know about how his words were taken.
  function remarks({ corrected, near, others, missing }, count) {
    const said = [], bold = text => element("b", { textContent: text });
    const quoted = words => words.flatMap((word, i) => [i ? ", " : "", `“${word}”`]);
    if (corrected.length && count) said.push(["Showing results for ", bold(corrected.map(([, right]) => right).join(" ")), ". "]);
    if (near.length) said.push(["Not in this book under the name ", ...quoted(near), "; nearest: "]);
    else if (others.length && count) said.push(["Here ", ...quoted([...new Set(others.map(({ name }) => name))]), " is called ",
      bold([...new Set(others.map(({ other }) => other))].join(", ")), ". "]);
    if (missing.length) said.push(["Nothing in the book has ", ...quoted(missing), count ? ". " : ". The names that it uses are in the page "]);
    if (missing.length && !count) said.push([element("a", { href: "notation.html#synonyms", textContent: "Notation" }), ". "]);
    return said.flat();
  }

  function close() {
    box.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function open() {
    box.style.top = `${input.getBoundingClientRect().bottom}px`;
    box.hidden = false;
    box.scrollTop = 0;
    input.setAttribute("aria-expanded", "true");
  }

  function choose(index) {
    const options = [...list.children];
    if (!options.length) return;
    chosen = (index + options.length) % options.length;
    options.forEach((node, i) => node.setAttribute("aria-selected", i === chosen));
    options[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[chosen].id);
  }

  async function show() {
    const query = input.value.trim();
    if (!query) return close();
    let ready;
    try { ready = await load(); }
    catch {
      list.replaceChildren();
      note.replaceChildren(status.textContent = "The search index is missing from this copy of the book.");
      return open();
    }
    if (query !== input.value.trim()) return; // typed on meanwhile
    const { results, marks, notes } = bookSearch.find(ready, query), pattern = bookSearch.marker(marks);
    list.replaceChildren(...results.map((result, index) => option(ready, result, pattern, index)));
    note.replaceChildren(...remarks(notes, results.length));
    chosen = -1;
    input.removeAttribute("aria-activedescendant");
    open();
    status.textContent = `${note.textContent} ${results.length} result${results.length === 1 ? "" : "s"}`;
  }

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { load().catch(() => {}); if (input.value) show(); });
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
    else if (event.key === "Enter") list.children[Math.max(chosen, 0)]?.click();
    else if (event.key === "Escape") return close();
    else return;
    event.preventDefault();
  });
  box.addEventListener("click", event => event.target.closest("a") && close());
  document.addEventListener("click", event => event.target.closest("#search") || close());
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    if (!input.offsetParent) document.getElementById("search-toggle")?.click(); // folded away on phones
    input.focus();
  });
})();
