# SPDX-License-Identifier: MIT
"""sunstar validate drives: replay measured traces, and compare the simulated response times with the measured ones."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sunstar.drawing import picture
from sunstar.errors import FileError, UnmeasuredError
from sunstar.files import Outputs, make_folder
from sunstar.places import shared
from sunstar.results import DiskResult
from sunstar.study.cases import Settings
from sunstar.study.command import Call, command
from sunstar.validation.comparing import Row, keep, results_of

GOALS: dict[str, list[float | None]] = json.loads((Path(__file__).parent / "data" / "goals.json").read_text())
"""The demerits, in percent, of the best public simulator of these drives: of all requests, of reads, of writes."""
GOAL = ("goal_percent", "goal_reads_percent", "goal_writes_percent")
SUFFIXES = (".trace.gz", ".trace")


def find_traces(folder: Path, only: list[str]) -> dict[str, Path]:
    """The traces of a folder by the name of their drive. Those with a goal come first, in the goals' order."""
    found = {path.name.removesuffix(suffix): path for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")}
    for name in only:
        if name not in found:
            known = ", ".join(sorted(found)) or "none"
            raise FileError(f"there is no trace {name}{SUFFIXES[0]} in {folder}; there are: {known}")
    names = [name for name in GOALS if name in found] + sorted(found.keys() - GOALS.keys())
    return {name: found[name] for name in names if not only or name in only}


DEMERIT: tuple[str, ...] = ("percent", "reads_percent", "writes_percent", "ms", "mean_error_percent")
DEMERIT += ("within_half_ms_percent", "measured_mean_ms")
"""The figures of result.demerit that the table has."""


def comparison(names: Sequence[str], results: Sequence[DiskResult]) -> list[Row]:
    """A row for each drive: its demerits, the goals beside them, and the means of the measured times."""
    rows = []
    for name, result in zip(names, results, strict=True):
        demerit = result.result.demerit
        if demerit is None:
            raise UnmeasuredError(f"the trace of {name} has no measured response times")
        found = {"drive": name, "requests": int(result.result.requests)}
        goals = dict(zip(GOAL, GOALS.get(name, (None, None, None)), strict=True))
        rows.append({**found, **{figure: getattr(demerit, figure) for figure in DEMERIT}, **goals})
    return rows


def draw(files: Outputs, path: Path, row: Row, records: pl.DataFrame) -> None:
    with picture(files, path, 8, 3.6) as canvas:
        kinds = [(kind, name) for kind, name in (("R", "reads"), ("W", "writes")) if kind in records["kind"]]
        for axes, (kind, name) in zip(np.atleast_1d(canvas.subplots(1, len(kinds))), kinds, strict=True):
            part = records.filter(pl.col("kind") == kind)
            share = (np.arange(part.height) + 1) / part.height
            measured, simulated = (np.sort(part[f"{what}_ns"].to_numpy()) / 1e6 for what in ("measured", "response"))
            axes.plot(measured, share, "-", color="black", label="measured", linewidth=1.2)
            axes.plot(simulated, share, "--", color="C3", label="simulated", linewidth=1.2)
            # A few requests that met with a retry would squeeze everything else.
            right = 1.05 * max(float(np.quantile(times, 0.999)) for times in (measured, simulated))
            axes.set(xlim=(0, right), ylim=(0, 1), xlabel="response time (ms)")
            axes.set_title(f"{part.height} {name}", fontsize=9)
            axes.grid(alpha=0.3)
            axes.legend(loc="lower right", fontsize=8)
            if axes.get_subplotspec().is_first_col():
                axes.set_ylabel("share of requests")
        canvas.suptitle(f"{row['drive']}: demerit {row['percent']:.2f} % of the measured mean", fontsize=10)


@command(trials=4)
def validate_drives(
    call: Call,
    traces: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of DRIVE.trace.gz; $SUNSTAR_SHARED/disks/traces by default."),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="DRIVE", help="Only this drive; repeatable.")] = None,
) -> bool:
    source = traces or shared() / "disks" / "traces"
    found = find_traces(source, only or [])
    if not found:
        raise FileError(f"there are no measured traces (DRIVE.trace.gz) in {source}; name their folder with --traces")
    folder = make_folder(call.folder() / "drives")
    points = []
    for drive, trace in found.items():
        own: Settings = {"machine.disk": drive, "workload.kind": "trace", "workload.trace": str(trace.resolve())}
        points.append(replace(call.conditions.point(own, platform="disk"), records=True))
    documents, records = results_of(call, "drives", DiskResult, list(found), points)
    rows = comparison(list(found), documents)
    for drive, recorded in zip(found, records, strict=True):
        with call.files.file(folder / f"{drive}.csv") as temporary:
            temporary.write_bytes(recorded)
    keep(call, "drives", rows)
    for row, recorded in zip(rows, records, strict=True):
        draw(call.files, folder / f"{row['drive']}.png", row, pl.read_csv(recorded))
    return False
