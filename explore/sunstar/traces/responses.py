# SPDX-License-Identifier: MIT
"""sunstar trace responses: the distributions of simulated and measured response times, side by side."""

from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sunstar.commands import JsonOption
from sunstar.console import Printed, console, print_table
from sunstar.drawing import picture
from sunstar.errors import FileError, check_suffix
from sunstar.files import Outputs, as_json
from sunstar.traces.reading import read_csv

SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def trace_responses(
    records: Annotated[Path, typer.Argument(metavar="RECORDS.csv")],
    output: Annotated[Path | None, typer.Option(metavar="FILE.png")] = None,
    json: JsonOption = False,
) -> None:
    if output:
        check_suffix(output, (".png", ".pdf"))
    table, _ = read_csv(records)
    if missing := [name for name in ("kind", "response_ns", "measured_ns") if name not in table.columns]:
        raise FileError(f"{records} has no column {', '.join(missing)}; it must be a run.records of sunstar-disk")
    times = table.select(pl.col("kind"), pl.col("response_ns", "measured_ns").cast(pl.Float64, strict=False) / 1e6)
    both = {
        name: (of["response_ns"].drop_nulls().sort().to_numpy(), of["measured_ns"].drop_nulls().sort().to_numpy())
        for name, of in (("all", times), *((k, times.filter(kind=k[0].upper())) for k in ("reads", "writes")))
        if of["response_ns"].count()
    }
    if not both:
        raise FileError(f"{records} holds no response time; it must be a run.records of sunstar-disk")
    rows = {
        f"{name} {side}": figures(of) for name, sides in both.items() for side, of in zip(SIDES, sides, strict=True)
    }
    if json:
        typer.echo(as_json(rows), nl=False)
    else:
        printed = [[name, *(f"{value:.4g}" for value in of.values())] for name, of in rows.items() if of]
        print_table(console(), Printed("response times (ms)", ["", *next(iter(rows.values()))], printed))
    with Outputs([records]) as files:
        if output:
            draw(files, output, both, str(records))


SIDES = ("simulated", "measured")


def figures(times: np.ndarray) -> dict[str, float]:
    """The count, the mean and percentiles by nearest rank, as the simulators have them; nothing of no time."""
    if not len(times):
        return {}
    ranks = {name: float(times[int(np.ceil(share * len(times))) - 1]) for name, share in SHARES.items()}
    return {"count": len(times), "mean": float(times.mean()), **ranks, "max": float(times[-1])}


def draw(files: Outputs, path: Path, both: dict[str, tuple[np.ndarray, np.ndarray]], title: str) -> None:
    with picture(files, path) as canvas:
        axes = canvas.subplots()
        for number, (name, sides) in enumerate(both.items()):
            for style, side, times in zip(("-", "--"), SIDES, sides, strict=True):
                if len(times):
                    share = np.arange(1, len(times) + 1) / len(times)
                    axes.step(times, share, style, where="post", color=f"C{number}", label=f"{name}, {side}")
        axes.set(xscale="log", xlabel="response time (ms)", ylabel="share of requests that took no longer", ylim=(0, 1))
        axes.set_title(f"Response times: {title}")
        axes.grid(alpha=0.3)
        axes.legend()
