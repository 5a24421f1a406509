# SPDX-License-Identifier: MIT
"""Get the outcomes of points: from the store of finished runs, or by running them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from sunstar.errors import RunError
from sunstar.programs import in_parallel
from sunstar.results import Document, read
from sunstar.runs.simulator import Command, Outcome, Plan, Point, Run, carry_out, command, plan_here
from sunstar.runs.store import Store

Form = TypeVar("Form", bound=Document)


class Scheduler(Protocol):
    """Carries runs out: this computer does, or others (sunstar.runs.cluster)."""

    @property
    def trials_alone(self) -> int:
        """How many trials at the same time a run may make if there is no other (0: as many as there are processors)."""

    def carry_out(
        self, commands: Mapping[str, Command], keep: Callable[[str, Outcome], None], ended: Callable[[str], None]
    ) -> None:
        """Carries all commands out, in any order. `keep` gets the outcome of each at once, in any thread; then `ended`
        is called, in this one."""


class Local:
    """This computer, with so many runs at the same time (0: as many as it has processors). At the time `until` of the
    monotonic clock, it ends all that run with a TimeoutError."""

    def __init__(self, jobs: int = 0, until: float | None = None) -> None:
        self.jobs = jobs
        self.trials_alone = jobs
        self.until = until

    def carry_out(
        self, commands: Mapping[str, Command], keep: Callable[[str, Outcome], None], ended: Callable[[str], None]
    ) -> None:
        names = list(commands)

        def work(name: str) -> None:
            keep(name, carry_out(commands[name]))

        left = None if self.until is None else max(0.0, self.until - time.monotonic())
        in_parallel(work, names, jobs=self.jobs, on_result=lambda i, _: ended(names[i]), seconds=left)


@dataclass(frozen=True)
class Runner:
    store: Store
    scheduler: Scheduler = field(default_factory=Local)
    retry_failed: bool = False  # Runs that failed before are made again

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
        """The runs that need not be made, by index: those in the store, and points that are no configuration."""
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


def documents_of(form: type[Form], runs: Sequence[Run], store: Store, statistics: bool = True) -> list[Form]:
    """The results of runs in their order, of the form that their simulator gives them; the error of the first that
    failed. Without statistics, thousands of results take little memory."""
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
