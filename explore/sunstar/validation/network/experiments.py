# SPDX-License-Identifier: MIT
"""Whole experiments on the machine of TR94-226 under both models of the network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sunstar.results import MachineResult
from sunstar.runs.point import Point
from sunstar.study.measuring import Conditions


class Case(NamedTuple):
    file_system: str
    presort: bool
    pattern: str
    record_bytes: int
    file_size: str


CASES = (
    *(Case("traditional-caching", False, pattern, 8192, "10MiB") for pattern in ("ra", "rb", "rcc", "wb", "wcc")),
    *(Case("disk-directed", True, pattern, 8192, "10MiB") for pattern in ("ra", "rb", "rcc", "wb", "wcc")),
    Case("traditional-caching", False, "rc", 8, "1MiB"),
    Case("traditional-caching", False, "wcc", 8, "1MiB"),
    Case("disk-directed", True, "rc", 8, "1MiB"),
    Case("disk-directed", True, "wcc", 8, "1MiB"),
)
MODELS = ("worm", "flit")


@dataclass(frozen=True)
class Experiment:
    file_system: str
    pattern: str
    record_bytes: int
    worm: float
    flit: float
    """MiB/s, means of the trials."""
    variation: float
    """Coefficient of variation of the trials under the worm model."""
    trials: int

    @property
    def difference(self) -> float:
        return self.flit / self.worm - 1


def points(conditions: Conditions) -> list[Point]:
    """Two points for each case: with the worm model and with the flit model."""
    return [
        conditions.point(
            {
                "file_system.kind": case.file_system,
                **({"file_system.presort": True} if case.presort else {}),
                "workload.pattern": case.pattern,
                "workload.record_size": f"{case.record_bytes}B",
                "workload.file_size": case.file_size,
                "machine.network.model": model,
            }
        )
        for case in CASES
        for model in MODELS
    ]


def experiments(results: Sequence[MachineResult]) -> list[Experiment]:
    return [
        Experiment(
            case.file_system,
            case.pattern,
            case.record_bytes,
            worm.mib_per_s,
            flit.mib_per_s,
            worm.coefficient_of_variation,
            len(worm.trials),
        )
        for case, worm, flit in zip(CASES, results[::2], results[1::2], strict=True)
    ]
