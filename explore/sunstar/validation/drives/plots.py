# SPDX-License-Identifier: MIT
"""Drawings of measured and simulated response times."""

from pathlib import Path

import numpy as np
import polars as pl

from sunstar.files import Outputs
from sunstar.study.plots import picture


def draw(files: Outputs, path: Path, drive: str, records: pl.DataFrame, percent: float) -> None:
    """Draws the distributions of measured and simulated response times, of reads and of writes."""
    with picture(files, path, 8, 3.6) as canvas:
        kinds = [(kind, name) for kind, name in (("R", "reads"), ("W", "writes")) if kind in records["kind"]]
        for axes, (kind, name) in zip(np.atleast_1d(canvas.subplots(1, len(kinds))), kinds, strict=True):
            part = records.filter(pl.col("kind") == kind)
            share = (np.arange(part.height) + 1) / part.height
            for column, label, colour, style in (
                ("measured_ns", "measured", "black", "-"),
                ("response_ns", "simulated", "C3", "--"),
            ):
                times = np.sort(part[column].to_numpy()) / 1e6
                axes.plot(times, share, style, color=colour, label=label, linewidth=1.2)
            # A few requests that met with a retry would squeeze everything else.
            columns = [part[column].to_numpy() for column in ("measured_ns", "response_ns")]
            right = 1.05 * max(float(np.quantile(column, 0.999)) for column in columns) / 1e6
            axes.set_xlim(0, right)
            axes.set_ylim(0, 1)
            axes.set_xlabel("response time (ms)")
            axes.set_title(f"{part.height} {name}", fontsize=9)
            axes.grid(alpha=0.3)
            axes.legend(loc="lower right", fontsize=8)
            if axes.get_subplotspec().is_first_col():
                axes.set_ylabel("share of requests")
        canvas.suptitle(f"{drive}: demerit {percent:.2f} % of the measured mean", fontsize=10)
