"""Kernels of tests overflow on purpose."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "examples")]


@pytest.fixture(autouse=True)
def quiet() -> object:
    with np.errstate(all="ignore"):
        yield
