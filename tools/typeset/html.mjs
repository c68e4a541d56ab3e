// Finds the formulas in the text of a page. The page is not rebuilt from a tree: what is no formula keeps its bytes.

const MARKUP = /<!--[\s\S]*?-->|<![^>]*>|<\/([A-Za-z][\w:-]*)[^>]*>|<([A-Za-z][\w:-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g;
const FORMULA = /\\\(([\s\S]*?)\\\)|\\\[([\s\S]*?)\\\]|(\\begin\{((?:align|equation|gather|multline)\*?)\}[\s\S]*?\\end\{\4\})/g;
const DELIMITER = /\\[()[\]]|\\(?:begin|end)\{/;
const BEFORE = /[([“‘]$/, AFTER = /^(?:[,.;:!?)\]”’…]|&quot;)+/; // what no line may tear off a formula; browsers do
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const RAW = new Set(["script", "style", "textarea", "title"]);
const OTHERS = new Set(["pre", "code", "tt", "kbd", "samp", "svg", "math"]);
const CODE = /\bclass="(?:[^"]*\s)?(?:fragment|line)(?:\s[^"]*)?"/;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", "#39": "'", "#160": "\u00a0" };

const decode = text => text.replace(/&(#?\w+);/g, (all, name) => {
  if (!Object.hasOwn(ENTITIES, name)) throw new Error(`the character reference ${all} in a formula is not known`);
  return ENTITIES[name];
});

// The page with every formula replaced by set(tex, display, elements, line), where `elements` are the names of those
// that are open around it. Delimiters without a partner are told to wrong(message, line).
export function replaceFormulas(html, set, wrong) {
  const open = [];
  let result = "", end = 0;
  const lineOf = at => html.slice(0, at).split("\n").length;
  const text = (from, to) => {
    const part = html.slice(from, to);
    if (!part.includes("\\") || open.some(element => element.code)) return part;
    const elements = open.map(({ tag }) => tag);
    let rest = "", at = 0;
    const plain = upTo => {
      const prose = part.slice(at, upTo), stray = prose.match(DELIMITER);
      if (stray) wrong(`“${stray[0]}” has no partner`, lineOf(from + at + stray.index));
      rest += prose;
    };
    for (const match of part.matchAll(FORMULA)) {
      const [all, inline, displayed, environment] = match;
      plain(match.index);
      const formula = set(decode(inline ?? displayed ?? environment).trim(), inline === undefined, elements, lineOf(from + match.index));
      at = match.index + all.length;
      const before = inline === undefined ? undefined : BEFORE.exec(rest)?.[0], after = inline === undefined ? undefined : AFTER.exec(part.slice(at))?.[0];
      if (before) rest = rest.slice(0, -before.length);
      rest += before || after ? `<span class="together">${before ?? ""}${formula}${after ?? ""}</span>` : formula;
      if (after) at += after.length;
    }
    plain(part.length);
    return rest;
  };
  for (const match of html.matchAll(MARKUP)) {
    if (match.index < end) continue; // inside a script
    result += text(end, match.index) + match[0];
    end = match.index + match[0].length;
    const [all, closed, opened, attributes] = match;
    if (closed) {
      const i = open.findLastIndex(({ tag }) => tag === closed.toLowerCase());
      if (i >= 0) open.length = i;
    } else if (opened) {
      const tag = opened.toLowerCase();
      if (RAW.has(tag) && !all.endsWith("/>")) {
        const stop = html.toLowerCase().indexOf(`</${tag}`, end);
        if (stop < 0) break;
        result += html.slice(end, stop);
        end = stop;
      } else if (!VOID.has(tag) && !all.endsWith("/>")) {
        open.push({ tag, code: OTHERS.has(tag) || CODE.test(attributes) });
      }
    }
  }
  return result + text(end, html.length);
}
