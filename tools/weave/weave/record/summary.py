"""The failures in a run of ctest, as Markdown for the summary of a job."""

import os
import re
import shlex
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from weave.base.files import read_whole
from weave.base.words import plural

MESSAGE_LINES = 24
LINE_LENGTH, LABELLED_LENGTH = 300, 2000
FAILURES_OF_ONE = 3
"""The number of failing tests of one entry that are shown."""
LONGEST = 900_000
"""Bytes in all; GitHub refuses a summary of more than 1 MiB."""

PASSED, FAILED, NOT_RUN, DISABLED = "passed", "failed", "not run", "disabled"

RUNS = re.compile(r"^\[ RUN +\] (\S+)$")
ENDS = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] .* \(\d+ ms\)$")
ENDING = ("claim", "says", "page", "replay")
"""With what a failed test ends, if it is a claim's: labels of lines, which are long."""
LABELLED = re.compile(r"^ *(?:(claim|says|page): +\S|(replay):? +SQRTDK_SEED=)")
SEED = re.compile(r"^master seed ([0-9]+)$", re.MULTILINE)
NOISE = {"", "Failed"}


class NoJUnit(Exception):
    """A file that holds no results; says why."""


@dataclass(frozen=True)
class Entry:
    """One entry of ctest, which is a claim or another test, and what it printed."""

    name: str
    """On one line."""
    status: str
    output: str
    reason: str
    """The file's own words on a failure."""


def summarize(files: list[Path]) -> tuple[str, list[str]]:
    """Markdown on all the files: a heading with the counts, and each failure with what replays it; and what was no
    result."""
    texts, problems = [], []
    left = LONGEST
    for file in files:
        title = f"{_code(file.stem)}: " if len(files) > 1 else ""
        try:
            text = _one_run(title, read_junit(file), left)
        except NoJUnit as error:
            problems.append(str(error))
            text = f"## {title}no results\n{_fenced([str(error)])}" if title else ""
        left -= len(text.encode())
        texts.append(text)
    return "\n".join(texts), problems


def print_summary(files: list[Path]) -> int:
    """Print it; 0 whatever failed, since the run itself has said so, or 2 if a file holds no results."""
    text, problems = summarize(files)
    for problem in problems:
        print(f"summary: {problem}", file=sys.stderr)
    sys.stdout.buffer.write(text.encode())
    return 2 if problems else 0


def read_junit(file: Path) -> list[Entry]:
    """The entries of a file that `ctest --output-junit` wrote."""
    try:
        root = ET.fromstring(read_whole(file))
    except FileNotFoundError:
        raise NoJUnit(f"there is no {file}: ctest was not reached, and a step before says why") from None
    except (OSError, ET.ParseError, LookupError, ValueError) as error:  # of encodings that are unknown or wrong
        raise NoJUnit(f"{file} is no JUnit file ({error}); name what ctest --output-junit wrote") from None
    if root.tag not in ("testsuite", "testsuites"):
        raise NoJUnit(f"{file} is no JUnit file (it begins with <{root.tag}>); name what ctest --output-junit wrote")
    return [_entry(case) for case in root.iter("testcase")]


def _entry(case: ET.Element) -> Entry:
    # CTest's own counts leave out a program that is missing, although that fails the run.
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None:
        status = FAILED
    elif case.get("status") == "disabled":
        status = DISABLED
    elif skipped is not None or case.get("status") == "notrun":
        status = NOT_RUN
    else:
        status = PASSED
    name = case.get("name", "?")
    suite = case.get("classname", name)
    if suite != name:  # GoogleTest's own file: a test by its suite, and its message without what was printed
        name = f"{suite}.{name}"
    output = case.findtext("system-out") or ""
    reason = "\n".join(filter(None, map(_said, [*case.iter("failure"), *case.iter("error")])))
    if not output.strip() and status == FAILED:
        output, reason = f"[ RUN      ] {name}\n{reason}\n[  FAILED  ] {name} (0 ms)", ""
    elif not output.strip() and skipped is not None:
        output = skipped.get("message", "")
    elif reason.strip() in output:  # tools/environment.sh puts it there for GitLab
        reason = ""
    return Entry(_line(name), status, _from_here(output), _from_here(reason))


def _said(failure: ET.Element) -> str:
    """The text of a failure, and before it its message if that says more."""
    text, message = failure.text or "", failure.get("message", "")
    return text if message in text else f"{message}\n{text}".strip()


def _from_here(text: str) -> str:
    return re.sub(rf"(?<![\w.-]){re.escape(os.path.join(os.getcwd(), ''))}", "", text)


def _line(text: str) -> str:
    """A name on one line, however it was written."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]}…"


def _code(name: str) -> str:
    """A name within a line of Markdown, where nothing in it is markup."""
    return f"`{_line(name).replace('`', chr(39))}`"


def _one_run(title: str, entries: list[Entry], budget: int) -> str:
    counts = [f"{sum(entry.status == status for entry in entries)} {status}" for status in
              (PASSED, FAILED, NOT_RUN, DISABLED) if any(entry.status == status for entry in entries)]
    parts = [f"## {title}{plural(len(entries), 'test')}: "
             f"{', '.join(counts) or 'nothing was run'}\n"]
    shown = [entry for entry in entries if entry.status in (FAILED, NOT_RUN)]
    budget -= len(parts[0].encode()) + 200
    left_out = 0
    for entry in shown:
        part = f"\n### {_code(entry.name)} {entry.status}\n{_what_happened(entry)}"
        if len(part.encode()) <= budget:
            budget -= len(part.encode())
            parts.append(part)
        else:
            left_out += 1
    if left_out:
        parts.append(f"\n{left_out} more are not shown here: the JUnit file has them.\n")
    return "".join(parts)


def _what_happened(entry: Entry) -> str:
    failures = _failing_tests(entry.output)
    texts = [_fenced(lines) for lines in failures[:FAILURES_OF_ONE]]
    if len(failures) > FAILURES_OF_ONE:
        texts.append(f"{len(failures) - FAILURES_OF_ONE} more tests of it failed.\n")
    if not failures:  # not GoogleTest, whose end tells most
        texts.append(_fenced(entry.output.strip().split("\n")[-MESSAGE_LINES:]))
    if entry.reason.strip():
        texts.append(_fenced(entry.reason.strip().split("\n")[:MESSAGE_LINES]))
    if not any(label[2] for lines in failures for line in lines if (label := LABELLED.match(line))):
        seed = SEED.search(entry.output)
        only = shlex.quote(f"^{entry.name.partition('.')[0]}$")
        texts.append(_fenced([f"replay: {f'SQRTDK_SEED={seed.group(1)} ' if seed else ''}./tools/test -R {only}"]))
    return "".join(texts)


def _failing_tests(output: str) -> list[list[str]]:
    """For each failing test of a GoogleTest program: its name, and how its message begins and ends."""
    failures = []
    name = ""
    message: list[str] = []
    for line in output.split("\n"):
        begins, ends = RUNS.match(line), ENDS.match(line)
        if (begins or ends) and name and not (ends and ends.group(1) != "FAILED"):
            failures.append(_shown(name, message, ended=bool(ends)))
        if begins or ends:
            name, message = begins.group(1) if begins else "", []
        else:
            message.append(line)
    if name:
        failures.append(_shown(name, message, ended=False))
    return failures


def _shown(name: str, message: list[str], ended: bool) -> list[str]:
    labels = [label[1] or label[2] if (label := LABELLED.match(line)) else "" for line in message]
    ends = len(labels) - labels[::-1].index("claim") - 1 if "claim" in labels else len(labels)
    at = {label: i for i, label in enumerate(labels) if label == "replay" or label and i >= ends}
    told = [line for i, line in enumerate(message) if line.strip() not in NOISE and i not in at.values()]
    if len(told) > MESSAGE_LINES:
        told[MESSAGE_LINES:] = [f"… and {len(told) - MESSAGE_LINES} more lines"]
    if not ended:
        told.append("It did not end: it crashed or ran out of time.")
    return [name, *told, *(message[at[label]].strip() for label in ENDING if label in at)]


def _fenced(lines: list[str]) -> str:
    """Lines in a fence that none of them closes: nothing in it is markup."""
    text = "\n".join(line if len(line) <= (length := LABELLED_LENGTH if LABELLED.match(line) else LINE_LENGTH)
                     else f"{line[:length]}…" for line in lines)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}\n"
