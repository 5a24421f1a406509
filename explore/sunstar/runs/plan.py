# SPDX-License-Identifier: MIT
"""Points with the identities of their runs: what is known of them before any has run."""

from collections.abc import Sequence
from dataclasses import dataclass

from sunstar.programs import in_parallel
from sunstar.runs.effective import Refused, ask, batches
from sunstar.runs.identity import Identities
from sunstar.runs.point import Point
from sunstar.runs.run import Run

CONFIGURATION = 3
"""The simulators' exit code for a faulty configuration."""


@dataclass(frozen=True)
class Plan:
    points: Sequence[Point]
    identities: Sequence[str]
    """Empty for a point that is no configuration."""
    refused: dict[int, Run]
    """These, by their index."""


def plan(points: Sequence[Point], jobs: int = 0) -> Plan:
    """Asks the simulators about all points, in so many processes (0: as many as there are processors)."""
    identities = Identities()
    answers = in_parallel(lambda batch: identified(batch, identities), list(batches(points)), jobs=jobs)
    return planned(points, [answer for batch in answers for answer in batch])


def plan_here(point: Point) -> Plan:
    """The same for one point, in this thread."""
    return planned([point], identified([point], Identities()))


def identified(batch: Sequence[Point], identities: Identities) -> list[str | Refused]:
    """The identity of each point. Thousands of configurations would take much memory, so none is kept."""
    return [
        answer if isinstance(answer, Refused) else identities.of(point.platform, answer, point.folder)
        for point, answer in zip(batch, ask(batch), strict=True)
    ]


def planned(points: Sequence[Point], answers: Sequence[str | Refused]) -> Plan:
    refused = {
        index: Run(points[index], "", CONFIGURATION, answer.sentence)
        for index, answer in enumerate(answers)
        if isinstance(answer, Refused)
    }
    return Plan(points, ["" if isinstance(answer, Refused) else answer for answer in answers], refused)
