"""The examples do what they say, as far as what they need is installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import false_alarms
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.filterwarnings("ignore::sqrtdk.SaysNothing")
def test_right_kernels_are_not_condemned():
    for name, *kernel in false_alarms.all_of_them():
        assert false_alarms.campaign(*kernel, cases=20).cases, name


@pytest.mark.parametrize("text, verdict, message", (
    ("import numpy as np\nprint('{')\ndef softmax(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()",
     "kept", ""),
    ("def attention(q, k, v, mask=None):\n    return q @ k.T @ v", "broken", "attention is wrong at"),
    ("import os\ndef softmax(x):\n    os.abort()", "broken", "process died of SIGABRT"),
    ("import time\ndef softmax(x):\n    time.sleep(60)", "broken", "did not answer within 0.2 s"),
    ("def softmax(x):\n    raise NotImplementedError", "broken", "NotImplementedError"),
    ("import sys\nsys.exit(0)\ndef softmax(x):\n    return x", "no kernel", "Unloadable: SystemExit"),
    ("def softmax(x) return x", "no kernel", "SyntaxError"), ("softmax = 1", "no kernel", "defines neither"),
    (None, "no kernel", "FileNotFoundError")))
def test_submissions_are_graded(tmp_path, text, verdict, message):
    if text is not None:
        (tmp_path / "submission.py").write_text(text, "utf-8")
    done = subprocess.run([sys.executable, EXAMPLES / "grade.py", tmp_path / "submission.py", "0.2"], check=False,
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    graded = json.loads(done.stdout)
    assert graded["verdict"] == verdict and message in graded.get("message", ""), done.stderr
    assert done.returncode == {"kept": 0, "broken": 1}.get(verdict, 2)
    assert ("simplest case" in graded) == ("law" in graded)
