// From MathJax's SVG elements to as few of our own: groups without a purpose and attributes that only its menus read are
// left out, and glyphs, which all formulas of a page share, are named. MathJax draws upwards, we draw downwards: glyphs
// are turned over where they are defined.

export const glyphName = id => id.replace(/^MJX-TEX-/, "g").replace("-", "");
export const glyphPath = (name, data) => `<path id="${name}" transform="scale(1 -1)" d="${data}"/>`;

const number = value => String(Math.round(value)).replace(/^-0$/, "0");
const fine = value => String(Math.round(value * 1000) / 1000);
const at = (x, y) => (Math.round(x) ? ` x="${number(x)}"` : "") + (Math.round(y) ? ` y="${number(y)}"` : "");
const move = (x, y) => Math.round(x) || Math.round(y) ? `translate(${number(x)} ${number(y)})` : "";
export const escape = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

// A chain of translations, and at most a scaling at its end; null for anything else.
function placeOf(transform) {
  const place = { x: 0, y: 0, scale: [1, 1] };
  for (const [, kind, values] of (transform ?? "").matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a, b] = values.trim().split(/[\s,]+/).map(Number);
    if (place.scale[0] !== 1 || place.scale[1] !== 1) return null;
    if (kind === "translate") { place.x += a; place.y += b || 0; }
    else if (kind === "scale") place.scale = [a, b ?? a];
    else return null;
  }
  return place;
}

export class Drawing {
  constructor(adaptor, textWidth) {
    this.adaptor = adaptor;
    this.textWidth = textWidth;
  }

  // Boxes as SVG with their left end at 0; adds the glyphs to `used`.
  draw(boxes, used) {
    this.used = used;
    return boxes.map(({ element }) => element ? this.element(element, -boxes[0].left * 1000, 0) : "").join("");
  }

  element(node, x, y) {
    const { adaptor } = this, kind = adaptor.kind(node), attribute = name => adaptor.getAttribute(node, name);
    const place = placeOf(attribute("transform"));
    if (!place) throw new Error(`cannot draw a transformation ${attribute("transform")}`);
    const [sx, sy] = place.scale, plain = sx === 1 && sy === 1;
    const left = x + place.x, top = y - place.y;
    if (kind === "g") {
      if (plain) return this.children(node, left, top);
      const inside = this.children(node, 0, 0);
      return inside && `<g transform="${move(left, top)}scale(${fine(sx)}${sx === sy ? "" : ` ${fine(sy)}`})">${inside}</g>`;
    }
    if (kind === "use") {
      const name = glyphName(attribute("href") ?? attribute("xlink:href").slice(1));
      this.used.add(name);
      return plain ? `<use href="#${name}"${at(left, top)}/>`
        : `<use href="#${name}" transform="${move(left, top)}scale(${fine(sx)} ${fine(sy)})"/>`;
    }
    if (kind === "rect" && plain) {
      const [width, height] = [Number(attribute("width")), Number(attribute("height"))];
      return `<rect${at(left + Number(attribute("x") ?? 0), top - Number(attribute("y") ?? 0) - height)} width="${number(width)}" height="${number(height)}"/>`;
    }
    if (kind === "text") {
      const text = adaptor.textContent(node);
      return `<text${at(left, top)} font-size="${attribute("font-size")}" textLength="${number(1000 * this.textWidth(text))}" xml:space="preserve">${escape(text)}</text>`;
    }
    // A window on a glyph that is stretched, as in tall brackets.
    if (kind === "svg") {
      const [vx, vy, vw, vh] = attribute("viewBox").split(" ").map(Number), height = Number(attribute("height"));
      return `<svg${at(left + Number(attribute("x") ?? 0), top - Number(attribute("y") ?? 0) - height)} width="${attribute("width")}" height="${attribute("height")}"`
        + ` viewBox="${number(vx)} ${number(-vy - vh)} ${number(vw)} ${number(vh)}">${this.children(node, 0, 0)}</svg>`;
    }
    throw new Error(`cannot draw <${kind}>`);
  }

  children(node, x, y) { return this.adaptor.childNodes(node).map(child => this.element(child, x, y)).join(""); }
}
