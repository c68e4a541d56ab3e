"""A campaign on many workers: the same verdict whoever runs the cases, and a worker that dies loses no other's."""

import contextlib
import copy
import os
from concurrent.futures import ProcessPoolExecutor

import kernels
import numpy as np
import pytest

import sqrtdk
from sqrtdk import CheckReport
from sqrtdk._shards import units_of

LAWS = ["softmax.accuracy", "softmax.shift"]


def dies(x):
    if len(x) == 129:
        os._exit(3)  # pylint: disable=protected-access
    return kernels.softmax(x)


@contextlib.contextmanager
def dask():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client.get_executor()


def found(kernel, executor, shards):
    try:
        return str(sqrtdk.check(kernel, LAWS, cases=100, executor=executor, shards=shards))
    except sqrtdk.KernelError as error:
        return str(error)


@pytest.mark.parametrize("pool", (lambda: ProcessPoolExecutor(2), dask), ids=("processes", "dask"))
def test_reports_do_not_depend_on_executors_and_shards(pool):
    with ProcessPoolExecutor(1) as one, pool() as many:
        for kernel, said in ((kernels.sequential, "every law is kept"), (np.ones_like, "x = [0., 0.], temp")):
            reports = {found(kernel, one, 1), *(found(kernel, many, shards) for shards in (1, 7, 64))}
            assert len(reports) == 1 and said in reports.pop()


def test_units_share_no_seed_and_have_all_cases():
    units = units_of(LAWS, 1007, seed=None)
    assert len({unit.seed for unit in units}) == len(units) == 2 * 40
    assert sum(unit.cases for unit in units) == 2 * 1007
    assert not {unit.seed for unit in units} & {unit.seed for unit in units_of(LAWS, 1007, seed=1)}


def test_a_report_takes_in_another():
    few = {"cases": {"accuracy": 2}, "worst": {"accuracy": (.1, "a")}, "undecided": {"accuracy": "longer"}}
    more = {"cases": {"accuracy": 3}, "worst": {"accuracy": (.2, "b")}, "undecided": {"accuracy": "short"}}
    for one, other in ((few, more), (more, few)):
        report = CheckReport("softmax", **copy.deepcopy(one), skipped=["x"], unsupported=1, tried={"zeros": 4})
        report.add(CheckReport("softmax", **other, skipped=["x", "y"], unsupported=2, caught={"zeros": 1}))
        assert report.cases == {"accuracy": 5} and report.worst == {"accuracy": (.2, "b")}
        assert report.undecided == {"accuracy": "short"} and report.skipped == ["x", "y"]
        assert (report.unsupported, report.tried, report.caught) == (3, {"zeros": 4}, {"zeros": 1})


def test_a_dead_worker_fails_its_units_alone():
    with ProcessPoolExecutor(2) as pool:
        report = found(dies, pool, 64)
    assert "a worker ended while it tried" in report and "units, the first of accuracy" in report
    assert " cases, 0" in report.partition("Of the other units")[2]


def test_what_decides_nothing_is_said_by_the_whole():
    declared = sqrtdk.Arithmetic.named("mlas")
    with ProcessPoolExecutor(2) as pool, pytest.warns(sqrtdk.NotDecided, match="no verdict on the law 'accuracy'"):
        report = sqrtdk.check(np.zeros_like, LAWS[:1], arithmetic=declared, cases=50, executor=pool)
    assert "no verdict on accuracy" in str(report)


def test_a_kernel_that_cannot_be_sent_is_no_broken_kernel():
    with ProcessPoolExecutor(1) as pool, pytest.raises(Exception, match="pickle|local object"):
        sqrtdk.check(lambda x: x, executor=pool)
