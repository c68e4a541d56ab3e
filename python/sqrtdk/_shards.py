# SPDX-License-Identifier: BSL-1.0
"""One campaign on many workers: units of cases with seeds of their own, so that no verdict depends on who ran them."""

from __future__ import annotations

import hashlib
import pickle
import warnings
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from sqrtdk._campaign import Plan
from sqrtdk._check_report import CheckReport
from sqrtdk._environment import in_default_environment
from sqrtdk._plan import campaign_of
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


@in_default_environment
def run(plan: Plan, units: Sequence[Unit]) -> list[Outcome]:
    """The work of one task."""
    found = []
    for unit in units:
        campaign, error = campaign_of(plan), None
        try:
            campaign.more = ", executor=None"
            campaign.run(unit.law, unit.cases, unit.seed, fixed=unit.number == 0)
        except KernelError as failure:
            error = failure
        finally:
            campaign.close()
        found.append(Outcome(unit, campaign.report, error))
    return found


def gathered(executor: Executor, plan: Plan, units: Sequence[Unit], shards: int) -> list[Outcome]:
    """The outcomes of all units, in order.

    A pool that a dead worker broke loses all that waited: those units are run again, each in a process of its own.
    """
    if isinstance(executor, ProcessPoolExecutor):
        pickle.dumps(plan)  # raises here what its workers could not be sent; to cancel such tasks would hang
    groups = [units[i::shards] for i in range(min(shards, len(units)))]
    futures = [executor.submit(run, plan, group) for group in groups]
    found: list[Outcome] = []
    lost: list[Unit] = []
    try:
        for group, future in shown(zip(groups, futures), len(groups)):
            try:
                found += future.result()
            except BrokenExecutor:
                lost += group
            except Exception as error:  # pylint: disable=broad-exception-caught
                if type(error).__name__ != "KilledWorker":  # of Dask
                    raise
                found += [Outcome(unit, None, None) for unit in group]
    finally:
        for future in futures:
            future.cancel()
    for unit in lost:
        with _like(executor) as alone:
            try:
                found += alone.submit(run, plan, [unit]).result()
            except BrokenExecutor:
                found.append(Outcome(unit, None, None))
    return sorted(found, key=lambda outcome: units.index(outcome.unit))


def _like(executor: Executor) -> ProcessPoolExecutor:
    """A pool of one process that begins as those of another do."""
    # pylint: disable=protected-access
    begun: dict[str, Any] = {"mp_context": executor._mp_context, "initializer": executor._initializer,
                             "initargs": executor._initargs} if isinstance(executor, ProcessPoolExecutor) else {}
    return ProcessPoolExecutor(1, **begun)


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
    for law in report.undecided:
        warnings.warn(report.doubts(law), NotDecided, stacklevel=5)
    return report
