// A long page is laid out piece by piece: what is in sight at once (book.css), the rest while the browser is idle. At the end
// no piece is skipped any more, since Chromium leaves formulas that are out of what it tells screen readers.
"use strict";

function settle(pieces) {
  const idle = globalThis.requestIdleCallback ?? (run => setTimeout(() => run({ timeRemaining: () => 10 })));
  const rest = ([...left], deadline) => {
    for (let piece; deadline.timeRemaining() > 5 && (piece = left.shift());) {
      piece.style.contentVisibility = "visible";
      piece.getBoundingClientRect(); // now, and not all of them together later
    }
    if (left.length) return idle(next => rest(left, next));
    delete document.documentElement.dataset.settling;
    for (const piece of pieces) piece.style.removeProperty("content-visibility");
  };
  idle(deadline => rest(pieces, deadline));
}

if ("settling" in document.documentElement.dataset) addEventListener("load", () => settle(all(".textblock > *")));
