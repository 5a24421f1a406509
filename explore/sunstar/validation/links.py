# SPDX-License-Identifier: MIT
"""sunstar validate links: latency and bandwidth of messages between two nodes, beside published measurements."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from sunstar.drawing import picture
from sunstar.errors import FileError
from sunstar.files import Outputs, read_rows
from sunstar.results import NetworkResult
from sunstar.study.command import Call, command
from sunstar.validation.comparing import Row, keep, results_of

MEASURED = Path(__file__).parent / "data" / "osu.csv"
FIGURES = {"osu_latency": "latency_us", "osu_bw": "bandwidth_mb_per_s"}
"""The names of the measurements, and the figures of a run's ping-pong."""
DRAWN = {"osu_latency": "latency of one way (us)", "osu_bw": "bandwidth, window of 64 (MB/s)"}
LEAST_BYTES = {"osu_latency": 1, "osu_bw": 65536}
"""Bandwidths of shorter messages are compared as well, but do not count for the largest error: they depend on how a
library joins messages."""


def measurements(path: Path, only: Sequence[str]) -> list[Row]:
    kinds = {**dict.fromkeys(("link", "network", "metric"), str), "message_bytes": int, "value": float}
    rows = [row for row in read_rows(path, kinds) if row["metric"] in FIGURES and (not only or row["link"] in only)]
    if not rows:
        raise FileError(f"{path} has no measurement" + (f" of {', '.join(only)}" if only else ""))
    return rows


def compare(rows: Sequence[Row], results: Mapping[tuple[str, int], NetworkResult]) -> list[Row]:
    compared = []
    for row in rows:
        simulated = getattr(results[row["link"], row["message_bytes"]].result.ping_pong, FIGURES[row["metric"]])
        compared.append({**row, "simulated": simulated, "error_percent": 100 * (simulated / row["value"] - 1)})
    return compared


def summarise(compared: Sequence[Row]) -> list[Row]:
    """For each series its largest error, and at which length."""
    error, size = pl.col("error_percent"), pl.col("message_bytes")
    worst = error.abs().arg_max()
    return (
        pl.DataFrame(compared)
        .filter(size >= pl.col("metric").replace_strict(LEAST_BYTES))
        .group_by("link", "network", "metric", maintain_order=True)
        .agg(sizes=pl.len(), mean_percent=error.abs().mean(), worst_percent=error.get(worst), worst_at=size.get(worst))
        .to_dicts()
    )


def draw(files: Outputs, path: Path, compared: pl.DataFrame) -> None:
    with picture(files, path, 9, 4) as canvas:
        for axes, (metric, what) in zip(canvas.subplots(1, 2), DRAWN.items(), strict=True):
            series = compared.filter(pl.col("metric") == metric).group_by("network", "link", maintain_order=True)
            for number, ((network, _), rows) in enumerate(series):
                sizes, colour = rows["message_bytes"], f"C{number}"
                axes.plot(sizes, rows["value"], "o", color=colour, markersize=4, label=network)
                axes.plot(sizes, rows["simulated"], "-", color=colour, linewidth=1)
            axes.set_xscale("log", base=2)
            axes.set(yscale="log", xlabel="bytes of a message", ylabel=what)
            axes.grid(alpha=0.3)
            axes.legend(fontsize=6)
        canvas.suptitle("points: measured; lines: simulated", fontsize=10)


@command(trials=1)
def validate_links(
    call: Call,
    reference: Annotated[Path, typer.Option(metavar="FILE", help="The measurements.")] = MEASURED,
    only: Annotated[list[str] | None, typer.Option(metavar="PRESET", help="Only this link; repeatable.")] = None,
) -> bool:
    rows = measurements(reference, only or [])
    folder = call.folder()
    runs = list(dict.fromkeys((row["link"], row["message_bytes"]) for row in rows))
    settings = [{"base": link, "workload.kind": "ping-pong", "workload.bytes": f"{size}B"} for link, size in runs]
    points = [call.conditions.point(of, platform="network") for of in settings]
    names = [f"{link}, {size} bytes" for link, size in runs]
    documents, _ = results_of(call, "links", NetworkResult, names, points)
    compared = compare(rows, dict(zip(runs, documents, strict=True)))
    keep(call, "links", compared, series=summarise(compared))
    draw(call.files, folder / "links.png", pl.DataFrame(compared))
    return False
