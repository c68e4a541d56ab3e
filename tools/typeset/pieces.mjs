// Places to break a formula. A part is a run of boxes; its parts, if it has any, stand on one line if they can, and
// one below the other if not. On a wide screen nothing is broken and all space is as TeX sets it.
import { PHONE } from "./widths.mjs";

const [BIN, REL, OPEN, CLOSE] = [2, 3, 4, 5]; // TeX's classes, as MathJax numbers them
const SIGNS = new Set(["+", "−", "-", "±", "∓"]);
const BARS = new Set(["∣", "|", ":"]);

export const widthOf = part => part.boxes.length ? part.boxes.at(-1).right - part.boxes[0].left : 0;

const textOf = node => node.isToken ? node.getText() : node.childNodes.map(child => child ? textOf(child) : "").join("");
const isSpace = ({ node }) => node.isKind("mspace") || node.isKind("mstyle") && node.childNodes[0].childNodes.every(child => child.isKind("mspace"));
const isWords = ({ node }) => node.isKind("mtext") && /^[\s\u00a0]/.test(node.getText());
const isRelation = box => box?.node.texClass === REL && !BARS.has(textOf(box.node));
const isSign = box => box.node.texClass === BIN && SIGNS.has(textOf(box.node));

// Before which boxes a line may begin, by how good the place is. Nothing inside brackets is broken, and nothing at all
// if they do not match.
const LEVELS = [
  (boxes, i) => isSpace(boxes[i - 1]) && boxes[i - 1].right - boxes[i - 1].left >= 0.9,
  (boxes, i) => isRelation(boxes[i]) && !isRelation(boxes[i - 1]) || isWords(boxes[i]),
  (boxes, i) => isSign(boxes[i]),
];

function depths(boxes) {
  let depth = 0;
  const result = boxes.map(({ node }) => {
    if (node.texClass === CLOSE && !/^[!?]/.test(textOf(node))) depth -= 1; // to TeX, a factorial closes
    const own = depth;
    if (node.texClass === OPEN) depth += 1;
    return depth < 0 ? NaN : own;
  });
  return depth === 0 && !result.some(Number.isNaN) ? result : boxes.map(() => 1);
}

function cut(boxes, depth, level) {
  const parts = [[]];
  boxes.forEach((box, i) => {
    if (i && depth.get(box) === 0 && LEVELS[level](boxes, i) && parts.at(-1).length) parts.push([]);
    parts.at(-1).push(box);
  });
  return parts.map(part => ({ boxes: trimmed(part), parts: [] }));
}

// Without spaces at the ends: they are the gaps between parts.
function trimmed(boxes) {
  let from = 0, to = boxes.length;
  while (from < to && isSpace(boxes[from])) ++from;
  while (to > from && isSpace(boxes[to - 1])) --to;
  return boxes.slice(from, to);
}

// The formula as a part, broken as far as it must be to fit `room` (in the units of its boxes, like `em`); each part knows
// its own room. What follows a relation or a sign hangs below it.
export function partsOf(boxes, room, em) {
  const measured = depths(boxes), depth = new Map(boxes.map((box, i) => [box, measured[i]]));
  const breakUp = (part, level, left) => {
    part.room = left;
    if (widthOf(part) <= left || level === LEVELS.length) return part;
    const parts = cut(part.boxes, depth, level).filter(({ boxes }) => boxes.length);
    if (parts.length < 2) return breakUp(part, level + 1, left);
    const inside = level ? left - PHONE.hang * em : left;
    part.parts = parts.map(child => breakUp(child, level + 1, inside));
    part.hangs = level > 0;
    return part;
  };
  return breakUp({ boxes: trimmed(boxes), parts: [] }, 0, room);
}

// The least room in which nothing is cut: the widest of what cannot be broken, shrunk, with its indentation.
export function leastRoom(part, em, smallest) {
  if (!part.parts.length) return widthOf(part) * smallest;
  return Math.max(...part.parts.map(child => leastRoom(child, em, smallest))) + (part.hangs ? PHONE.hang * em : 0);
}
