# SPDX-License-Identifier: MIT
"""sunstar validate drives"""

import time
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from sunstar.cli.common import (
    JobsOption,
    ResultsOption,
    SeedOption,
    SetOption,
    answer_errors,
    console,
    results_folder,
    settings_from,
    shown,
)
from sunstar.drives.plots import draw
from sunstar.drives.replay import comparison, default_folder, find_traces, point
from sunstar.errors import FileError
from sunstar.output import make_folder, write_json, write_table
from sunstar.progress import sweep_with_progress

TracesOption = Annotated[
    Path | None,
    typer.Option(
        "--traces", metavar="FOLDER", help="Folder of DRIVE.trace.gz; $SUNSTAR_SHARED/disks/traces by default."
    ),
]
OnlyDrives = Annotated[list[str] | None, typer.Option("--only", metavar="DRIVE", help="Only this drive; repeatable.")]
TrialsOption = Annotated[int, typer.Option("--trials", min=1, help="Replays a trace, each from another spindle phase.")]


@answer_errors
def validate_drives(
    traces: TracesOption = None,
    only: OnlyDrives = None,
    trials: TrialsOption = 4,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    set_: SetOption = None,
    results: ResultsOption = None,
) -> None:
    """Response times of drives beside those measured on real ones.

    Replays each measured trace on the drive of the catalogue that it is named after; prints the demerit (RMS distance
    of the two distributions, in percent of the measured mean) beside what the best public simulator reaches, and
    writes results/drives.json, .csv and a plot a drive, results/drives/DRIVE.png.

    Example: sunstar validate drives --only barracuda --trials 1
    """
    start = time.monotonic()
    out = console()
    source = traces or default_folder()
    found = find_traces(source, only or [])
    if not found:
        raise FileError(f"there are no measured traces (DRIVE.trace.gz) in {source}; name their folder with --traces")
    folder = make_folder(results_folder(results))
    plots = make_folder(folder / "drives")
    settings = settings_from(set_)
    records = {name: plots / f"{name}.csv" for name in found}
    points = [point(name, path, records[name], settings, seed, trials) for name, path in found.items()]
    outcome = sweep_with_progress(out, f"drives, {trials} trials each", points, list(found), jobs)

    table = comparison(list(found), outcome)
    print_table(out, table)
    summary = {"trials": trials, "seed": seed, "settings": settings, "rows": table.to_dicts()}
    written = [write_json(folder / "drives.json", summary), write_table(folder / "drives.csv", table)]
    for row in table.iter_rows(named=True):
        name = row["drive"]
        written.append(draw(name, pl.read_csv(records[name]), row["percent"], plots / f"{name}.png"))
    out.print(f"written: {', '.join(shown(path) for path in written)}", soft_wrap=True)
    out.print(f"took {time.monotonic() - start:.0f} s")


def print_table(out: Console, table: pl.DataFrame) -> None:
    shown_table = Table(
        title="demerit, % of the measured mean; public: of the best public simulator", title_justify="left"
    )
    shown_table.add_column("drive")
    headings = ("mean ms", "all", "public", "reads", "public", "writes", "public", "mean error", "within 0.5 ms")
    for heading in headings:
        shown_table.add_column(heading, justify="right")
    for row in table.iter_rows(named=True):
        shown_table.add_row(
            row["drive"],
            f"{row['measured_mean_ms']:.2f}",
            f"{row['percent']:.2f}",
            goal(row["goal_percent"], 2),
            f"{row['reads_percent']:.2f}",
            goal(row["goal_reads_percent"], 1),
            f"{row['writes_percent']:.2f}",
            goal(row["goal_writes_percent"], 1),
            f"{row['mean_error_percent']:+.2f} %",
            f"{row['within_half_ms_percent']:.0f} %",
        )
    out.print(shown_table)


def goal(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
