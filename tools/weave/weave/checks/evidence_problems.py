"""The evidence that each test must state, and that a claim's tests must show together."""

from collections.abc import Callable, Iterator

from weave.base.diagnostics import Diagnostic
from weave.reading.book import Book
from weave.reading.pages import CHECK, Claim
from weave.reading.sources import suite_file
from weave.record.counts import compared, random_cases
from weave.record.results import FAILED, NOT_RUN, Test
from weave.record.verdicts import ABOUT, HELD, LEVELS, STATEMENT


def evidence_problems(book: Book) -> Iterator[Diagnostic]:
    """Tests that do not say what they know of what, and claims without what each is to have."""
    for claim in book.claims.values():
        tests = book.passing_of(claim)
        unsaid = [problem for test in tests for problem in _unsaid(test)]
        yield from unsaid
        if not tests or unsaid or book.verdicts[claim.name].status == FAILED:
            continue
        yield from _no_statement(claim, tests)
        yield from _skipped(book, claim)
        if book.verdicts[claim.name].status == HELD:
            yield from _columns(claim, tests)
            yield from _unquoted(book, claim, tests)


def _unsaid(test: Test) -> Iterator[Diagnostic]:
    """The gaps in what a passed test says, and words there that are none."""
    where = f"{test.suite}.{test.name}"
    if not test.about:
        yield Diagnostic(test.file, test.line, f"{where} has no evidence of its own",
                         "Write STATEMENT(…) or ASIDE(…) instead of TEST(…)")
        return
    if test.about not in ABOUT:
        yield Diagnostic(test.file, test.line, f"{where} is about '{test.about}'", f"Record one of {', '.join(ABOUT)}")
    if test.about == STATEMENT and test.lines("counterexample"):
        yield Diagnostic(test.file, test.line, f"{where} is a counterexample and says that it checks the statement",
                         "Put counterexample_without(…) and what belongs to it into a test of its own")
    if test.level and test.level not in LEVELS:
        yield Diagnostic(test.file, test.line, f"{where} recorded the level '{test.level}'",
                         f"Record one of {', '.join(LEVELS)}")
    elif not test.level and not test.number("refusals"):
        yield Diagnostic(test.file, test.line, f"{where} passed and has no evidence",
                         "Compare by EXPECT_EXACTLY(…), or name what it rests on: "
                         "evidence().rests_on(EvidenceLevel::bounded), measured, statistical, empirical or cited")


def _no_statement(claim: Claim, tests: list[Test]) -> Iterator[Diagnostic]:
    if not claim.cited and all(test.about != STATEMENT for test in tests):
        yield Diagnostic(tests[0].file, tests[0].line, f"no test of {claim.name} checks its statement",
                         "Write STATEMENT(…) instead of ASIDE(…) for the test that does")


def _skipped(book: Book, claim: Claim) -> Iterator[Diagnostic]:
    """A claim of which only some tests ran would be as certain as the strongest."""
    for test in book.tests_of(claim):
        if test.status == NOT_RUN:
            name = f"{test.suite}.{test.name}"
            yield Diagnostic(test.file, test.line, f"{name} was not run, but others of its claim were",
                             "Do not skip or disable it")


def _columns(claim: Claim, tests: list[Test]) -> Iterator[Diagnostic]:
    """A claim has random cases and an exact check, or says why not."""
    line = claim.parts[CHECK][0] if CHECK in claim.parts else claim.line
    for macro, what, missing, remedy in (
            ("noproperty", "random cases", not random_cases(tests), "Try random ones in for_all(…)"),
            ("noexactcheck", "an exact check", not any(map(compared, tests)),
             "Compare values with EXPECT_EXACTLY(…), expect_near(…) or expect_printed(…), outside of for_all")):
        reason = claim.reasons.get(macro)
        if macro in claim.lacks:
            continue
        if missing and not reason:
            yield Diagnostic(claim.file, line, f"{claim.name} does not have {what}",
                             rf"{remedy}, or write '\{macro}{{why not}}' on a line below the check in words")
        elif reason and not missing:
            yield Diagnostic(claim.file, reason.line,
                             rf"\{macro} says why {claim.name} does not have {what}, but it has", "Remove that line")


def _unquoted(book: Book, claim: Claim, tests: list[Test]) -> Iterator[Diagnostic]:
    """Of what a claim has, the page shows some."""
    file = suite_file(claim.stem, claim.name)
    blocks = book.sources.blocks_of(file, claim.name)
    if not book.sources.are_paired(file, claim.name):
        return  # a tag that stands once, or no tag of the property: the checks of sources say that
    quoted = [test for test in tests if test.file == file
              and any(first < test.line < last for first, last in blocks)]
    kinds: list[tuple[str, Callable[[Test], int], str]] = [
        ("random cases", lambda test: random_cases([test]), claim.name),
        ("an exact check", compared, f"{claim.name}: exact check")]
    for what, count, tag in kinds:
        such = [test for test in tests if count(test)]
        if blocks and such and not any(map(count, quoted)):
            test = min(such, key=lambda test: ABOUT.index(test.about))
            yield Diagnostic(test.file, test.line, f"{claim.name} has {what}, and its page quotes no test that does",
                             f"Put '//! [{tag}]' before and after one, such as {test.name}")
