# SPDX-License-Identifier: MIT
"""sunstar validate drives"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sunstar.errors import FileError
from sunstar.files import make_folder, write_json, write_table, writing
from sunstar.results import DiskResult
from sunstar.runs.runner import documents_of
from sunstar.study.command import Call, command
from sunstar.study.experiments import run_with_progress
from sunstar.study.measuring import in_words
from sunstar.study.tables import listed_in, print_table
from sunstar.validation.drives.replay import comparison, default_folder, find_traces, point

TracesOption = Annotated[
    Path | None,
    typer.Option(
        "--traces", metavar="FOLDER", help="Folder of DRIVE.trace.gz; $SUNSTAR_SHARED/disks/traces by default."
    ),
]
OnlyDrives = Annotated[list[str] | None, typer.Option("--only", metavar="DRIVE", help="Only this drive; repeatable.")]


@command(trials=4)
def validate_drives(call: Call, traces: TracesOption = None, only: OnlyDrives = None) -> bool:
    """Compare the response times of drives with those measured on real drives.

    Replays each measured trace on the drive of the catalogue after which it is named, each trial from another spindle
    phase. Prints the demerit (RMS distance of the two distributions, in percent of the measured mean) beside that of
    the best public simulator. Writes results/drives.json, .csv and a plot for each drive, results/drives/DRIVE.png.

    Example: sunstar validate drives --only barracuda --trials 1
    """
    import polars as pl

    from sunstar.validation.drives.plots import draw

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
