"""Writes what follows from the inputs of test vectors: write_vectors.py [--check] CERTIFY_VECTORS

Typed are ids, claims, comments and inputs; a new number may be decimal with a point, as 800.0. The rest follows.
With --check nothing is written, and a file that is not what would be written is an error.
"""
import itertools
import json
import math
import re
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

from read_vectors import checksum_of, numbers

OPERATIONS = ("softmax", "attention")
CODES = {"float64": "<d", "float32": "<f", "float16": "<e", "bfloat16": "<f"}


def hexadecimal(x, shortest=True):
    """Numbers as hexadecimal text, at any depth; in a list what is repeated once, with how often."""
    if isinstance(x, dict):
        return {name: hexadecimal(value, shortest) for name, value in x.items()}
    if isinstance(x, list):
        runs = [(one, len(list(run))) for one, run in itertools.groupby(hexadecimal(one, shortest) for one in x)]
        repeats = [shortest and times > (1 if isinstance(one, list) else 2) for one, times in runs]
        return [part for (one, times), once in zip(runs, repeats) for part in ([one, times] if once else [one] * times)]
    return re.sub(r"\.?0*p", "p", x.hex()) if isinstance(x, float) else x


def holds(form, x):
    """Whether a format has all numbers of a list or of the inputs of a case."""
    if isinstance(x, (dict, list)):
        return all(holds(form, one) for one in (x.values() if isinstance(x, dict) else x))
    if not isinstance(x, float) or math.isnan(x):
        return True
    try:
        stored = struct.pack(CODES[form], x)
    except OverflowError:
        return False
    return struct.unpack(CODES[form], stored)[0] == x and (form != "bfloat16" or stored[:2] == bytes(2))


def filled(begin, members, end):
    """Lines of 165 columns, which do not break in strings and pairs, nor after a name."""
    text = begin + json.dumps(members)[1:-1] + end
    text = re.sub(r'\["[^"]*", "[^"]*"|"[^"]*"(: )?', lambda whole: whole[0].replace(" ", "\0"), text)
    return textwrap.fill(text, 165, subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


def text_of(vectors, certify_vectors):
    """A file."""
    cases = [case | {"inputs": numbers(case["inputs"])} for case in vectors["cases"]]
    asked = json.dumps(hexadecimal([case["inputs"] for case in cases], False))
    certified = json.loads(subprocess.check_output([certify_vectors], input=asked, text=True))
    arithmetics = certified["arithmetics"]
    groups = []
    for case, added in zip(cases, certified["cases"], strict=True):
        added["accept"] = {name: ends for name, ends in added["accept"].items()
                           if holds(arithmetics[name]["format"], case["inputs"])}
        case = hexadecimal(case | added)
        lines = ("id", "claim", "comment"), ("inputs", "exact"), ("accept",)
        groups.append("\n".join(filled("   ", {name: case[name] for name in names}, ",") for names in lines))
    words = json.dumps({name: f"{one['format']}: {one['words']}" for name, one in arithmetics.items()}, indent=1)
    text = "\n".join([
        filled("{", {"format": "sqrtdk-vectors", "version": 1, "operation": vectors["operation"]}, ","),
        f'"arithmetics": {words},', '"cases": [', "},\n".join("  {" + group[3:-1] for group in groups) + "}],\n"])
    return f'{text}"checksum": {checksum_of(text.encode())}}}\n'


def main(certify_vectors, check):
    """Both files."""
    for path in (Path(__file__).with_name(f"{operation}.json") for operation in OPERATIONS):
        there = path.read_text(encoding="utf-8")
        text = text_of(json.loads(there), certify_vectors)
        if not check:
            path.write_text(text, encoding="utf-8")
        for line, (old, new) in enumerate(itertools.zip_longest(there.split("\n"), text.split("\n")), 1):
            if check and old != new:
                raise SystemExit(f"{path}:{line} must be\n{new}\nIf that is meant: write_vectors.py {certify_vectors}")


if __name__ == "__main__":
    main(sys.argv[-1], "--check" in sys.argv)
