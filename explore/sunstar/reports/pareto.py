# SPDX-License-Identifier: MIT
"""The Pareto front: the runs that no other run beats in every objective."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sunstar.errors import UsageError
from sunstar.reports.curves import check
from sunstar.reports.gathering import Gathered
from sunstar.reports.labels import label

BETTER = {"max": "higher is better", "min": "lower is better"}


@dataclass(frozen=True)
class Objective:
    column: str
    aim: Literal["max", "min"]

    @property
    def sign(self) -> int:
        return 1 if self.aim == "max" else -1


@dataclass(frozen=True)
class Front:
    """All runs by two objectives, and which of them are on the front of all objectives. A search's configurations that
    break its constraints are left out."""

    objectives: Sequence[Objective]
    rows: Sequence[int]
    points: Sequence[tuple[float, float]]
    on: frozenset[int]
    """Rows of the front."""
    names: Sequence[str]

    @property
    def axes(self) -> tuple[str, str]:
        first, second = (f"{label(each.column)}, {BETTER[each.aim]}" for each in self.objectives[:2])
        return second, first

    @property
    def steps(self) -> Literal["steps-post", "steps-pre"]:
        """Which way the line goes from one point of the front to the next: through what they both beat."""
        return "steps-post" if self.objectives[1].aim == "min" else "steps-pre"

    @property
    def best(self) -> list[tuple[float, float]]:
        """The front's points in the order of x."""
        return sorted(point for row, point in zip(self.rows, self.points, strict=True) if row in self.on)


def objectives(text: str) -> list[Objective]:
    """What stands in --pareto COLUMN:max,COLUMN:min."""
    found = []
    for each in text.split(","):
        column, _, aim = each.strip().rpartition(":")
        if not column or aim not in ("max", "min"):
            raise UsageError(
                f"--pareto {text}: {each.strip()!r} must be COLUMN:max or COLUMN:min, as in "
                "--pareto result.throughput.mib_per_s:max,machine.disks:min"
            )
        found.append(Objective(column, "max" if aim == "max" else "min"))
    if len(found) < 2:
        raise UsageError(f"--pareto {text}: it must name at least two columns, separated by a comma")
    return found


def front(found: Gathered, wanted: Sequence[Objective]) -> Front:
    known = [name for name in found.frame.columns if found.frame[name].dtype.is_numeric()]
    for each in wanted:
        check("--pareto", each.column, known)
    values: dict[int, list[float]] = {}
    for row in range(found.frame.height):
        numbers = [number for each in wanted if (number := found.number(each.column, row)) is not None]
        if len(numbers) == len(wanted) and found.done(row) and found.feasible(row):
            values[row] = numbers
    scores = {row: tuple(of.sign * x for of, x in zip(wanted, each, strict=True)) for row, each in values.items()}
    on: list[int] = []
    for row in sorted(scores, key=lambda row: scores[row], reverse=True):  # so none is beaten by a later one
        if not any(beats(scores[other], scores[row]) for other in on):
            on.append(row)
    points = [(each[1], each[0]) for each in values.values()]
    return Front(wanted, list(values), points, frozenset(on), [found.name(row) for row in values])


def beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))
