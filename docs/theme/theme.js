// Light and dark: follows the system until the reader chooses otherwise.
"use strict";

function setUpTheme() {
  const root = document.documentElement, button = one("#theme-toggle"), system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("sqrtdk-theme"); } catch { return null; } };
  const show = dark => {
    root.className = dark ? "dark-mode" : "light-mode";
    one("[aria-hidden]", button).textContent = dark ? "◑" : "◐";
    one(".word", button).textContent = dark ? "Light" : "Dark";
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

document.addEventListener("DOMContentLoaded", setUpTheme);
