// Finding one's way: the contents as a drawer on phones, the search field there, and where on the page the reader is.
// The sidebar itself stands in the page; without this script it only does not follow.
"use strict";

const isPhone = () => matchMedia("(max-width: 767px)").matches;

// ---- phones: the contents and the search field open from the bar ----
function setUpDrawer() {
  const button = one("#nav-toggle"), body = document.body, navigation = one("#side-nav");
  const isOpen = () => body.classList.contains("nav-open");
  const open = wanted => {
    if (wanted && body.classList.contains("search-open")) one("#search-toggle").click(); // it would lie over the contents
    body.classList.toggle("nav-open", wanted);
    button.setAttribute("aria-expanded", wanted);
    button.textContent = wanted ? "✕" : "☰";
    button.setAttribute("aria-label", wanted ? "Close the contents" : "Open the contents");
    if (wanted) showCurrent(navigation);
  };
  button.addEventListener("click", () => open(!isOpen()));
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !isOpen()) return;
    open(false);
    button.focus();
  });
  document.addEventListener("click", event => {
    if (isOpen() && event.target !== button && (event.target.closest("#side-nav a") || !event.target.closest("#side-nav"))) open(false);
  });
}

function setUpSearchToggle() {
  const button = one("#search-toggle"), input = one("#search-input");
  const open = wanted => {
    document.body.classList.toggle("search-open", wanted);
    button.setAttribute("aria-expanded", wanted);
  };
  button.addEventListener("click", () => {
    const wanted = !document.body.classList.contains("search-open");
    open(wanted);
    if (wanted) input.focus();
  });
  input.addEventListener("focus", () => open(true)); // by the key "/"
  document.addEventListener("keydown", event => { if (event.key === "Escape" && event.target === input && !input.value) { open(false); button.focus(); } });
}

// ---- the sidebar shows the current page, and stays where it was as long as that is in sight ----
function showCurrent(navigation) {
  if (isPhone() && !document.body.classList.contains("nav-open")) return; // not shown, and a question of size would lay out the page
  const current = one('[aria-current="location"]', navigation) ?? one('[aria-current="page"]', navigation) ?? one(".within", navigation);
  if (!current || !navigation.clientHeight) return;
  const box = navigation.getBoundingClientRect(), place = current.getBoundingClientRect();
  if (place.top < box.top || place.bottom > box.bottom) navigation.scrollTop += place.top - box.top - navigation.clientHeight / 3;
}

function setUpSidebar() {
  const navigation = one("#side-nav");
  if (!navigation) return;
  try { navigation.scrollTop = Number(sessionStorage.getItem("sqrtdk-sidebar")) || 0; } catch { /* starts at its head */ }
  showCurrent(navigation);
  addEventListener("pagehide", () => { try { sessionStorage.setItem("sqrtdk-sidebar", navigation.scrollTop); } catch { /* not remembered */ } });
}

// ---- the claim that is being read: in the bar of a phone, and marked in the sidebar ----
function setUpWhere() {
  const shown = one("#where .claim"), navigation = one("#side-nav");
  const links = new Map(all(".nav-claims a", navigation ?? document).map(link => [link.hash.slice(1), link]));
  if (!shown) return;
  const headings = all(".contents h2").filter(heading => heading.id || one("a.anchor[id]", heading));
  const nameOf = heading => heading.id || one("a.anchor[id]", heading).id;
  const textOf = heading => [...heading.childNodes].filter(node => !node.classList?.contains("permalink")).map(node => node.textContent).join("").trim();
  const above = new Set();
  let current;
  const show = () => {
    const heading = headings.findLast(one => above.has(one));
    if (heading === current) return;
    current = heading;
    shown.textContent = heading ? textOf(heading) : "";
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = heading && links.get(nameOf(heading));
    if (!link) return;
    link.setAttribute("aria-current", "location");
    showCurrent(navigation);
  };
  // A heading counts as read from when it has passed a line a quarter down the window.
  const observer = new IntersectionObserver(entries => {
    for (const { target, boundingClientRect, rootBounds, isIntersecting } of entries)
      if (isIntersecting || boundingClientRect.top < (rootBounds?.top ?? 0)) above.add(target); else above.delete(target);
    show();
  }, { rootMargin: "100000px 0px -75% 0px" });
  for (const heading of headings) observer.observe(heading);
}

document.addEventListener("DOMContentLoaded", () => {
  setUpSidebar();
  setUpDrawer();
  setUpSearchToggle();
  setUpWhere();
});
