// The typesetter's facts about the book's typeface: its x-height, to which formulas are scaled, and the widths of words
// inside formulas. Read from the font file that travels with the book.
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

// WOFF2 names its common tables by their place in this list (https://www.w3.org/TR/WOFF2/#table_dir_format).
const KNOWN_TABLES = ("cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT "
  + "VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG_ sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx "
  + "fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill").split(" ").map(tag => tag.replace("_", " "));

function tablesOf(woff2) {
  let at = 48; // past the header
  const base128 = () => {
    let value = 0;
    for (;;) {
      const byte = woff2[at++];
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  const directory = [];
  for (let left = woff2.readUInt16BE(12); left > 0; --left) {
    const flags = woff2[at++], known = flags & 63, version = flags >> 6;
    const tag = known === 63 ? woff2.toString("latin1", at, at += 4) : KNOWN_TABLES[known];
    const length = base128(), outline = tag === "glyf" || tag === "loca";
    const transformed = outline ? version !== 3 : version !== 0;
    directory.push({ tag, transformed, length: transformed ? base128() : length });
  }
  const data = brotliDecompressSync(woff2.subarray(at, at + woff2.readUInt32BE(20)));
  const tables = {};
  let start = 0;
  for (const { tag, transformed, length } of directory) {
    // Its transformed form has a byte of flags before the same widths.
    const skipped = tag === "hmtx" && transformed ? 1 : 0;
    tables[tag] = data.subarray(start + skipped, start + length);
    start += length;
  }
  return tables;
}

// The glyph of a character, by the segments of a format 4 table.
function glyphOf(cmap, code) {
  for (let record = 4; record < 4 + 8 * cmap.readUInt16BE(2); record += 8) {
    const table = cmap.subarray(cmap.readUInt32BE(record + 4));
    if (table.readUInt16BE(0) !== 4) continue;
    const segments = table.readUInt16BE(6) / 2, field = (array, segment) => 14 + 2 * array * segments + 2 * segment + (array ? 2 : 0);
    for (let segment = 0; segment < segments; ++segment) {
      if (table.readUInt16BE(field(0, segment)) < code) continue;
      const start = table.readUInt16BE(field(1, segment)), delta = table.readUInt16BE(field(2, segment));
      if (start > code) return 0;
      const at = field(3, segment), offset = table.readUInt16BE(at);
      const glyph = offset ? table.readUInt16BE(at + offset + 2 * (code - start)) : code;
      return glyph && (glyph + delta) & 0xffff;
    }
  }
  return 0;
}

export class Font {
  constructor(file) {
    const tables = tablesOf(readFileSync(file));
    this.file = file;
    this.cmap = tables.cmap;
    this.widths = tables.hmtx;
    this.widthCount = tables.hhea.readUInt16BE(34);
    this.unitsPerEm = tables.head.readUInt16BE(18);
    this.xHeight = tables["OS/2"].readInt16BE(86) / this.unitsPerEm;
  }

  // In em; kerning is left out.
  widthOf(text) {
    let units = 0;
    for (const character of text) {
      const glyph = glyphOf(this.cmap, character === "\u00a0" ? 32 : character.codePointAt(0));
      if (!glyph) throw new Error(`the character “${character}” of \\text is not in ${this.file}`);
      units += this.widths.readUInt16BE(4 * Math.min(glyph, this.widthCount - 1));
    }
    return units / this.unitsPerEm;
  }
}
