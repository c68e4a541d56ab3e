r"""The generated blocks that pages ask for by \weave{name}."""

from collections.abc import Callable

from weave.base.words import plural
from weave.reading import judgements
from weave.reading.book import Book
from weave.reading.ledger import FACT as LEDGER
from weave.reading.pages import Claim
from weave.record.claims import ClaimData
from weave.record.results import FAILED, NOT_RUN, Test
from weave.record.verdicts import GLYPHS, HELD, LEVELS, MEANINGS, STATISTICAL
from weave.writing import citation
from weave.writing.claims_data import all_mutants, claims_data, killed
from weave.writing.errata import errata
from weave.writing.figure_blocks import all_figures
from weave.writing.graph import graph_block
from weave.writing.hypotheses import hypotheses
from weave.writing.ledger_table import ledger_block
from weave.writing.markup import (OURS, badges, choices, documents, escape, html_block, html_text, table, test_link,
                                  word_badge)
from weave.writing.reading_time import rule
from weave.writing.slides import clock
from weave.writing.tasks import all_tasks


def _claims(book: Book) -> str:
    """All claims, one a row; by its name, that of its suite, a claim is found from a message of a failing job."""
    rows = []
    for claim, data in zip(book.claims.values(), claims_data(book)):
        said = (rf'\ref {claim.name} <br><span class="said">{claim.sentence}</span><br>'
                rf'<code class="name">{claim.name}</code> <span class="said">· \ref {claim.stem}</span>')
        rows.append([said,
                     documents(claim.documents, judgements.labels_of_documents(book, claim)) + _whose(claim),
                     f'<span data-sort="{_severity(book.verdicts[claim.name].shown)}">'
                     f"{badges(book.verdicts[claim.name])}</span>",
                     _property(data), _exact_check(data),
                     f"{data['mutants_killed']} of {data['mutants']}" if data["mutants"] else ""])
    whose = {name: f"of {name};" for name in sorted({name for claim in book.claims.values() for name in claim.documents
                                                     if name not in OURS})} | {"ours": "of us;"}
    return choices({"Claims of": whose}) + "\n\n" + table(
        "claims-table cards", ["Claim", "Documents", "Verdict", "Property", "Exact check", "Caught"], rows)


def _whose(claim: Claim) -> str:
    """The words by which the buttons above the table find a row."""
    words = " ".join("of us;" if name in OURS else f"of {name};" for name in claim.documents)
    return f'<span data-filter="{words}"></span>'


def _severity(word: str) -> int:
    """0 for what failed, and more the stronger a verdict is."""
    return len(GLYPHS) - 1 - ([*LEVELS, NOT_RUN, FAILED]).index(word)


BESIDE_IT = ' <span class="said">beside it</span>'
"""Said of what was tried for something beside the statement alone."""


def _property(data: ClaimData) -> str:
    """The number of random cases, or the reason for none."""
    return _column(data["property"], f"{data['property']:,} cases" + BESIDE_IT * data["property_beside"],
                   data["no_property"])


def _exact_check(data: ClaimData) -> str:
    """The number of values compared, by the glyph of how they are known, and of samples; or the reason for none."""
    counts = data["exact_check"]
    shown = [f"{GLYPHS[level]}&nbsp;" + (plural(count, "sample") if level == STATISTICAL else f"{count:,}")
             for level, count in counts.items()]
    return _column(sum(counts.values()), " · ".join(shown) + BESIDE_IT * data["exact_check_beside"],
                   data["no_exact_check"])


def _column(count: int, shown: str, why_none: str) -> str:
    if count:
        return f'<span data-sort="{count}">{shown}</span>'
    return f'<span data-sort="0" class="said">none: {why_none}</span>' if why_none else ""


def _chapters(book: Book) -> str:
    """Chapters and how their claims fared."""
    rows = []
    for chapter in book.chapters:
        rows.append([rf"\ref {chapter.anchor}", str(len(chapter.claims)),
                     _tally(book, chapter.claims)])
    return table("book", ["Chapter", "Claims", "Verdicts"], rows)


def _tally(book: Book, claims: list[Claim]) -> str:
    """A badge and a count for every word that occurs among some claims."""
    words = [book.verdicts[claim.name].shown for claim in claims]
    return " ".join(f"{_word_badge(word)}&nbsp;{words.count(word)}" for word in GLYPHS if word in words)


def _word_badge(word: str) -> str:
    return word_badge(word, f"{GLYPHS[word]} {word}")


def _verdicts(book: Book) -> str:
    """The meaning of each word, and the number of claims that have it."""
    words = [verdict.shown for verdict in book.verdicts.values()]
    rows = [[_word_badge(word), meaning, str(words.count(word))]
            for word, meaning in MEANINGS.items()]
    held = sum(verdict.status == HELD for verdict in book.verdicts.values())
    return (table("book", ["Verdict", "Meaning", "Claims"], rows) +
            f"\n\n{held} of {plural(len(words), 'claim')} held in this run.")


def _passages(book: Book) -> str:
    """The meaning of each word on passages, and the number of passages that have it."""
    counts = judgements.tally(book)
    rows = [[word_badge(word, judgements.Judgement(word).label), meaning, str(counts.get(word, 0))]
            for word, meaning in judgements.MEANINGS.items()]
    return table("book", ["Verdict", "Meaning", "Passages"], rows)


def _passage_tally(book: Book) -> str:
    """A badge and a count for every word on passages that occurs."""
    return "&emsp;".join(f"{word_badge(word, judgements.Judgement(word).label)}&nbsp;{count}"
                    for word, count in judgements.tally(book).items())


def _tiles(book: Book) -> str:
    """The findings of this run, in four numbers that lead to what is behind them."""
    claims = [verdict.status for verdict in book.verdicts.values()]
    held, failed, lost = (claims.count(status) for status in (HELD, FAILED, NOT_RUN))
    passages = judgements.tally(book)
    broken = [word for word, count in ((f"{failed} failed", failed), (f"{lost} not run", lost)) if count]
    right = sum(passages.get(word, 0) for word in ("right", "made precise"))
    suites = [book.tests_of(claim) for claim in book.claims.values()]
    mutants, dead = sum(len(all_mutants(tests)) for tests in suites), sum(len(killed(tests)) for tests in suites)
    tiles = [("claims.html", held, len(claims), "; ".join(["claims held in the run that made these pages", *broken])),
             ("mutants.html", dead, mutants, "versions that were broken on purpose were caught"),
             ("line-by-line.html", right, sum(passages.values()),
              "passages of three documents are right as far as they go"),
             ("errata.html", passages.get("wrong", 0), 0, "of these passages are wrong; the errata correct them")]
    bad = [place for place, is_bad in (("claims.html", broken), ("mutants.html", dead < mutants)) if is_bad]
    return html_block('<div class="tiles">' + "".join(
        f'<a class="tile{" status-failed" * (place in bad)}" href="{place}">'
        f'<b>{number:,}{f" of {whole:,}" * bool(whole)}</b> {words}</a>'
        for place, number, whole, words in tiles) + "</div>")


def _graph(book: Book) -> str:
    """The graph of claims with its legend."""
    return f"{graph_block(book)}\n\n{_tally(book, list(book.claims.values()))}"


def _build(book: Book) -> str:
    """The revision and what the programs recorded, once where all of them agree."""
    values: dict[str, dict[str, list[str]]] = {}
    for run in book.runs.values():
        for key, value in run.facts.items():
            if key == LEDGER:
                continue
            values.setdefault(key, {}).setdefault(value, []).append(run.stem)
    rows = _revision(book)
    for key, found in sorted(values.items()):
        for value, stems in found.items():
            rows.append([escape(key), escape(value),
                         "all" if len(found) == 1 else escape(", ".join(stems))])
    lost = [f"○ {escape(run.stem)}: {escape(run.lost)}." for run in book.runs.values() if run.lost]
    return "\n\n".join([table("book", ["What", "Value", "Programs"], rows), *lost])


def _revision(book: Book) -> list[list[str]]:
    """The version that was built, its commit and identifiers if they are known, and the address if there is one."""
    revision = book.revision
    if not revision:
        return []
    modified = ", with changes that are not committed" if revision["modified"] == "1" else ""
    facts = {"version": revision["version"], "commit": (revision["commit"] or "unknown commit") + modified,
             "date of the commit": revision["date"], "identifiers": f"{revision['rev']} {revision['dir']}".strip()}
    rows = [[what, escape(value), "all"] for what, value in facts.items() if value]
    if address := revision["address"]:
        rows.append(["published at", f'<a href="{html_text(address)}">{escape(address)}</a>', "all"])
    return rows


def _mutants(book: Book) -> str:
    """Per claim, which mutant each check killed (†) and which survived it (·); bold for the expected killer.

    A list instead, where each check met those alone that it must kill."""
    parts = []
    totals = [0, 0]
    for claim in book.claims.values():
        tests = [test for test in book.tests_of(claim) if test.mutants]
        mutants, dead = all_mutants(tests), killed(tests)
        if not mutants:
            continue
        totals[0] += len(dead)
        totals[1] += len(mutants)
        parts.append(rf"<b>\ref {claim.name}</b>: {len(dead)} of {len(mutants)} killed")
        if all(test.mutants <= set(test.lines("aimed")) for test in tests):
            rows = [[escape(mutant), f"{_mark_of_mutant(test, mutant)} {test_link(test)}"]
                    for test in tests for mutant in sorted(test.mutants)]
            parts.append(table("book", ["Mutant", "Check that must kill it"], rows))
        else:
            rows = [[escape(mutant), *(_mark_of_mutant(test, mutant) for test in tests)] for mutant in mutants]
            parts.append(table("book kill-matrix", ["Mutant", *map(test_link, tests)], rows))
    legend = ("† killed · survived; bold where the check is the one that must kill the mutant. "
              f"In all, {totals[0]} of {plural(totals[1], 'mutant')} killed.")
    return "\n\n".join([legend, *parts])


def _mark_of_mutant(test: Test, mutant: str) -> str:
    if mutant not in test.mutants:
        return ""
    mark = "†" if mutant in test.lines("killed") else "·"
    return f"<b>{mark}</b>" if mutant in test.lines("aimed") else mark


BLOCKS: dict[str, Callable[[Book], str]] = {
    "alpha": ledger_block, "build": _build, "chapters": _chapters, "citation": citation.of_book, "claims": _claims,
    "clock": clock, "errata": errata, "exercises": all_tasks, "figures": all_figures, "graph": _graph,
    "hypotheses": hypotheses, "mutants": _mutants,
    "passages": _passages, "passage_tally": _passage_tally, "reading": rule,
    "tiles": _tiles, "verdicts": _verdicts,
}
