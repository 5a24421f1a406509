# SPDX-License-Identifier: MIT
"""Draw a table of runs: one figure against another."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sunstar.errors import UsageError
from sunstar.files import Outputs
from sunstar.study.plots import picture

FACTOR = 8
"""An axis is logarithmic if its greatest value is so many times its least, and all are positive."""


def draw(frame: pl.DataFrame, *, x: str, y: str, by: Sequence[str] = (), path: Path) -> None:
    """Draws column y against column x, as a line for each combination of the columns `by`, into a file whose suffix
    says its form (.png, .svg, .pdf). Runs that share a line and an x are averaged; those without a figure left out."""
    missing = [name for name in (x, y, *by) if name not in frame.columns]
    if missing:
        raise UsageError(f"the table has no column {', '.join(missing)}; it has {', '.join(frame.columns)}")
    known = frame.drop_nulls([x, y])
    means = known.group_by([*by, x], maintain_order=True).agg(pl.col(y).mean())
    with Outputs() as files:
        with picture(files, path, 6.4, 4.2) as canvas:
            axes = canvas.subplots()
            for names, line in means.group_by(list(by), maintain_order=True) if by else [((), means)]:
                ordered = line.sort(x)
                axes.plot(ordered[x].to_list(), ordered[y].to_list(), "o-", markersize=4, label=label(by, names))
            if logarithmic(means[x]):
                axes.set_xscale("log")
            axes.set_ylim(bottom=0)
            axes.set_xlabel(x)
            axes.set_ylabel(y)
            axes.grid(alpha=0.3)
            if by:
                axes.legend(fontsize=7)
        files.commit()


def label(by: Sequence[str], values: Sequence[object]) -> str:
    """What a line is called: text speaks for itself, a number needs its column's name."""
    named = zip(by, values, strict=True)
    return ", ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in named)


def logarithmic(column: pl.Series) -> bool:
    if not column.dtype.is_numeric() or column.is_empty():
        return False
    least, most = column.min(), column.max()
    assert isinstance(least, int | float) and isinstance(most, int | float)
    return least > 0 and most >= FACTOR * least
