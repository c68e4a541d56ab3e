"""The examples do what they say, as far as what they need is installed."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import sqrtdk

EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

import false_alarms  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order
import node_kernel  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
def test_a_kernel_of_node_is_held_to_the_laws_and_a_wrong_one_caught(tmp_path):
    with node_kernel.NodeKernel(EXAMPLES / "softmax.mjs") as kernel:
        assert sqrtdk.check(kernel, cases=30).power
    text = (EXAMPLES / "softmax.mjs").read_text("utf-8")
    for right, wrong, message in (("Math.max(a, b)", "Math.min(a, b)", "is wrong at"),
                                  ("  const e =", "  if (x[64] <= 0) process.exit(3);\n  const e =", "with status 3")):
        assert right in text
        (tmp_path / "wrong.mjs").write_text(text.replace(right, wrong), "utf-8")
        with node_kernel.NodeKernel(tmp_path / "wrong.mjs") as kernel, pytest.raises(sqrtdk.KernelError, match=message):
            sqrtdk.check(kernel, ["softmax.accuracy"], cases=30)


def test_right_kernels_are_not_condemned():
    for _, one in false_alarms.all_of_them():
        rng = np.random.default_rng(2)
        assert all(one(rng) for _ in range(20))
