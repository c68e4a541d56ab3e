"""The differences between the records of two runs, to check a change that should change no number.

All fields of all tests count, but for those that differ between two runs of the same program: times, places in the
source, and which compiler built it.
"""

from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from weave.record.results import Run, read_run
from weave.record.verdicts import judge

SUFFIX = "_properties"
"""Of the name of a program and of its results."""
PASSING = {"time", "timestamp", "file", "line", "name", "classname", "compiler"}
"""Fields that say when, where and by what; names are what the others stand under."""
LONGEST = 60
"""Characters of a value that are shown."""


class NoRecord(ValueError):
    """A folder that holds no results; says so."""


@dataclass(frozen=True)
class Difference:
    """Something that was recorded otherwise: whose it is, which field, and its value in both records."""

    name: str
    field: str
    old: str
    new: str


Record = dict[tuple[str, str], str]
"""Values by whose they are (a program's, a claim's or a test's) and the name of the field."""


def compare(old: Path, new: Path) -> list[Difference]:
    """Every difference between the records in two folders of results, in the order of programs, claims and tests."""
    before, after = read_record(old), read_record(new)
    found = []
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            found.append(Difference(*key, before.get(key, ""), after.get(key, "")))
    return found


def read_record(directory: Path) -> Record:
    """Everything that the programs of a folder recorded."""
    files = sorted(directory.glob(f"*{SUFFIX}.json"))
    if not files:
        raise NoRecord(f"{directory} holds no *{SUFFIX}.json; name a folder of results, such as build/release/results")
    record: Record = {}
    for file in files:
        record |= _of_run(read_run(file, file.stem.removesuffix(SUFFIX)))
    return record


def as_lines(differences: list[Difference]) -> list[str]:
    """One aligned line each."""
    widths = [max((len(text) for text in column), default=0)
              for column in ([one.name for one in differences], [one.field for one in differences])]
    return [f"{one.name:<{widths[0]}}  {one.field:<{widths[1]}}  {_shown(one.old, one.new)}" for one in differences]


def _of_run(run: Run) -> Record:
    program = f"{run.stem}{SUFFIX}"
    record = {(program, key): value for key, value in run.facts.items() if key not in PASSING}
    record[program, "results"] = run.lost or "complete"
    seen: dict[str, int] = {}
    for test in run.tests:
        name = f"{test.suite}.{test.name}"
        seen[name] = seen.get(name, 0) + 1
        name += f" ({seen[name]})" if seen[name] > 1 else ""  # a typed suite has one of that name for each type
        record |= {(name, key): value for key, value in test.record.items() if key not in PASSING}
        record[name, "outcome"] = test.status
        record[name, "failures"] = "\n".join(test.failures)
    for suite in {test.suite for test in run.tests}:
        tests = [test for test in run.tests if test.suite == suite]
        record[suite, "verdict"] = ", ".join(judge(tests, cited=False).labels)
    return record


def _shown(old: str, new: str) -> str:
    """The old value and the new one; of lists only the entries that differ."""
    if "\n" in old + new:
        pairs = [pair for pair in zip_longest(old.split("\n"), new.split("\n"), fillvalue="") if pair[0] != pair[1]]
        more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
        return _shown(*pairs[0]) + more
    return f"{_short(old)} → {_short(new)}"


def _short(value: str) -> str:
    text = " ".join(value.split())
    return (text if len(text) <= LONGEST else f"{text[:LONGEST - 1]}…") or "nothing"
