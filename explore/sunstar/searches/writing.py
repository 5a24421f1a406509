# SPDX-License-Identifier: MIT
"""The files of a search: its tables, and a picture of what it has tried, each pair of objectives against each other, or
a single one as the search went on."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sunstar.drawing import logarithmic
from sunstar.files import Outputs, write_table
from sunstar.searches.search import Judged, Wanted
from sunstar.searches.spec import Spec
from sunstar.searches.table import FEASIBLE, FRONT, OBJECTIVE
from sunstar.study.plots import picture
from sunstar.sweeps.sweep import RUNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = (("infeasible", "x", "0.7"), ("feasible", "o", "C0"))


def write(files: Outputs, folder: Path, wanted: Wanted, found: Judged) -> None:
    write_table(files, folder / RUNS, found.table)
    for suffix in (".csv", ".parquet"):
        write_table(files, folder / f"front{suffix}", found.best)
    draw_front(files, folder / "front.png", wanted.name, wanted.spec, found.table)


def draw_front(files: Outputs, path: Path, title: str, spec: Spec, table: pl.DataFrame) -> None:
    names = list(spec.objectives)
    pairs = list(combinations(names, 2)) or [("", names[0])]
    with picture(files, path, max(6.4, 4.2 * len(pairs)), 4.2) as canvas:
        for axes, (x, y) in zip(canvas.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
            draw_pair(axes, table, f"{OBJECTIVE}{x}" if x else "run", OBJECTIVE + y, line=len(names) == 2)
            axes.set_xlabel(x or "configuration")
            axes.set_ylabel(y)
        canvas.suptitle(title, fontsize=10)


def draw_pair(axes: Axes, table: pl.DataFrame, x: str, y: str, line: bool) -> None:
    known = table.drop_nulls([x, y])
    for (label, marker, colour), part in zip(
        KINDS, (known.filter(~pl.col(FEASIBLE)), known.filter(FEASIBLE)), strict=True
    ):
        if part.height:
            axes.plot(part[x].to_list(), part[y].to_list(), marker, color=colour, markersize=4, label=label)
    best = known.filter(pl.col(FRONT).is_not_null()).sort(x)
    if best.height:
        style = "o-" if line else "o"
        axes.plot(best[x].to_list(), best[y].to_list(), style, color="C3", markersize=5, label="Pareto front")
    for column, scale in ((known[x], axes.set_xscale), (known[y], axes.set_yscale)):
        if column.name != "run" and logarithmic(column):
            scale("log")
    axes.grid(alpha=0.3)
    if known.height:
        axes.legend(fontsize=7)
