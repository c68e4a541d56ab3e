"""Run one program and keep its results, or what an example prints, also when it crashes."""

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from weave.base.files import write_whole
from weave.record.results import FAILED, PASSED, Run, read_result, read_run
from weave.record.verdicts import HELD, judge

OUTPUT_LINES = 20
"""The number of lines of a crashed program's output that are shown."""


def record(program: Path, out: Path, timeout: float) -> None:
    """Run `program`, write its results to `out` in one step and print how its claims fared."""
    stem = program.name.removesuffix("_properties")
    print(f"{stem}: ", end="", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        fresh = Path(directory, "result.json")
        crashed, output = _run(program, fresh, timeout)
        run = read_run(fresh, stem)
        if not crashed and run.lost:
            crashed = run.lost if fresh.exists() else "it ended without writing a result"
        result = {"crashed": crashed} if crashed else read_result(fresh)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, json.dumps({"program": str(program), **result}, indent=1) + "\n")
    if crashed:
        print(f"no results: {crashed}", *output.splitlines()[-OUTPUT_LINES:], sep="\n  ")
    else:
        _summarize(run)


def record_output(program: Path, out: Path, timeout: float) -> None:
    """Run an example and keep its standard output; if it fails, the text ends with how."""
    text = failure = ""
    try:
        done = subprocess.run([os.path.join(".", program)], capture_output=True, timeout=timeout,
                              check=False, text=True, encoding="utf-8", errors="replace")
        text = done.stdout
        if done.returncode != 0:
            text += done.stderr
            failure = f"exit status {done.returncode}"
    except subprocess.TimeoutExpired:
        failure = f"it ran longer than {timeout:g} seconds"
    except OSError as error:
        failure = f"it could not be started ({error.strerror})"
    if failure:
        text += f"✗ {program.name} failed: {failure}\n"
        print(*text.splitlines()[-OUTPUT_LINES:], sep="\n  ")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, text)


def _run(program: Path, fresh: Path, timeout: float) -> tuple[str, str]:
    """Why the run cannot be trusted (empty if it can), and what the program printed."""
    command = [os.path.join(".", program), f"--gtest_output=json:{fresh}", "--gtest_brief=1"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout, check=False, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"it ran longer than {timeout:g} seconds", ""
    except OSError as error:
        return f"it could not be started ({error.strerror})", ""
    if done.returncode < 0:
        number = -done.returncode
        name = next((known.name for known in signal.Signals if known == number), signal.strsignal(number))
        return f"signal {number} ({name})", done.stdout
    if done.returncode != 0 and not _has_failure(fresh):
        return f"exit status {done.returncode} although no test failed", done.stdout
    return "", done.stdout


def _has_failure(result: Path) -> bool:
    return any(test.status == FAILED for test in read_run(result, "").tests)


def _summarize(run: Run) -> None:
    suites = sorted({test.suite for test in run.tests})
    held = [suite for suite in suites
            if judge([test for test in run.tests if test.suite == suite], False).status == HELD]
    print(f"{len(held)} of {len(suites)} claims held")
    for test in run.tests:
        if test.status != PASSED:
            print(f"  {test.suite}.{test.name} {test.status} ({test.file}:{test.line})")
        if test.failures:
            print("    " + test.first_failure().replace("\n", "\n    "))
