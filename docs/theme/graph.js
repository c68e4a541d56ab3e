// The graph of claims: a box that is pointed at, or has the focus, marks the claims on which it rests and those that rest on
// it, with arrows from each to those whose proofs use it. A first tap does the same, a second one follows the link.
"use strict";

// ---- claims: boxes by name, the names that each uses, and those that use it
function readClaims(graph) {
  const claims = new Map(all(".node", graph).map(box =>
    [box.dataset.name, { box, uses: (box.dataset.uses ?? "").split(" ").filter(Boolean), users: [] }]));
  for (const [name, { uses }] of claims) for (const used of uses) claims.get(used).users.push(name);
  return claims;
}

/** The names that a claim reaches, by its uses or by its users. */
function reached(claims, name, way) {
  const found = new Set(claims.get(name)[way]);
  for (const other of found) for (const next of claims.get(other)[way]) found.add(next); // found grows while it is read
  return found;
}

function saying(claims, name, below, above) {
  const direct = claims.get(name).uses.length, part = (className, textContent) => element("b", { className, textContent });
  const rests = !below.size ? ["rests on no other claim"]
    : ["rests on ", part("ancestor", below.size === 1 ? "1 claim" : `${below.size} claims`),
       below.size === 1 ? ", directly" : `, ${direct < below.size ? direct : direct === 2 ? "both" : "all"} of them directly`];
  const rest = above.size ? [part("descendant", above.size === 1 ? "1 rests" : `${above.size} rest`), " on it."] : ["none rests on it."];
  return [`${name} `, ...rests, "; ", ...rest];
}

// ---- arrows: curves from edge to edge, behind the boxes; between boxes of one line a bow above them
const TIP = 5, BOW = 16; // px

function arrow(from, to) {
  const down = to.top >= from.bottom, up = to.bottom <= from.top, side = up ? 1 : -1;
  const port = (box, other) => {
    const most = Math.max(0, box.width / 2 - 2 * TIP), lean = (other.left + other.width / 2 - box.left - box.width / 2) / 8;
    return box.left + box.width / 2 + Math.min(most, Math.max(-most, lean));
  };
  const x = port(from, to), y = down ? from.bottom : from.top, endX = port(to, from), endY = up ? to.bottom : to.top;
  const bend = Math.max(BOW, Math.abs(endY - y) / 2);
  return `M${x} ${y}C${x} ${y + (down ? bend : -bend)} ${endX} ${endY + side * bend} ${endX} ${endY}`
    + `m${-TIP} ${side * TIP}l${TIP} ${-side * TIP} ${TIP} ${side * TIP}`;
}

function drawArrows(graph, drawing, claims, chosen, below, above) {
  const { left, top } = graph.getBoundingClientRect(), marked = new Set([...below, chosen, ...above]);
  const places = new Map([...marked].map(name => {
    const box = claims.get(name).box.getBoundingClientRect();
    return [name, new DOMRect(box.left - left, box.top - top, box.width, box.height)];
  }));
  drawing.replaceChildren(...[...marked].flatMap(name => claims.get(name).uses.filter(used => marked.has(used)).map(used => {
    const line = document.createElementNS(drawing.namespaceURI, "path");
    line.setAttribute("class", name === chosen || below.has(name) ? "ancestor" : "descendant");
    line.classList.toggle("direct", name === chosen || used === chosen);
    line.setAttribute("d", arrow(places.get(used), places.get(name)));
    return line;
  })));
}

// ---- the reader
function setUpGraph(graph) {
  const claims = readClaims(graph), drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const hint = matchMedia("(hover: none)").matches ? "Tap a claim to see on which others it rests; tap it again to open it."
    : "Point at a claim to see on which others it rests, and which rest on it.";
  const said = element("span", { textContent: hint }), follow = element("a", { textContent: "open", hidden: true });
  said.setAttribute("role", "status");
  said.setAttribute("aria-live", "polite");
  drawing.setAttribute("aria-hidden", "true");
  graph.append(drawing, element("p", { className: "graph-says" }, said, " ", follow));
  let chosen = "", below, above, tapped, pointer;

  const mark = name => {
    if (name === chosen) return;
    [chosen, below, above] = [name, name ? reached(claims, name, "uses") : new Set(), name ? reached(claims, name, "users") : new Set()];
    graph.classList.toggle("marking", Boolean(name));
    for (const [other, { box }] of claims) {
      box.classList.toggle("chosen", other === name);
      box.classList.toggle("ancestor", below.has(other));
      box.classList.toggle("descendant", above.has(other));
    }
    said.replaceChildren(...(name ? saying(claims, name, below, above) : [hint]));
    draw();
  };
  const draw = () => chosen ? drawArrows(graph, drawing, claims, chosen, below, above) : drawing.replaceChildren();
  const tap = box => {
    tapped = box;
    follow.hidden = !box;
    if (box) Object.assign(follow, { href: box.href, ariaLabel: `Open ${box.dataset.name}` });
    mark(box?.dataset.name ?? "");
  };
  const nodeOf = event => event.target.closest?.(".node");
  const back = () => mark((tapped ?? one(".node:focus-visible", graph))?.dataset.name ?? "");

  // Not "pointerover": who scrolls to the other end of an arrow moves boxes under the mouse, but not the mouse.
  graph.addEventListener("pointermove", event => { if (event.pointerType === "mouse" && nodeOf(event)) mark(nodeOf(event).dataset.name); });
  graph.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") back(); });
  graph.addEventListener("focusin", event => { if (nodeOf(event)?.matches(":focus-visible")) mark(nodeOf(event).dataset.name); });
  graph.addEventListener("focusout", event => { if (!tapped && !graph.contains(event.relatedTarget)) mark(""); });
  graph.addEventListener("pointerdown", event => { pointer = event.pointerType; });
  graph.addEventListener("click", event => {
    const box = nodeOf(event);
    if (box && (!event.detail || pointer === "mouse" || box === tapped)) return; // by key, by mouse, or again
    if (box) event.preventDefault();
    if (!event.target.closest(".graph-says")) tap(box);
  });
  addEventListener("keydown", event => { if (event.key === "Escape") tap(); });
  new ResizeObserver(draw).observe(graph);
}

document.addEventListener("DOMContentLoaded", () => all(".claim-graph").forEach(setUpGraph));
