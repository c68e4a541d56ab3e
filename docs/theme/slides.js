// The slides by keys: arrows, space, page keys, Home and End go from one to another, N opens or folds the notes, D changes between
// light and dark, which is the system's at first. Without this script, and by a finger, the slides are scrolled.
"use strict";

{
  const root = document.documentElement, slides = [...document.querySelectorAll(".slide")], notes = [...document.querySelectorAll(".slide-notes")];
  const colour = dark => { root.className = dark ? "dark-mode" : "light-mode"; }, isDark = () => root.className === "dark-mode";
  colour(matchMedia("(prefers-color-scheme: dark)").matches);
  let shown;
  addEventListener("beforeprint", () => { shown = isDark(); colour(false); }); // paper is white
  addEventListener("afterprint", () => colour(shown));

  const NEXT = ["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"], BACK = ["ArrowLeft", "ArrowUp", "PageUp"];
  // The one that is seen: the last that begins above the middle of the window.
  const here = () => Math.max(0, slides.findLastIndex(slide => slide.getBoundingClientRect().top <= innerHeight / 2));
  const show = i => {
    const slide = slides[Math.min(Math.max(i, 0), slides.length - 1)];
    slide.scrollIntoView();
    history.replaceState(null, "", `#${slide.id}`);
  };
  addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("a, summary") && ["Enter", " "].includes(event.key)) return;
    const forward = NEXT.includes(event.key) && !(event.key === " " && event.shiftKey);
    if (forward) show(here() + 1);
    else if (BACK.includes(event.key) || event.key === " ") show(here() - 1);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(slides.length - 1);
    else if (event.key.toLowerCase() === "n") {
      const i = here(), open = !notes[i].open;
      for (const note of notes) note.open = open;
      show(i);
    } else if (event.key.toLowerCase() === "d") colour(!isDark());
    else return;
    event.preventDefault();
  });
}
