// One formula as HTML: drawn, for the eye; as MathML, for those who listen; as TeX, for those who copy.
import { Drawing, escape } from "./drawing.mjs";
import { leastRoom, partsOf, widthOf } from "./pieces.mjs";
import { PHONE, SMALLEST, roomInside } from "./widths.mjs";

const number = (value, digits = 3) => String(Number(value.toFixed(digits)));
const px = PHONE.font;

// The markup for screen readers, without MathJax's notes to itself.
const accessible = mathml => mathml.replace(/ data-mjx-[\w-]+="[^"]*"/g, "").replace(/ xmlns="[^"]*"/, "")
  .replace(/>\s+</g, "><").replace(/<mstyle scriptlevel="0">(<mspace [^>]*><\/mspace>)<\/mstyle>/g, "$1")
  .replace(/&#x([0-9A-Fa-f]+);/g, (all, code) => "<>&\"".includes(String.fromCodePoint(parseInt(code, 16))) ? all : String.fromCodePoint(parseInt(code, 16)));

export class Formulas {
  constructor(engine) {
    this.engine = engine;
    this.drawing = new Drawing(engine.adaptor, text => engine.textWidth(text));
    this.em = engine.xHeight / engine.font.xHeight; // of the surrounding text, in MathJax's em
    this.memory = new Map();
  }

  // { html, glyphs, room, least }: the names of the glyphs that it uses, and in px of the phone how much room it has there
  // and how much it needs. Throws what is wrong with the TeX.
  formula(tex, display, elements) {
    const room = roomInside(elements) - (display ? 0 : PHONE.beside * px), key = `${display} ${room} ${tex}`;
    if (!this.memory.has(key)) this.memory.set(key, { ...this.typeset(tex, display, room), room });
    return this.memory.get(key);
  }

  typeset(tex, display, room) {
    const { boxes, mathml } = this.engine.typeset(tex, display);
    const whole = partsOf(boxes, room / px * this.em, this.em), glyphs = new Set();
    if (!display) whole.hangs = false; // the lines of the text around it do not hang either
    const drawn = this.part(whole, glyphs);
    return {
      html: `<span class="formula${display ? " display" : ""}" data-tex="${escape(tex.replace(/\s+/g, " "))}">`
        + `<span class="drawn${whole.hangs ? " hangs" : ""}" aria-hidden="true">${drawn}</span><span class="spoken">${accessible(mathml)}</span></span>`,
      glyphs,
      least: leastRoom(whole, this.em, SMALLEST) / this.em * px,
    };
  }

  part(part, glyphs) {
    if (!part.parts.length) return this.picture(part, glyphs);
    return part.parts.map((child, i) => {
      const gap = i ? this.gap(child.boxes[0].left - part.parts[i - 1].boxes.at(-1).right) : "";
      const inside = this.part(child, glyphs);
      return gap + (child.parts.length ? `<span class="part${child.hangs ? " hangs" : ""}">${inside}</span>` : inside);
    }).join("");
  }

  // A space of the text, made as wide as TeX's, because only such a space vanishes where a line ends.
  gap(width) {
    const { font } = this.engine;
    return `<span class="gap" style="word-spacing:${number(width / this.em - font.widthOf(" "))}em"> </span>`;
  }

  picture({ boxes, room }, glyphs) {
    const height = Math.max(0, ...boxes.map(box => box.height)), depth = Math.max(0, ...boxes.map(box => box.depth));
    const width = widthOf({ boxes }), ex = value => `${number(value / this.engine.xHeight)}ex`;
    const [w, h, d] = [width, height, depth].map(value => Math.round(1000 * value));
    const shrinks = width > room ? `;min-width:${ex(width * SMALLEST)}` : "";
    return `<svg width="${ex(width)}" height="${ex(height + depth)}" viewBox="0 ${-h} ${w} ${h + d}"`
      + `${shrinks && ' class="shrinks"'} style="vertical-align:${ex(-depth)}${shrinks}" focusable="false">${this.drawing.draw(boxes, glyphs)}</svg>`;
  }
}
