# pylint: disable=eval-used  # of what the judges say
"""Exercises as their files tell them, and how a program of judges calls a student's functions.

A program of judges writes calls to its standard output, as Python expressions, and reads a line for each: the
words of the value, or what was raised. So whatever a claim's checks call can be answered in Python.
"""

import contextlib
import hashlib
import json
import numbers
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/weave"))
from weave.reading.forge import read_page  # noqa: E402  # pylint: disable=wrong-import-position
from weave.reading.pages import MAINPAGE, reading_order  # noqa: E402  # pylint: disable=wrong-import-position
from weave.reading.tasks import Task, read_tasks  # noqa: E402  # pylint: disable=wrong-import-position

LIBRARY = str(Path(json.__file__).parent.parent)  # of Python
SECONDS = 60
Functions = dict[str, Any]


class MalformedError(Exception):
    """Lines around an exercise that are not as they were."""


def exercises() -> list[Task]:
    """All exercises, chapter by chapter in the order of the book, easiest first. Raises MalformedError."""
    tasks, problems = read_tasks(ROOT)
    if problems:
        raise MalformedError("\n".join(map(str, problems)))
    order = reading_order(read_page(ROOT, MAINPAGE))
    return sorted(tasks, key=lambda task: order.index(task.chapter))


def _no_longer(*_: object) -> None:
    raise TimeoutError(f"no end within {SECONDS} seconds")


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """Runs a student's code: what takes too long raises TimeoutError, and what is printed goes to standard error."""
    before = signal.signal(signal.SIGALRM, _no_longer)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)  # and each second after, should the code catch what is raised
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def functions_of(file: Path) -> Functions:
    """The definitions of a file of answers. Raises whatever running it raises."""
    with _bounded():
        return runpy.run_path(str(file))


def words(value: Any) -> str:
    """A value as the judges read it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return " ".join(["[", *map(words, value), "]"])
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, numbers.Rational):
        return str(Fraction(value))
    if isinstance(value, numbers.Real):
        return float(value).hex()
    return "_".join(repr(value).split())


def judge(program: Path, exercise: str, functions: Functions) -> tuple[bool, str]:
    """Lets a program of judges judge functions: whether they are right, and what to tell who wrote them.

    Raises RuntimeError if nothing could be judged.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as told, \
            subprocess.Popen([program, exercise], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told,
                             text=True) as judges:
        assert judges.stdin
        ended = ""
        try:
            with _bounded():
                ended = _answer(judges, functions)
        except TimeoutError as error:
            ended = str(error)
            judges.kill()
        except BrokenPipeError:  # the judges are gone; their status tells
            pass
        finally:
            with contextlib.suppress(BrokenPipeError):
                judges.stdin.close()
        status = judges.wait()
        told.seek(0)
        text = told.read().strip()
    if ended:
        return False, ended
    if status not in (0, 1):
        raise RuntimeError(f"{program} {exercise} ended with status {status}:\n{text}")
    return status == 0, text


def _raises(message: str) -> None:
    raise ValueError(message)


def _answer(judges: "subprocess.Popen[str]", functions: Functions) -> str:
    """Answers call after call until the judges end; what ended it before that, if something did."""
    assert judges.stdin and judges.stdout

    def say(line: str) -> None:
        assert judges.stdin
        judges.stdin.write(line + "\n")
        judges.stdin.flush()

    def callback(number: int) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            assert judges.stdout
            say(f"call {number} {' '.join(map(words, arguments))}")
            answer = judges.stdout.readline()
            if not answer:
                raise BrokenPipeError
            return eval(answer, scope)
        return call

    scope = {**functions, "Fraction": Fraction, "callback": callback, "raises": _raises}
    for call in judges.stdout:
        name = call.partition("(")[0]
        if not callable(functions.get(name)):
            return f"there is no function {name}()"

        def arguments(text: str = call[len(name):]) -> tuple[Any, ...]:
            return tuple(eval(f"arguments{text}", {**scope, "arguments": lambda *all: all}))

        try:
            value = functions[name](*arguments())
            # A check that says no is asked once more: it must not count its calls, nor toss a coin.
            if words(value) == "False" and any(map(callable, arguments())):
                again = runpy.run_path(functions["__file__"]) if "__file__" in functions else functions
                if words(again[name](*arguments())) != "False":
                    return f"{name}() says no, but not if it is asked again: only what it is given may decide"
        except NotImplementedError:
            return f"there is no answer yet: {name}() raises NotImplementedError"
        except (TimeoutError, BrokenPipeError):
            raise
        except (Exception, SystemExit) as error:  # pylint: disable=broad-exception-caught
            shown = ", ".join(map(_shown, arguments()))
            say(f"raised {_raised(error)}, called as {name}({shown})")
        else:
            say(f"returned {words(value)}\t{_shown(value)}")
    return ""


def _shown(value: Any) -> str:
    """A value on one short line."""
    if isinstance(value, list):
        text = f"[{', '.join(map(_shown, value))}]"
    else:
        text = str(value) if isinstance(value, Fraction) else "a function" if callable(value) else repr(value)
    return " ".join((text if len(text) < 200 else text[:200] + "…").split())


def _raised(error: BaseException) -> str:
    """An exception on one line, with the line of the student's file."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not frame.filename.startswith((__file__, "<", LIBRARY))]
    where = f" in line {places[-1].lineno}, `{places[-1].line}`" if places else ""
    return " ".join(f"{type(error).__name__}: {error}{where}".split())


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
    noted = json.loads(file.read_text(encoding="utf-8"))
    if noted["digest"] != digest(task):
        return "changed since it was judged"
    return "solved" if noted["solved"] else "not solved yet"
