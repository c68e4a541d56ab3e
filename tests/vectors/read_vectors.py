"""Holds a kernel to test vectors: read_vectors.py FILE ARITHMETIC MODULE:FUNCTION [CASE LEFT OUT]…"""
import json
import pkgutil
import sys


def checksum_of(data):
    """FNV-1a of the bytes before the checksum, without white space."""
    total = 2166136261
    for byte in b"".join(data.partition(b'"checksum"')[0].split()):
        total = (total ^ byte) * 16777619 % 2 ** 32
    return total


def read(path):
    """The vectors of a file."""
    with open(path, "rb") as file:
        data = file.read()
    vectors = json.loads(data)
    if vectors["version"] != 1 or vectors["checksum"] != checksum_of(data):
        raise ValueError(f"{path} was changed, or is not of version 1")
    return vectors


def numbers(x):
    """Hexadecimal text as numbers, at any depth. In a list, an integer says how often what is before it is there."""
    if isinstance(x, dict):
        return {name: numbers(value) for name, value in x.items()}
    if isinstance(x, list):
        whole = []
        for one in x:
            whole += whole[-1:] * (one - 1) if isinstance(one, int) and one > 1 else [numbers(one)]
        return whole
    return float.fromhex(x) if isinstance(x, str) else x


def report(vectors, arithmetic, kernel, without=()):
    """The misses of a kernel, in words; nothing if there are none. Results are a flat list."""
    if arithmetic not in vectors["arithmetics"]:
        raise ValueError(f"{arithmetic} is none of {', '.join(vectors['arithmetics'])}")
    lines = []
    for case in (case for case in vectors["cases"] if arithmetic in case["accept"] and case["id"] not in without):
        ends = numbers(case["accept"][arithmetic])
        try:
            results = list(kernel(**numbers(case["inputs"])))
        except ArithmeticError:  # Python raises where IEEE 754 has an infinity or NaN.
            results = [float("nan")] * len(ends)
        hits = [low <= result <= high for result, (low, high) in zip(results, ends)] + [len(results) == len(ends)]
        if not all(hits):
            i = hits.index(False)
            lines.append(f"{case['id']}: result {i} of {len(ends)} is {results[i:i + 1]}, not in {ends[i:i + 1]}. "
                         f"{case['comment']} ({case['claim']})")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(report(read(sys.argv[1]), sys.argv[2], pkgutil.resolve_name(sys.argv[3]), sys.argv[4:]) or 0)
