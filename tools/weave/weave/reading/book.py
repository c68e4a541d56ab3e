"""The book: pages, sources and results, joined by the names of the claims."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.base.files import read_whole
from weave.base.shapes import Shape, read_json
from weave.reading.figures import Figure, numbered
from weave.reading.forge import read_page
from weave.reading.pages import MAINPAGE, Claim, Page, parse_chapter, parse_page, reading_order
from weave.reading.sources import Sources, read_sources
from weave.reading.tasks import Task, read_tasks
from weave.record.results import PASSED, Run, Test, read_run
from weave.record.verdicts import Verdict, judge

REVISION: Shape = {"version": str, "commit": str, "date": str, "modified": str, "address": str,
                   "rev": str, "dir": str}

SEED = "src/sqrtdk/testing/statistics/seed.hpp"
USUAL = re.compile(r"default_master_seed = (\d+)")


@dataclass
class Book:
    """Everything that consistency checks and rendering look at."""

    root: Path
    chapters: list[Page]
    """The pages of theory/, in reading order."""
    pages: list[Page]
    """The pages of docs/."""
    order: list[str]
    """Anchors of the pages of the reading order."""
    sources: Sources
    runs: dict[str, Run]
    problems: list[Diagnostic]
    """The faults in the grammar of the pages."""
    revision: dict[str, str]
    """The version, its commit, date, address and identifiers, from cmake/SqrtdkRevision.cmake; empty if not given."""
    outputs: dict[str, str]
    """The output of each program of examples/, by the name of the program."""
    tasks: dict[str, Task]
    """The exercises that judge themselves by name, in the order of the book."""
    is_first_look: bool = False
    """True if it is of a run that has begun: the first pages show the numbers of the last run."""
    figures: dict[str, Figure] = field(init=False)
    """Figures by name, numbered, in the order of the book."""
    claims: dict[str, Claim] = field(init=False)
    tests: dict[str, list[Test]] = field(init=False)
    """The tests of each suite."""
    verdicts: dict[str, Verdict] = field(init=False)

    def __post_init__(self) -> None:
        self.figures = numbered(self.chapters, self.pages, self.order)
        self.claims = {}
        for chapter in self.chapters:
            for claim in chapter.claims:
                self.claims.setdefault(claim.name, claim)
        for claim in self.claims.values():
            claim.uses = {name: line for name, line in claim.references.items()
                          if name in self.claims and name != claim.name}
        self.tests = {}
        for run in self.runs.values():
            for test in run.tests:
                self.tests.setdefault(test.suite, []).append(test)
        self.verdicts = {name: judge(self.tests_of(claim), claim.cited)
                         for name, claim in self.claims.items()}

    @property
    def has_usual_seed(self) -> bool:
        """True if its random numbers are those of a run that names no seed."""
        header = self.root / SEED
        usual = USUAL.search(header.read_text(encoding="utf-8")) if header.is_file() else None
        return not usual or {run.facts.get("seed", usual[1]) for run in self.runs.values()} == {usual[1]}

    def tests_of(self, claim: Claim) -> list[Test]:
        """The tests of a claim's suite, in the order of the program."""
        return self.tests.get(claim.name, [])

    def passing_of(self, claim: Claim) -> list[Test]:
        """The tests of a claim's suite that passed: only these may say something of a document."""
        return [test for test in self.tests_of(claim) if test.status == PASSED]

    def passing(self) -> Iterator[tuple[Claim, Test]]:
        """All of them, each with its claim."""
        return ((claim, test) for claim in self.claims.values() for test in self.passing_of(claim))

    def chapter_of(self, claim: Claim) -> Page:
        """The page that declares a claim."""
        return next(page for page in self.chapters if page.file == claim.file)

    def address_of(self, place: str) -> str:
        """The address of a place such as score.html#DotProductVariance: on the web if the book is published there."""
        return "/".join(filter(None, (self.revision.get("address"), place)))

    def why_not_run(self, claim: Claim) -> str:
        """Why a claim has no results."""
        run = self.runs.get(claim.stem)
        return run.lost if run and run.lost else "its suite has no executed test"

    def needs_suite(self, claim: Claim) -> bool:
        """Only a cited claim may do without a suite, and then without tags."""
        return not claim.cited or claim.name in self.sources.suites

    def users_of(self, claim: Claim) -> list[str]:
        """The claims whose proofs rest on this one."""
        return [name for name, other in self.claims.items() if claim.name in other.uses]


def read_book(root: Path, results: Path, revision: Path | None = None) -> Book:
    """Read pages and sources below `root`, one result file a stem from `results`, the revision."""
    problems: list[Diagnostic] = []
    if not (root / MAINPAGE).is_file():
        problems.append(Diagnostic(MAINPAGE, 1, "there is no main page",
                                   "Write one that lists the pages, each as an item that is a link to it"))
    chapters = []
    for path in sorted((root / "theory").glob("*.md")):
        file = path.relative_to(root).as_posix()
        page, wrong = parse_chapter(file, path.stem, read_page(root, file))
        chapters.append(page)
        problems += wrong
    pages = [parse_page(file, read_page(root, file)) for file in
             (path.relative_to(root).as_posix() for path in sorted((root / "docs").rglob("*.md")))]
    main = next((page for page in pages if page.file == MAINPAGE), None)
    order = list(_below(main, {page.anchor: page for page in chapters + pages}))
    chapters.sort(key=lambda page: _place(page, order))
    sources = read_sources(root)
    runs = {stem: read_run(results / f"{stem}_properties.json", stem) for stem in sources.stems}
    outputs = {path.stem: read_whole(path).decode("utf-8", "replace")
               for path in sorted((results / "examples").glob("*.txt"))}
    tasks, wrong = read_tasks(root)
    problems += wrong
    stems = [page.anchor for page in chapters]
    tasks.sort(key=lambda task: stems.index(task.chapter) if task.chapter in stems else len(stems))
    return Book(root, chapters, pages, order, sources, runs, problems, read_revision(revision), outputs,
                {task.name: task for task in tasks})


def read_revision(file: Path | None) -> dict[str, str]:
    """The data of a file of cmake/SqrtdkRevision.cmake."""
    revision: dict[str, str] = read_json(file, REVISION, "a revision") if file else {}
    return revision


def _below(page: Page | None, others: dict[str, Page]) -> Iterator[str]:
    """The anchors of the pages below a page, each followed by those below itself."""
    for anchor in reading_order("\n".join(page.lines)) if page else ():
        yield anchor
        yield from _below(others.pop(anchor, None), others)


def _place(page: Page, order: list[str]) -> int:
    return order.index(page.anchor) if page.anchor in order else len(order)
