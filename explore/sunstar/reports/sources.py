# SPDX-License-Identifier: MIT
"""Results as the user names them: a file that a simulator wrote, a sweep or search, or a table of points."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.configurations import key
from sunstar.errors import FileError, UsageError
from sunstar.results import Document, read_file
from sunstar.runs.runner import FILE as STORE
from sunstar.sweeps.sweep import PLAN, RUNS, Sweep, sweep_in, sweeps_in


@dataclass(frozen=True)
class ResultFile:
    """A result file, or the result of one run of a sweep."""

    path: Path
    result: Document


Source = ResultFile | Sweep


def find(name: str, results: Path) -> Source:
    """The result file, the Parquet file, or the sweep or search, by its folder or its name in these results; NAME:3 is
    run 3 of a sweep."""
    path = Path(name)
    if path.is_file() and path.suffix == ".parquet":
        return Sweep(path.parent, store_of(path, results), path.name)
    if path.is_file():
        return ResultFile(path, read_file(path))
    if any((path / name).is_file() for name in (RUNS, PLAN)):
        return sweep_in(path, store_of(path / RUNS, results))
    if path.is_dir():
        raise FileError(f"the folder {path} is not a sweep's: it has no {RUNS}; make one with: sunstar sweep SPEC.json")
    if one := re.fullmatch(r"(.+):(\d+)", name):
        of = find(one[1], results)
        if not isinstance(of, Sweep):
            raise UsageError(f"{name}: {one[1]} is a result file, which has no run {one[2]}; only sweeps have")
        return ResultFile(path, of.result(int(one[2])))
    known = sorted(sweeps_in(results))
    found = [folder for folder in known if folder.name == name]
    if len(found) > 1:
        raise UsageError(f"{name} is the name of {' and '.join(map(str, found))}; name one of these folders")
    if found:
        return sweep_in(found[0], results)
    names = dict.fromkeys(folder.name for folder in known)
    others = f"there are {', '.join(names)}" if names else "there is none"
    raise FileError(f"there is no file {name}, and no sweep {name} in {results}; {others}")


def store_of(path: Path, results: Path) -> Path:
    """The folder of results whose store has a table's runs; a sweep's own lies in it."""
    own = path.resolve().parents[2] if path.name == RUNS and len(path.resolve().parents) > 2 else results
    return own if (own / STORE).is_file() else results


SEED = "run.seed"  # Runs that only differ in this are further samples of one point
BEFORE_FIGURES = "exit_code"  # The first column of a sweep's table that is no parameter


@dataclass(frozen=True)
class Pair:
    """The runs of one point on both sides."""

    point: str  # The values of the sweeps' parameters; empty for two results
    a: list[Document]
    b: list[Document]


@dataclass(frozen=True)
class Pairs:
    """The pairs to compare, and the points without a counterpart."""

    a: str
    b: str
    pairs: Iterator[Pair]
    points: int
    parameters: Sequence[str] = ()  # The parameters that tell the points apart
    only_a: Sequence[str] = ()  # Points that are only on one side, or whose runs failed on the other
    only_b: Sequence[str] = ()


def pair_up(a: Source, b: Source, names: tuple[str, str]) -> Pairs:
    if isinstance(a, ResultFile) and isinstance(b, ResultFile):
        return Pairs(*names, iter([Pair("", [a.result], [b.result])]), 1)
    if isinstance(a, Sweep) and isinstance(b, Sweep):
        return points_of(a, b)
    kinds = ["a result file" if isinstance(each, ResultFile) else "a table of runs" for each in (a, b)]
    raise FileError(f"{names[0]} is {kinds[0]}, {names[1]} {kinds[1]}; compare two result files, or two sweeps")


def points_of(a: Sweep, b: Sweep) -> Pairs:
    """Pairs the points of two sweeps by the values of their parameters."""
    frames = [checked(each) for each in (a, b)]
    varied, others = (
        [name for name in frame.columns[: frame.columns.index(BEFORE_FIGURES)] if name not in ("run", SEED)]
        for frame in frames
    )
    alone = [name for name in [*varied, *others] if (name in varied) != (name in others)]
    if alone:
        raise FileError(
            f"only one of the sweeps {a.name} and {b.name} sets {', '.join(alone)}; compare sweeps that set the same "
            "parameters, so that each point of one can have its counterpart in the other"
        )
    values: dict[str, dict[str, Any]] = {}
    sides: list[dict[str, list[str]]] = [{}, {}]  # by point, the runs that did not fail
    for side, frame in zip(sides, frames, strict=True):
        for row in frame.iter_rows(named=True):
            own = {name: row[name] for name in varied}
            values[point := key(own)] = own
            side.setdefault(point, []).extend([row["identity"]] if row["exit_code"] == 0 else [])
    one, other = sides
    shared = [point for point, runs in one.items() if runs and other.get(point)]
    if not shared:
        raise FileError(f"the sweeps {a.name} and {b.name} have no point in common that ran in both")
    missing = [
        [described(values[point]) for point, runs in side.items() if runs and point not in shared] for side in sides
    ]
    pairs = (Pair(described(values[point]), runs_of(a, one[point]), runs_of(b, other[point])) for point in shared)
    return Pairs(a.name, b.name, pairs, len(shared), varied, *missing)


def checked(table: Sweep) -> pl.DataFrame:
    frame = table.frame()
    if missing := sorted({"run", "exit_code", "identity"} - set(frame.columns)):
        raise FileError(f"{table.path} has no column {', '.join(missing)}; compare tables of sweeps (runs.parquet)")
    return frame


def runs_of(table: Sweep, identities: Sequence[str]) -> list[Document]:
    found = [result for _, result in table.known(identities)]
    if not found:
        raise FileError(f"the runs of {table.name} are not in the store of {table.results}; call its sweep again")
    return found


def described(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items() if value is not None)
