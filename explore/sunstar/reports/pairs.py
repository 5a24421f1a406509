# SPDX-License-Identifier: MIT
"""What is compared with what: two results, or the points that two sweeps have in common."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from sunstar.configurations import key
from sunstar.errors import FileError
from sunstar.reports.sources import ResultFile, Source
from sunstar.results import Document
from sunstar.sweeps.sweep import Sweep

SEED = "run.seed"
"""Runs that only differ in this are further samples of one point."""
BEFORE_FIGURES = "exit_code"
"""The first column of a sweep's table that is no parameter."""
NEEDED = {"run", "exit_code", "identity"}


@dataclass(frozen=True)
class Pair:
    """The runs of one point on both sides."""

    point: str
    """The values of the sweeps' parameters; empty for two results."""
    a: list[Document]
    b: list[Document]


@dataclass
class Pairs:
    """What can be compared, and what cannot."""

    a: str
    b: str
    pairs: Iterator[Pair]
    points: int
    parameters: list[str] = field(default_factory=list)
    """What tells the points apart."""
    only_a: list[str] = field(default_factory=list)
    """Points that are only on one side, or whose runs failed on the other."""
    only_b: list[str] = field(default_factory=list)


@dataclass
class Side:
    """The points of a sweep."""

    table: Sweep
    values: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The parameters of each point, by its key."""
    identities: dict[str, list[str]] = field(default_factory=dict)
    """Its runs that did not fail."""

    def runs(self, point: str) -> list[Document]:
        found = [result for _, result in self.table.known(self.identities[point])]
        if not found:
            raise FileError(
                f"the runs of {self.table.name} are not in the store of {self.table.results}; call its sweep again"
            )
        return found


def pair_up(a: Source, b: Source, names: tuple[str, str]) -> Pairs:
    if isinstance(a, ResultFile) and isinstance(b, ResultFile):
        if a.result.platform != b.result.platform:
            raise FileError(
                f"{names[0]} is of {a.result.platform}, {names[1]} of {b.result.platform}; compare runs of one program"
            )
        return Pairs(*names, iter([Pair("", [a.result], [b.result])]), 1)
    if isinstance(a, Sweep) and isinstance(b, Sweep):
        return points_of(a, b)
    kinds = ["a result file" if isinstance(each, ResultFile) else "a table of runs" for each in (a, b)]
    raise FileError(f"{names[0]} is {kinds[0]}, {names[1]} {kinds[1]}; compare two result files, or two sweeps")


def points_of(a: Sweep, b: Sweep) -> Pairs:
    frames = [checked(each) for each in (a, b)]
    varied = [parameters(frame) for frame in frames]
    alone = [name for name in [*varied[0], *varied[1]] if (name in varied[0]) != (name in varied[1])]
    if alone:
        raise FileError(
            f"only one of the sweeps {a.name} and {b.name} sets {', '.join(alone)}; compare sweeps that set the same "
            "parameters, so that each point of one can have its like in the other"
        )
    one, other = (side(table, frame, varied[0]) for table, frame in zip((a, b), frames, strict=True))
    shared = [point for point, runs in one.identities.items() if runs and other.identities.get(point)]
    if not shared:
        raise FileError(f"the sweeps {a.name} and {b.name} have no point in common that ran in both")
    missing = [
        [described(this.values[point]) for point, runs in this.identities.items() if runs and point not in shared]
        for this in (one, other)
    ]
    pairs = (Pair(described(one.values[point]), one.runs(point), other.runs(point)) for point in shared)
    return Pairs(a.name, b.name, pairs, len(shared), varied[0], *missing)


def checked(table: Sweep) -> pl.DataFrame:
    frame = table.frame()
    missing = sorted(NEEDED - set(frame.columns))
    if missing:
        raise FileError(f"{table.path} has no column {', '.join(missing)}; compare tables of sweeps (runs.parquet)")
    return frame


def parameters(frame: pl.DataFrame) -> list[str]:
    """The columns of what a sweep sets."""
    names = frame.columns[: frame.columns.index(BEFORE_FIGURES)]
    return [name for name in names if name not in ("run", SEED)]


def side(table: Sweep, frame: pl.DataFrame, names: list[str]) -> Side:
    found = Side(table)
    for row in frame.iter_rows(named=True):
        values = {name: row[name] for name in names}
        point = key(values)
        found.values[point] = values
        ran = [row["identity"]] if row["exit_code"] == 0 else []
        found.identities[point] = found.identities.get(point, []) + ran
    return found


def described(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items() if value is not None)
