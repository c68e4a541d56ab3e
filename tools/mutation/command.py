# SPDX-License-Identifier: BSL-1.0
"""Mutates src/, one small change at a time, and says which test kills the mutation.

Usage: tools/mutate [--each N] [--seed S] [--operators NAME,…] [--lines FILE:FROM-TO] [WHAT …]

WHAT is a chapter, a header, or `kit`, the headers that others test with; all chapters unless given.
For each of them N mutations (3 unless given) are drawn from the bodies of its headers, operator by
operator; `--each all` takes every one. Each is made in a copy, the programs that test the header are
built and run, and the line printed has the mutation and the tests that kill it.

Operators: number (a constant by one), sign, relation (< to <=), term and factor (dropped), guard
(always or never true, or dropped), function (min for max, a tail for the other), argument (two
change places), type (narrowed).

A mutation that survives either changes nothing or shows a gap. It is printed as a hunk: write a test
that kills it, or put the hunk with the reason into tools/mutation/equivalent.txt. Mutations that are
there are not tried, unless with `--again`. The command ends with status 1 if there is a new survivor,
or an entry whose lines are gone.

It needs build/release to be configured: ./tools/test. Half a minute or more for each mutation.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mutation.operators import OPERATORS, Mutation, mutations_of
from mutation.subjects import ROOT, Subject, chapters, subjects_of
from mutation.survivors import Hunk, hunk_of, read_survivors
from mutation.trial import killers

EQUIVALENT = ROOT / "tools/mutation/equivalent.txt"


@dataclass(frozen=True)
class Candidate:
    """A mutation that may be tried, and where it is."""

    header: Path
    mutation: Mutation
    hunk: Hunk
    line: int

    @property
    def title(self) -> str:
        return f"{self.header.relative_to(ROOT)}:{self.line}: {self.mutation.operator}"

    @property
    def change(self) -> str:
        """The lines that change, without those that say where."""
        return str(self.hunk).split("\n", 2)[2]

    def killers(self, programs: list[str]) -> list[str] | None:
        return killers(programs, self.header, self.mutation.applied_to(self.header.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Lines:
    """Some lines of a file, counted from 1."""

    file: Path
    numbers: range

    def hold(self, file: Path, number: int) -> bool:
        return file == self.file and number in self.numbers


def drawn(candidates: Iterable[Candidate], drawing: random.Random) -> Iterator[Candidate]:
    """The candidates in an order by chance in which each operator has its turn."""
    turns: dict[str, list[Candidate]] = {name: [] for name in OPERATORS}
    for candidate in candidates:
        turns[candidate.mutation.operator].append(candidate)
    for turn in turns.values():
        drawing.shuffle(turn)
    while any(turns.values()):
        for name in drawing.sample(OPERATORS, len(OPERATORS)):
            if turns[name]:
                yield turns[name].pop()


def how_many(text: str) -> float:
    """The number of mutations, or infinity for `all`."""
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is neither a number from 1 nor `all`")
    return float("inf") if text == "all" else int(text)


def lines_of(text: str) -> Lines:
    """The lines that `FILE:FROM-TO` names."""
    named = re.fullmatch(r"(.+):(\d+)-(\d+)", text)
    if not named:
        raise argparse.ArgumentTypeError(f"'{text}' is not FILE:FROM-TO, such as src/sqrtdk/score.hpp:300-320")
    return Lines((ROOT / named[1]).resolve(), range(int(named[2]), int(named[3]) + 1))


def operators_of(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(OPERATORS):
        raise argparse.ArgumentTypeError(f"no operator is called {', '.join(sorted(unknown))}; they are "
                                         f"{', '.join(OPERATORS)}")
    return names


def options_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", type=subjects_of, metavar="WHAT", help="chapters, headers or `kit`")
    parser.add_argument("--each", type=how_many, default=3, metavar="N", help="mutations of each, or `all`")
    parser.add_argument("--operators", type=operators_of, default=OPERATORS, metavar="NAME,…", help="only these")
    parser.add_argument("--lines", type=lines_of, metavar="FILE:FROM-TO", help="draws from these lines only")
    parser.add_argument("--seed", type=int, default=1, help="draws other places")
    parser.add_argument("--again", action="store_true", help="tries the mutations that are known as equivalent, too")
    parser.add_argument("--list", action="store_true", help="prints the mutations and tries none")
    return parser.parse_args(words)


def candidates_of(subject: Subject, options: argparse.Namespace,
                  equivalent: Iterable[Hunk]) -> tuple[list[Candidate], int]:
    """The mutations that may be tried, and how many are left out as equivalent."""
    left_out = set() if options.again else set(equivalent)
    found, known = [], 0
    for header in subject.headers:
        text = header.read_text()
        whole = "detail" in header.parts or header.name.endswith(("_definitions.hpp", ".cpp"))
        for mutation in mutations_of(text, whole):
            line = text.count("\n", 0, mutation.start) + 1
            within = not options.lines or options.lines.hold(header, line)
            if mutation.operator not in options.operators or not within:
                continue
            hunk = hunk_of(header.relative_to(ROOT).as_posix(), text, mutation)
            if hunk in left_out:
                known += 1
                continue
            found.append(Candidate(header, mutation, hunk, line))
    return found, known


def require_passing(subject: Subject) -> None:
    """Ends the command if a program fails before anything is mutated."""
    failed = killers(subject.programs)
    if failed != []:
        sys.exit(f"mutate: without any mutation, {subject.name} "
                 + (f"fails {failed[0]}" if failed else "does not compile"))


def print_outcome(candidate: Candidate, killed_by: list[str]) -> None:
    others = f" and {len(killed_by) - 3} more" if len(killed_by) > 3 else ""
    outcome = f"killed by {', '.join(killed_by[:3])}{others}" if killed_by else "survived"
    print(f"{candidate.title}: {outcome}")
    print(candidate.change if killed_by else candidate.hunk, end="\n\n", flush=True)


def try_subject(subject: Subject, options: argparse.Namespace, equivalent: Iterable[Hunk]) -> tuple[int, int]:
    """How many mutations of a subject were tried, and how many survived."""
    candidates, known = candidates_of(subject, options, equivalent)
    print(f"{subject.name}: {len(candidates)} mutations" + (f", and {known} that are equivalent" if known else ""),
          flush=True)
    if not options.list:
        require_passing(subject)
    shown = tried = survived = 0
    for candidate in drawn(candidates, random.Random(f"{options.seed} {subject.name}")):
        if shown == options.each:
            break
        if options.list:
            print(f"{candidate.title}\n{candidate.change}\n")
            shown += 1
            continue
        killed_by = candidate.killers(subject.programs)
        if killed_by is None:  # the compiler refuses it
            continue
        shown += 1
        tried += 1
        survived += not killed_by
        print_outcome(candidate, killed_by)
    return tried, survived


def stale_entries(equivalent: Iterable[Hunk]) -> list[Hunk]:
    """Those whose lines are gone."""
    return [hunk for hunk in equivalent
            if not (ROOT / hunk.file).is_file() or not hunk.stands_in((ROOT / hunk.file).read_text())]


def main(words: list[str]) -> int:
    options = options_of(words)
    equivalent = read_survivors(EQUIVALENT.read_text())
    stale = stale_entries(equivalent)
    for hunk in stale:
        print(f"{EQUIVALENT.relative_to(ROOT)} has an entry whose lines are gone:\n{hunk}\n", flush=True)
    named = options.what or [subjects_of(stem) for stem in chapters()]
    counts = [try_subject(subject, options, equivalent) for subjects in named for subject in subjects]
    tried, survived = (sum(column) for column in zip(*counts)) if counts else (0, 0)
    if not options.list:
        print(f"{tried - survived} of {tried} mutations were killed.")
    return 1 if survived or stale else 0
