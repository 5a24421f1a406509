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
    files: Outputs, path: Path, width: float = 6.4, height: float = 4.2, font_size: int = 9, dpi: int = 150
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


def bars(axes: Axes, names: Sequence[str], groups: Mapping[str, Sequence[float]], y_label: str) -> None:
    """Draws a group of bars for each name, with one bar for each series."""
    width = 0.8 / len(groups)
    for i, (series, values) in enumerate(groups.items()):
        places = [at + (i - (len(groups) - 1) / 2) * width for at in range(len(names))]
        axes.bar(places, values, width, label=series, color=f"C{i}", hatch="//" * (i // COLOURS))
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_ylabel(y_label)


COLOURS = 10
"""So many differ: C0 to C9."""
MARKERS = "os^Dvx*P"
DASHES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Line:
    """One line of a drawing; lines of the same colour differ in their dashes."""

    label: str
    points: Mapping[float, float]
    colour: int
    dash: int = 0


def lines(axes: Axes, drawn: Sequence[Line], ticks: Mapping[float, str], x_label: str, y_label: str) -> None:
    """Draws lines with a tick at each x; the axis is logarithmic if the steps are factors."""
    for line in drawn:
        xs = sorted(line.points)
        ys = [line.points[x] for x in xs]
        style, marker = DASHES[line.dash % len(DASHES)], MARKERS[line.colour % len(MARKERS)]
        axes.plot(xs, ys, style, marker=marker, color=f"C{line.colour}", label=line.label, markersize=4)
    places = sorted(ticks)
    if len(places) > 1 and all(high >= 2 * low > 0 for low, high in pairwise(places)):
        axes.set_xscale("log", base=2)
    axes.set_xticks(places, [ticks[x] for x in places], rotation=60 if len(places) > MANY_TICKS else 0)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.3)


MANY_TICKS = 7
"""So many stand side by side; more are turned."""
