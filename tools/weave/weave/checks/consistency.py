"""The rules between pages, sources and results; every breach is reported as a Diagnostic."""

from collections.abc import Iterator

from weave.base.diagnostics import Diagnostic
from weave.checks.evidence_problems import evidence_problems
from weave.checks.exercise_problems import exercise_problems
from weave.checks.figure_problems import figure_problems
from weave.checks.ledger_problems import ledger_problems
from weave.checks.macro_problems import macro_problems
from weave.checks.passage_problems import passage_problems
from weave.checks.prose_problems import prose_problems
from weave.checks.slide_problems import slide_problems
from weave.checks.source_problems import source_problems
from weave.reading.book import Book
from weave.reading.forge import read_page
from weave.reading.pages import CHECK, HYPOTHESES, MAINPAGE, WITHOUT, Claim, chapters_of_part
from weave.reading.passages import DOCUMENT
from weave.reading.sources import suite_file
from weave.record.results import PASSED, Test
from weave.record.verdicts import HELD

FEWEST_MUTANTS = 3
NUMERICS = "Numerics and evidence"
"""The part of the book to which the proofs before it may refer."""
LISTS = {"agrees": 2, "undecided": 2, "corrects": 3}
"""Recorded lists and how many tab-separated columns their lines have."""


def check(book: Book) -> list[Diagnostic]:
    """All problems of the book, sorted by place."""
    problems = list(book.problems)
    for part in (_repeated, _suites, _words, _order, _forward, _cycles, _without, _records,
                 _counterexamples, _mutants, source_problems, evidence_problems, ledger_problems,
                 exercise_problems, figure_problems, macro_problems, passage_problems, prose_problems, slide_problems):
        problems += part(book)
    return sorted(set(problems))


def _repeated(book: Book) -> Iterator[Diagnostic]:
    for chapter in book.chapters:
        for claim in chapter.claims:
            first = book.claims[claim.name]
            if claim is not first:
                yield Diagnostic(claim.file, claim.line,
                                 f"{claim.name} is already declared at {first.file}:{first.line}",
                                 "Rename or remove one of the two")


def _suites(book: Book) -> Iterator[Diagnostic]:
    """A suite for every claim and a claim for every suite."""
    suites = {name: {tests[0].file: tests[0].line} for name, tests in book.tests.items()}
    suites.update(book.sources.suites)
    for name, claim in book.claims.items():
        if name not in suites and not claim.cited:
            yield Diagnostic(claim.file, claim.line, f"{name} has no suite",
                             f"Write STATEMENT({name}, …) in {suite_file(claim.stem, name)}, or remove the claim")
    for name, places in suites.items():
        for file, line in places.items():
            if name not in book.claims:
                yield Diagnostic(file, line, f"the suite {name} belongs to no claim",
                                 f"Declare '## … {{#{name}}}' in theory/, or rename the suite")
            elif file != suite_file(book.claims[name].stem, name):
                yield Diagnostic(file, line, f"the suite {name} is not in the file of its claim",
                                 f"Move it to {suite_file(book.claims[name].stem, name)}")


def _words(book: Book) -> Iterator[Diagnostic]:
    """A suite's check is said in words, and no other is."""
    for name, claim in book.claims.items():
        if book.needs_suite(claim) and CHECK not in claim.parts:
            yield Diagnostic(claim.file, claim.line, f"{name} has no '### {CHECK}'",
                             "Say what its property tries and requires, for those who read no C++")
        elif claim.check and not book.needs_suite(claim):
            yield Diagnostic(claim.file, claim.parts[CHECK][0], f"{name} has no suite, but '### {CHECK}'",
                             "Remove the section, or write the suite")


def _order(book: Book) -> Iterator[Diagnostic]:
    for chapter in book.chapters:
        if chapter.anchor not in book.order:
            yield Diagnostic(chapter.file, 1,
                             f"the page '{chapter.anchor}' is not in the reading order",
                             f"Add '- [{chapter.title}](../{chapter.file})' to {MAINPAGE}")


def _forward(book: Book) -> Iterator[Diagnostic]:
    """A proof rests on claims before it; only to what rounding does may it refer ahead."""
    place = {name: number for number, name in enumerate(book.claims)}
    numerics = chapters_of_part(read_page(book.root, MAINPAGE), NUMERICS) if book.order else set()
    for name, claim in book.claims.items():
        for used, line in claim.uses.items():
            later = book.claims.get(used)
            if later and place[used] > place[name] and (later.stem not in numerics or claim.stem in numerics):
                yield Diagnostic(claim.file, line, f"{name} rests on {used}, which stands after it, at "
                                 f"{later.file}:{later.line}", "Move one of the two, or prove it without the other")


def _cycles(book: Book) -> Iterator[Diagnostic]:
    """Proofs that rest on themselves; each cycle is reported once."""
    finished: set[str] = set()

    def visit(name: str, path: list[str]) -> Iterator[Diagnostic]:
        if name in path:
            claim = book.claims[name]
            cycle = " → ".join(path[path.index(name):] + [name])
            yield Diagnostic(claim.file, claim.line, f"the proofs rest on each other: {cycle}",
                             "Prove one of them without the next")
        elif name in book.claims and name not in finished:
            for used in book.claims[name].uses:
                yield from visit(used, [*path, name])
            finished.add(name)

    for start in book.claims:
        yield from visit(start, [])


def _without(book: Book) -> Iterator[Diagnostic]:
    """Each hypothesis says what fails without it, and nothing else does."""
    for name, claim in book.claims.items():
        if claim.lacks & {HYPOTHESES, WITHOUT}:
            continue
        for hypothesis, bullet in claim.hypotheses.items():
            if hypothesis not in claim.without:
                yield Diagnostic(claim.file, bullet.line,
                                 f"{name} does not say what fails without '{hypothesis}'",
                                 f"Add '- **{hypothesis}**: …' under '### Without the hypotheses'")
        for hypothesis, bullet in claim.without.items():
            if hypothesis not in claim.hypotheses:
                yield Diagnostic(claim.file, bullet.line,
                                 f"'{hypothesis}' is not among the hypotheses of {name}",
                                 "Use the same bold name in both sections")


def _records(book: Book) -> Iterator[Diagnostic]:
    """The records of tests are well formed and name what the page names."""
    for _, test in _tests(book):
        where = f"{test.suite}.{test.name}"
        for key, columns in LISTS.items():
            for row in test.rows(key):
                if len(row) != columns:
                    yield Diagnostic(test.file, test.line,
                                     f"{where} recorded '{' '.join(row)}' as {key}",
                                     f"Record {columns} values with tabs between them")
                elif not DOCUMENT.fullmatch(row[0]):
                    yield Diagnostic(test.file, test.line, f"{where} recorded '{row[0]}' as a document in {key}",
                                     "Name it as the page that goes through the documents does, such as S1")
        for key in ("alpha", "chance"):
            recorded = test.record.get(key)
            if recorded is not None and not _is_probability(recorded):
                yield Diagnostic(test.file, test.line, f"{where} recorded the {key} '{recorded}'",
                                 "Record a decimal number between 0 and 1")


def _counterexamples(book: Book) -> Iterator[Diagnostic]:
    """Each hypothesis has a test that shows it to be needed."""
    for name, claim in book.claims.items():
        tests = book.tests_of(claim)
        if not tests or book.verdicts[name].status != HELD:
            continue
        shown = {hypothesis for test in tests for hypothesis in test.lines("counterexample")}
        for hypothesis, bullet in claim.hypotheses.items():
            if hypothesis not in shown:
                yield Diagnostic(claim.file, bullet.line,
                                 f"no test of {name} shows that '{hypothesis}' is needed",
                                 "Record a counterexample with that name in its suite")
        for test in tests:
            for hypothesis in test.lines("counterexample"):
                if _is_strange(claim, hypothesis):
                    yield Diagnostic(test.file, test.line,
                                     f"{name}.{test.name} has a counterexample for '{hypothesis}', "
                                     f"which is not a hypothesis of {name}",
                                     "Use the bold name that the page uses")


def _mutants(book: Book) -> Iterator[Diagnostic]:
    """Each test kills a mutant that is aimed at it, and each claim has a few."""
    for claim, test in _tests(book):
        if test.status == PASSED and test.about and not set(test.lines("aimed")) & set(test.lines("killed")):
            yield Diagnostic(test.file, test.line,
                             f"{test.suite}.{test.name} kills no mutant that is aimed at it",
                             "Aim a mutant at it that this test alone should notice")
    for name, claim in book.claims.items():
        tests = book.tests_of(claim)
        mutants = {mutant for test in tests for mutant in test.mutants}
        if tests and book.verdicts[name].status == HELD and len(mutants) < FEWEST_MUTANTS:
            yield Diagnostic(tests[0].file, tests[0].line,
                             f"{name} has {len(mutants)} of {FEWEST_MUTANTS} mutants",
                             "Add wrong implementations that its tests must notice")


def _is_strange(claim: Claim, hypothesis: str) -> bool:
    """True if a claim, whose hypotheses are known, has none of that name."""
    return hypothesis not in claim.hypotheses and HYPOTHESES not in claim.lacks


def _tests(book: Book) -> Iterator[tuple[Claim, Test]]:
    for claim in book.claims.values():
        for test in book.tests_of(claim):
            yield claim, test


def _is_probability(text: str) -> bool:
    try:
        return 0 < float(text) < 1
    except ValueError:
        return False
