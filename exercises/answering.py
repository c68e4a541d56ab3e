# pylint: disable=eval-used,exec-used  # of what the judges say and of what was handed in
"""Runs a hand-in: reads calls from a channel, as Python expressions, and writes the words of what they return.

Nothing that is written there makes a point: the judges, which are another process, compare the values.
"""

import json
import linecache
import numbers
import re
import socket
import sys
import traceback
import types
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TextIO

LIBRARY = str(Path(json.__file__).parent.parent)  # of Python


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


def shown(value: Any) -> str:
    """A value on one short line."""
    if isinstance(value, (list, tuple)):
        text = f"[{', '.join(map(shown, value))}]"
    else:
        text = str(value) if isinstance(value, Fraction) else "a function" if callable(value) else repr(value)
    return " ".join((text if len(text) < 200 else text[:200] + "…").split())


def arguments(call: str, callback: Callable[[int], Callable[..., Any]] = lambda _: print) -> list[Any]:
    """The arguments of a call that the judges wrote."""
    scope = {"Fraction": Fraction, "callback": callback, "arguments": lambda *given: list(given)}
    return list(eval(f"arguments{call[call.index('('):]}", scope))


def in_words(call: str) -> str:
    """A call as a message shows it."""
    return f"{call.partition('(')[0]}({shown(arguments(call))[1:-1]})"


def raised(error: BaseException) -> str:
    """An exception on one line, with the line of the student's file."""
    places = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not frame.filename.startswith(("<", LIBRARY))]
    where = f", in line {places[-1].lineno}, `{places[-1].line}`" if places else ""
    try:
        text = str(error)
    except Exception:  # pylint: disable=broad-exception-caught
        text = "an exception that cannot be printed"
    return " ".join(f"{type(error).__name__}{text and ': '}{text}{where}".replace("\0", "").split())


def run(name: str, source: bytes) -> dict[str, Any]:
    """The definitions of a file. Raises whatever it raises."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", source.decode(errors="replace"))  # no form feed ends a line
    linecache.cache[name] = (len(source), None, lines, name)
    module = types.ModuleType("answers")
    module.__file__ = name
    sys.modules["answers"] = module
    exec(compile(source, name, "exec"), module.__dict__)
    return module.__dict__


def raises(message: str) -> None:
    """What a callback that refuses its arguments returns."""
    raise ValueError(message)


def answer(stream: TextIO, functions: dict[str, Any], call: str) -> str:
    """The line that answers a call."""
    name = call.partition("(")[0]

    def callback(number: int) -> Callable[..., Any]:
        def ask(*given: Any, **named: Any) -> Any:
            if named:
                raise TypeError(f"call what you are given without names, not with {next(iter(named))}=")
            stream.write(f"call {number} {' '.join(map(words, given))}\n")
            stream.flush()
            return eval(stream.readline(), {"Fraction": Fraction, "raises": raises})
        return ask

    if not callable(functions.get(name)):
        return f"ended {json.dumps(f'there is no function {name}()')}"
    try:
        value = functions[name](*arguments(call, callback))
        return f"returned {words(value)}\t{shown(value)}"
    except NotImplementedError:
        return f"ended {json.dumps(f'there is no answer yet: {name}() raises NotImplementedError')}"
    except BaseException as error:  # pylint: disable=broad-exception-caught
        return f"raised {raised(error)}, called as {in_words(call)}"


def main() -> None:
    """Reads the file, and then call after call."""
    with socket.socket(fileno=int(sys.argv[1])) as channel, \
            channel.makefile("rw", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
        name, source = json.loads(stream.readline())
        sys.set_int_max_str_digits(0)
        try:
            functions = run(name, source.encode("latin-1"))
            line = "ready"
        except BaseException as error:  # pylint: disable=broad-exception-caught
            told = "".join(part for part in traceback.format_exception(error, limit=-1) if '"<string>"' not in part)
            line = f"ended {json.dumps(f'{name} cannot be run:{chr(10)}{told}')}"
        while line:
            stream.write(line + "\n")
            stream.flush()
            call = stream.readline()
            line = answer(stream, functions, call) if call else ""


if __name__ == "__main__":
    main()
