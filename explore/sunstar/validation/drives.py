# SPDX-License-Identifier: MIT
"""sunstar validate drives: replay measured traces, and compare the simulated response times with the measured ones."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from sunstar.console import listed_in, print_table
from sunstar.drawing import picture
from sunstar.errors import FileError, UnmeasuredError
from sunstar.files import Outputs, make_folder, write_json, write_table, writing
from sunstar.places import shared
from sunstar.results import DiskResult
from sunstar.runs.runner import documents_of
from sunstar.runs.simulator import Point
from sunstar.study.cases import Settings
from sunstar.study.command import Call, Conditions, command
from sunstar.study.experiments import in_words, run_with_progress

GOALS: dict[str, list[float | None]] = json.loads((Path(__file__).parent / "data" / "goals.json").read_text())
"""The demerits, in percent, of the best public simulator of these drives: of all requests, of reads, of writes."""
GOAL = ("goal_percent", "goal_reads_percent", "goal_writes_percent")
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
    own: Settings = {"machine.disk": drive, "workload.kind": "trace", "workload.trace": str(trace.resolve())}
    return replace(conditions.point(own, platform="disk"), records=True)


DEMERIT: tuple[str, ...] = ("percent", "reads_percent", "writes_percent", "ms", "mean_error_percent")
DEMERIT += ("within_half_ms_percent", "measured_mean_ms")
"""The figures of result.demerit that the table has."""


def comparison(names: Sequence[str], results: Sequence[DiskResult]) -> pl.DataFrame:
    """A row for each drive: its demerits, the goals beside them, and the means of the measured times."""
    rows = []
    for name, result in zip(names, results, strict=True):
        demerit = result.result.demerit
        if demerit is None:
            raise UnmeasuredError(f"the trace of {name} has no measured response times")
        figures = {"drive": name, "requests": int(result.result.requests)}
        goals = dict(zip(GOAL, GOALS.get(name, (None, None, None)), strict=True))
        rows.append({**figures, **{figure: getattr(demerit, figure) for figure in DEMERIT}, **goals})
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(GOAL, pl.Float64))


def draw(files: Outputs, path: Path, drive: str, records: pl.DataFrame, percent: float) -> None:
    with picture(files, path, 8, 3.6) as canvas:
        kinds = [(kind, name) for kind, name in (("R", "reads"), ("W", "writes")) if kind in records["kind"]]
        for axes, (kind, name) in zip(np.atleast_1d(canvas.subplots(1, len(kinds))), kinds, strict=True):
            part = records.filter(pl.col("kind") == kind)
            share = (np.arange(part.height) + 1) / part.height
            for column, label, colour, style in (
                ("measured_ns", "measured", "black", "-"),
                ("response_ns", "simulated", "C3", "--"),
            ):
                times = np.sort(part[column].to_numpy()) / 1e6
                axes.plot(times, share, style, color=colour, label=label, linewidth=1.2)
            # A few requests that met with a retry would squeeze everything else.
            columns = [part[column].to_numpy() for column in ("measured_ns", "response_ns")]
            right = 1.05 * max(float(np.quantile(column, 0.999)) for column in columns) / 1e6
            axes.set_xlim(0, right)
            axes.set_ylim(0, 1)
            axes.set_xlabel("response time (ms)")
            axes.set_title(f"{part.height} {name}", fontsize=9)
            axes.grid(alpha=0.3)
            axes.legend(loc="lower right", fontsize=8)
            if axes.get_subplotspec().is_first_col():
                axes.set_ylabel("share of requests")
        canvas.suptitle(f"{drive}: demerit {percent:.2f} % of the measured mean", fontsize=10)


@command(trials=4)
def validate_drives(
    call: Call,
    traces: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of DRIVE.trace.gz; $SUNSTAR_SHARED/disks/traces by default."),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="DRIVE", help="Only this drive; repeatable.")] = None,
) -> bool:
    source = traces or default_folder()
    found = find_traces(source, only or [])
    if not found:
        raise FileError(f"there are no measured traces (DRIVE.trace.gz) in {source}; name their folder with --traces")
    folder = call.folder()
    drawings = make_folder(folder / "drives")
    of = call.conditions
    points = [point(name, path, of) for name, path in found.items()]
    with call.runner() as runner:
        runs = run_with_progress(call, f"drives, {in_words(of.trials)} each", runner, points, list(found))
        table = comparison(list(found), documents_of(DiskResult, runs, runner.store))
        records = {name: call.files.temporary(drawings / f"{name}.csv") for name in found}
        for run, file in zip(runs, records.values(), strict=True):
            with writing(file):
                file.write_bytes(runner.records(run))
    print_table(call.out, listed_in(TITLE, table.iter_rows(named=True), COLUMNS))
    summary = {"trials": of.trials, "seed": of.seed, "settings": of.settings, "rows": table.to_dicts()}
    write_json(call.files, folder / "drives.json", summary)
    write_table(call.files, folder / "drives.csv", table)
    for row in table.iter_rows(named=True):
        name = row["drive"]
        draw(call.files, drawings / f"{name}.png", name, pl.read_csv(records[name], glob=False), row["percent"])
    return False


def goal(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


COLUMNS: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "drive": lambda row: row["drive"],
    "mean ms": lambda row: f"{row['measured_mean_ms']:.2f}",
    "all": lambda row: f"{row['percent']:.2f}",
    "public": lambda row: goal(row["goal_percent"], 2),
    "reads": lambda row: f"{row['reads_percent']:.2f}",
    "public, reads": lambda row: goal(row["goal_reads_percent"], 1),
    "writes": lambda row: f"{row['writes_percent']:.2f}",
    "public, writes": lambda row: goal(row["goal_writes_percent"], 1),
    "mean error": lambda row: f"{row['mean_error_percent']:+.2f} %",
    "within 0.5 ms": lambda row: f"{row['within_half_ms_percent']:.0f} %",
}
TITLE = "demerit, % of the measured mean; public: of the best public simulator"
