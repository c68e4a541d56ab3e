"""Exercises as their files tell them, and how a program of judges judges a hand-in.

Where a check is judged, the hand-in runs anew for each wrong function, so that no call can be known by those before it.

A program of judges writes calls to its standard output, as Python expressions, and reads a line for each: the
words of the value, or what was raised. So whatever a claim's checks call can be answered in Python. Here the lines are
passed on between the judges and a process that runs the hand-in, and only the end of the judges makes points.
"""

import contextlib
import hashlib
import json
import os
import re
import signal
import site
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools/weave")]
# pylint: disable=wrong-import-position
from weave.reading.tasks import Task, read_tasks  # noqa: E402
from exercises.answering import in_words  # noqa: E402

SECONDS = 60
AGAIN = 10
"""Seconds that a file has to run anew, besides those."""
LARGEST = 1 << 20
"""Bytes of a hand-in, or of a line that it answers with."""
SHOWN = 1 << 14
"""Bytes that are passed on of what a hand-in prints."""
SYSTEM = {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "nix", "proc", "sbin", "usr"}
"""What an answer sees of the root's folders, of /dev and /proc an empty one."""
CHAPTER = re.compile(r"^ *\d+\. \[[^]]*\]\(\.\./theory/(\w+)\.md\)", re.M)
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


class MalformedError(Exception):
    """Lines around an exercise that are not as they were."""


def exercises() -> list[Task]:
    """All exercises, chapter by chapter in the order of the book, easiest first. Raises MalformedError."""
    tasks, problems = read_tasks(ROOT)
    if problems:
        raise MalformedError("\n".join(map(str, problems)))
    order = CHAPTER.findall((ROOT / "docs/mainpage.md").read_text(encoding="utf-8"))
    return sorted(tasks, key=lambda task: order.index(task.chapter))


class Line:
    """Lines to and from a program, until a moment at which TimeoutError is raised."""

    def __init__(self, until: float) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.until = until
        self.read = bytearray()

    def _left(self) -> float:
        if (left := self.until - time.monotonic()) > 0:
            return left
        raise TimeoutError

    def say(self, line: str) -> None:
        """Writes a line; whoever is gone does not read it."""
        self.ours.settimeout(self._left())
        with contextlib.suppress(BrokenPipeError, ConnectionError):
            self.ours.sendall(line.encode() + b"\n")

    def hear(self) -> str:
        """The next line; empty if there is none."""
        while (end := self.read.find(b"\n")) < 0:
            self.ours.settimeout(self._left())
            try:
                some = self.ours.recv(1 << 16)
            except ConnectionError:
                some = b""
            if not some or len(self.read) > LARGEST:
                return ""
            self.read += some
        line = self.read[:end].decode(errors="replace")
        del self.read[:end + 1]
        return line

    def close(self) -> None:
        """Ends both directions."""
        self.ours.close()
        self.theirs.close()


@dataclass
class Verdict:
    """What became of an answer."""

    solved: bool = False
    told: str = ""
    ended: str = ""
    """What ended the judging before all was asked, in a line; empty if nothing did."""
    parts: int = 0
    """The tests that judge it."""
    passed: int = 0
    """Those of them that found nothing."""
    apart: bool = True
    """True if the answer could reach neither the judges nor a file."""


def hidden() -> list[str]:
    """What an answer does not see, with solutions or files of others: all but the system and the Python that runs."""
    kept = {Path(each).resolve() for each in (sys.prefix, sys.base_prefix, site.getusersitepackages())}

    def covered(place: Path) -> list[str]:
        if place in kept or os.path.islink(place) or not (os.path.isdir(place) or os.path.isfile(place)):
            return []
        if any(place in each.parents for each in kept):
            return [one for each in place.iterdir() for one in covered(each)]
        return [str(place)]

    others = (each for each in Path("/").iterdir() if each.name not in SYSTEM)
    return list(dict.fromkeys(one for each in (*others, Path.home(), ROOT) for one in covered(each.resolve())))


class Student:
    """A process that runs a hand-in, and others after it, each of which knows nothing of those before.

    What they print goes to standard error, as far as that is bearable.
    """

    def __init__(self, file: str, source: bytes, until: float, prints: bool) -> None:
        self.source = json.dumps([file, source.decode("latin-1")])
        self.prints, self.folders = prints, hidden()
        self.line = Line(until)
        self.apart = True
        self._start()

    def _start(self) -> None:
        channel = self.line.theirs.fileno()
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, "-BP", Path(__file__).with_name("apart.py"), str(channel), *self.folders], cwd="/",
            start_new_session=True, pass_fds=[channel], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=environment | THREADS)
        self.line.theirs.close()
        assert self.process.stdout
        self.reader = threading.Thread(target=_pass_on, args=(self.process.stdout, self.prints), daemon=True)
        self.reader.start()
        with contextlib.suppress(TimeoutError):  # whoever hears the next line finds that out
            self.apart = self.line.hear() == "apart" and self.apart
            self.line.say(self.source)

    def renew(self) -> None:
        """Ends the process and starts another."""
        self.end()
        self.line, self.prints = Line(self.line.until), False
        self._start()

    def end(self) -> None:
        """Ends the process and all that it started."""
        self.process.terminate()  # which ends the process that it started
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.reader.join(1)
        assert self.process.stdout
        self.process.stdout.close()
        self.line.close()


def printable(text: str) -> str:
    """A text without what moves a terminal."""
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


def _pass_on(stream: IO[bytes], prints: bool) -> None:
    left = SHOWN if prints else 0
    with contextlib.suppress(ValueError):  # closed by who waited
        while some := os.read(stream.fileno(), 1 << 16):
            sys.stderr.write(printable(some[:left].decode(errors="replace")))
            left = max(0, left - len(some))


def _ended(answer: str, file: str, call: str) -> str:
    """What ended a hand-in, by its last line; empty if that is an answer."""
    if answer.startswith("ended "):
        with contextlib.suppress(ValueError, RecursionError):
            return str(json.loads(answer.removeprefix("ended ")))
    elif answer.startswith(("call ", "returned ", "raised ") if call else "ready"):
        return ""
    return f"{file} ends the program that runs it{f', called as {in_words(call)}' if call else ''}"


def _between(judges: Line, student: Student, file: str, verdict: Verdict) -> str:
    """Passes lines on until the judges end; what ended it before that, if something did."""
    call = ""
    try:
        while True:
            answer = student.line.hear()
            if ended := _ended(answer, file, call):
                return ended
            if call:
                judges.say(answer)
            line = judges.hear()
            while line.startswith(("part ", "parts ")):
                name, _, number = line.partition(" ")
                if name == "parts":
                    verdict.parts = int(number)
                else:
                    verdict.passed += number == "1"
                line = judges.hear()
            if not line:
                return ""
            if line in ("refuses", "wavers"):
                return in_words(call) + (
                    " says no of the right function, asked among wrong ones" if line == "refuses" else
                    " says another thing if it is asked again: only what it is given may decide")
            if line == "anew":
                until, start, call, answer = student.line.until, time.monotonic(), "", ""
                student.line.until = start + AGAIN
                student.renew()
                if ended := _ended(student.line.hear(), file, ""):
                    return ended
                judges.until = student.line.until = until + time.monotonic() - start
                line = judges.hear()
            if not answer.startswith("call "):
                call = line
            student.line.say(line)
    except TimeoutError:
        return (f"no end within {SECONDS} seconds, which are for the file and all calls together"
                + (f"; the last one was {in_words(call)}" if call else ""))


def judge(program: Path, exercise: str, file: str, source: bytes, prints: bool = True) -> Verdict:
    """Lets a program of judges judge what is in a file, and tells whoever wrote it.

    Name and content of the file are the seed of the cases, so that a table of them is of another file.
    """
    file = Path(file).name
    until = time.monotonic() + SECONDS
    judges = Line(until)
    compiled = program.read_bytes()
    verdict = Verdict()
    seed = hashlib.sha256(b"\0".join([os.fsencode(file), source])).digest()[:8]
    environment = {name: os.environ[name] for name in os.environ if not name.startswith(("SQRTDK_", "GTEST_", "RC_"))}
    environment["SQRTDK_SEED"] = str(int.from_bytes(seed, "big"))
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as told, contextlib.closing(judges), \
            subprocess.Popen([program, exercise], stdin=judges.theirs.fileno(), stdout=judges.theirs.fileno(),
                             stderr=told, start_new_session=True, env=environment) as process:
        judges.theirs.close()
        try:
            student = Student(file, source, until, prints)
            try:
                ended = _between(judges, student, file, verdict)
            finally:
                student.end()
                verdict.apart = student.apart
        finally:
            judges.ours.close()
            try:
                status = process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
        told.seek(0)
        text = told.read().strip()
    if program.read_bytes() != compiled:
        program.unlink()
        program.write_bytes(compiled)
        program.chmod(0o755)
        ended = f"{file} wrote into {program.name}, which is mended"
    elif not ended and status not in (0, 1):
        ended = f"the judges of {exercise} ended with status {status}, so nothing is known:\n{text}"
    verdict.solved = not ended and status == 0 and 0 < verdict.passed == verdict.parts
    verdict.told, verdict.ended = printable(ended or text), printable(" ".join(ended.split()))
    return verdict


def digest(task: Task) -> str:
    """The digest that tells whether an answer was changed since it was judged."""
    return hashlib.sha256(task.text.encode()).hexdigest()


def note(task: Task, file: Path, solved: bool) -> None:
    """Notes what became of an answer, in a file of its own."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(json.dumps({"digest": digest(task), "solved": solved}) + "\n", encoding="utf-8")
    new.replace(file)


def state(task: Task, file: Path) -> str:
    """The last judgement of an answer."""
    if not file.exists():
        return "not judged yet"
    noted: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if noted["digest"] != digest(task):
        return "changed since it was judged"
    return "solved" if noted["solved"] else "not solved yet"
