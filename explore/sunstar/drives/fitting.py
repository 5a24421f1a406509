# SPDX-License-Identifier: MIT
"""sunstar fit: the parameters of an NVMe drive by which it is nearest to measured percentiles of reads."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import orjson
import polars as pl
import typer

from sunstar.commands import JobsOption
from sunstar.drives import Drive, known, write
from sunstar.errors import FileError, UsageError, check_suffix
from sunstar.files import Column, Outputs, read_bytes, read_rows, write_table
from sunstar.programs import in_parallel
from sunstar.quantities import Quantity, quantity
from sunstar.runs.simulator import Point, Run, carry_out

COLUMNS: dict[str, tuple[str, Column, float, float]] = {
    "w_idx": ("w_idx", int, 0, 1000),
    "r_idx": ("r_idx", int, 0, 1000),
    "offered_read_iops": ("read_iops", float, 0.001, 1e9),
    "offered_write_MBps": ("write_MBps", float, 0, 1e6),
    "read_block_bytes": ("read_bytes", int, 512, 1 << 24),
    "likely_saturated": ("saturated", int, 0, 1),
    "read_p50_us": ("measured_p50_us", lambda text: float(text or "nan"), 1e-6, 1e12),
    "read_p95_us": ("measured_p95_us", lambda text: float(text or "nan"), 1e-6, 1e12),
}
"""A grid file's columns: name here, type, the least and the most."""
FITTED = dict.fromkeys(("queue_time", "command_time", "write_time"), (1e-9, 1e-3)) | {"latency": (1e-9, 1e-2)}
FITTED |= dict.fromkeys(("read_time", "program_time"), (1e-6, 1e-2))
FITTED |= dict.fromkeys(("program_size", "drain_size"), (512, 1 << 24))
"""The fitted parameters, and their bounds in seconds or bytes."""
WRITTEN = 128 << 10  # Bytes of a sequential write
WRITER = {"places": "sequential", "reads": 0, "pacing": "paced", "sizes": [{"size": f"{WRITTEN}B"}]}
STEP = 0.4  # The first one of a fit, in natural logarithms
KNEE = 2.5
"""A point is beyond the knee if its median exceeds the least one of its system by this factor."""
ACHIEVED = 0.97
"""The measuring tool drops points that do not reach this share of their rate."""


@dataclass(frozen=True)
class Tool:
    """The jobs of the tool that measured a grid: a reader on each processor, one fewer beside a writer."""

    processors: int = 8
    pacing: str = "paced"
    write_depth: int = 64
    duration_ms: float = 200
    seed: int = 1


def read_grid(file: Path) -> pl.DataFrame:
    """The points of a grid of read rate against write bandwidth, without the first column, which has hardly any reads.
    Percentiles may be unknown."""
    marked = b"likely_saturated" in read_bytes(file)
    columns = {name: of for name, of in COLUMNS.items() if marked or name != "likely_saturated"}
    rows = read_rows(file, {name: kind for name, (_, kind, *_) in columns.items()})
    for row in rows:
        for name, (_, _, least, most) in columns.items():
            if not (least <= row[name] <= most or math.isnan(row[name])):
                where = f"{file}, w_idx {row['w_idx']}, r_idx {row['r_idx']}"
                raise FileError(f"{where}: {name} is {row[name]:g}; it must be from {least:g} to {most:g}")
    found = pl.DataFrame([{"likely_saturated": 0} | row for row in rows]).fill_nan(None)
    return found.select(pl.col(name).alias(ours) for name, (ours, *_) in COLUMNS.items()).filter(pl.col("r_idx") > 0)


def require(points: int, grid: pl.DataFrame, file: Path) -> pl.DataFrame:
    """The grid of a file, or a part of it; a FileError if it has too few points to compare with."""
    if (count := judged(grid).height) < points:
        usable = "r_idx of at least 1, read_p50_us, read_p95_us, and likely_saturated 0 if there is that column"
        raise FileError(f"{file}: {count} points have {usable}; at least {points} must")
    return grid


def judged(points: pl.DataFrame) -> pl.DataFrame:
    """The points that must be met: measured, and not saturated."""
    return points.filter(pl.col("saturated") == 0).drop_nulls(["measured_p50_us", "measured_p95_us"])


def beyond(points: pl.DataFrame) -> pl.DataFrame:
    """The first saturated point of each row."""
    return points.filter(pl.col("saturated") == 1).sort("r_idx").unique("w_idx", keep="first", maintain_order=True)


def simulated(drive: Drive, grid: pl.DataFrame, tool: Tool, jobs: int = 0) -> pl.DataFrame:
    """The grid with the simulated percentiles of each point."""

    def play(row: dict[str, Any]) -> dict[str, float]:
        writes = row["write_MBps"] > 0
        readers = {"pacing": tool.pacing, "number": max(1, tool.processors - writes), "depth": 1000}
        readers |= {"rate": row["read_iops"], "sizes": [{"size": f"{row['read_bytes']}B"}]}
        writer = WRITER | {"rate": round(row["write_MBps"] * 1e6, 6) / WRITTEN, "depth": tool.write_depth}
        settings: dict[str, Any] = {
            "machine.nvme": drive,
            "workload.kind": "queues",
            "workload.jobs": [readers, writer] if writes else [readers],
            "workload.duration": str(Quantity(tool.duration_ms / 1e3, "s")),
        }
        point = Point(settings, platform="disk", seed=tool.seed)
        outcome = carry_out(point)
        if not outcome.done:
            raise Run(point, "", outcome.exit_code, outcome.message).error()
        reads = orjson.loads(outcome.figures)["result"]["reads"]
        percentiles = {f"{of}_us": reads[f"{of}_ms"] * 1e3 for of in ("p50", "p95", "p99", "p999")}
        return percentiles | {"iops": reads["count"] * 1e3 / tool.duration_ms}

    return grid.hstack(pl.DataFrame(in_parallel(play, grid.to_dicts(), jobs=jobs)))


def distance(points: pl.DataFrame) -> float:
    """The distance of simulated from measured times: the mean over the judged points of the natural logarithms'
    distance of p50 and half that of p95, each at most 1. The first saturated point of each row counts with the distance
    of its p50 to the knee, if it should be beyond the knee and is not."""
    good, saturated = judged(points), beyond(points)
    knee = KNEE * good["measured_p50_us"].to_numpy().min()
    early = saturated.filter(pl.col("iops") >= ACHIEVED * pl.col("read_iops"), pl.col("p50_us") < knee)

    def apart(of: str, part: pl.DataFrame, wanted: Any) -> float:  # noqa: ANN401  numbers
        return float(np.minimum(np.abs(np.log(part[of].to_numpy() / wanted)), 1).sum())

    p50, p95 = (apart(f"{of}_us", good, good[f"measured_{of}_us"].to_numpy()) for of in ("p50", "p95"))
    return (p50 + p95 / 2 + apart("p50_us", early, knee)) / (good.height + saturated.height)


def of(drive: Drive, name: str) -> float:
    """A parameter in seconds or bytes."""
    found = quantity(drive[name])
    return found.value if found else 0.0


def drive_at(drive: Drive, at: Iterable[float]) -> Drive:
    """The drive with other parameters, given by their logarithms, so that a step is a factor and none is negative."""
    found = dict(drive)
    for (name, (least, most)), logarithm in zip(FITTED.items(), at, strict=True):
        base, unit = ("s", 1e-9) if most < 1 else ("B", of(drive, "sector_size"))
        found[name] = str(Quantity(max(1, round(min(max(math.exp(logarithm), least), most) / unit)) * unit, base))
    share = of(drive, "read_tail") / of(drive, "read_time")
    found["read_tail"] = str(Quantity(of(found, "read_time") * share, "s"))
    found["write_buffer"] = str(Quantity(max(of(drive, "write_buffer"), of(found, "drain_size")), "B"))
    return found


def fitted(drive: Drive, grid: pl.DataFrame, tool: Tool, evaluations: int, jobs: int = 0) -> Drive:
    """The drive that is nearest to a grid, by the simplex method of Nelder and Mead (The Computer Journal 7(4), 1965);
    after half of the evaluations a new simplex begins at the best point."""
    from scipy.optimize import minimize  # here, because it takes most of a second

    wanted = pl.concat([judged(grid), beyond(grid)])
    best = np.array([math.log(max(of(drive, name), least)) for name, (least, _) in FITTED.items()])
    for step, most in ((STEP, evaluations // 2), (-STEP / 2, evaluations - evaluations // 2)):
        best = minimize(
            lambda at: distance(simulated(drive_at(drive, at), wanted, tool, jobs)),
            best,
            method="Nelder-Mead",
            options={"initial_simplex": [best, *(best + step * np.eye(len(best)))], "maxfev": most},
        ).x
    return drive_at(drive, best)


def fit(
    grid: Annotated[Path, typer.Argument(metavar="GRID.csv")],
    drive: Annotated[str, typer.Option()],
    processors: Annotated[int, typer.Option(min=1, max=1024)] = 8,
    pacing: Literal["paced", "poisson"] = "paced",
    write_depth: Annotated[int, typer.Option(min=1, max=1024)] = 64,
    duration: Annotated[float, typer.Option(min=1, max=1e6)] = 200,
    evaluations: Annotated[int, typer.Option(min=0, max=10**6)] = 200,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    output: Annotated[Path | None, typer.Option(metavar="DRIVE.json")] = None,
    points: Annotated[Path | None, typer.Option(metavar="POINTS.csv")] = None,
    jobs: JobsOption = 0,
) -> None:
    if points:
        check_suffix(points, [".csv"])
    if points == output and points:
        raise UsageError(f"--output and --points name the same file, {points}; they must be two")
    tool = Tool(processors, pacing, write_depth, duration, seed)
    measured = require(4 if evaluations else 1, read_grid(grid), grid)
    found = known("nvme", drive, f"--drive {drive}")
    with Outputs([grid]) as outputs:
        for path in (output, points):
            if path and path != Path("-"):
                outputs.temporary(path)  # an unwritable one shows at once
        if evaluations:
            source = f"fitted by sunstar fit to {grid.stem}, from {found['name']}: read_tail, {', '.join(FITTED)}"
            names = {"name": grid.stem, "source": f"{source}; all others are as there"}
            found = known("nvme", fitted(found, measured, tool, evaluations, jobs) | names, "the drive")
        table = simulated(found, measured, tool, jobs)
        typer.echo(f"mean distance of the logarithms, p50 + p95/2: {distance(table):.6g}", err=True)
        if points:
            write_table(outputs, points, table)
        if output or not points:
            write(outputs, output, found)
