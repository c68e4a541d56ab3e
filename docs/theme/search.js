// What a reader typed, and the entries of search-index.js: MiniSearch finds and ranks, here are words, names, aliases and what is
// shown. No document is needed, so that it is tested without a browser.
"use strict";

const bookSearch = (() => {
  const SMALL_WORDS = new Set("a an and any are as at be by can do does for from go goes happen happens have has how i if in into is it its just like me my of on one or over own s so some something than that the their them there these this those to was we what when where which who with would you your".split(" "));
  const BOOST = { title: 6, said: 3, lead: 3, heads: 1.5, section: 1, names: .7, text: 1.5 };
  const KIND = { claim: 1.2, page: 1.2, section: 1, record: .6, library: .15 };
  const S = { other: .8, share: 1, first: 2, power: .7, k: 1.2, b: .7, d: .5, pw: .375, rare: 1, also: 20, covered: 0 };
  const LONGEST_PHRASE = 4, MOST_WORDS = 50;
  const ENDINGS = [[/(?:ences?|ents?)$/, 6], [/(?:izations?|izing|ized?|izes|ations?|ating|ated?|ates|ators?|ions?|ings?|edly|ed|ally|ly|es?)$/, 4]];
  const IRREGULAR = new Map([["division", "divid"], ["divisions", "divid"], ["divisor", "divid"], ["divisors", "divid"]]);

  // Letters and digits: a root is the word for it, a number keeps its point, and a name of code is one word.
  const words = text => text.replace(/√/g, " sqrt ").replace(/(?<=[\p{L}\d])(?=[⁰¹²³⁴-⁹])/gu, " ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .match(/\d+(?:\.\d+)+|[\p{L}\d]+(?:_[\p{L}\d]+)*/gu) ?? [];
  // d_k is dk; and a longer name is also its parts.
  const tokens = text => words(text).flatMap(word => word.includes("_") ? [word.replaceAll("_", ""), ...word.split("_")] : [word]);
  const telling = words => { const left = words.filter(word => !SMALL_WORDS.has(word)); return left.length ? left : words; };
  const squash = name => name.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  const inWords = name => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, " ");

  // A word without its ending, where enough of it is left: saturate, saturates, saturation.
  function stem(word) {
    if (IRREGULAR.has(word)) return IRREGULAR.get(word);
    const singular = word.replace(/(?:ies)$/, "y").replace(/([^su])s$/, "$1");
    for (const [ending, least] of ENDINGS) {
      const rest = singular.replace(ending, "");
      if (rest !== singular && rest.length >= least) return rest;
    }
    return singular;
  }
  // What an alias is known by: whole words, singular or plural.
  const key = words => telling(words).map(word => squash(word).replace(/(?<=..[^su])s$/, "")).join(" ");

  function prepare(MiniSearch, { entries, terms }) {
    const stems = new Map(), counts = new Map(), aliases = new Map(), said = new Map(), heads = new Map(), names = new Map();
    const note = (map, at, more) => map.set(at, [...map.get(at) ?? [], ...more]);
    for (const { typed, here, places, near } of terms) for (const name of typed) {
      const at = key(words(name)), old = aliases.get(at) ?? { here: [], near: "", places: [] };
      aliases.set(at, { here: [...old.here, ...here], near: near ? name : old.near, places: [...old.places, ...places] });
      for (const place of places) note(said, place, [name]);
    }
    entries.forEach(({ url, title, names: own = [] }, id) => {
      if (url.includes("#")) note(heads, url.split("#")[0], [title]);
      for (const name of own) note(names, squash(name), [id]);
    });
    const processTerm = word => {
      counts.set(word, (counts.get(word) ?? 0) + 1);
      if (!stems.has(word)) stems.set(word, SMALL_WORDS.has(word) ? null : stem(word));
      return stems.get(word);
    };
    const index = new MiniSearch({ fields: Object.keys(BOOST), tokenize: tokens, processTerm, searchOptions: { processTerm: stem } });
    index.addAll(entries.map(({ kind, title, url, section = "", names = [], text = "", parts = [] }, id) => {
      const library = kind === "library", below = lead => parts.filter(([heading]) => heading === "Statement" === lead).map(part => `${part[0]} ${part[2]}`).join(" ");
      return {
        id, title, section, said: said.get(url)?.join(" ") ?? "", heads: heads.get(url)?.join(" ") ?? "", names: names.flatMap(name => [name, inWords(name)]).join(" "),
        lead: library ? "" : `${text} ${below(true)}`, text: library ? text : below(false),
      };
    }));
    return { MiniSearch, index, entries, aliases, names, counts, ids: new Map(entries.map(({ url }, id) => [url, id])) };
  }

  // The word of the book that is nearest to one which it does not have; among equals the one that stands there more often.
  function nearest(engine, word) {
    engine.spelling ??= (() => {
      const spelling = new engine.MiniSearch({ fields: ["id"], idField: "id", tokenize: word => [word], storeFields: [] });
      spelling.addAll([...engine.counts].filter(([word]) => word.length > 3 && !SMALL_WORDS.has(word)).map(([id]) => ({ id })));
      return spelling;
    })();
    return engine.spelling.search(word, { fuzzy: .26, boostDocument: id => 1 + Math.log(engine.counts.get(id)) / 10 })[0]?.id;
  }

  // Words, or several words that are another name for something.
  function groups(engine, typed) {
    const result = [];
    for (let start = 0; start < typed.length;) {
      let size = Math.min(LONGEST_PHRASE, typed.length - start);
      while (size > 1 && !engine.aliases.has(key(typed.slice(start, start + size)))) size--;
      const literal = typed.slice(start, start + size);
      result.push({ literal, ...engine.aliases.get(key(literal)) ?? { here: [], near: "", places: [] } });
      start += size;
    }
    return result;
  }

  // What is named: a claim, its tests, a function, a program; also within a line that was pasted from a log.
  function named(engine, query) {
    const found = new Map(), add = (name, accept) => {
      for (const id of engine.names.get(squash(name)) ?? []) {
        const { kind, names } = engine.entries[id], own = squash(names[0]) === squash(name);
        if (accept(kind)) found.set(id, (found.get(id) ?? 0) + (kind === "claim" ? own ? 4 : 2 : 1));
      }
    };
    add(query, kind => kind !== "library");
    for (const piece of query.split(/\s+/)) if (/[a-z\d][A-Z]|_|::|\(\)/.test(piece)) for (const name of new Set(piece.split(/[^\p{L}\d_]+/u))) add(name, () => true);
    return found;
  }

  // The entries for a query, best first, and what a reader should be told about them. Every word counts, and none excludes.
  function find(engine, query, limit = 30) {
    const { index, entries, ids } = engine, exact = named(engine, query);
    const asked = groups(engine, [...new Set(telling(words(query)))].slice(0, MOST_WORDS));
    const found = new Map(), marks = new Set(), notes = { corrected: [], near: [], others: [], missing: [] };
    let all = 0;
    asked.forEach(({ literal, here, near, places }, number) => {
      const points = new Map(), last = number === asked.length - 1;
      const look = (text, factor = 1, prefix = false) => {
        const results = index.search(text, {
          combineWith: "AND", prefix: word => prefix && word.length > 2, boost: BOOST, boostDocument: id => KIND[entries[id].kind],
          bm25: { k: S.k, b: S.b, d: S.d }, weights: { fuzzy: 0, prefix: S.pw },
        });
        for (const { id, score, queryTerms, terms } of results) {
          points.set(id, Math.max(points.get(id) ?? 0, factor * score / queryTerms.length));
          for (const word of terms) marks.add(word);
        }
        return results.length;
      };
      let meant = look(literal.join(" "), 1, last) || here.length || places.length ? null : literal.length === 1 && nearest(engine, literal[0]);
      if (meant && look(meant)) notes.corrected.push([literal[0], meant]);
      for (const other of here) look(other, S.other);
      const weight = literal.length * Math.log(1 + entries.length / (1 + points.size)) ** S.rare;
      all += weight;
      places.forEach((place, number) => {
        if (ids.has(place)) points.set(ids.get(place), (points.get(ids.get(place)) ?? 0) + S.also * (number ? 1 : S.first));
      });
      if (!points.size) notes.missing.push(literal.join(" "));
      if (near) notes.near.push(near);
      for (const other of here) notes.others.push([literal.join(" "), other]);
      for (const [id, more] of points) {
        const old = found.get(id) ?? { score: 0, share: 0 };
        found.set(id, { score: old.score + more ** S.power * weight, share: old.share + weight });
      }
    });
    for (const id of exact.keys()) if (!found.has(id)) found.set(id, { score: 0, share: 0 });
    const results = [...found].map(([id, { score, share }]) => ({ entry: entries[id], exact: exact.get(id) ?? 0, score: score * (share / all) ** S.share }))
      .sort((a, b) => b.exact - a.exact || b.score - a.score).slice(0, limit);
    return { results, marks, notes };
  }
  return { prepare, find, stem, words, tokens, BOOST, KIND, S };
})();

if (typeof module === "object") module.exports = bookSearch;
