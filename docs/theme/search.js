// What search-box.js asks: MiniSearch finds and ranks; here are the words of a query, the names and the tables of the book that lead
// somewhere, and what is shown of an entry. No document is needed, so that it is tested without a browser.
"use strict";

const bookSearch = (() => {
  const SMALL_WORDS = new Set(("a an and any are as at be by can do does for from go goes happen happens have has how i if in into is it its just like me my of "
    + "on one or over own s so some something than that the their them there these this those to was we what when where which who with would you your").split(" "));
  // How much a word counts where it stands, and an entry of a kind.
  const FIELDS = { title: 5, said: 2, lead: 2, heads: 2, text: 1 };
  const KINDS = { claim: 1, page: 1, section: 1, record: .4, library: .1 };
  const OTHER_NAME = .6, PLACE = 20, FIRST_PLACE = 40, WHOLE_TITLE = 1.5, FUZZY = .26, LONGEST_PHRASE = 4, MOST_WORDS = 50;

  // ---- words ----
  // Letters and digits: a root is the word for it, a number keeps its point, and a name of code is one word.
  const words = text => text.replace(/√/g, " sqrt ").replace(/(?<![⁰¹²³⁴-⁹])(?=[⁰¹²³⁴-⁹])/g, " ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .match(/\d+(?:\.\d+)+|[\p{L}\d]+(?:_[\p{L}\d]+)*/gu) ?? [];
  // d_k is dk; and a name of code is also its parts.
  const split = word => word.includes("_") ? [word.replaceAll("_", ""), ...word.split("_")] : [word];
  const tokens = text => text.includes("_") ? words(text).flatMap(split) : words(text);
  const squash = name => name.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  const telling = words => {
    const left = words.filter(word => !SMALL_WORDS.has(word));
    return left.length ? left : words;
  };

  // A word without its ending, where enough of it is left: saturate, saturates, saturation.
  const ENDINGS = [[/(?:ences?|ents?)$/, 6], [/(?:izations?|izing|ized?|izes|ations?|ating|ated?|ates|ators?|ions?|edly|ally|ly|es?)$/, 4], [/(?:ings?|ed)$/, 3]];
  function stem(word) {
    const singular = word.replace(/^divis(?:ion|or)/, "divid").replace(/ies$/, "y").replace(/([^su])s$/, "$1");
    for (const [ending, least] of ENDINGS) {
      const rest = singular.replace(ending, "");
      if (rest !== singular && rest.length >= least) return rest;
    }
    return singular;
  }
  // Another name is known by whole words, singular or plural; where an index leads, several words may have other endings.
  const asName = words => words.map(word => squash(word).replace(/(?<=..[^su])s$/, "")).join(" ");
  const asPlace = words => words.length > 1 ? words.map(word => stem(squash(word))).join(" ") : asName(words);

  // ---- the index, made ready ----
  async function prepare(MiniSearch, { entries, terms }) {
    const engine = { MiniSearch, entries, ids: new Map(), others: new Map(), places: new Map(), near: new Map(), names: new Map(), forms: new Map() };
    const note = (map, at, more) => map.set(at, [...map.get(at) ?? [], ...more]), said = new Map(), heads = new Map(), read = new Map();
    const learn = word => {
      const indexed = SMALL_WORDS.has(word) ? null : stem(word);
      if (indexed) note(engine.forms, indexed, [word]);
      return read.set(word, indexed).get(word);
    };
    for (const { typed, here, places, near } of terms) for (const name of typed) {
      const all = words(name), known = telling(all);
      for (const word of tokens(name)) if (!read.has(word)) learn(word);
      if (known.length === 1 && all.length > 1) continue; // "which law" would be "law"
      note(engine.others, asName(known), here.map(other => ({ name, other })));
      note(engine.places, asPlace(known), places);
      if (near) engine.near.set(asName(known), name);
      for (const place of places) note(said, place, [name]);
    }
    entries.forEach(({ kind, title, url, names = [] }, id) => {
      const page = url.split("#")[0];
      engine.ids.set(url, id);
      if (page !== url) note(heads, page, [title]);
      for (const name of kind === "library" ? [title.split("::").pop()] : names) note(engine.names, squash(name), [id]);
    });
    engine.index = new MiniSearch({
      fields: Object.keys(FIELDS), tokenize: tokens, searchOptions: { processTerm: stem },
      processTerm: word => read.has(word) ? read.get(word) : learn(word),
    });
    await engine.index.addAllAsync(entries.map(({ kind, title, url, names = [], text = "", parts = [] }, id) => {
      const library = kind === "library", below = lead => parts.filter(([heading]) => heading === "Statement" === lead).map(part => `${part[0]} ${part[2]}`).join(" ");
      return {
        id, title, said: said.get(url)?.join(" ") ?? "", heads: heads.get(url)?.join(" ") ?? "",
        lead: library ? "" : `${text} ${below(true)}`, text: library ? text : below(false),
      };
    }), { chunkSize: 250 });
    return engine;
  }

  const pageOf = ({ entries, ids }, url) => url.includes("#") ? entries[ids.get(url.split("#")[0])].title : "";

  // ---- what a query asks for ----
  // The word of the book that is nearest to one which it does not have; among equals the one that more entries have.
  function nearest(engine, word) {
    if (!engine.spelling) {
      engine.spelling = new engine.MiniSearch({ fields: ["id"], tokenize: word => [word] });
      engine.spelling.addAll([...engine.forms.values()].flat().filter(word => word.length > 3).map(id => ({ id })));
    }
    const found = engine.spelling.search(word, { fuzzy: FUZZY }), equals = found.filter(({ score }) => score === found[0].score);
    const held = equals.map(({ id }) => engine.index.search(id).length);
    return equals[held.indexOf(Math.max(...held))]?.id;
  }

  function corrected(engine, word, last) {
    const { names, forms } = engine, known = names.has(squash(word)) || split(word).some(part => forms.has(stem(part)));
    return known || last && [...forms.values()].flat().some(form => form.startsWith(word)) ? word : nearest(engine, word) ?? word;
  }

  // Words, or several words that have another name or a place.
  function groups({ others, places, near }, typed) {
    const result = [];
    for (let start = 0; start < typed.length; start += result.at(-1).literal.length) {
      let literal = typed.slice(start, start + LONGEST_PHRASE);
      while (literal.length > 1 && !others.has(asName(literal)) && !places.has(asPlace(literal))) literal = literal.slice(0, -1);
      result.push({ literal, others: others.get(asName(literal)) ?? [], places: places.get(asPlace(literal)) ?? [], near: near.get(asName(literal)) });
    }
    return result;
  }

  // What is named: a claim, its tests, a function, a program; also within a line that was pasted from a log.
  function named({ names, entries }, query) {
    const found = new Map();
    const add = (name, library) => {
      for (const id of names.get(squash(name)) ?? []) {
        const { kind, names: [own] = [] } = entries[id];
        if (kind === "library" ? library : kind !== "claim" || !name.includes("_")) found.set(id, (found.get(id) ?? 0) + (kind !== "claim" ? 1 : squash(own) === squash(name) ? 4 : 2));
      }
    };
    add(query, false);
    if (/^\w*[a-z\d][A-Z]\w*$/.test(query.trim())) for (const name of names.keys()) if (name.startsWith(squash(query))) add(name, false);
    for (const piece of query.split(/\s+/)) for (const name of new Set(piece.split(/[^\p{L}\d_]+/u))) {
      if (/[a-z\d][A-Z]|._./.test(name) || piece.replace(/.*::/, "") === `${name}()`) add(name, true);
    }
    return found;
  }

  // The entries for a query, best first, and what a reader should be told about them. Every word counts, and none excludes.
  function find(engine, query, limit = 30) {
    const { index, entries, ids } = engine, marks = new Set(), notes = { corrected: [], near: [], others: [], missing: [] };
    const typed = [...new Set(telling(words(query)))].slice(0, MOST_WORDS).map((word, number, all) => {
      const meant = corrected(engine, word, number === all.length - 1);
      if (meant !== word) notes.corrected.push([word, meant]);
      return meant;
    });
    const found = new Map(), asTyped = named(engine, query), exact = asTyped.size ? asTyped : named(engine, typed.join(" "));
    let whole = 0;
    groups(engine, typed).forEach(({ literal, others, places, near }, number, { length }) => {
      const points = new Map();
      const look = (text, factor, prefix) => {
        const results = index.search(text, {
          combineWith: "AND", prefix: word => prefix && word.length > 2, boost: FIELDS, boostDocument: id => KINDS[entries[id].kind],
        });
        for (const { id, score, queryTerms, terms } of results) {
          points.set(id, Math.max(points.get(id) ?? 0, factor * score / queryTerms.length));
          for (const term of terms) for (const word of engine.forms.get(term)) marks.add(word);
        }
      };
      look(literal.join(" "), 1, number === length - 1);
      for (const { other } of others) look(other, OTHER_NAME, false);
      const weight = literal.length * Math.sqrt(Math.log(1 + entries.length / (1 + points.size)));
      whole += weight;
      places.forEach((place, at) => ids.has(place) && points.set(ids.get(place), (points.get(ids.get(place)) ?? 0) + (at ? PLACE : FIRST_PLACE)));
      for (const [id, more] of points) {
        const old = found.get(id) ?? { score: 0, share: 0 };
        found.set(id, { score: old.score + weight * more, share: old.share + weight });
      }
      notes.others.push(...others);
      if (near) notes.near.push(near);
      if (!points.size && !engine.names.has(squash(literal.join("")))) notes.missing.push(literal.join(" "));
    });
    for (const id of exact.keys()) if (!found.has(id)) found.set(id, { score: 0, share: 0 });
    const results = [...found].map(([id, { score, share }]) => {
      const titled = telling(words(entries[id].title)).map(stem).join(" ") === typed.map(stem).join(" ");
      return { entry: entries[id], exact: exact.get(id) ?? 0, score: score * share / whole * (titled ? WHOLE_TITLE : 1) };
    });
    results.sort((a, b) => b.exact - a.exact || b.score - a.score);
    return { results: results.slice(0, limit), marks, notes };
  }

  // ---- what is shown of an entry: the part that has most of the words, and where it is ----
  const marker = marks => marks.size ? new RegExp(`(?<![\\p{L}\\d])(${[...marks].join("|")})(?![\\p{L}\\d])`, "giu") : /(?!)/;

  function excerpt(engine, { kind, url, below, text = "", parts = [] }, pattern, length = 180) {
    let best = ["", "", ""], most = -1;
    for (const part of [["", "", text], ...parts]) {
      const had = new Set(`${part[0]} ${part[2]}`.toLowerCase().match(pattern)?.map(stem)).size + (["", "Statement"].includes(part[0]) ? 1 : 0);
      if (had > most && part[2]) [best, most] = [part, had];
    }
    const [heading, anchor, found] = best, [page, own] = url.split("#"), content = kind === "claim" && text || found; // a claim in short, without formulas
    const near = Math.max(0, content.search(pattern) - 60);
    const start = near ? content.indexOf(" ", near) + 1 : 0, cut = content.slice(start, start + length);
    return {
      path: [kind === "library" ? "library" : "", pageOf(engine, url), below, heading].filter(Boolean).join(" › "),
      text: (start ? "… " : "") + (start + length < content.length ? `${cut.slice(0, cut.lastIndexOf(" "))} …` : cut),
      url: !anchor || heading === "Statement" ? url : `${page}#${anchor.startsWith("-") ? own : ""}${anchor}`,
    };
  }

  return { prepare, find, marker, excerpt };
})();

if (typeof module === "object") module.exports = bookSearch;
