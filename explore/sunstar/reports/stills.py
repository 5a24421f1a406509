# SPDX-License-Identifier: MIT
"""The figures of a report by Matplotlib, for print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sunstar.files import Outputs
from sunstar.reports.curves import Curves
from sunstar.reports.labels import figure
from sunstar.reports.pareto import Front
from sunstar.reports.plotly_figures import COLOURS
from sunstar.study.plots import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^Px"
DASHES = ("-", "--", ":")


def draw_curves(files: Outputs, path: Path, curves: Curves) -> None:
    with picture(files, path, 6.4, 4.2) as canvas:
        axes = canvas.subplots()
        for i, line in enumerate(curves.lines):
            ys = [spot.y for spot in line.spots]
            halves = [spot.half or 0 for spot in line.spots]
            shown = halves if any(halves) else None
            if curves.kind == "bars":
                names = [str(spot.x) for spot in line.spots]
                axes.bar(range(len(names)), ys, 0.7, yerr=shown, capsize=3, color=COLOURS[0])
                axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
                continue
            axes.errorbar(
                [spot.x for spot in line.spots],
                ys,
                shown,
                label=line.name,
                color=COLOURS[i % len(COLOURS)],
                marker=MARKERS[i % len(MARKERS)],
                linestyle=DASHES[i // len(COLOURS) % len(DASHES)] if curves.kind == "lines" else "none",
                markersize=4,
                capsize=3,
            )
        finish(axes, "" if curves.kind == "bars" else curves.x, curves.y, legend=len(curves.lines) > 1)
        axes.set_ylim(bottom=0)
        if curves.ticks:
            axes.set_xscale("log")
            least, most = axes.get_xlim()
            axes.set_xticks(curves.ticks, [figure(tick) for tick in curves.ticks])
            axes.set_xlim(least, most)
            axes.minorticks_off()


def finish(axes: Axes, x: str, y: str, legend: bool) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if legend:
        axes.legend(fontsize=7, handlelength=4)


def draw_front(files: Outputs, path: Path, front: Front) -> None:
    with picture(files, path, 6.4, 4.2) as canvas:
        axes = canvas.subplots()
        beaten = [point for row, point in zip(front.rows, front.points, strict=True) if row not in front.on]
        axes.plot(*(zip(*beaten, strict=True) if beaten else ((), ())), "o", color="0.6", label="other runs")
        two = len(front.objectives) == 2
        axes.plot(
            *zip(*front.best, strict=True),
            marker="D",
            color=COLOURS[0],
            label="Pareto front",
            linestyle="-" if two else "none",
            drawstyle=front.steps,
        )
        finish(axes, *front.axes, legend=True)
