# SPDX-License-Identifier: BSL-1.0
"""Grade a written kernel: a Python file that defines softmax(x) or attention(q, k, v, …), of NumPy arrays.

    python grade.py SUBMISSION.py [TIMEOUT]     TIMEOUT: seconds that one call may take, 10 if not said

Prints a JSON object, and exits with 0 if all laws are kept, 1 if one is broken, 2 if nothing is said or there is no
kernel. The file is read here, but runs in another process only. NotImplementedError is a failure: no case is optional.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import runpy
import sys
import warnings
from collections.abc import Callable
from inspect import Parameter
from pathlib import Path
from typing import Any

import sqrtdk


class Unloadable(Exception):
    """The file itself fails, before its kernel is called."""


def kernel_of(path: Path, function: ast.FunctionDef) -> Callable[..., Any]:
    """A kernel that loads the file when it is first called, with the arguments that the file says."""
    loaded: dict[str, Any] = {}

    def kernel(*arrays: Any, **options: Any) -> Any:
        try:
            loaded.update({} if loaded else runpy.run_path(str(path)))
            of_file = loaded[function.name]
        except BaseException as error:
            raise Unloadable(f"{type(error).__name__}: {error}") from error
        try:
            return of_file(*arrays, **options)
        except NotImplementedError as error:
            raise RuntimeError(f"NotImplementedError: {error}") from error

    named = [Parameter(one.arg, Parameter.KEYWORD_ONLY) for one in (*function.args.args, *function.args.kwonlyargs)]
    rest = [Parameter(function.args.kwarg.arg, Parameter.VAR_KEYWORD)] if function.args.kwarg else []
    setattr(kernel, "__signature__", inspect.Signature(named + rest))
    return kernel


def grade(path: Path, timeout: float = 10) -> dict[str, Any]:
    """The verdict: 'kept', 'broken', 'nothing said' or 'no kernel'; and what it rests on."""
    try:
        functions = [one for one in ast.parse(path.read_bytes()).body if isinstance(one, ast.FunctionDef)]
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"verdict": "no kernel", "message": f"{type(error).__name__}: {error}"}
    chosen = [one for one in functions if one.name in ("softmax", "attention")]
    if not chosen:
        return {"verdict": "no kernel", "message": "the file defines neither softmax nor attention"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            report = sqrtdk.check(kernel_of(path, chosen[-1]), chosen[-1].name, isolate=True, timeout=timeout)
        except sqrtdk.KernelError as error:
            lines = str(error).splitlines()
            case = re.search(r"the simplest case found: (.*?)\n  (?:again:|the same)", str(error), re.S)
            return {"verdict": "no kernel" if "raised Unloadable" in lines[1] else "broken",
                    "law": re.findall("'(.*)'", lines[0])[0], "message": lines[1].strip(),
                    "simplest case": case and case[1], "report": lines}
    return {"verdict": "nothing said" if report.empty else "kept", "report": str(report).splitlines()}


if __name__ == "__main__":
    graded = grade(Path(sys.argv[1]), *map(float, sys.argv[2:]))
    print(json.dumps(graded, indent=1, ensure_ascii=False))
    sys.exit({"kept": 0, "broken": 1}.get(graded["verdict"], 2))
