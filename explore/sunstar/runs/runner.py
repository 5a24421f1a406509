# SPDX-License-Identifier: MIT
"""Get the outcomes of points: from the store of finished runs, or by running them."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from sunstar.errors import RunError
from sunstar.programs import Interrupted, in_parallel
from sunstar.results import Document, read
from sunstar.runs.simulator import Identities, Outcome, Plan, Point, Run, carry_out, identified, indices_of, planned
from sunstar.runs.store import Store

Form = TypeVar("Form", bound=Document)
Keep = Callable[[str, Outcome], None]


class Scheduler(Protocol):
    """Carries runs out, on this computer or on others (sunstar.runs.cluster)."""

    def carry_out(self, points: Mapping[str, Point], keep: Keep, ended: Callable[[str], None]) -> None:
        """Carries all points out, in any order. `keep` gets the outcome of each by its name, at once, in any thread;
        then `ended` is called, in this one."""


@dataclass(frozen=True)
class Local:
    """This computer, with `jobs` runs at the same time (0: one for each processor) or, of a single run, `jobs` trials.
    At the time `until` of the monotonic clock, it ends all running ones with a TimeoutError."""

    jobs: int = 0
    until: float | None = None

    def carry_out(self, points: Mapping[str, Point], keep: Keep, ended: Callable[[str], None]) -> None:
        names = list(points)
        trials_at_once = self.jobs if len(points) == 1 else 1

        def work(name: str) -> None:
            keep(name, carry_out(points[name], trials_at_once))

        left = None if self.until is None else max(0.0, self.until - time.monotonic())
        in_parallel(work, names, jobs=self.jobs, on_result=lambda i, _: ended(names[i]), seconds=left)


@dataclass(frozen=True)
class Runner:
    store: Store
    scheduler: Scheduler = field(default_factory=Local)
    retry_failed: bool = False  # Failed runs are repeated

    def one(self, point: Point, trials_at_once: int = 0) -> Run:
        """Gets one run, in this thread and without the scheduler."""
        plan = planned([point], identified([point], Identities()))
        if found := self.known(plan):
            return found[0]
        outcome = carry_out(point, trials_at_once)
        self.store.add(plan.identities[0], point.platform, outcome)
        self.store.flush()
        return Run(point, plan.identities[0], outcome.exit_code, outcome.message)

    def records(self, run: Run) -> bytes:
        """The file of records that a run has written; its error if it failed."""
        outcome = self.store.outcome(run.identity)
        if outcome is None or outcome.records is None:
            raise run.error() if not run.done else RunError(f"{run.point} left no records", 0)
        return outcome.records

    def known(self, plan: Plan) -> dict[int, Run]:
        """The runs that need not be made, by index: runs in the store, and points that are no configuration."""
        endings = self.store.endings(identity for identity in plan.identities if identity)
        found = dict(plan.refused)
        for index, (point, identity) in enumerate(zip(plan.points, plan.identities, strict=True)):
            if identity in endings:
                exit_code, message, kept = endings[identity]
                run = Run(point, identity, exit_code, message)
                if (kept or not point.records) if run.done else not self.retry_failed:
                    found[index] = run
        return found

    def all(self, plan: Plan, on_end: Callable[[int, Run], None]) -> list[Run]:
        """Gets all runs; the same run is made once. A run that fails does not stop the others. on_end is called in this
        thread, with an index, for each run that was not known before."""
        runs = self.known(plan)
        missing = indices_of("" if index in runs else identity for index, identity in enumerate(plan.identities))
        fullest = {
            identity: max((plan.points[index] for index in same), key=lambda point: point.records)
            for identity, same in missing.items()
        }
        endings: dict[str, tuple[int, str]] = {}

        def keep(identity: str, outcome: Outcome) -> None:
            self.store.add(identity, fullest[identity].platform, outcome)
            endings[identity] = outcome.exit_code, outcome.message

        def ended(identity: str) -> None:
            for index in missing[identity]:
                runs[index] = Run(plan.points[index], identity, *endings[identity])
                on_end(index, runs[index])

        try:
            self.scheduler.carry_out(fullest, keep, ended)
        except Interrupted:
            print(f"{len(endings)} of {len(fullest)} runs are kept; the same command goes on", file=sys.stderr)
            raise
        finally:
            self.store.flush()
        return [runs[index] for index in range(len(plan.points))]


def documents_of(form: type[Form], runs: Sequence[Run], store: Store, statistics: bool = True) -> list[Form]:
    """The results of runs in their order; the error of the first failed one. Without statistics, they are small."""
    for run in runs:
        if not run.done:
            raise run.error()
    found: dict[str, Form] = {}
    for identity, outcome in store.outcomes(run.identity for run in runs):
        document = read(outcome.document)
        assert isinstance(document, form)
        found[identity] = document if statistics else replace(document, statistics={})
    return [found[run.identity] for run in runs]


def document_of(form: type[Form], run: Run, store: Store) -> Form:
    return documents_of(form, [run], store)[0]
