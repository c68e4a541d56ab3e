# SPDX-License-Identifier: BSL-1.0
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
    """What hexadecimal text stands for, at any depth. In a list, an integer says how often what is before it is there."""
    if isinstance(x, dict):
        return {name: numbers(value) for name, value in x.items()}
    if isinstance(x, list):
        whole = []
        for one in x:
            whole += whole[-1:] * (one - 1) if type(one) is int else [numbers(one)]  # pylint: disable=unidiomatic-typecheck
        return whole
    return float.fromhex(x) if isinstance(x, str) else x


def report(vectors, arithmetic, kernel, without=()):
    """What a kernel misses, in words; nothing if that is nothing. Results are a flat list."""
    missed, suspects = [], [bug for case in vectors["cases"] for bug in case["catches"]]
    for case in vectors["cases"]:
        ends = [] if case["id"] in without else numbers(case["accept"].get(arithmetic, []))
        try:
            results = list(kernel(**numbers(case["inputs"]))) if ends else []
        except ArithmeticError:  # Python raises where IEEE 754 has an infinity or NaN.
            results = [float("nan")] * len(ends)
        hits = [low <= result <= high for result, (low, high) in zip(results, ends)]
        if not all(hits) or len(results) != len(ends):
            i = (hits + [False]).index(False)
            missed.append(f"{case['id']}: result {i} of {results} must be in {ends[i:i + 1]}."
                          f" {case['comment']} ({case['claim']})")
            suspects = [bug for bug in case["catches"] if bug in suspects]
    return "\n".join(missed and missed + [f"Known bugs that miss all of these: {', '.join(suspects)}"])


if __name__ == "__main__":
    FILE, ARITHMETIC, KERNEL, *WITHOUT = sys.argv[1:]
    sys.exit(report(read(FILE), ARITHMETIC, pkgutil.resolve_name(KERNEL), WITHOUT))
