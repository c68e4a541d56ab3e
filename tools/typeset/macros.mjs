// The book's macros written out, so that a copied formula compiles anywhere.

const TOKEN = /\\(?:[A-Za-z]+|[\s\S])|[\s\S]/g;
const WORD = /^\\[A-Za-z]+$/;
const tokensOf = tex => tex.match(TOKEN) ?? [];
const isSpace = token => token !== undefined && /^\s+$/.test(token);

// Commands whose arguments may stand without braces; one that is written out then needs them, like ^ and _.
const TAKING = new Set(["^", "_", ..."sqrt frac tfrac dfrac binom hat widehat tilde widetilde bar overline underline vec dot ddot mathbf mathrm mathcal mathbb"
  .split(" ").map(name => `\\${name}`)]);

function argument(tokens, at) {
  while (isSpace(tokens[at])) ++at;
  if (tokens[at] !== "{") {
    if (tokens[at] === undefined || tokens[at] === "}") throw new Error("a macro lacks an argument");
    return { value: [tokens[at]], next: at + 1 };
  }
  let depth = 0;
  for (let end = at; end < tokens.length; ++end) {
    if (tokens[end] === "{") ++depth;
    if (tokens[end] === "}" && --depth === 0) return { value: tokens.slice(at + 1, end), next: end + 1 };
  }
  throw new Error("a brace is not closed");
}

export function expand(tex, macros) {
  const write = (tokens, depth) => {
    if (depth > 20) throw new Error("a macro uses itself");
    let result = "", before; // the token before, spaces apart
    const put = text => { result += /\\[A-Za-z]+$/.test(result) && /^[A-Za-z]/.test(text) ? ` ${text}` : text; };
    for (let i = 0; i < tokens.length;) {
      const token = tokens[i++], macro = WORD.test(token) && Object.hasOwn(macros, token.slice(1)) ? macros[token.slice(1)] : undefined;
      if (macro === undefined) {
        put(token);
      } else {
        const [body, count] = Array.isArray(macro) ? macro : [macro, 0], values = [];
        for (let k = 0; k < count; ++k) {
          const { value, next } = argument(tokens, i);
          values.push(value);
          i = next;
        }
        const inner = body.split(/#([1-9])/).flatMap((part, index) => index % 2 ? values[part - 1] : tokensOf(part));
        const written = write(inner, depth + 1);
        put(TAKING.has(before) ? `{${written}}` : written);
      }
      if (!isSpace(token)) before = token;
    }
    return result;
  };
  return write(tokensOf(tex), 0);
}
