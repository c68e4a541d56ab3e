# SPDX-License-Identifier: BSL-1.0
"""A kernel of another language behind a callable of Python: here of JavaScript, in a process of Node.

    python node_kernel.py     holds softmax.mjs to the laws of softmax

Numbers travel as JSON, a list a line. All digits of a float32 survive that: both sides write what reads back as the
same number.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

import sqrtdk


class NodeKernel:
    """A softmax that asks a process; it is started anew when it has ended, so that a crash ends one call only."""

    def __init__(self, script: Path) -> None:
        self._command = ["node", str(script)]
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None and process.stdout is not None
        scores = [None if score == -np.inf else score for score in x.tolist()]
        process.stdin.write(json.dumps(scores) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process ended with status {process.wait()}")
        # null is how JSON writes what is no finite number
        return np.array([np.nan if weight is None else weight for weight in json.loads(answer)], np.float32)

    def __enter__(self) -> NodeKernel:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


if __name__ == "__main__":
    with NodeKernel(Path(__file__).with_name("softmax.mjs")) as kernel:
        print(sqrtdk.check(kernel))
