// One HTML document of the pages that are read in order. It is put together in the browser, which knows HTML.

/** Printed around the reading order, which begins at the page START and is printed as far as the last exercise. */
const START = "why", BEFORE = ["how-to-read", "notation", "documents"], AFTER = ["line-by-line", "errata", "claims", "citelist", "licences"];

/** The document as text. `read(NAME)` gives the page NAME.html of the book; `tab` is any page of a browser. */
export async function compose(tab, read) {
  const chain = [];
  for (let name = START; name && !chain.includes(name); name = await next(tab, read(name))) chain.push(name);
  const ordered = chain.slice(0, chain.findLastIndex(name => name.startsWith("exercise")) + 1);
  const [start, ...rest] = ordered.filter(name => !BEFORE.includes(name) && !AFTER.includes(name));
  const pages = [start, ...BEFORE, ...rest, ...AFTER].map(name => [name, read(name)]);
  return tab.evaluate(gather, { pages, front: read("index") });
}

/** The page that a reader turns to after one. */
const next = (tab, html) => tab.evaluate(text => {
  const links = [...new DOMParser().parseFromString(text, "text/html").querySelectorAll(".prevnext a")];
  const last = links.at(-1)?.parentElement.textContent.includes("→") && links.at(-1).getAttribute("href");
  return last ? last.replace(/\.html.*$/, "") : "";
}, html);

// Runs in the browser.
function gather({ pages, front }) {
  const parse = html => new DOMParser().parseFromString(html, "text/html");
  const names = new Set(pages.map(([name]) => name));
  const out = parse(front), body = out.body;
  const title = out.querySelector(".book-title")?.cloneNode(true);
  const version = out.querySelector(".version")?.textContent ?? "";
  body.replaceChildren();
  for (const script of out.querySelectorAll("script")) script.remove();
  out.documentElement.className = "light-mode";
  const make = (tag, properties, ...children) => { const node = Object.assign(out.createElement(tag), properties); node.append(...children); return node; };

  const contents = make("ol", {}), solutions = make("section", { className: "print-part", id: "solutions" }, make("h1", { textContent: "Solutions" }));
  const parts = [];
  const runningHead = [];
  for (const [name, html] of pages) {
    const page = parse(html), text = page.querySelector(".contents"), heading = page.querySelector(".headertitle .title, h1")?.textContent.trim() ?? name;
    for (const useless of text.querySelectorAll("script, .prevnext, .permalink, .copy-button, .claim-tools, .toc, .chapter-claims, .figure-links, details.cite, details.machinery > :not(summary), input, button")) useless.remove();
    for (const fold of text.querySelectorAll("details.machinery")) {
      const line = fold.querySelector("summary");
      fold.replaceWith(make("p", { className: "print-checked", textContent: line ? line.textContent.replace(/\s*Code, evidence, relations\.?$/, "") : "" }));
    }
    const id = anchor => `${name}--${anchor}`;
    for (const node of text.querySelectorAll("[id]")) if (!node.closest("defs")) node.id = id(node.id);
    for (const anchor of text.querySelectorAll("a[name]")) { anchor.id ||= id(anchor.name); anchor.removeAttribute("name"); }
    for (const link of text.querySelectorAll("a[*|href]")) {
      const address = link.hasAttribute("href") ? "href" : "xlink:href"; // in drawings
      const [file, anchor] = link.getAttribute(address).split("#"), target = file ? file.replace(/\.html$/, "") : name;
      if (/^[a-z]+:/.test(file)) continue;
      if (names.has(target)) link.setAttribute(address, `#${target}${anchor ? `--${anchor}` : ""}`);
      else link.replaceWith(...link.childNodes); // what is not printed
    }
    for (const fold of text.querySelectorAll("details")) {
      if (name.startsWith("exercise") && /solution/i.test(fold.querySelector("summary")?.textContent)) {
        solutions.append(make("h2", { textContent: heading }), ...[...fold.childNodes].filter(node => node.nodeName !== "SUMMARY"));
        fold.replaceWith(make("p", { className: "print-checked" }, make("a", { href: "#solutions", textContent: "The solution stands at the end." })));
      } else fold.open = true;
    }
    const page_name = `page-${name.replace(/[^a-z]/gi, "-")}`;
    runningHead.push(`@page ${page_name} { @top-left { content: ${JSON.stringify(heading)}; } }\n#${CSS.escape(name)} { page: ${page_name}; }`);
    const first = text.querySelector("h1");
    const section = make("section", { className: "print-part", id: name }, ...(first?.textContent.trim() === heading ? [] : [make("h1", { textContent: heading })]), ...text.childNodes);
    parts.push(section);
    contents.append(make("li", {}, make("a", { href: `#${name}`, textContent: heading })));
  }
  if (solutions.children.length > 1) {
    parts.push(solutions);
    contents.append(make("li", {}, make("a", { href: "#solutions", textContent: "Solutions" })));
  }
  // Each page has the glyphs that it uses, under the same names.
  const glyphs = new Map();
  for (const [, html] of pages)
    for (const glyph of parse(html).querySelectorAll("#glyphs [id]")) glyphs.set(glyph.id, glyph.outerHTML);
  const style = make("style", { textContent: runningHead.join("\n") });
  out.head.append(make("link", { rel: "stylesheet", href: "print.css" }), style);
  body.innerHTML = `<svg id="glyphs" width="0" height="0" aria-hidden="true"><defs>${[...glyphs.values()].join("")}</defs></svg>`;
  body.append(
    make("section", { className: "print-title" }, title ?? make("h1", { textContent: "sqrtdk" }), make("p", { textContent: `Version ${version}` })),
    make("section", { className: "print-contents" }, make("h1", { textContent: "Contents" }), contents),
    make("main", { className: "contents" }, make("div", { className: "textblock" }, ...parts)),
    make("p", { id: "print-end" }, make("a", { href: "#print-end", textContent: " " })));
  return `<!DOCTYPE html>\n${out.documentElement.outerHTML}`;
}
