# SPDX-License-Identifier: MIT
"""Who carries runs out: this computer, or others (sunstar.runs.cluster)."""

from collections.abc import Callable, Mapping
from typing import Protocol

from sunstar.programs import in_parallel
from sunstar.runs.outcome import Outcome
from sunstar.runs.simulator import Command, carry_out


class Scheduler(Protocol):
    @property
    def trials_alone(self) -> int:
        """How many trials at the same time a run may make if there is no other (0: as many as there are processors)."""

    def carry_out(
        self, commands: Mapping[str, Command], keep: Callable[[str, Outcome], None], ended: Callable[[str], None]
    ) -> None:
        """Carries all commands out, in any order. `keep` gets the outcome of each at once, in any thread; then `ended`
        is called, in this one."""


class Local:
    """This computer, with so many runs at the same time (0: as many as it has processors)."""

    def __init__(self, jobs: int = 0) -> None:
        self.jobs = jobs
        self.trials_alone = jobs

    def carry_out(
        self, commands: Mapping[str, Command], keep: Callable[[str, Outcome], None], ended: Callable[[str], None]
    ) -> None:
        names = list(commands)

        def work(name: str) -> None:
            keep(name, carry_out(commands[name]))

        in_parallel(work, names, jobs=self.jobs, on_result=lambda i, _: ended(names[i]))
