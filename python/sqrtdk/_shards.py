# SPDX-License-Identifier: BSL-1.0
"""One campaign on many workers: units of cases with seeds of their own, so that no verdict depends on who ran them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass

from sqrtdk._campaign import Plan
from sqrtdk._check_report import CheckReport
from sqrtdk._report import KernelError, NotDecided, Report
from sqrtdk._rows import shown

MOST, LEAST = 64, 25
"""The most units of a law, and the least cases of one where there are several."""


@dataclass(frozen=True)
class Unit:
    """Some cases of a law; the first unit has the fixed ones as well."""

    law: str
    number: int
    cases: int
    seed: int


@dataclass(frozen=True)
class Outcome:
    """What was found of a unit."""

    unit: Unit
    report: CheckReport | None
    error: KernelError | None
    """Why it failed; the worker ended if there is no report."""


def units_of(laws: Sequence[str], cases: int, seed: int | None) -> list[Unit]:
    """The units of a campaign, whoever runs them."""
    count = max(1, min(MOST, cases // LEAST))
    return [Unit(law, i, cases * (i + 1) // count - cases * i // count, _named(f"{seed} {law} {i}"))
            for law in laws for i in range(count)]


def _named(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def run(plan: Plan, units: Sequence[Unit]) -> list[Outcome]:
    """The work of one task."""
    found = []
    for unit in units:
        campaign, error = plan.campaign(), None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotDecided)
                campaign.run(unit.law, unit.cases, unit.seed, fixed=unit.number == 0)
        except KernelError as failure:
            error = failure
        finally:
            campaign.close()
        found.append(Outcome(unit, campaign.report, error))
    return found


def gathered(executor: Executor, plan: Plan, units: Sequence[Unit], shards: int) -> list[Outcome]:
    """The outcomes of all units, in order.

    A pool that a dead worker broke loses all that waited: that is run again, each task in a process of its own.
    """
    groups = [units[i::shards] for i in range(min(shards, len(units)))]
    found: list[Outcome] = []
    lost = []
    for group, future in shown(zip(groups, [executor.submit(run, plan, group) for group in groups]), len(groups)):
        try:
            found += future.result()
        except BrokenExecutor:
            lost.append(group)
        except Exception as error:  # pylint: disable=broad-exception-caught
            if type(error).__name__ != "KilledWorker":  # of Dask
                raise
            found += _dead(group)
    for group in lost:
        with ProcessPoolExecutor(1) as alone:
            try:
                found += alone.submit(run, plan, group).result()
            except BrokenExecutor:
                found += _dead(group)
    return sorted(found, key=lambda outcome: units.index(outcome.unit))


def _dead(group: Sequence[Unit]) -> list[Outcome]:
    return [Outcome(unit, None, None) for unit in group]


def merged(kind: str, laws: Sequence[str], outcomes: Sequence[Outcome], report: CheckReport) -> CheckReport:
    """All reports in one. Raises the simplest failure of the first law that is broken, or says that a worker ended."""
    __tracebackhide__ = True
    for law in laws:
        report.asked += 1
        of_law = [outcome for outcome in outcomes if outcome.unit.law == law]
        if failures := [outcome.error for outcome in of_law if outcome.error]:
            raise min(failures, key=lambda error: (len(str(error)), str(error)))
        for outcome in of_law:
            if outcome.report:
                report.add(outcome.report)
    if dead := [outcome.unit for outcome in outcomes if not outcome.report]:
        raise KernelError(f"{kind}: a worker ended while it tried {len(dead)} of {len(outcomes)} units, the first of "
                          f"{dead[0].law}: the kernel ended its process, or something else did; isolate=True shows the "
                          f"case. Of the other units:\n{report}", Report(kind, 0, 0, 1, float("inf"), None))
    for law, text in report.undecided.items():
        warnings.warn(f"{kind}: no verdict on the law '{law}': some constants of {report.declared.kernel} are only "
                      f"sampled\n{text}", NotDecided, stacklevel=5)
    return report
