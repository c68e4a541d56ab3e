"""The claims as data: for machines, and for the tables of the book and of the terminal."""

from weave.reading import judgements
from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.record.claims import ClaimData
from weave.record.counts import exact_checks, only_beside, random_cases
from weave.record.results import NOT_RUN, Test
from weave.record.verdicts import GLYPHS


def claims_data(book: Book) -> list[ClaimData]:
    """The table of claims for machines, and for the table on the terminal."""
    return [claim_data(book, claim) for claim in book.claims.values()]


def claim_data(book: Book, claim: Claim) -> ClaimData:
    """The table's entry for a claim."""
    tests = book.tests_of(claim)
    verdict = book.verdicts[claim.name]
    return {
        "id": claim.name,
        "title": claim.title,
        "sentence": claim.sentence,
        "chapter": claim.stem,
        "chapter_title": book.chapter_of(claim).title,
        "documents": claim.documents,
        "level": verdict.level,
        "glyph": GLYPHS[verdict.shown],
        "status": verdict.status,
        "beside": [{"subject": subject, "level": level} for level, subject in verdict.beside],
        "of_documents": judgements.of_documents(book, claim),
        "why_not_run": book.why_not_run(claim) if verdict.status == NOT_RUN else "",
        "uses": list(claim.uses),
        "tests": [{"name": test.name, "status": test.status, "at": f"{test.file}:{test.line}"}
                  for test in tests],
        "cases": sum(test.number("cases") + test.number("enumerated") for test in tests),
        "property": random_cases(tests),
        "property_beside": only_beside(tests, random_cases),
        "no_property": _reason(claim, "noproperty"),
        "exact_check": exact_checks(tests),
        "exact_check_beside": only_beside(tests, exact_checks),
        "no_exact_check": _reason(claim, "noexactcheck"),
        "mutants": len(all_mutants(tests)),
        "mutants_killed": len(killed(tests)),
    }


def _reason(claim: Claim, macro: str) -> str:
    return claim.reasons[macro].text if macro in claim.reasons else ""


def all_mutants(tests: list[Test]) -> list[str]:
    """The mutants that some tests met, sorted."""
    return sorted({mutant for test in tests for mutant in test.mutants})


def killed(tests: list[Test]) -> set[str]:
    """Those of them that a test noticed."""
    return {mutant for test in tests for mutant in test.lines("killed")}
