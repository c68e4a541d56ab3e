// Widths on the phone that the book promises to fit, and where formulas may be broken for it. The lengths are
// those of docs/theme/book.css and formulas.css below 768 px; a test holds the two to each other.

export const PHONE = {
  page: 320,          // px, with 16 px on each side
  margin: 16,
  font: 18,           // px: --page-font-size
  list: 1.4,          // em of the text: ul, ol
  quote: 1.1,         // em: blockquote, and its line of 3 px
  quoteLine: 3,
  definition: 40,     // px: dd, by the browsers' own style
  beside: 0.6,        // em: punctuation that stays beside a formula in the text
  hang: 1,            // em: --formula-hang
};

// A formula that does not fit is shrunk to this share of its size, and no further; on a phone of 390 px that is three quarters.
export const SMALLEST = 0.6;

const SIDES = { ul: PHONE.list * PHONE.font, ol: PHONE.list * PHONE.font, dd: PHONE.definition,
  blockquote: PHONE.quote * PHONE.font + PHONE.quoteLine };

// px that formulas may take inside the given open elements, or Infinity where they scroll in a box of their own.
export function roomInside(elements) {
  if (elements.some(tag => tag === "td" || tag === "th")) return Infinity;
  return elements.reduce((room, tag) => room - (SIDES[tag] ?? 0), PHONE.page - 2 * PHONE.margin);
}
