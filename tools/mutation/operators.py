# SPDX-License-Identifier: BSL-1.0
"""Mutations of C++: small changes that a compiler accepts and a test should notice."""

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Mutation:
    """The text from `start` to `end` becomes `new`."""

    start: int
    end: int
    new: str
    operator: str

    def applied_to(self, text: str) -> str:
        return text[:self.start] + self.new + text[self.end:]


BODIES = re.compile(r"^// ----", re.MULTILINE)
# Comments, text and preprocessor lines; then also messages, and what is no arithmetic at run time.
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|^[ \t]*#[^\n]*",
                     re.MULTILINE | re.DOTALL)
NO_ARITHMETIC = re.compile(r"\b(?:throw|static_assert|using|template|concept)\b[^;{]*|\boperator\S+", re.DOTALL)

SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
CONNECTIVES = {"&&": "||", "||": "&&"}
FUNCTIONS = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "log": "log2", "log2": "log", "exp": "exp2",
             "exp2": "exp", "log1p": "log", "expm1": "exp", "sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh",
             "sqrt": "cbrt", "cbrt": "sqrt", "minCoeff": "maxCoeff", "maxCoeff": "minCoeff",
             "min_element": "max_element", "max_element": "min_element", "any_of": "all_of", "all_of": "any_of",
             "front": "back", "back": "front", "rows": "cols", "cols": "rows", "lower_bound": "upper_bound",
             "upper_bound": "lower_bound"}

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.:'])")
SIGN = re.compile(r"(?<=[\w)\]}])(\s+)([-+*/])(?=\s+[\w(!-])")
ASSIGNED = re.compile(r"[-+*/]=(?=\s)")
RELATION = re.compile(r"(?<=\s)(?:[<>]=?|[=!]=)(?=\s)")
SUM_ENDS = re.compile(r"[,;]|\s(?:[-+]|[<>]=?|[=!]=|=|[-+*/]=|&&|\|\||\?|:|<<|>>)\s|\breturn\s")
PRODUCT_ENDS = re.compile(r"[,;]|\s(?:[-+*/%]|[<>]=?|[=!]=|=|[-+*/]=|&&|\|\||\?|:|<<|>>)\s|\breturn\s")
CONDITION_ENDS = re.compile(r"[,;]|\s(?:&&|\|\||\?|:|=)\s|\breturn\s")
CHOICE_ENDS = re.compile(r"[,;]|\s(?:\?|:|=|<<)\s|\breturn\s")
STATEMENT = re.compile(r"(?<=[;{}\n)])\s*[\w.\[\]()>-]+ [-+*/]= [^;{}]*;")
DONE = re.compile(r"(?<=[;{}\n])\s*(?:[\w.\[\]()>-]+ = [^;{}]*|(?:\+\+|--)[\w.]+|\w[\w.]*\.\w+\([^;{}]*\));")
DECLARES = re.compile(r"(?:const\s+)?(?:typename\s+)?[\w:<>, ]+?\s*[&*]*\s+[&*]*\w+(?:\s*=.*)?")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "catch", "decltype", "requires", "noexcept", "void"}
OPEN, CLOSE = "([{", ")]}"

Change = tuple[int, int, str]  # from, to, the new text
Operator = Callable[[str], Iterator[Change]]


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """The text with spaces in the place of what the pattern matches; lines stay lines."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(code: str, start: int) -> int:
    """The place of the bracket that closes the one at `start`; the end of the text if none does."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] in OPEN) - (code[place] in CLOSE)
        if depth == 0:
            return place
    return len(code)


def after_spaces(code: str, place: int) -> int:
    """The place of the first character from `place` on that is no space."""
    while place < len(code) and code[place].isspace():
        place += 1
    return place


def operand_after(code: str, start: int, ends: re.Pattern[str]) -> int:
    """Where the operand that begins at `start` ends."""
    place = start
    while place < len(code):
        if code[place] in OPEN:
            place = closing(code, place) + 1
        elif code[place] in CLOSE or (ends.match(code, place) and place > start):
            break
        else:
            place += 1
    return start + len(code[start:place].rstrip())


def operand_before(code: str, end: int, ends: re.Pattern[str]) -> int:
    """Where the operand that ends at `end` begins."""
    depth, place = 0, end
    floor = max(code.rfind(mark, 0, end) for mark in ";")
    stops = {match.end() for match in ends.finditer(code, max(floor, 0), end + 1)}
    while place > 0:
        if depth == 0 and place in stops:
            break
        before = code[place - 1]
        depth += (before in CLOSE) - (before in OPEN)
        if depth < 0:
            break
        place -= 1
    return place + len(code[place:end]) - len(code[place:end].lstrip())


def numbers(code: str) -> Iterator[Change]:
    """A number becomes its neighbour: an integer by one, another one in its first digit."""
    for token in NUMBER.finditer(code):
        text = token.group()
        if text.isdigit():
            yield *token.span(), str(int(text) + 1)
            if int(text) > 0:
                yield *token.span(), str(int(text) - 1)
        else:
            yield *token.span(), re.sub(r"[1-9]", lambda digit: str(int(digit.group()) % 9 + 1), text, count=1)


def signs(code: str) -> Iterator[Change]:
    """Plus becomes minus, times becomes over, and the other way round."""
    for token in SIGN.finditer(code):
        yield *token.span(2), SIGNS[token.group(2)]
    for token in ASSIGNED.finditer(code):
        yield *token.span(), SIGNS[token.group()]


def relations(code: str) -> Iterator[Change]:
    """A relation becomes strict or loses that, or becomes its opposite; that of a loop's end, strict or not."""
    loops = [(found.end(), closing(code, found.end() - 1)) for found in re.finditer(r"\b(?:for|while) \(", code)]
    for token in RELATION.finditer(code):
        ends_a_loop = any(start < token.start() < end for start, end in loops)
        for new in RELATIONS[token.group()][:1 if ends_a_loop else 2]:
            yield *token.span(), new


def connectives(code: str) -> Iterator[Change]:
    """And becomes or, and the other way round."""
    for token in re.finditer(r"(?<=\s)(?:&&|\|\|)(?=\s)", code):
        yield *token.span(), CONNECTIVES[token.group()]


def statements(code: str) -> Iterator[Change]:
    """An assignment to what exists, a step by one or a call of a member is dropped."""
    for statement in DONE.finditer(code):
        yield statement.end() - len(statement.group().lstrip()), statement.end(), ";"


def _dropped(code: str, operators: str, ends: re.Pattern[str]) -> Iterator[Change]:
    for token in SIGN.finditer(code):
        if token.group(2) not in operators:
            continue
        left_end, right = token.start(), after_spaces(code, token.end())
        yield left_end, operand_after(code, right, ends), ""
        if token.group(2) in "+*":
            yield operand_before(code, left_end, ends), right, ""


def terms(code: str) -> Iterator[Change]:
    """One side of a sum, or an assignment that adds or multiplies, is dropped."""
    yield from _dropped(code, "+-", SUM_ENDS)
    for statement in STATEMENT.finditer(code):
        start = statement.end() - len(statement.group().lstrip())
        yield start, statement.end(), ";"


def factors(code: str) -> Iterator[Change]:
    """One side of a product, or a divisor, is dropped."""
    yield from _dropped(code, "*/", PRODUCT_ENDS)


def guards(code: str) -> Iterator[Change]:
    """A condition is always or never true, or loses one side; a demand is dropped."""
    for found in re.finditer(r"\bif \(", code):
        start = found.end() - 1
        end = closing(code, start)
        yield start + 1, end, "false"
        yield start + 1, end, "true"
    for found in re.finditer(r"(?<=\S)\s+\?\s", code):
        start = operand_before(code, found.start(), CHOICE_ENDS)
        yield start, found.start(), "false"
        yield start, found.start(), "true"
    for found in re.finditer(r"(?<=\S)\s+(?:&&|\|\|)\s+", code):
        yield found.start(), operand_after(code, found.end(), CONDITION_ENDS), ""
        yield operand_before(code, found.start(), CONDITION_ENDS), found.end(), ""
    for found in re.finditer(r"(?<=[;{}\n])\s*((?:\w+::)*require_\w+)\(", code):
        end = closing(code, found.end() - 1)
        if code[end + 1:end + 2] == ";":
            yield found.start(1), end + 2, ";"


def functions(code: str) -> Iterator[Change]:
    """A function becomes another one of the same kind, a tail the other one."""
    for token in re.finditer(r"\b(\w+)(?=[(<])", code):
        if token.group() in FUNCTIONS:
            yield *token.span(), FUNCTIONS[token.group()]
    for token in re.finditer(r"\b(?:cdf|quantile)\((complement\()?", code):
        start = code.index("(", token.start())
        end = closing(code, start)
        if token.group(1):
            yield start, end + 1, code[token.end() - 1:closing(code, token.end() - 1) + 1]
        elif code.find("const ", start, end) < 0 and code.find("& ", start, end) < 0:
            yield start, end + 1, "(complement" + code[start:end + 1] + ")"


def arguments(code: str) -> Iterator[Change]:
    """Two neighbours in a list of arguments change places."""
    for found in re.finditer(r"\b(\w+)(?:<[\w:, ]*>)?\(|(?<=return )\{|(?<== )\{|(?<=\()\{", code):
        if found.group(1) in KEYWORDS:
            continue
        start = found.end() - 1
        end = closing(code, start)
        inside = code[start + 1:end]
        if ";" in inside and code[start] == "{":
            continue
        given: list[tuple[int, int]] = []
        place = start + 1
        while place < end:
            first = place + len(code[place:end]) - len(code[place:end].lstrip())
            place = first
            while place < end and code[place] != ",":
                place = closing(code, place) + 1 if code[place] in OPEN else place + 1
            given.append((first, place))
            place += 1
        texts = [code[a:b].strip() for a, b in given]
        if any(text.count("<") != text.count(">") or DECLARES.fullmatch(text) for text in texts):
            continue
        for (a, b), (start, end) in zip(given, given[1:]):
            if code[a:b].strip() != code[start:end].strip():
                yield a, end, code[start:end] + code[b:start] + code[a:b]


def types(code: str) -> Iterator[Change]:
    """A number is rounded to a narrower type."""
    for token in re.finditer(r"\blong double\b(?=>\(| \w+ =)", code):
        yield *token.span(), "double"
    for token in re.finditer(r"(?<!long )\bdouble\b(?=>\(| \w+ =)", code):
        yield *token.span(), "float"
    for token in re.finditer(r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?![\w.'])", code):
        value = float(token.group())
        if abs(value) < 3e38 and struct.unpack("f", struct.pack("f", value))[0] != value:
            yield *token.span(), token.group() + "F"


ARITHMETIC: dict[str, Operator] = {
    "number": numbers, "sign": signs, "term": terms, "factor": factors, "function": functions, "argument": arguments,
    "type": types}
LOGIC: dict[str, Operator] = {
    "relation": relations, "connective": connectives, "guard": guards, "statement": statements}
OPERATORS = [*ARITHMETIC, *LOGIC]


def mutations_of(text: str, whole: bool = False) -> list[Mutation]:
    """All mutations of the bodies of a header, in the order of the text.

    `whole`: the bodies have no line of dashes before them, as in a folder detail/, a header of definitions or a source.
    """
    first = BODIES.search(text)
    start = 0 if whole else first.start() if first else len(text)
    code = blanked(text, NO_CODE)
    arithmetic = blanked(code, NO_ARITHMETIC)
    found: set[Mutation] = set()
    for operators, read in (ARITHMETIC, arithmetic), (LOGIC, code):
        for name, operator in operators.items():
            for begin, end, new in operator(read):
                # An operand that holds a comment or a message is taken from the text itself.
                same = text[begin:end] == read[begin:end]
                if begin >= start and new != text[begin:end] and (same or new in ("", ";", "true", "false")):
                    found.add(Mutation(begin, end, new, name))
    return sorted(found)
