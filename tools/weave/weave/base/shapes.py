"""JSON of which nobody knows whether it is what it should be: read, and held against the shape that it must have.

A shape is `str`, a `Text`, a `range` that holds a whole number, a list with the shape of its elements, or the shapes of
an object's values by their keys. A key with a question mark may be missing; keys that the shape does not name are free.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from weave.base.files import read_whole

Shape = Union[type[str], "Text", range, list["Shape"], dict[str, "Shape"]]
SHOWN = 60
"""Characters of a wrong value that a message has."""


class BadData(ValueError):
    """A fault in the content of a file; does not name the file."""


@dataclass(frozen=True)
class Text:
    """Text of which all is as a pattern says, and what that is called."""

    called: str
    pattern: re.Pattern[str]


def read_json(path: Path, shape: Shape, whose: str) -> Any:
    """The data of a file in the shape of a program `whose` output it is.

    Bytes that are no UTF-8 and halves of characters are replaced: a message about odd text may have them.
    """
    try:
        data = json.loads(read_whole(path).decode("utf-8", "replace"), object_pairs_hook=_object)
    except RecursionError:
        raise BadData("is not JSON that can be read (its values are nested too deeply)") from None
    except ValueError as error:
        raise BadData(f"is not JSON ({error})") from None
    if wrong := departure(data, shape):
        raise BadData(f"has not the shape of {whose}: {wrong}")
    return data


def departure(data: Any, shape: Shape, at: str = "") -> str:
    """The first place where data depart from a shape, and how; empty if they do not."""
    if isinstance(shape, dict) and isinstance(data, dict):
        for key, inner in shape.items():
            name = key.removesuffix("?")
            place = f"{at}.{name}" if at else name
            if name not in data and name == key:
                return f"there is no {place}"
            if name in data and (wrong := departure(data[name], inner, place)):
                return wrong
        return ""
    if isinstance(shape, list) and isinstance(data, list):
        return next((wrong for i, item in enumerate(data) if (wrong := departure(item, shape[0], f"{at}[{i}]"))), "")
    fits = (isinstance(data, str) and (shape is str or isinstance(shape, Text) and bool(shape.pattern.fullmatch(data)))
            or type(data) is int and isinstance(shape, range) and data in shape)  # pylint: disable=unidiomatic-typecheck
    return "" if fits else f"at {at or 'the top'} expected {_expected(shape)}, got {_got(data)}"


def _expected(shape: Shape) -> str:
    if isinstance(shape, range):
        return f"a whole number from {shape[0]} to {shape[-1]}"
    if isinstance(shape, Text):
        return shape.called
    return "a list" if isinstance(shape, list) else "an object" if isinstance(shape, dict) else "text"


def _got(data: Any) -> str:
    if isinstance(data, (dict, list)):
        return "an object" if isinstance(data, dict) else "a list"
    shown = json.dumps(data, ensure_ascii=True)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, each key of which stands once: of two values one would be lost."""
    data = {_repaired(key): _repaired(value) if isinstance(value, str) else value for key, value in pairs}
    if len(data) < len(pairs):
        raise ValueError("an object has a key twice")
    return data


def _repaired(text: str) -> str:
    """GoogleTest 1.12 writes each byte of UTF-8 as a character of its own: put them together."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
