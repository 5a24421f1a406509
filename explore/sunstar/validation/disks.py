# SPDX-License-Identifier: MIT
"""sunstar validate drives: replay measured traces, and compare the simulated response times with the measured ones;
sunstar validate arrays: play traces on arrays of drives, and compare commands and times with a public simulator."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from sunstar.drawing import picture
from sunstar.errors import FileError, UnmeasuredError
from sunstar.files import Column, Outputs, make_folder, read_rows, taking_apart
from sunstar.places import shared
from sunstar.results import DiskResult, Figures
from sunstar.runs.simulator import Point
from sunstar.study.cases import Settings
from sunstar.study.command import Call, Conditions, command
from sunstar.validation.comparing import Row, keep, results_of

GOALS: dict[str, list[float | None]] = json.loads((Path(__file__).parent / "data" / "goals.json").read_text())
"""The demerits, in percent, of the best public simulator of these drives: of all requests, of reads, of writes."""
GOAL = ("goal_percent", "goal_reads_percent", "goal_writes_percent")
SUFFIXES = (".trace.gz", ".trace")
DEMERIT: tuple[str, ...] = ("percent", "reads_percent", "writes_percent", "ms", "mean_error_percent")
DEMERIT += ("within_half_ms_percent", "measured_mean_ms")
"""The figures of result.demerit that the table has."""
SOUND, REFERENCE = "sound", "reference"
"""The rules of an array where the reference's simulator keeps no parity right. By REFERENCE, no request waits for a row
or another disk's reads, commands join over gaps of 32 sectors, and a row touched in all units counts as full."""
DRIVE = "hp_c3323a_5400"
READ_COPIES = ("primary", "random", "round-robin", "nearest", "shortest-queue", "shortest-queue-then-nearest")
"""In the order in which the reference numbers its read choices, from 1 on."""
TIMES = ("mean", "p90", "p99")
COMMANDS = ("disk_reads", "disk_writes")
SUMMARY: dict[str, Column] = {
    **dict.fromkeys(("run", "trace", "trace_seed", "org", "driver_sched", "ops", "read_choice", "util_mean"), str),
    # Of reads alone, those of writes are empty.
    **{f"{kind}{time}_ms": str for kind in ("", "read_", "write_") for time in TIMES},
    **dict.fromkeys(("disks", "stripe_unit_sectors", "disk_reads", "disk_writes"), int),
    "time_scale": float,
}
"""The columns of summary.csv for a run."""


def find_traces(folder: Path, only: list[str]) -> dict[str, Path]:
    """The traces of a folder by the name of their drive. Those with a goal come first, in the goals' order."""
    found = {path.name.removesuffix(suffix): path for suffix in SUFFIXES for path in folder.glob(f"*{suffix}")}
    for name in only:
        if name not in found:
            known = ", ".join(sorted(found)) or "none"
            raise FileError(f"there is no trace {name}{SUFFIXES[0]} in {folder}; there are: {known}")
    names = [name for name in GOALS if name in found] + sorted(found.keys() - GOALS.keys())
    return {name: found[name] for name in names if not only or name in only}


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
    traces: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="DRIVE")] = None,
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


@dataclass(frozen=True)
class Reference:
    """A run of the reference: its row in summary.csv, its trace and, if kept, the records of its requests."""

    row: Mapping[str, Any]
    trace: Path
    requests: Path | None

    @property
    def name(self) -> str:
        return str(self.row["run"])

    def point(self, rules: str, conditions: Conditions) -> Point:
        row = self.row
        array = "machine.array."
        own: Settings = {
            "machine.disk": DRIVE,
            array + "kind": row["org"],
            array + "disks": row["disks"],
            array + "stripe_unit": f"{row['stripe_unit_sectors'] * 512}B",
            array + "spindles": "synchronised",
            array + "queue_order": "first-come-first-served" if "FCFS" in row["driver_sched"] else "c-look",
            "workload.kind": "arrivals",
            "workload.trace": str(self.trace.resolve()),
            "workload.time_scale": row["time_scale"],
            "workload.operations": row["ops"] if row["ops"] in ("reads", "writes") else "as-recorded",
        }
        if row["org"] == "raid1":
            with taking_apart(f"{self.name}: its read_choice is no number from 1 to {len(READ_COPIES)}"):
                own[array + "read_copy"] = READ_COPIES[range(len(READ_COPIES))[int(row["read_choice"]) - 1]]
        if rules == REFERENCE:
            own[array + "join_gap"] = 32
            own[array + "rows"] = "shared"
            if row["org"] in ("raid4", "raid5", "raid6"):
                own[array + "full_row"] = "touched"
        return replace(conditions.point(own, platform="disk"), records=True)


def find_runs(folder: Path, only: Sequence[str]) -> list[Reference]:
    """The runs with traces of a folder. A trace_X_*.csv.gz is of X's first seed, unless its name ends in s and one."""
    summary = folder / "summary.csv"
    if not summary.is_file():
        raise FileError(f"there is no {summary}; name the folder of a reference's runs with --reference")
    rows = read_rows(summary, SUMMARY)
    first_seed: dict[str, str] = {}
    for row in rows:
        first_seed.setdefault(row["trace"], row["trace_seed"])
    traces: dict[tuple[str, str], Path] = {}
    for path in sorted(folder.glob("trace_*.csv.gz")):
        letter = path.name.removeprefix("trace_").removesuffix(".csv.gz").partition("_")[0]
        named = re.search(r"[-_]s(\d+)\.csv\.gz$", path.name)
        traces.setdefault((letter, named[1] if named else first_seed.get(letter, "")), path)
    found = []
    for row in rows:
        trace = traces.get((row["trace"], row["trace_seed"]))
        requests = folder / f"result_{row['run']}.csv.gz"
        if trace and (not only or any(part in row["run"] for part in only)):
            found.append(Reference(row, trace, requests if requests.is_file() else None))
    if not found:
        raise FileError(f"{summary} has no run" + (f" named like {', '.join(only)}" if only else "") + " with a trace")
    return found


def other_counts(run: Reference, records: pl.DataFrame) -> int | None:
    """The number of requests with another number of disk reads or writes than in the reference."""
    if run.requests is None:
        return None
    try:
        theirs = pl.read_csv(run.requests, glob=False, columns=COMMANDS)
    except pl.exceptions.PolarsError as error:
        raise FileError(f"cannot read {run.requests}: {error}") from error
    # A request's record is written when it ends; the file of the reference is in the order of arrival.
    mine = records.with_columns(pl.col("issued_ns").round(0)).sort("issued_ns", maintain_order=True)
    if mine.height != theirs.height:
        return theirs.height
    same = (mine["disk_reads"] == theirs["disk_reads"]) & (mine["disk_writes"] == theirs["disk_writes"])
    return int((~same).sum())


def in_percent(mine: float | None, theirs: str) -> float | None:
    return 100 * (mine / float(theirs) - 1) if mine is not None and theirs and float(theirs) else None


def compare(run: Reference, rules: str, result: Figures, records: pl.DataFrame) -> Row:
    row, array = run.row, result.array
    kinds = {"": result.response, "read_": result.reads, "write_": result.writes}
    errors = {
        f"{kind}{figure}_error_percent": in_percent(getattr(times, f"{figure}_ms", None), row[f"{kind}{figure}_ms"])
        for kind, times in kinds.items()
        for figure in TIMES
    }
    return {
        "run": run.name,
        "rules": rules,
        "reference_mean_ms": float(row["mean_ms"]),
        "mean_ms": result.response.mean_ms,
        **errors,
        "utilisation_error_percent": in_percent(array.utilisation_mean, row["util_mean"]),
        **{name: getattr(array, name) for name in COMMANDS},
        **{f"reference_{name}": row[name] for name in COMMANDS},
        "requests_with_other_counts": other_counts(run, records),
    }


@command(trials=4)
def validate_arrays(
    call: Call,
    reference: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="PART")] = None,
) -> bool:
    found = find_runs(reference or shared() / "reference" / "raid" / "known", only or [])
    call.folder()
    cases = [(run, rules) for run in found for rules in (SOUND, REFERENCE)]
    points = [run.point(rules, call.conditions) for run, rules in cases]
    names = [f"{run.name}, {rules}" for run, rules in cases]
    documents, records = results_of(call, "arrays", DiskResult, names, points)
    rows = [
        compare(run, rules, document.result, pl.read_csv(recorded))
        for (run, rules), document, recorded in zip(cases, documents, records, strict=True)
    ]
    keep(call, "arrays", rows)
    return False
