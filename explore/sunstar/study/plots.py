# SPDX-License-Identifier: MIT
"""Pictures: their canvas, and the kinds of drawing that several papers use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from sunstar.files import Outputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


@contextmanager
def picture(
    files: Outputs, path: Path, width: float, height: float, font_size: int = 9, dpi: int = 150
) -> Iterator[Canvas]:
    """Gives a canvas of this size in inches, which becomes the file `path` if nothing is raised."""
    # Here, so that commands which do not draw start without it.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": font_size}):
        canvas = Figure(figsize=(width, height), layout="constrained")
        yield canvas
        with files.file(path) as temporary:
            canvas.savefig(temporary, dpi=dpi)


def bars(
    axes: Axes,
    names: Sequence[str],
    groups: Mapping[str, Sequence[float]],
    colours: Mapping[str, str],
    y_label: str = "throughput (MiB/s)",
) -> None:
    """Draws throughput, or something else: a group of bars for each name, with one bar for each series."""
    width = 0.8 / len(groups)
    for i, (series, values) in enumerate(groups.items()):
        places = [at + (i - (len(groups) - 1) / 2) * width for at in range(len(names))]
        axes.bar(places, values, width, label=series, color=colours.get(series))
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_ylabel(y_label)


@dataclass(frozen=True)
class Line:
    """One line of a drawing."""

    label: str
    points: Mapping[int, float]
    style: str
    marker: str
    colour: str


def lines(
    axes: Axes, drawn: Sequence[Line], x_label: str, y_label: str = "throughput (MiB/s)", legend: bool = True
) -> None:
    """Draws throughput against x, with a tick at each x; the axis is logarithmic if the steps are factors."""
    for line in drawn:
        xs = sorted(line.points)
        ys = [line.points[x] for x in xs]
        axes.plot(xs, ys, line.style, marker=line.marker, color=line.colour, label=line.label, markersize=4)
    ticks = sorted({x for line in drawn for x in line.points})
    if len(ticks) > 1 and all(high >= 2 * low for low, high in pairwise(ticks)):
        axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(x) for x in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.3)
    if legend:
        axes.legend(fontsize=7, handlelength=4, ncols=2)
