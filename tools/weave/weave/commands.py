"""Join pages and results into a book: run as `python3 tools/weave COMMAND`."""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from weave.base.diagnostics import Diagnostic
from weave.base.files import publish, write_whole
from weave.base.folders import NotOurs, place, require_book, require_ours
from weave.base.shapes import BadData
from weave.base.words import plural
from weave.checks.consistency import check
from weave.checks.depends import check_dependencies, dependency_table
from weave.checks.forge_problems import forge_problems
from weave.drawing.draw import Programs, draw
from weave.reading.book import read_book, read_revision
from weave.record.claims import CLAIMS_FILE
from weave.record.compare import NoRecord, as_lines, compare, read_record
from weave.record.report import report
from weave.record.run import record, record_output
from weave.record.summary import print_summary
from weave.record.verdicts import HELD
from weave.writing.update import updated
from weave.writing.weaver import Weaver

CHECKOUT = Path(__file__).resolve().parents[3]


def main(words: list[str] | None = None) -> int:
    """Run one command; 0 if all is well, 1 if something was found, 2 if nothing could be done."""
    arguments = _parser().parse_args(words)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except (OSError, BadData, subprocess.CalledProcessError) as error:
        print(f"weave: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what a full disk refused is not tried again
        return 2


def _record(arguments: argparse.Namespace) -> int:
    record(arguments.program, arguments.out, arguments.timeout)
    return 0


def _output(arguments: argparse.Namespace) -> int:
    record_output(arguments.program, arguments.out, arguments.timeout)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    try:
        differences = compare(arguments.old, arguments.new)
        found = read_record(arguments.new)
    except NoRecord as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    if differences:
        print(*as_lines(differences), plural(len(differences), "difference"), sep="\n")
        return 1
    tests, claims = (sum(field == kind for _, field in found) for kind in ("outcome", "verdict"))
    print(f"the same record of {plural(tests, 'test')} of {plural(claims, 'claim')}")
    return 0


def _weave(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    try:
        require_ours(out, CLAIMS_FILE, "woven pages")
    except NotOurs as error:
        print(f"--out: {error}", file=sys.stderr)
        return 2
    book = read_book(arguments.source, arguments.results, arguments.revision)
    book.is_first_look = arguments.first_look
    if arguments.first_look:
        publish(out, Weaver(book).first_files())
        return 0
    problems = check(book)
    if problems:
        return _complain(problems, 2)
    stale = sorted(updated(book, arguments.results)) if book.has_usual_seed else []
    if stale:
        print(f"not of this run: {', '.join(stale)}; `python3 tools/weave update` writes what changed")
        if os.environ.get("SQRTDK_STRICT") and updated(book, arguments.results, experiments=False):
            return 2
    publish(out, Weaver(book).files())
    held = sum(verdict.status == HELD for verdict in book.verdicts.values())
    print(f"wove {len(book.chapters) + len(book.pages)} pages; {held} of {len(book.claims)} "
          "claims held")
    return 0


def _update(arguments: argparse.Namespace) -> int:
    book = read_book(arguments.source, arguments.results)
    if not book.has_usual_seed:
        print("update: these results are of other random numbers; run ./tools/verify", file=sys.stderr)
        return 2
    texts = updated(book, arguments.results)
    for file, text in texts.items():
        write_whole(arguments.source / file, text)
    print("\n".join([*texts, f"wrote {plural(len(texts), 'page')}"]))
    return 0


def _report(arguments: argparse.Namespace) -> int:
    return 0 if report(arguments.woven, arguments.book) else 1


def _lint(arguments: argparse.Namespace) -> int:
    from weave.rendered.lint import lint  # pylint: disable=import-outside-toplevel  # lxml is for the book alone
    return _complain(lint(arguments.html), 1)


def _finish(arguments: argparse.Namespace) -> int:
    from weave.rendered.finish import finish  # pylint: disable=import-outside-toplevel
    print(finish(arguments.html, arguments.common, arguments.claims, read_revision(arguments.revision)))
    return 0


def _draw(arguments: argparse.Namespace) -> int:
    problems = [problem for script in arguments.script for problem in
                draw(arguments.data / f"{script.stem}.dat", script, arguments.out,
                     Programs(arguments.gnuplot, arguments.rsvg, arguments.node))]
    return _complain(problems, 1)


def _index(arguments: argparse.Namespace) -> int:
    from weave.rendered.search import INDEX, write_index  # pylint: disable=import-outside-toplevel
    print(f"{INDEX}: {write_index(arguments.html, arguments.claims)} entries")
    return 0


def _place(arguments: argparse.Namespace) -> int:
    try:
        if arguments.rendered:
            place(arguments.rendered, arguments.book)
        else:
            require_book(arguments.book)
    except (NotOurs, OSError) as error:
        print(f"place: {error}", file=sys.stderr)
        return 2
    return 0


def _depends(arguments: argparse.Namespace) -> int:
    if arguments.table:
        print(dependency_table(arguments.source))
        return 0
    return _complain(check_dependencies(arguments.source), 1)


def _forge(arguments: argparse.Namespace) -> int:
    return _complain(sorted(set(forge_problems(arguments.source))), 1)


def _summary(arguments: argparse.Namespace) -> int:
    return print_summary(arguments.junit)


def _complain(problems: list[Diagnostic], status: int) -> int:
    for problem in problems:
        print(problem, file=sys.stderr)
    return status if problems else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="weave", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("record", help="run a program of properties, keep its results")
    _add_runner(command, "OUT.json", _record)
    command = commands.add_parser("output", help="run an example, keep what it prints")
    _add_runner(command, "OUT.txt", _output)

    command = commands.add_parser("compare", help="tell what two runs recorded otherwise, but for times and places")
    command.add_argument("old", type=Path, metavar="OLD", help="a folder of results")
    command.add_argument("new", type=Path, metavar="NEW", help="another")
    command.set_defaults(run=_compare)

    command = commands.add_parser("weave", help="join pages and results into Markdown")
    command.add_argument("--source", type=Path, required=True, metavar="ROOT")
    command.add_argument("--results", type=Path, required=True, metavar="DIR")
    _add_revision(command)
    command.add_argument("--first-look", action="store_true", help="only its first pages, of a run that has begun")
    command.add_argument("--out", type=Path, required=True, metavar="WOVEN")
    command.set_defaults(run=_weave)

    command = commands.add_parser("update", help="write a run's values, and where names lead, into the pages")
    command.add_argument("--source", type=Path, default=CHECKOUT, metavar="ROOT", help="this checkout unless given")
    command.add_argument("--results", type=Path, default=CHECKOUT / "build/release/results", metavar="DIR",
                         help="those of the last run unless given")
    command.set_defaults(run=_update)

    command = commands.add_parser("report", help="print the table of verdicts")
    command.add_argument("--woven", type=Path, required=True)
    command.add_argument("--book", type=Path, metavar="INDEX.html")
    command.set_defaults(run=_report)

    command = commands.add_parser("lint", help="look for faults in the finished book")
    command.add_argument("html", type=Path, metavar="HTML_DIR")
    command.set_defaults(run=_lint)

    command = commands.add_parser("draw", help="draw figures: SVG, PNG and data")
    command.add_argument("script", type=Path, nargs="+", metavar="NAME.gp|NAME.js")
    command.add_argument("--data", type=Path, required=True, metavar="DIR", help="where NAME.dat is")
    command.add_argument("--out", type=Path, required=True, metavar="DIR")
    command.add_argument("--gnuplot", default="gnuplot", metavar="PROGRAM")
    command.add_argument("--rsvg", default="rsvg-convert", metavar="PROGRAM")
    command.add_argument("--node", default="node", metavar="PROGRAM")
    command.set_defaults(run=_draw)

    command = commands.add_parser("finish", help="make the pages that Doxygen wrote pages of the book")
    command.add_argument("html", type=Path, metavar="HTML_DIR")
    command.add_argument("--common", type=Path, required=True, metavar="common.gp", help="names the colours")
    command.add_argument("--claims", type=Path, required=True, metavar=CLAIMS_FILE, help="as the weave wrote it")
    _add_revision(command)
    command.set_defaults(run=_finish)

    command = commands.add_parser("index", help="write the full-text index of the finished book")
    command.add_argument("html", type=Path, metavar="HTML_DIR")
    command.add_argument("--claims", type=Path, required=True, metavar=CLAIMS_FILE, help="as the weave wrote it")
    command.set_defaults(run=_index)

    command = commands.add_parser("place", help="put a rendered book in the place of an older one")
    command.add_argument("rendered", type=Path, nargs="?", metavar="RENDERED",
                         help="without it, only say whether BOOK would be replaced")
    command.add_argument("book", type=Path, metavar="BOOK", help="a book, an empty folder, or a new one")
    command.set_defaults(run=_place)

    command = commands.add_parser("depends", help="check which file of the library includes which")
    command.add_argument("--source", type=Path, default=CHECKOUT, metavar="ROOT", help="this checkout unless given")
    command.add_argument("--table", action="store_true", help="print the folders and what each rests on")
    command.set_defaults(run=_depends)

    command = commands.add_parser("forge", help="check that pages can be read where their sources are")
    command.add_argument("--source", type=Path, default=CHECKOUT, metavar="ROOT", help="this checkout unless given")
    command.set_defaults(run=_forge)

    command = commands.add_parser("summary", help="what failed in a run of ctest, as Markdown")
    command.add_argument("junit", type=Path, nargs="+", metavar="JUNIT.xml")
    command.set_defaults(run=_summary)
    return parser


def _add_revision(command: argparse.ArgumentParser) -> None:
    """The argument of a command that says which version it is."""
    command.add_argument("--revision", type=Path, metavar="REVISION.json",
                         help="version, commit and address, as cmake/SqrtdkRevision.cmake writes them")


def _add_runner(command: argparse.ArgumentParser, out: str, run: Callable[[argparse.Namespace], int]) -> None:
    """The arguments of a command that runs a program and keeps what comes of it."""
    command.add_argument("program", type=Path)
    command.add_argument("out", type=Path, metavar=out)
    command.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    command.set_defaults(run=run)
