# SPDX-License-Identifier: MIT
"""sunstar validate nvme: read times by read rate and write bandwidth, beside those measured on NVMe drives."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from sunstar.console import listed_in, print_table
from sunstar.drawing import picture
from sunstar.errors import FileError, SunstarError
from sunstar.files import Outputs, make_folder, write_json, write_table
from sunstar.places import executable, shared
from sunstar.study.command import Call, command

SYSTEMS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "nvme.json").read_text())
"""How each system was measured, and its drive in the catalogue."""
KNEE = 2.5
"""A point is beyond the knee if its median is more than so many times the least one of its system."""
ACHIEVED = 0.97
"""The measuring tool drops points that do not reach this share of their rate."""


@dataclass(frozen=True)
class Errors:
    """Relative distances of simulated from measured times."""

    median: float
    nine_of_ten: float

    @staticmethod
    def of(points: pl.DataFrame, percentile: str) -> "Errors":
        simulated, measured = points[f"{percentile}_us"].to_numpy(), points[f"measured_{percentile}_us"].to_numpy()
        distances = np.abs(simulated / measured - 1)
        return Errors(float(np.quantile(distances, 0.5)), float(np.quantile(distances, 0.9)))


def fit(grid: Path, system: Mapping[str, Any], drive: str, more: list[str]) -> None:
    words = [str(executable("disk")), "fit", str(grid), "--drive", drive, "--processors", str(system["processors"])]
    words += ["--pacing", system["pacing"], "--write-depth", str(system["write_depth"]), *more]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SunstarError(done.stderr.strip())


def judged(points: pl.DataFrame) -> pl.DataFrame:
    return points.filter((pl.col("saturated") == 0) & pl.col("measured_p50_us").is_not_null())


def greatest(points: pl.DataFrame, column: str) -> int:
    return int(points[column].to_numpy().max())


def knees(points: pl.DataFrame, p50: str) -> dict[int, int]:
    """The first column beyond the knee in each row of a grid; one past the last where there is none."""
    least = np.nanmin(points[p50].to_numpy())
    past = greatest(points, "r_idx") + 1
    beyond = pl.col(p50).is_null() | (pl.col(p50) > KNEE * least)
    if p50 == "p50_us":
        beyond |= pl.col("iops") < ACHIEVED * pl.col("read_iops")
    first = points.group_by("w_idx").agg(pl.col("r_idx").filter(beyond).min().fill_null(past))
    return {row["w_idx"]: row["r_idx"] for row in first.iter_rows(named=True)}


def compared(name: str, points: pl.DataFrame) -> dict[str, Any]:
    known = judged(points)
    p50, p95 = Errors.of(known, "p50"), Errors.of(known, "p95")
    measured, simulated = knees(points, "measured_p50_us"), knees(points, "p50_us")
    steps = np.array([abs(measured[w] - simulated[w]) for w in measured])
    return {
        "system": name,
        "points": known.height,
        "p50_median": p50.median,
        "p50_nine_of_ten": p50.nine_of_ten,
        "p95_median": p95.median,
        "p95_nine_of_ten": p95.nine_of_ten,
        "rows": len(steps),
        "knee_within_two": int((steps <= 2).sum()),
        "knee_worst": int(steps.max()),
    }


def draw(files: Outputs, path: Path, name: str, points: pl.DataFrame) -> None:
    rows, columns = greatest(points, "w_idx") + 1, greatest(points, "r_idx") + 1
    with picture(files, path, 7, 5.6) as canvas:
        grid = canvas.subplots(2, 2, sharex=True, sharey=True)
        for axes, percentile in zip(grid, ("p50", "p95"), strict=True):
            low = np.nanmin(points[f"measured_{percentile}_us"].to_numpy())
            for each, column, title in zip(
                axes, (f"measured_{percentile}_us", f"{percentile}_us"), ("measured", "simulated"), strict=True
            ):
                image = np.full((rows, columns), np.nan)
                for row in points.iter_rows(named=True):
                    image[row["w_idx"], row["r_idx"]] = np.nan if row[column] is None else row[column]
                # The known points are those of one colour of a chessboard; each stands for its neighbour, too.
                image[:, 1:] = np.where(np.isnan(image[:, 1:]), image[:, :-1], image[:, 1:])
                shown = each.imshow(image, origin="lower", aspect="auto", norm="log", vmin=low, vmax=50 * low)
                each.set_title(f"{percentile} of reads, {title}", fontsize=9)
            canvas.colorbar(shown, ax=axes, label="us")
        for each in grid[1]:
            each.set_xlabel("read rate, 1/20 of the greatest")
        for each in grid[:, 0]:
            each.set_ylabel("writes, 1/20 of the greatest")
        canvas.suptitle(name, fontsize=10)


def halves(grid: Path, folder: Path) -> tuple[Path, Path]:
    """Two files with the points of a grid in turn."""
    table = pl.read_csv(grid, infer_schema_length=None, glob=False)
    first = (pl.col("r_idx") // 2 + pl.col("w_idx")) % 2 == 0
    paths = folder / "first.csv", folder / "second.csv"
    for path, part in zip(paths, (table.filter(first), table.filter(~first)), strict=True):
        part.write_csv(path)
    return paths


GridsOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Folder of known-SYSTEM*.csv; $SUNSTAR_SHARED/reference/modern by default."),
]
OnlySystems = Annotated[list[str] | None, typer.Option(metavar="SYSTEM", help="Only this system; repeatable.")]
FitOption = Annotated[
    int, typer.Option(min=0, help="Fit the drive to half of the points with so many tries, and judge the others.")
]


@command(trials=1, machine=False)
def validate_nvme(call: Call, grids: GridsOption = None, only: OnlySystems = None, fit_half: FitOption = 0) -> bool:
    source = grids or shared() / "reference" / "modern"
    found = {name: path for name in SYSTEMS for path in sorted(source.glob(f"known-{name}*.csv"))[:1]}
    for name in only or []:
        if name not in found:
            raise FileError(f"there is no known-{name}*.csv of a known system in {source}")
    if not found:
        raise FileError(f"there is no known-SYSTEM*.csv in {source}; name the folder with --grids")
    folder = call.folder()
    drawings = make_folder(folder / "nvme")
    rows = []
    with TemporaryDirectory() as temporary:
        place = Path(temporary)
        for name, grid in found.items():
            if only and name not in only:
                continue
            system, drive, judge = SYSTEMS[name], SYSTEMS[name]["drive"], grid
            if fit_half:
                half, judge = halves(grid, place)
                drive = str(place / "drive.json")
                fit(half, system, SYSTEMS[name]["drive"], ["--evaluations", str(fit_half), "--output", drive])
            fit(judge, system, drive, ["--evaluations", "0", "--points", str(place / "points.csv")])
            points = pl.read_csv(place / "points.csv", infer_schema_length=None, glob=False)
            rows.append(compared(name, points))
            draw(call.files, drawings / f"{name}.png", name, points)
    print_table(call.out, listed_in("read times, distance from the measured ones", rows, COLUMNS))
    write_json(call.files, folder / "nvme.json", {"fit_half": fit_half, "rows": rows})
    write_table(call.files, folder / "nvme.csv", pl.DataFrame(rows))
    return False


def percent(key: str) -> Callable[[dict[str, Any]], str]:
    return lambda row: f"{100 * row[key]:.1f} %"


COLUMNS: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "system": lambda row: row["system"],
    "points": lambda row: str(row["points"]),
    "p50 median": percent("p50_median"),
    "p50 nine of ten": percent("p50_nine_of_ten"),
    "p95 median": percent("p95_median"),
    "p95 nine of ten": percent("p95_nine_of_ten"),
    "knee within two": lambda row: f"{row['knee_within_two']} of {row['rows']}",
    "worst": lambda row: str(row["knee_worst"]),
}
