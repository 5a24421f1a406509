# SPDX-License-Identifier: MIT
"""sunstar validate links: latency and bandwidth of messages between two nodes, beside published measurements."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from sunstar.console import listed_in, print_table
from sunstar.drawing import picture
from sunstar.errors import FileError
from sunstar.files import Outputs, make_folder, read_rows, write_json, write_table
from sunstar.results import NetworkResult
from sunstar.runs.runner import documents_of
from sunstar.runs.simulator import Point
from sunstar.study.command import Call, Conditions, command
from sunstar.study.experiments import in_words, run_with_progress

Row = dict[str, Any]
MEASURED = Path(__file__).parent / "data" / "osu.csv"
FIGURES = {"osu_latency": "latency_us", "osu_bw": "bandwidth_mb_per_s"}
"""What the measurements are called, and the figures of a run's ping-pong."""
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
        figures = results[row["link"], row["message_bytes"]].result.ping_pong
        simulated = getattr(figures, FIGURES[row["metric"]])
        error = 100 * (simulated / row["value"] - 1)
        compared.append({**row, "simulated": simulated, "error_percent": error})
    return compared


def summarise(compared: Sequence[Row]) -> list[Row]:
    """For each series its largest error, and at which length."""
    series: dict[tuple[str, ...], list[Row]] = {}
    for row in compared:
        if row["message_bytes"] >= LEAST_BYTES[row["metric"]]:
            series.setdefault((row["link"], row["network"], row["metric"]), []).append(row)
    summary = []
    for (link, network, metric), rows in series.items():
        worst = max(rows, key=lambda row: abs(row["error_percent"]))
        mean = sum(abs(row["error_percent"]) for row in rows) / len(rows)
        at = {"worst_percent": worst["error_percent"], "worst_at": worst["message_bytes"]}
        summary.append(
            {"link": link, "network": network, "metric": metric, "sizes": len(rows), "mean_percent": mean, **at}
        )
    return summary


def draw(files: Outputs, path: Path, compared: Sequence[Row]) -> None:
    with picture(files, path, 9, 4) as canvas:
        for axes, (metric, what) in zip(
            canvas.subplots(1, 2),
            (("osu_latency", "latency of one way (us)"), ("osu_bw", "bandwidth, window of 64 (MB/s)")),
            strict=True,
        ):
            names = dict.fromkeys((row["network"], row["link"]) for row in compared if row["metric"] == metric)
            for number, (network, link) in enumerate(names):
                rows = [r for r in compared if (r["network"], r["link"], r["metric"]) == (network, link, metric)]
                sizes = [row["message_bytes"] for row in rows]
                colour = f"C{number}"
                axes.plot(sizes, [r["value"] for r in rows], "o", color=colour, markersize=4, label=network)
                axes.plot(sizes, [r["simulated"] for r in rows], "-", color=colour, linewidth=1)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_xlabel("bytes of a message")
            axes.set_ylabel(what)
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
    folder = make_folder(call.folder())
    of = call.conditions
    runs = list(dict.fromkeys((row["link"], row["message_bytes"]) for row in rows))
    with call.runner() as runner:
        points = [point(link, size, of) for link, size in runs]
        names = [f"{link}, {size} bytes" for link, size in runs]
        done = run_with_progress(call, f"links, {in_words(of.trials)} each", runner, points, names)
        documents = documents_of(NetworkResult, done, runner.store)
    compared = compare(rows, dict(zip(runs, documents, strict=True)))
    summary = summarise(compared)
    print_table(call.out, listed_in(TITLE, summary, COLUMNS, names=3))
    found = {"trials": of.trials, "seed": of.seed, "settings": of.settings, "series": summary, "rows": compared}
    write_json(call.files, folder / "links.json", found)
    write_table(call.files, folder / "links.csv", pl.DataFrame(compared))
    draw(call.files, folder / "links.png", compared)
    return False


def point(link: str, size: int, conditions: Conditions) -> Point:
    settings = {"base": link, "workload.kind": "ping-pong", "workload.bytes": f"{size}B"}
    return conditions.point(settings, platform="network")


COLUMNS: Mapping[str, Callable[[Row], str]] = {
    "preset": lambda row: row["link"],
    "measured on": lambda row: row["network"],
    "figure": lambda row: row["metric"],
    "sizes": lambda row: str(row["sizes"]),
    "mean error": lambda row: f"{row['mean_percent']:.1f} %",
    "largest": lambda row: f"{row['worst_percent']:+.1f} %",
    "at bytes": lambda row: str(row["worst_at"]),
}
TITLE = "errors of latency, and of bandwidth from 64 KiB on"
