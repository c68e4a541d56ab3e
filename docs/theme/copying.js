// Copying: text with its formulas as TeX, code by a button, a displayed formula by a button. No dependencies; works
// from file://.
"use strict";

{
  const texOf = formula => {
    const tex = formula.dataset.tex;
    if (!formula.classList.contains("display")) return `$${tex}$`;
    return tex.startsWith("\\begin{") && !/^\\begin\{(aligned|cases|[a-z]*matrix|array)\}/.test(tex) ? tex : `\\[ ${tex} \\]`;
  };

  // A copy of what is given, with TeX in the place of formulas and without what is there to be pressed.
  const plain = node => {
    const copy = document.createElement("div");
    copy.append(node.cloneNode(true));
    for (const formula of copy.querySelectorAll(".formula")) formula.replaceWith(texOf(formula));
    for (const control of copy.querySelectorAll("button, .permalink, script, style")) control.remove();
    return copy;
  };

  // The text of a node, element or fragment as one would read it, line by line, formulas as TeX.
  globalThis.textWithFormulas = node => {
    const copy = plain(node);
    copy.style.cssText = "position:absolute;left:-9999px;width:100rem"; // what is not laid out has no lines
    document.body.append(copy);
    const text = copy.innerText;
    copy.remove();
    return text.replace(/\n{3,}/g, "\n\n").trim();
  };

  // A selection that ends within a formula has the whole of it.
  const selected = selection => {
    const range = selection.getRangeAt(0).cloneRange();
    const around = node => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest(".formula");
    const first = around(range.startContainer), last = around(range.endContainer);
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    return range.cloneContents();
  };

  document.addEventListener("copy", event => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed || event.target.closest?.("input, textarea")) return;
    const fragment = selected(selection);
    if (!fragment.querySelector(".formula")) return;
    event.clipboardData.setData("text/plain", textWithFormulas(fragment));
    event.clipboardData.setData("text/html", plain(fragment).innerHTML);
    event.preventDefault();
  });

  const button = (label, name, text) => {
    const made = Object.assign(document.createElement("button"), { className: "copy-button", type: "button", textContent: label, ariaLabel: name });
    made.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      made.textContent = "Copied";
      setTimeout(() => { made.textContent = label; }, 1500);
    });
    return made;
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (!navigator.clipboard) return;
    for (const block of document.querySelectorAll(":is(.textblock, .memdoc) :is(pre, div.fragment)")) {
      if (block.parentElement.closest("pre, div.fragment")) continue;
      const box = document.createElement("div");
      box.className = "copy-box";
      block.replaceWith(box);
      box.append(button("Copy", "Copy this code", () => {
        const lines = [...block.querySelectorAll(".line")];
        return lines.length ? lines.map(line => line.textContent).join("\n") : block.textContent;
      }), block);
    }
    for (const formula of document.querySelectorAll(".formula.display"))
      formula.append(button("TeX", "Copy this formula as TeX", () => texOf(formula)));
  });
}
