// What can be taken from a claim or a figure: a statement in the form that was last chosen, a citation, a link. One button each.
// Where a page may not write to the clipboard, the text stands selected in a field.
"use strict";

(() => {
  const FORMS = { latex: "LaTeX", markdown: "Markdown", text: "Text" };
  const FORM = "sqrtdk-form", SHOWN = 4000;
  const stored = () => { try { return localStorage.getItem(FORM); } catch { return null; } };
  let form = Object.hasOwn(FORMS, stored()) ? stored() : "latex";
  const choices = [];

  function choose(value) {
    form = value;
    for (const choice of choices) choice.value = value;
    try { localStorage.setItem(FORM, value); } catch { /* not remembered, still used */ }
  }

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
    const button = (label, className, described, action) => {
      const node = element("button", { type: "button", className, textContent: label, onclick: action });
      node.setAttribute("aria-label", described);
      return node;
    };
    const statement = () => {
      const choice = element("select", { onchange: () => choose(choice.value) },
        ...Object.entries(FORMS).map(([value, textContent]) => element("option", { value, textContent })));
      choice.setAttribute("aria-label", "Form of the copied statement");
      choice.value = form;
      choices.push(choice);
      return element("span", { className: "pair" },
        button("Copy statement", "statement-button", `Copy statement of ${data.name}`, () => copy(data[form], `statement, ${FORMS[form]}`)), choice);
    };
    const link = /^https?:/.test(globalThis.location?.protocol) ? new URL(data.link, location.href).href : data.link;
    const linked = /^https?:/.test(link) ? "link" : "page and name, since this book has no address";
    const citation = data.link === link ? data.bibtex : data.bibtex.trimEnd().replace(/\n}$/, `,\n  url          = {${link}}\n}`);
    const command = document.getElementById(`${data.name}-run-this-check`);
    const run = command ? [element("a", { href: `#${command.id}`, textContent: "Run", ariaLabel: `Run the check of ${data.name}` })] : [];
    return element("span", { className: "claim-tools-row" },
      ...(data.latex ? [statement()] : []),
      button("Cite", "", `Cite ${data.name}`, () => copy(citation, "citation, BibTeX")),
      button("Link", "", `Link to ${data.name}`, () => copy(link, linked)), ...run, status);
  }

  for (const script of document.querySelectorAll("script.claim-tools"))
    script.replaceWith(toolsOf(JSON.parse(script.textContent), script.parentElement));
})();
