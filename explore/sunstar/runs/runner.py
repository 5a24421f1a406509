# SPDX-License-Identifier: MIT
"""Get what became of points: from the store of finished runs, and otherwise by running them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sunstar.errors import RunError
from sunstar.runs.outcome import Outcome
from sunstar.runs.plan import Plan, plan_here
from sunstar.runs.point import Point
from sunstar.runs.run import Run
from sunstar.runs.scheduler import Local, Scheduler
from sunstar.runs.simulator import carry_out, command
from sunstar.runs.store import Store


@dataclass(frozen=True)
class Runner:
    store: Store
    scheduler: Scheduler = field(default_factory=Local)
    retry_failed: bool = False
    """Runs that failed before are made again."""

    def one(self, point: Point, trials_at_once: int = 0) -> Run:
        """Gets one run, in this thread and without the scheduler."""
        known = plan_here(point)
        found = self.known(known)
        if not found:
            outcome = carry_out(command(point, trials_at_once))
            self.store.add(known.identities[0], point.platform, outcome)
            self.store.flush()
            return Run(point, known.identities[0], outcome.exit_code, outcome.message)
        return found[0]

    def records(self, run: Run) -> bytes:
        """The file of records that a run has written; its error if it failed."""
        outcome = self.store.outcome(run.identity)
        if outcome is None or outcome.records is None:
            raise run.error() if not run.done else RunError(f"{run.point} left no records", 0)
        return outcome.records

    def known(self, plan: Plan) -> dict[int, Run]:
        """What need not be run, by index: what is in the store, and what is no configuration."""
        endings = self.store.endings(identity for identity in plan.identities if identity)
        kept = self.store.with_records(identity for point, identity in of(plan) if point.records and identity)
        found = dict(plan.refused)
        for index, (point, identity) in enumerate(of(plan)):
            if identity in endings:
                run = Run(point, identity, *endings[identity])
                enough = identity in kept or not point.records if run.done else not self.retry_failed
                if enough:
                    found[index] = run
        return found

    def all(self, plan: Plan, on_end: Callable[[int, Run], None]) -> list[Run]:
        """Gets all runs; the same run is made once. A run that fails does not stop the others. on_end is called in this
        thread, with an index, for each run that was not known before."""
        runs = self.known(plan)
        missing: dict[str, list[int]] = {}
        for index, identity in enumerate(plan.identities):
            if index not in runs:
                missing.setdefault(identity, []).append(index)
        trials_at_once = self.scheduler.trials_alone if len(missing) == 1 else 1
        fullest = {
            identity: max(same, key=lambda index: plan.points[index].records) for identity, same in missing.items()
        }
        commands = {identity: command(plan.points[index], trials_at_once) for identity, index in fullest.items()}
        endings: dict[str, tuple[int, str]] = {}

        def keep(identity: str, outcome: Outcome) -> None:
            self.store.add(identity, commands[identity].platform, outcome)
            endings[identity] = outcome.exit_code, outcome.message

        def ended(identity: str) -> None:
            for index in missing[identity]:
                runs[index] = Run(plan.points[index], identity, *endings[identity])
                on_end(index, runs[index])

        try:
            self.scheduler.carry_out(commands, keep, ended)
        finally:
            self.store.flush()
        return [runs[index] for index in range(len(plan.points))]


def of(plan: Plan) -> Iterator[tuple[Point, str]]:
    """The points with their identities."""
    return zip(plan.points, plan.identities, strict=True)
