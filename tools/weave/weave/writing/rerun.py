"""Commands for a reader to run the check of one claim, with the seed of this run."""

import shlex

from weave.reading.book import Book
from weave.reading.pages import Claim
from weave.writing.markup import preformatted

SEED = "seed"
"""Under this name every program records the master seed of its draws."""
OUTCOMES = ("own-kernel-outcomes", "own-kernel", "ci-replay")
"""Places of the book that show what a failure looks like: the first of these that it has."""


def rerun(book: Book, claim: Claim) -> list[str]:
    """Two commands, and where to read about their failures."""
    run = book.runs[claim.stem]
    seed = f"SQRTDK_SEED={run.facts[SEED]} " if SEED in run.facts else ""
    commands = [f"{seed}./tools/test properties -R '^{claim.name}$'"]
    if run.program:
        program = shlex.quote(f"./{run.program.removeprefix('./')}")
        commands.append(f"{seed}{program} \\\n    --gtest_filter='{claim.name}.*'")
    parts = ["### Run this check",
             "From the root of the repository: the first line builds what is missing and runs the check; "
             "the second runs the program that is behind this page, once it is built."]
    if not run.program:
        parts = ["### Run this check", "From the root of the repository; what is missing is built first."]
    parts += [preformatted(command) for command in commands]
    known = {heading[3] for page in book.pages for _, heading in page.headings}
    place = next((anchor for anchor in OUTCOMES if anchor in known), "")
    if place:
        parts.append(rf'\ref {place} "What a failure looks like, and how to replay it".')
    return parts
