# SPDX-License-Identifier: MIT
"""The timeline of a trace as a picture: each request is a line from its start to its end, at the height of its rank."""

from pathlib import Path

import numpy as np
import polars as pl

from sunstar.errors import UsageError
from sunstar.files import Outputs
from sunstar.study.plots import picture
from sunstar.traces.trace import Trace

COLOURS = {"read": "tab:blue", "write": "tab:red"}
SUFFIXES = (".png", ".html")


def check_picture(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise UsageError(f"--output {path}: its name must end in {' or '.join(SUFFIXES)}")


def draw(files: Outputs, path: Path, trace: Trace) -> None:
    """Writes a still picture or, as a page, one to move about in."""
    check_picture(path)
    (draw_still if path.suffix == ".png" else draw_page)(files, path, trace)


def of(table: pl.DataFrame, op: str) -> pl.DataFrame:
    """The requests with one operation, their times counted from the start of the trace."""
    first = table["start_s"].min()
    return table.filter(pl.col("op") == op).with_columns(pl.col("start_s", "end_s") - first)


def draw_still(files: Outputs, path: Path, trace: Trace) -> None:
    with picture(files, path, 10, 5) as canvas:
        axes = canvas.subplots()
        for op, colour in COLOURS.items():
            requests = of(trace.table, op)
            axes.hlines(requests["rank"], requests["start_s"], requests["end_s"], colour, label=op, linewidth=2)
        axes.set_xlabel("time from the first request (s)")
        axes.set_ylabel("rank")
        axes.set_title(trace.source)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def draw_page(files: Outputs, path: Path, trace: Trace) -> None:
    import plotly.graph_objects as go  # here, so that other commands start without it

    page = go.Figure(layout={"title": trace.source, "xaxis_title": "time from the first request (s)"})
    page.update_layout(yaxis_title="rank")
    for op, colour in COLOURS.items():
        requests = of(trace.table, op)
        # A gap after each line.
        times = np.stack([requests["start_s"], requests["end_s"], np.full(len(requests), np.nan)], axis=1).ravel()
        ranks = np.repeat(requests["rank"].to_numpy(), 3)
        page.add_trace(
            go.Scattergl(x=times, y=ranks, mode="lines+markers", name=op, line={"color": colour.removeprefix("tab:")})
        )
    with files.file(path) as temporary:
        page.write_html(temporary)
