"""Writes what follows from the inputs of test vectors: write_vectors.py [--check] CERTIFY_VECTORS

Typed are ids, claims, comments, inputs and where bugs were shipped; a new number may be decimal with a point, as 800.0.
The rest follows. With --check nothing is written, and a file that is not what would be written is an error.
"""
import itertools
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from known_bugs import BUGS, FORMATS, RIGHT, Float32, Float64, mapped, results_of
from read_vectors import checksum_of, numbers

FREEDOMS = ("strict", "any", "flushing", "stored")  # Each includes those before it.


def hexadecimal(x, shortest=True):
    """Numbers as hexadecimal text, at any depth; in a list what is repeated once, with how often."""
    if isinstance(x, dict):
        return {name: hexadecimal(value, shortest) for name, value in x.items()}
    if isinstance(x, list):
        runs = [(one, len(list(run))) for one, run in itertools.groupby(hexadecimal(one, shortest) for one in x)]
        repeats = [shortest and times > (1 if isinstance(one, list) else 2) for one, times in runs]
        return [part for (one, times), once in zip(runs, repeats) for part in ([one, times] if once else [one] * times)]
    return re.sub(r"\.?0*p", "p", x.hex()) if isinstance(x, float) else x


def caught_by(case, bugs, arithmetics):
    """The bugs that miss a case in every arithmetic that keeps subnormal numbers and stores what it computes."""
    def misses(kernel, format_, ends):
        computed = Float64 if format_ == "float64" else Float32
        results = results_of(kernel, case["inputs"], computed, FORMATS[format_])
        return not all(low <= result <= high for result, (low, high) in zip(results, ends, strict=True))

    for name, ends in numbers(case["accept"]).items():
        freedom, format_ = FREEDOMS.index(arithmetics[name]["freedom"]), arithmetics[name]["format"]
        for right, needed in RIGHT.items():
            if FREEDOMS.index(needed) <= freedom and misses(right, format_, ends):
                raise SystemExit(f"{case['id']}, {name}: a right kernel misses it: {right}")
        if freedom <= FREEDOMS.index("any"):
            bugs = [bug for bug in bugs if misses(bug, format_, ends)]
    if not bugs or not case["accept"]:
        raise SystemExit(f"{case['id']} catches nothing")
    return bugs


def filled(begin, members, end):
    """Lines of 165 columns, which do not break in strings and pairs, nor after a name."""
    text = begin + json.dumps(members)[1:-1] + end
    text = re.sub(r'\["[^"]*", "[^"]*"|"[^"]*"(: )?', lambda whole: whole[0].replace(" ", "\0"), text)
    return textwrap.fill(text, 165, subsequent_indent="    ", break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


def text_of(vectors, certify_vectors):
    """A file. The bugs that fewest cases catch stand first in each."""
    cases = [case | {"inputs": numbers(case["inputs"])} for case in vectors["cases"]]
    asked = json.dumps(hexadecimal([case["inputs"] for case in cases], False))
    certified = json.loads(subprocess.check_output([certify_vectors], input=asked, text=True))
    arithmetics = certified["arithmetics"]
    for case, added in zip(cases, certified["cases"], strict=True):
        has = {form: repr(mapped(rounded, case["inputs"])) == repr(case["inputs"]) for form, rounded in FORMATS.items()}
        case["exact"] = added["exact"]
        case["accept"] = {name: ends for name, ends in added["accept"].items() if has[arithmetics[name]["format"]]}
    known = BUGS[vectors["operation"]]
    caught = [caught_by(case, known, arithmetics) for case in cases]
    if missing := set(known).difference(*caught) or set(vectors["bugs"]).difference(known):
        raise SystemExit(f"{vectors['operation']}: no case catches {', '.join(sorted(missing))}; or none is called so")
    groups = []
    for case, bugs in zip(cases, caught):
        case = hexadecimal(case | {"catches": sorted(bugs, key=lambda bug: (sum(bug in all_ for all_ in caught), bug))})
        lines = ("id", "claim", "comment"), ("catches",), ("inputs", "exact"), ("accept",)
        groups.append("\n".join(filled("   ", {name: case[name] for name in names}, ",") for names in lines))
    words = json.dumps({name: f"{one['format']}: {one['words']}" for name, one in arithmetics.items()}, indent=1)
    text = "\n".join([
        filled("{", {"format": "sqrtdk-vectors", "version": 1, "operation": vectors["operation"]}, ","),
        f'"arithmetics": {words},', filled("", {"bugs": vectors["bugs"]}, ","),
        '"cases": [', "},\n".join("  {" + group[3:-1] for group in groups) + "}],\n"])
    return f'{text}"checksum": {checksum_of(text.encode())}}}\n'


def main(certify_vectors, check):
    """Both files."""
    for path in (Path(__file__).with_name(f"{operation}.json") for operation in BUGS):
        there = path.read_text(encoding="utf-8")
        text = text_of(json.loads(there), certify_vectors)
        if not check:
            path.write_text(text, encoding="utf-8")
        for line, (old, new) in enumerate(itertools.zip_longest(there.split("\n"), text.split("\n")), 1):
            if check and old != new:
                raise SystemExit(f"{path}:{line} must be\n{new}\nIf that is meant: write_vectors.py {certify_vectors}")


if __name__ == "__main__":
    main(sys.argv[-1], "--check" in sys.argv)
