# SPDX-License-Identifier: MIT
"""sunstar validate nvme: read times by read rate and write bandwidth, beside those measured on NVMe drives."""

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from sunstar.console import print_table
from sunstar.drawing import picture
from sunstar.drives import known
from sunstar.drives.fitting import ACHIEVED, KNEE, Tool, fitted, judged, read_grid, require, simulated
from sunstar.errors import FileError
from sunstar.files import Outputs, make_folder, write_json, write_table
from sunstar.places import shared
from sunstar.study.command import Call, command
from sunstar.validation.comparing import Row, table

SYSTEMS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "nvme.json").read_text())
"""How each system was measured, and its drive in the catalogue."""


def distances(points: pl.DataFrame, percentile: str) -> dict[str, float]:
    """The relative distances of simulated from measured times: the median, and the limit of nine of ten points."""
    simulated, measured = points[f"{percentile}_us"].to_numpy(), points[f"measured_{percentile}_us"].to_numpy()
    median, nine_of_ten = np.quantile(np.abs(simulated / measured - 1), (0.5, 0.9)).tolist()
    return {f"{percentile}_median": median, f"{percentile}_nine_of_ten": nine_of_ten}


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


def compared(name: str, points: pl.DataFrame) -> Row:
    known = judged(points)
    measured, simulated = knees(points, "measured_p50_us"), knees(points, "p50_us")
    steps = np.array([abs(measured[w] - simulated[w]) for w in measured])
    return {
        "system": name,
        "points": known.height,
        **distances(known, "p50"),
        **distances(known, "p95"),
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
            of = {"measured": f"measured_{percentile}_us", "simulated": f"{percentile}_us"}
            for each, (title, column) in zip(axes, of.items(), strict=True):
                image = np.full((rows, columns), np.nan)
                image[points["w_idx"].to_numpy(), points["r_idx"].to_numpy()] = points[column].to_numpy()
                # The known points are those of one colour of a chessboard; each stands for its neighbour, too.
                image[:, 1:] = np.where(np.isnan(image[:, 1:]), image[:, :-1], image[:, 1:])
                shown = each.imshow(image, origin="lower", aspect="auto", norm="log", vmin=low, vmax=50 * low)
                each.set_title(f"{percentile} of reads, {title}", fontsize=9)
            canvas.colorbar(shown, ax=axes, label="us")
        for each in grid.flat:
            each.set(xlabel="read rate, 1/20 of the greatest", ylabel="writes, 1/20 of the greatest")
            each.label_outer()
        canvas.suptitle(name, fontsize=10)


def halves(grid: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The points of a grid in turn."""
    first = (pl.col("r_idx") // 2 + pl.col("w_idx")) % 2 == 0
    return grid.filter(first), grid.filter(~first)


@command(trials=1, machine=False)
def validate_nvme(
    call: Call,
    grids: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="SYSTEM")] = None,
    fit_half: Annotated[int, typer.Option(min=0)] = 0,
) -> bool:
    source = grids or shared() / "reference" / "modern"
    # A name that says more, such as the size of the reads, comes after the plain one.
    found = {
        name: path
        for name in SYSTEMS
        for path in sorted(source.glob(f"known-{name}*.csv"), key=lambda path: len(path.name))[:1]
    }
    for name in only or []:
        if name not in found:
            raise FileError(f"there is no known-{name}*.csv of a known system in {source}")
    if not found:
        raise FileError(f"there is no known-SYSTEM*.csv in {source}; name the folder with --grids")
    folder = make_folder(call.folder() / "nvme")
    rows = []
    for name in [name for name in found if not only or name in only]:
        system = SYSTEMS[name]
        tool = Tool(system["processors"], system["pacing"], system["write_depth"], seed=call.conditions.seed)
        drive, grid = known("nvme", system["drive"], system["drive"]), read_grid(found[name])
        if fit_half:
            half, grid = halves(grid)
            drive = fitted(drive, require(4, half, found[name]), tool, fit_half, call.jobs)
        points = simulated(drive, require(1, grid, found[name]), tool, call.jobs)
        rows.append(compared(name, points))
        draw(call.files, folder / f"{name}.png", name, points)
    print_table(call.out, table("nvme", rows))
    write_json(call.files, call.results / "nvme.json", {"fit_half": fit_half, "rows": rows})
    write_table(call.files, call.results / "nvme.csv", pl.DataFrame(rows))
    return False
