"""Words that count, and names read as sentences."""

import re

WORDS = re.compile(r"S[1-9](?![a-z0-9])|NaN|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
KEPT = re.compile(r"S\d|NaN|[A-Z]{2,}")
"""Words of a name that keep their capitals."""


def sentence(name: str) -> str:
    """A test's CamelCase or snake_case name as the sentence that it is."""
    base, _, parameter = name.partition("/")
    words = WORDS.findall(base)
    lowered = [word if KEPT.fullmatch(word) else word.lower() for word in words]
    text = " ".join(lowered)
    text = text[:1].upper() + text[1:]
    return f"{text} ({parameter})" if parameter else text


def plural(count: int, noun: str) -> str:
    """A count and its noun: '1 test', '2 tests'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
