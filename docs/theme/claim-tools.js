// What can be taken from a claim: its statement in the form that was last chosen, a citation, a link. One button each.
// Where a page may not write to the clipboard, the text stands selected in a field.
"use strict";

(() => {
  const FORMS = { latex: "LaTeX", markdown: "Markdown", text: "Text" };
  const FORM = "sqrtdk-form", SHOWN = 4000;
  const stored = () => { try { return localStorage.getItem(FORM); } catch { return null; } };
  const here = (name = "") => location.href.split("#")[0] + (name && `#${name}`);
  let form = Object.hasOwn(FORMS, stored()) ? stored() : "latex";
  const choices = [];

  // A link is an address only where the book has one.
  const absolute = text => text.replace(/⟦([^⟧]*)⟧/g, (_, url) => location.protocol.startsWith("http") ? new URL(url, location.href).href : url);

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
      say("Selected: copy it");
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
    const choice = element("select", { onchange: () => choose(choice.value) },
      ...Object.entries(FORMS).map(([value, textContent]) => element("option", { value, textContent })));
    choice.setAttribute("aria-label", "Form of the copied statement");
    choice.value = form;
    choices.push(choice);
    const command = document.getElementById(`${data.name}-run-this-check`);
    const run = command ? [element("a", { href: `#${command.id}`, textContent: "Run", ariaLabel: `Run the check of ${data.name}` })] : [];
    return element("span", { className: "claim-tools-row" },
      element("span", { className: "pair" },
        button("Copy statement", "statement-button", `Copy statement of ${data.name}`, () => copy(absolute(data[form]), `statement, ${FORMS[form]}`)), choice),
      button("Cite", "", `Cite ${data.name}`, () => {
        const web = location.protocol.startsWith("http") && !/^ *url /m.test(data.bibtex);
        copy(web ? data.bibtex.replace(/\n}\n$/, `,\n  url          = {${here(data.name)}}\n}\n`) : data.bibtex, "citation, BibTeX");
      }),
      button("Link", "", `Link to ${data.name}`, () => copy(here(data.name), "link")), ...run, status);
  }

  for (const script of document.querySelectorAll("script.claim-tools"))
    script.replaceWith(toolsOf(JSON.parse(script.textContent), script.parentElement));
})();
