// What the book's scripts share, copy buttons and search. Each of the others has one concern and its own file: theme.js,
// navigation.js, folds.js, tables.js. No dependencies; all of it works from file://.
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
  setUpCopying();
  setUpSearch();
});
