// Ranks what search-index.js has for what a reader typed. No document is needed, so that it is tested without a browser.
"use strict";

const bookSearch = (() => {
  const SMALL_WORDS = new Set("a an and are as at be by can do does for from how i in is it its my of on or over own s than that the this to what when where which why with you your".split(" "));
  const KIND = { claim: 1.5, page: 1.3, section: 1, record: .6, library: .2 };
  const FIELDS = { title: 8, lead: 3, text: 1 };
  const LEAD_PARTS = new Set(["", "Statement"]);
  const SAME_STEM = .9, BEGINNING = .5, OTHER_NAME = .8, OTHER_NAME_OF_KNOWN = .4, NEAREST_SPELLING = .9, NEAR = 40, NAME = 200, MOST_WORDS = 50;
  const ENDINGS = [[/(?:ences?|ents?)$/, 6], [/(?:izations?|izing|ized?|izes|ations?|ating|ated?|ates|ators?|ions?|ings?|edly|ed|ally|ly|es?)$/, 4]];

  const IRREGULAR = new Map([["division", "divid"], ["divisions", "divid"], ["divisor", "divid"], ["divisors", "divid"]]);

  // ---- words ----
  // Letters and digits; a root is the word for it, so that √d is found as one types it.
  const words = text => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/√/g, " sqrt ").match(/[\p{L}\d]+/gu) ?? [];

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

  const squash = name => name.toLowerCase().replace(/[^\p{L}\d]/gu, "");

  // ---- the index, made ready: which entries have a word, and how often in which field ----
  function prepare(index) {
    const engine = { entries: index.entries, near: index.near, forms: new Map(), stems: new Map(), names: new Map(), same: new Map(), titles: [] };
    index.entries.forEach((entry, number) => {
      const count = (text, field) => {
        for (const word of words(text)) {
          let found = engine.forms.get(word);
          if (!found) engine.forms.set(word, found = new Map());
          let here = found.get(number);
          if (!here) found.set(number, here = { title: 0, lead: 0, text: 0 });
          here[field]++;
        }
      };
      count(entry.title, "title");
      for (const [heading, , text] of entry.parts) count(`${heading} ${text}`, LEAD_PARTS.has(heading) && entry.kind !== "library" ? "lead" : "text");
      const title = words(entry.title).filter(word => !SMALL_WORDS.has(word));
      engine.titles.push(new Set((title.length ? title : words(entry.title)).map(stem)));
      const [own, ...tests] = entry.names ?? [];
      const lead = (name, entryNumber) => {
        const key = squash(name);
        engine.names.set(key, [...(engine.names.get(key) ?? []), entryNumber]);
      };
      if (own) lead(own, number);
      if (entry.kind === "claim") count(own, "title"); // so that its beginning is enough
      if (entry.kind === "claim") for (const test of tests) { lead(test, number); lead(own + test, number); }
    });
    for (const form of engine.forms.keys()) {
      const key = stem(form);
      engine.stems.set(key, [...(engine.stems.get(key) ?? []), form]);
    }
    for (const [name, here] of Object.entries(index.same)) engine.same.set(words(name).map(stem).join(" "), here.map(words));
    engine.near = new Map(Object.entries(index.near).map(([name, places]) => [words(name).map(stem).join(" "), { name, places }]));
    return engine;
  }

  // ---- spelling: the distance of two words by insertions, deletions, substitutions and exchanges of neighbours ----
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [], last = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      for (let j = 1; j <= b.length; j++) {
        row[j] = Math.min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      if (Math.min(...row) > most) return most + 1;
      [before, last] = [last, row];
    }
    return last[b.length];
  }

  // The nearest word of the book outside of its library; among equals the one that more entries have.
  function nearest(engine, word) {
    const most = word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
    let best = null;
    if (most) for (const [form, found] of engine.forms) {
      const away = distance(word, form, Math.min(most, best?.away ?? most));
      if (away > most || away > (best?.away ?? most)) continue;
      const entries = [...found.keys()].filter(number => engine.entries[number].kind !== "library").length;
      if (entries && (!best || away < best.away || entries > best.entries)) best = { form, away, entries };
    }
    return best?.form;
  }

  // ---- what a word of the query stands for: forms that occur, and how good each is ----
  function formsOf(engine, word) {
    const forms = new Map();
    if (word.length > 2) for (const form of engine.forms.keys()) if (form.startsWith(word)) forms.set(form, BEGINNING);
    for (const form of engine.stems.get(stem(word)) ?? []) forms.set(form, SAME_STEM);
    if (engine.forms.has(word)) forms.set(word, 1);
    return forms;
  }

  // How well each entry has one of some forms: a word in a title counts more than in the text, a rare one more than a common one.
  function weigh(engine, forms) {
    const points = new Map(), holders = new Set();
    for (const form of forms.keys()) for (const number of engine.forms.get(form).keys()) holders.add(number);
    const rarity = Math.log(1 + engine.entries.length / (1 + holders.size));
    for (const number of holders) {
      let total = 0;
      for (const [field, weight] of Object.entries(FIELDS)) {
        let times = 0, best = 0;
        for (const [form, quality] of forms) {
          const here = engine.forms.get(form).get(number)?.[field] ?? 0;
          times += here;
          if (here) best = Math.max(best, quality);
        }
        total += weight * best * (field === "title" ? 1 : times / (times + 1)); // a title says it once
      }
      points.set(number, rarity * total);
    }
    return points;
  }

  // All words of a phrase: the least of their points, which is zero where one is missing.
  function weighAll(engine, phrase, marks) {
    const each = phrase.map(word => {
      const forms = formsOf(engine, word);
      for (const form of forms.keys()) marks.add(form);
      return weigh(engine, forms);
    });
    return new Map([...each[0]].map(([number]) => [number, Math.min(...each.map(points => points.get(number) ?? 0))]).filter(([, points]) => points));
  }

  // Some title, outside of the library, has all of these words.
  function inTitle(engine, phrase) {
    return engine.entries.some((entry, number) => entry.kind !== "library" && phrase.every(word => engine.titles[number].has(stem(word))));
  }

  const better = (into, from, factor) => { for (const [number, points] of from) into.set(number, Math.max(into.get(number) ?? 0, factor * points)); };

  // ---- names: a claim's, its tests', a function's, a program's; also within a line that was pasted from a log ----
  function named(engine, query) {
    const found = new Set(), used = [];
    const pieces = query.split(/\s+/).flatMap(piece => [piece, ...piece.split(/[=/:'"*()<>,]+|\.(?=\W|$)/), ...piece.split(/[=/:'"*()<>,.]+/)]);
    for (const piece of new Set(pieces)) {
      const key = squash(piece), single = query.trim() === piece, looks = /[a-z\d][A-Z]|_|::|\(\)/.test(piece);
      for (const number of engine.names.get(key) ?? []) {
        const entry = engine.entries[number];
        const whole = entry.kind === "library" ? looks && entry.names.includes(piece.replace(/\(\)$/, "").split("::").pop()) : looks || single;
        if (key && whole) { found.add(number); used.push(piece); }
      }
    }
    const all = engine.names.get(squash(query)) ?? [];
    for (const number of all) if (engine.entries[number].kind === "claim") found.add(number);
    return { found, used };
  }

  // ---- the groups of a query: words, or several words that are another name for something ----
  function groups(engine, typed) {
    const result = [];
    for (let start = 0; start < typed.length;) {
      let size = Math.min(3, typed.length - start), key = "";
      for (; size > 0; size--) {
        key = typed.slice(start, start + size).map(stem).join(" ");
        if (engine.same.has(key) || engine.near.has(key)) break;
      }
      const length = Math.max(size, 1), literal = typed.slice(start, start + length);
      result.push({ literal, others: engine.same.get(key) ?? [], near: engine.near.get(key) });
      start += length;
    }
    // A small word or a letter tells nothing, unless there are no others.
    const telling = result.filter(({ literal, near, others }) => literal.length > 1 || near || others.length || literal[0].length > 1 && !SMALL_WORDS.has(literal[0]));
    return telling.length ? telling : result;
  }

  // The entries for a query, best first, and what a reader should be told about them. A word counts once.
  function find(engine, query, limit = 30) {
    const { found, used } = named(engine, query);
    const typed = [...new Set(words(query))].slice(0, MOST_WORDS), marks = new Set(), notes = { corrected: [], near: [], others: [], missing: [] };
    if (!typed.length) return { results: [], marks, notes };
    const points = new Map(), hits = new Map(), asked = new Set();
    const isName = literal => used.some(piece => words(piece).includes(literal[0]));
    let groupsAsked = 0;
    for (const { literal, others, near } of groups(engine, typed)) {
      const best = weighAll(engine, literal, marks);
      const known = inTitle(engine, literal); // a word of the book itself
      for (const other of others) {
        better(best, weighAll(engine, other, marks), known ? OTHER_NAME_OF_KNOWN : OTHER_NAME);
        notes.others.push([literal.join(" "), other.join(" ")]);
      }
      if (near) {
        notes.near.push(near.name);
        engine.entries.forEach((entry, number) => { if (near.places.includes(entry.url)) best.set(number, NEAR - near.places.indexOf(entry.url)); });
      }
      let meant = literal;
      if (!best.size && isName(literal)) continue; // it is in no text, but it leads to what it names
      groupsAsked++;
      if (!best.size && literal.length === 1) {
        const word = nearest(engine, literal[0]);
        if (word) {
          meant = [word];
          better(best, weighAll(engine, meant, marks), NEAREST_SPELLING);
          notes.corrected.push([literal[0], word]);
        }
      }
      if (!best.size) notes.missing.push(literal.join(" "));
      for (const form of [...meant, ...(known ? [] : others.flat())]) asked.add(stem(form));
      for (const [number, more] of best) {
        points.set(number, (points.get(number) ?? 0) + more);
        hits.set(number, (hits.get(number) ?? 0) + 1);
      }
    }
    const most = Math.max(0, ...hits.values());
    const results = [...points].filter(([number]) => hits.get(number) === most).map(([number, sum]) => {
      const entry = engine.entries[number], title = engine.titles[number];
      const covered = [...title].filter(word => asked.has(word)).length / Math.max(1, title.size);
      return [number, sum * KIND[entry.kind] * (1 + covered + (covered === 1 ? 1 : 0)) * (1 + .2 * Math.log1p(entry.kind === "library" ? 0 : entry.links ?? 0))];
    });
    for (const number of found) {
      const entry = engine.entries[number], letter = entry.names.some(name => used.includes(name));
      const bonus = NAME * ((letter ? 2 : 1) + (entry.kind === "claim" ? .5 : 0));
      const old = results.find(([other]) => other === number);
      if (old) old[1] += bonus; else results.push([number, bonus]);
    }
    results.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    notes.partial = most < groupsAsked - notes.missing.length;
    return { results: results.slice(0, limit).map(([number, score]) => ({ entry: engine.entries[number], score, exact: found.has(number) })), marks, notes };
  }

  // ---- what is shown of an entry: the part that has the words, and where it is ----
  const marker = marks => marks.size && new RegExp(`(?<![\\p{L}\\d])(${[...marks].sort((a, b) => b.length - a.length).join("|")})(?![\\p{L}\\d])`, "giu");

  function excerpt(entry, marks, length = 180) {
    const pattern = marker(marks), has = text => pattern ? new Set((text.toLowerCase().match(pattern) ?? []).map(stem)).size : 0;
    let best = entry.parts[0], most = -1;
    for (const part of entry.parts) {
      const count = has(`${part[0]} ${part[2]}`) + (LEAD_PARTS.has(part[0]) ? .5 : 0);
      if (count > most && part[2]) [best, most] = [part, count];
    }
    const [heading, url, text] = best, place = pattern ? text.search(pattern) : 0;
    const near = Math.max(0, place - 60), start = near ? text.indexOf(" ", near) + 1 : 0, end = text.lastIndexOf(" ", start + length);
    const shown = start + length >= text.length ? text.slice(start) : `${text.slice(start, end)} …`;
    return { heading, url: LEAD_PARTS.has(heading) ? entry.url : url, text: (start ? "… " : "") + shown };
  }

  return { prepare, find, excerpt, marker, stem, words, distance };
})();

if (typeof module === "object") module.exports = bookSearch;
