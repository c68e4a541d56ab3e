"""Each fault of the zoo is caught by a fixed case, and each right twin is kept; test_pages.py computes the page."""

import pytest
import zoo

import sqrtdk


@pytest.mark.parametrize("name", [name for name, fault in zoo.FAULTS.items() if not fault.given])
def test_a_fixed_case_shows_it_whatever_the_seed(name):
    with pytest.raises(sqrtdk.KernelError, match="is broken"):
        zoo.FAULTS[name].campaign(zoo.FAULTS[name].kernel, cases=1, seed=1)


TWINS = {(id(fault.twin), fault.kind, repr(fault.words)): fault for fault in zoo.FAULTS.values()}


@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.wrong) for fault in TWINS.values()])
def test_a_right_twin_is_kept(fault):
    report = fault.campaign(fault.twin)
    assert "every law" in str(report) and not report.unsupported


@pytest.mark.parametrize("case, size", (
    ("x = [nan, -inf], temperature = 1", "2 scores"),
    ("q=[[0.]],\n  k=[[0.], [1.]],\n  v=[[0., 1.], [2., 3.]],\n  mask=[[True]])", "1 query, 2 keys, d_v = 2"),
    ("q=[[1.]],\n  k=[[0., ..., 2.]] of the shape (65, 1),\n  v=[[1.]])\n  of the leading axes (1, 2) it is the first",
     "axes 1 × 2, 1 query, 65 keys")))
def test_the_size_of_a_case_is_read_from_its_message(case, size):
    message = f"wrong at [0, 0]\n  the simplest case found: {case}\n  again: check(…, laws=['a.b'])"
    assert zoo.size_in(message) == size
