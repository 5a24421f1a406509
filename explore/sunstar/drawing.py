# SPDX-License-Identifier: MIT
"""Pictures: their canvas, the kinds of drawing that several parts use, and a table of runs as lines."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from sunstar.errors import UsageError, in_words
from sunstar.files import Outputs

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure, SubFigure

    Canvas = Figure
    SubCanvas = SubFigure
else:  # so that commands which do not draw start without Matplotlib
    Axes = Canvas = SubCanvas = object


FONT_SIZE, DPI = 9, 150
FORMS = (".png", ".svg", ".pdf")


@contextmanager
def canvas_of(width: float, height: float, font_size: int) -> Iterator[Canvas]:
    """Gives a canvas of this size in inches, to draw on and to write within the block."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": font_size}):
        yield Figure(figsize=(width, height), layout="constrained")


@contextmanager
def picture(
    files: Outputs, path: Path, width: float = 6.4, height: float = 4.2, font_size: int = FONT_SIZE, dpi: int = DPI
) -> Iterator[Canvas]:
    """Gives a canvas which becomes the file `path` if nothing is raised."""
    with canvas_of(width, height, font_size) as canvas:
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


COLOURS = 10  # Matplotlib's colours C0 to C9 differ
MARKERS = "os^Dvx*P"
DASHES = ("-", "--", ":", "-.")
STYLES = [(f"C{i % COLOURS}", MARKERS[(i + i // 40) % len(MARKERS)]) for i in range(COLOURS * len(MARKERS))]
"""Colour and marker of each line, none of them twice: both come round together after 40 lines."""


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
    axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, None))
    axes.grid(alpha=0.3)


MANY_TICKS = 7  # Up to this many labels stand side by side; more are turned
FACTOR = 8  # An axis is logarithmic if all values are positive and the greatest is at least this many times the least


class Drawing:
    """A picture that a notebook shows. `canvas` is a Matplotlib figure, for additions to it."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    def _repr_png_(self) -> bytes:
        import matplotlib as mpl

        with mpl.rc_context({"font.size": FONT_SIZE}), BytesIO() as file:
            self.canvas.savefig(file, format="png", dpi=100)
            return file.getvalue()


def draw(
    frame: "pl.DataFrame",
    *,
    x: str,
    y: str,
    by: Sequence[str] = (),
    path: Path | str | None = None,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
) -> Drawing:
    """Draws column y against column x, as a line for each combination of the columns `by`; a label replaces an axis's
    column name. With a path the drawing becomes a file of the form of its suffix (.png, .svg, .pdf). Runs that share a
    line and an x are averaged; runs without the figure are left out."""
    missing = [name for name in (x, y, *by) if name not in frame.columns]
    if missing:
        raise UsageError(f"the table has no column {', '.join(missing)}; it has {', '.join(frame.columns)}")
    if path and Path(path).suffix not in FORMS:
        raise UsageError(f"path={str(path)!r}: its name must end in {in_words(FORMS)}")
    known = frame.drop_nulls([x, y])
    means = known.select(*by, x, y).group_by([*by, x], maintain_order=True).mean()
    drawn = list(means.group_by(list(by), maintain_order=True)) if by else [((), means)]
    if len(drawn) > (most := len(STYLES)):
        raise UsageError(f"these are {len(drawn)} lines, and only {most} can be told apart; draw part of the table")
    with Outputs() as files, canvas_of(6.4, 4.2, FONT_SIZE) as canvas:
        axes = canvas.subplots()
        for (names, line), (colour, marker) in zip(drawn, STYLES, strict=False):
            ordered = line.sort(x)
            xs, ys = ordered[x].to_list(), ordered[y].to_list()
            axes.plot(xs, ys, "-", marker=marker, color=colour, markersize=4, label=label(by, names))
        if logarithmic(means[x]):
            axes.set_xscale("log")
            places = means[x].unique().sort().to_list()
            if len(places) <= MANY_TICKS:
                axes.set_xticks(places, [f"{place:.10g}" for place in places])
                axes.minorticks_off()
        axes.set(xlabel=x_label or x, ylabel=y_label or y, title=title, ylim=(0, None))
        axes.grid(alpha=0.3)
        if by:  # a legend off the data, for which the canvas grows
            labels = [label(by, names) for names, _ in drawn]
            columns = min(len(labels), max(1, 90 // (max(map(len, labels)) + 6)))
            canvas.set_figheight(canvas.get_figheight() + 0.17 * ceil(len(labels) / columns))
            canvas.legend(loc="outside lower center", ncols=columns, fontsize=7)
        if path:
            with files.file(Path(path)) as temporary:
                canvas.savefig(temporary, dpi=DPI)
    return Drawing(canvas)


def label(by: Sequence[str], values: Sequence[object]) -> str:
    """The label of a line: text needs no name, a number needs that of its column."""
    shown = (f"{value:,.12g}" if isinstance(value, float) else value for value in values)
    named = zip(by, values, shown, strict=True)
    return ", ".join(value if isinstance(value, str) else f"{name} {text}" for name, value, text in named)


def logarithmic(column: "pl.Series") -> bool:
    if not column.dtype.is_numeric() or column.is_empty():
        return False
    values = column.to_numpy()
    return bool(values.min() > 0 and values.max() >= FACTOR * values.min())
