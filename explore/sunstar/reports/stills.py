# SPDX-License-Identifier: MIT
"""The figures of a report by Matplotlib, for print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sunstar.files import Outputs
from sunstar.reports.curves import Curves
from sunstar.reports.labels import figure
from sunstar.reports.machine_picture import Picture
from sunstar.reports.pareto import Front
from sunstar.reports.plotly_figures import COLOURS
from sunstar.study.plots import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "osD^Px"
DASHES = ("-", "--", ":")
IDLE, BUSY = "#edf1f5", "#b5370b"
MOST_INCHES = 11.0


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


def draw_machine(files: Outputs, path: Path, drawn: Picture, title: str) -> None:
    """A machine's picture, coloured by utilisation."""
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    width = min(MOST_INCHES, drawn.width / 8)
    scale = width / drawn.width  # inches a unit
    with picture(files, path, width + 0.9, drawn.height * scale + 0.5, 8) as canvas:
        axes = canvas.subplots()
        colours = mpl.colors.LinearSegmentedColormap.from_list("utilisation", [IDLE, BUSY])
        small = 72 * scale * 0.85
        for box in drawn.boxes:
            frame = box.shape == "frame"
            face = "none" if box.value is None else colours(min(1.0, box.value))
            axes.add_patch(
                Rectangle((box.x, box.y), box.width, box.height, facecolor=face, edgecolor="0.4", linewidth=0.5)
            )
            if frame:
                axes.text(box.x + 0.4, box.y + 0.2, box.name, fontsize=small, va="top")
            elif box.value is not None and box.width >= 2 and box.height >= 1.5:
                ink = "white" if box.value > 0.5 else "black"
                middle = (box.x + box.width / 2, box.y + box.height / 2)
                axes.text(*middle, box.words, fontsize=small, ha="center", va="center", color=ink)
        axes.set_xlim(0, drawn.width)
        axes.set_ylim(drawn.height, 0)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(title)
        shades = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 100), colours)
        canvas.colorbar(shades, ax=axes, label="utilisation (%)", fraction=0.03, pad=0.01)
