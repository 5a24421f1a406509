# SPDX-License-Identifier: MIT
"""The statistics of resources, those of one kind together: machine.iop*.cpu is the processor of every I/O processor."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sunstar.structure import group_of, kind_of

SUMMED, QUEUE = ".response_time", ".queue_length"


@dataclass(frozen=True)
class Kind:
    """One statistic of all resources of a kind."""

    resources: int
    mean: float
    most: float
    unit: str


def kinds(statistics: Mapping[str, Any], elapsed_s: float | None = None) -> dict[str, Kind]:
    """Those kinds of a result's statistics that are compared. Of response times, which are summed over commands, the
    elapsed time makes the mean number of commands that are waiting or under way (Little's law)."""
    values: dict[str, list[float]] = defaultdict(list)
    unit: dict[str, str] = {}
    for name, each in statistics.items():
        kind = kind_of(name)
        if each["value"] is None or not group_of(kind):
            continue
        if elapsed_s and kind.endswith(SUMMED):
            queue = kind.removesuffix(SUMMED) + QUEUE
            values[queue].append(each["value"] / elapsed_s)
            unit[queue] = "1"
        else:
            values[kind].append(each["value"])
            unit[kind] = each["unit"]
    return {kind: Kind(len(found), fmean(found), max(found), unit[kind]) for kind, found in values.items()}


@dataclass(frozen=True)
class Moved:
    """How a kind of resource differs between two runs, or two lots of them."""

    group: str
    kind: str
    resources: tuple[int, int]
    a: float | None
    """The mean over the resources of the kind; None if there is no such resource."""
    b: float | None
    unit: str

    @property
    def effect(self) -> float:
        """The difference; of what is not a utilisation, the share of the greater value."""
        a, b = self.a or 0.0, self.b or 0.0
        greater = 1.0 if self.unit == "fraction" else max(abs(a), abs(b))
        return abs(b - a) / greater if greater else 0.0


def moved(a: Iterable[Mapping[str, Kind]], b: Iterable[Mapping[str, Kind]]) -> list[Moved]:
    """What moved, from the largest effect to the smallest; what is the same is left out."""
    first, second = together(a), together(b)
    found = []
    for kind in dict.fromkeys([*first, *second]):
        one, other = first.get(kind), second.get(kind)
        unit = next(each.unit for each in (one, other) if each)
        found.append(
            Moved(
                group_of(kind) or "",
                kind,
                (one.resources if one else 0, other.resources if other else 0),
                one.mean if one else None,
                other.mean if other else None,
                unit,
            )
        )
    differing = [each for each in found if each.a != each.b]
    return sorted(differing, key=lambda each: -each.effect)


def together(runs: Iterable[Mapping[str, Kind]]) -> dict[str, Kind]:
    """The means over several runs."""
    found: dict[str, list[Kind]] = defaultdict(list)
    for run in runs:
        for kind, each in run.items():
            found[kind].append(each)
    return {
        kind: Kind(max(k.resources for k in all_), fmean(k.mean for k in all_), max(k.most for k in all_), all_[0].unit)
        for kind, all_ in found.items()
    }
