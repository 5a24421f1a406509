# SPDX-License-Identifier: MIT
"""sunstar validate arrays: play traces on arrays of drives, and compare commands and times with a public simulator."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from sunstar.errors import FileError
from sunstar.files import Column, read_rows, taking_apart
from sunstar.places import shared
from sunstar.results import DiskResult, Figures
from sunstar.runs.simulator import Point
from sunstar.study.cases import Settings
from sunstar.study.command import Call, Conditions, command
from sunstar.validation.comparing import Row, keep, results_of

DRIVE = "hp_c3323a_5400"
READ_COPIES = ("primary", "random", "round-robin", "nearest", "shortest-queue", "shortest-queue-then-nearest")
"""In the order in which the reference numbers its read choices, from 1 on."""


class Rules(StrEnum):
    """The rules of an array where the reference's simulator keeps no parity right."""

    SOUND = "sound"
    REFERENCE = "reference"
    """No request waits for a row or for another disk's reads, commands are joined over gaps of 32 sectors, and a row
    touched in all units counts as full."""


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


@dataclass(frozen=True)
class Reference:
    """A run of the reference: its row in summary.csv, its trace and, if kept, the records of its requests."""

    row: Mapping[str, Any]
    trace: Path
    requests: Path | None

    @property
    def name(self) -> str:
        return str(self.row["run"])

    def point(self, rules: Rules, conditions: Conditions) -> Point:
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
        if rules is Rules.REFERENCE:
            own[array + "join_gap"] = 32
            own[array + "rows"] = "shared"
            if row["org"] in ("raid4", "raid5", "raid6"):
                own[array + "full_row"] = "touched"
        return replace(conditions.point(own, platform="disk"), records=True)


def find_runs(folder: Path, only: Sequence[str]) -> list[Reference]:
    """The runs of a folder whose traces are there. A trace_X_*.csv.gz is that of X's first seed in the summary, unless
    the file's name ends in s and a seed."""
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


def compare(run: Reference, rules: Rules, result: Figures, records: pl.DataFrame) -> Row:
    row, array = run.row, result.array
    kinds = {"": result.response, "read_": result.reads, "write_": result.writes}
    errors = {
        f"{kind}{figure}_error_percent": in_percent(getattr(times, f"{figure}_ms", None), row[f"{kind}{figure}_ms"])
        for kind, times in kinds.items()
        for figure in TIMES
    }
    return {
        "run": run.name,
        "rules": str(rules),
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
    reference: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of runs; $SUNSTAR_SHARED/reference/raid/known by default."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="Only runs with this in their name; repeatable.")
    ] = None,
) -> bool:
    found = find_runs(reference or shared() / "reference" / "raid" / "known", only or [])
    call.folder()
    cases = [(run, rules) for run in found for rules in Rules]
    points = [run.point(rules, call.conditions) for run, rules in cases]
    names = [f"{run.name}, {rules}" for run, rules in cases]
    documents, records = results_of(call, "arrays", DiskResult, names, points)
    rows = [
        compare(run, rules, document.result, pl.read_csv(recorded))
        for (run, rules), document, recorded in zip(cases, documents, records, strict=True)
    ]
    keep(call, "arrays", rows)
    return False
