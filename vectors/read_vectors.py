# SPDX-License-Identifier: BSL-1.0
"""Holds a kernel to test vectors: read_vectors.py FILE [ARITHMETIC [MODULE:FUNCTION [CASE LEFT OUT]…]]"""
import hashlib
import json
import pkgutil
import sys


def numbers(x):
    """Hexadecimal numbers at any depth; names of masks, true, false and null as they are."""
    if isinstance(x, dict):
        return {name: numbers(value) for name, value in x.items()}
    if isinstance(x, list):
        return [numbers(value) for value in x]
    return x if x in (None, True, False, "top_left", "bottom_right") else float.fromhex(x)


def first_miss(vectors, arithmetic, kernel, without=()):
    """The first case that a kernel misses, in words; None if there is none. Results are a flat list."""
    digest = hashlib.sha256(json.dumps(vectors["cases"], separators=(",", ":")).encode()).hexdigest()
    if vectors["version"] != 1 or digest != vectors["sha256"] or arithmetic not in vectors["arithmetics"]:
        raise ValueError(f"not version 1, or cases that were changed, or no arithmetic {arithmetic}")
    for case in vectors["cases"]:
        accepted = [] if case["id"] in without else numbers(case["accept"].get(arithmetic, []))
        results = list(kernel(**numbers(case["inputs"]))) if accepted else []
        hit = [not of or of[0] <= result <= of[1] for of, result in zip(accepted, results)]
        if not all(hit) or len(results) != len(accepted):
            place = (hit + [False]).index(False)
            return f"{case['id']}: result {place} of {results} is not in {accepted}. {case['comment']} {case['claim']}"
    return None


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        VECTORS = json.load(file)
    GIVEN = dict(enumerate(sys.argv[2:]))
    KERNEL = pkgutil.resolve_name(GIVEN.get(1, "right_kernels:" + VECTORS["operation"]))
    sys.exit(first_miss(VECTORS, GIVEN.get(0, "fp64-any"), KERNEL, sys.argv[4:]))
