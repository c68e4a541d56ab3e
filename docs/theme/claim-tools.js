// A menu of what can be taken from a claim or a figure: its statement in LaTeX, a citation, a link, the command that checks it.
// Where a page may not write to the clipboard, the text is selected in a field.
"use strict";

(() => {
  const SHOWN = 4000;

  function toolsOf(data, line) {
    const status = element("span");
    status.setAttribute("role", "status");
    let field, timer;
    const say = text => {
      status.textContent = text;
      clearTimeout(timer);
      timer = setTimeout(() => { status.textContent = ""; }, SHOWN);
    };
    const offer = (text, what) => {
      field ??= element("textarea", { className: "claim-tools-field", readOnly: true });
      field.setAttribute("aria-label", `${what}, to be copied`);
      field.value = text;
      line.append(field);
      field.focus();
      field.select();
      say(`Selected ${what}: copy it`);
    };
    const copy = async (text, what) => {
      try {
        await navigator.clipboard.writeText(text);
        field?.remove();
        say(`Copied ${what}`);
      } catch { offer(text, what); }
    };
    const button = (label, action) =>
      element("button", { type: "button", textContent: label, onclick: () => { menu.open = false; action(); } });
    const link = /^https?:/.test(globalThis.location?.protocol) ? new URL(data.link, location.href).href : data.link;
    const linked = /^https?:/.test(link) ? "link" : "page and name, since this book has no address";
    const citation = data.link === link ? data.bibtex : data.bibtex.trimEnd().replace(/\n}$/, `,\n  url          = {${link}}\n}`);
    const command = document.getElementById(`${data.name}-run-this-check`);
    const summary = element("summary", { textContent: "⋯" });
    summary.setAttribute("aria-label", `Copy, cite or link ${data.name}`);
    const menu = element("details", { className: "menu" }, summary, element("div", {},
      ...(data.latex ? [button("Copy the statement in LaTeX", () => copy(data.latex, "statement"))] : []),
      button("Copy a citation in BibTeX", () => copy(citation, "citation")),
      button("Copy the link", () => copy(link, linked)),
      ...(command ? [element("a", { href: `#${command.id}`, textContent: "Run this check", onclick: () => { menu.open = false; } })] : [])));
    return element("span", { className: "claim-tools-row" }, menu, status);
  }

  // A menu closes by the key Escape, and when something else is pressed.
  const close = menu => { menu.open = false; };
  document.addEventListener("click", event => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) close(menu);
  });
  document.addEventListener("keydown", event => {
    const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
    if (!menu) return;
    close(menu);
    menu.querySelector("summary").focus();
  });

  for (const script of document.querySelectorAll("script.claim-tools"))
    script.replaceWith(toolsOf(JSON.parse(script.textContent), script.parentElement));
})();
