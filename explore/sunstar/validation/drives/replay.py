# SPDX-License-Identifier: MIT
"""Replay measured traces, and work out how far the simulated response times are from the measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sunstar.errors import FileError, UnmeasuredError
from sunstar.places import shared
from sunstar.results import DiskResult
from sunstar.runs.point import Point
from sunstar.study.cases import Settings
from sunstar.study.measuring import Conditions

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Goal:
    """The demerits, in percent, of the best public simulator of these drives."""

    all: float
    reads: float | None = None
    writes: float | None = None


GOALS = {
    "hp_c2247a": Goal(0.61),
    "hp_c2490a": Goal(2.03, 6.8, 10.9),
    "dec_rz26": Goal(2.16, 1.8, 6.0),
    "cheetah4LP": Goal(5.97, 4.8, 28.8),
    "barracuda": Goal(5.26, 5.4, 15.9),
    "atlas10k": Goal(6.89, 7.0, 19.7),
}
SUFFIXES = (".trace.gz", ".trace")


def default_folder() -> Path:
    """The folder of the measured traces, which are not part of the project."""
    return shared() / "disks" / "traces"


def find_traces(folder: Path, only: list[str]) -> dict[str, Path]:
    """The traces of a folder by the name of their drive. Those with a goal come first, in the goals' order."""
    found = {path.name.removesuffix(suffix): path for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")}
    for name in only:
        if name not in found:
            known = ", ".join(sorted(found)) or "none"
            raise FileError(f"there is no trace {name}{SUFFIXES[0]} in {folder}; there are: {known}")
    names = [name for name in GOALS if name in found] + sorted(found.keys() - GOALS.keys())
    return {name: found[name] for name in names if not only or name in only}


def point(drive: str, trace: Path, conditions: Conditions) -> Point:
    own: Settings = {
        "machine.disk": drive,
        "workload.kind": "trace",
        "workload.trace": str(trace.resolve()),
    }
    return replace(conditions.point(own, platform="disk"), records=True)


DEMERIT: tuple[str, ...] = ("percent", "reads_percent", "writes_percent", "ms", "mean_error_percent")
DEMERIT += ("within_half_ms_percent", "measured_mean_ms")
"""The figures of result.demerit that the table has."""


def comparison(names: Sequence[str], results: Sequence[DiskResult]) -> pl.DataFrame:
    """A row for each drive: its demerits, the goals beside them, and the means of the measured times."""
    import polars as pl

    rows = []
    for name, result in zip(names, results, strict=True):
        demerit = result.result.demerit
        if demerit is None:
            raise UnmeasuredError(f"the trace of {name} has no measured response times")
        goal = GOALS.get(name)
        rows.append(
            {
                "drive": name,
                "requests": int(result.result.requests),
                **{figure: getattr(demerit, figure) for figure in DEMERIT},
                "goal_percent": goal.all if goal else None,
                "goal_reads_percent": goal.reads if goal else None,
                "goal_writes_percent": goal.writes if goal else None,
            }
        )
    schema = {"goal_percent": pl.Float64, "goal_reads_percent": pl.Float64, "goal_writes_percent": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=schema)
