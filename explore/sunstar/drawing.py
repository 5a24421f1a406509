# SPDX-License-Identifier: MIT
"""Pictures: their canvas, the kinds of drawing that several parts use, a table of runs as lines, and how a run went,
interval by interval (run.interval): throughput and the queues at its drives, as curves."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, StringIO
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
COLOURS = 10  # Matplotlib's colours C0 to C9 differ
MARKERS = "os^Dvx*P"
DASHES = ("-", "--", ":", "-.")
STYLES = [(f"C{i % COLOURS}", MARKERS[(i + i // 40) % len(MARKERS)]) for i in range(COLOURS * len(MARKERS))]
"""Colour and marker of each line, none of them twice: both come round together after 40 lines."""
MANY_TICKS = 7  # Up to this many labels stand side by side; more are turned
FACTOR = 8  # An axis is logarithmic if all values are positive and the greatest is at least this many times the least
OverTime = Mapping[str, Any]  # `over_time` of a result
RATES = {
    "moved": "moved between processors",
    "read": "read by drives",
    "written": "written by drives",
    "rebuilt": "rebuilt on spares",
    "lost": "reported lost",
}
"""The drawing of each figure, if it is not all 0."""
WIDTH, HEIGHT = 6.4, 3.6  # Of both panels, in inches


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
    width = 0.8 / len(groups)
    for i, (series, values) in enumerate(groups.items()):
        places = [at + (i - (len(groups) - 1) / 2) * width for at in range(len(names))]
        axes.bar(places, values, width, label=series, color=f"C{i}", hatch="//" * (i // COLOURS))
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_ylabel(y_label)


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


def rates(over_time: OverTime) -> dict[str, list[float]]:
    """MiB/s in each interval, of all figures that are not all 0."""
    step = over_time["interval_s"] * 2**20
    found = {name: [each / step for each in over_time.get(f"{name}_bytes", ())] for name in RATES}
    return {name: values for name, values in found.items() if any(values)}


def draw_rates(axes: Axes, over_time: OverTime) -> None:
    step = over_time["interval_s"]
    for name, values in rates(over_time).items():
        edges = [i * step for i in range(len(values) + 1)]
        axes.stairs(values, edges, label=RATES[name], color=f"C{list(RATES).index(name)}", linewidth=1.2)
    axes.set_ylim(bottom=0)
    axes.margins(x=0)
    axes.grid(alpha=0.3)


def draw_over_time(canvas: Canvas | SubCanvas, over_time: OverTime) -> None:
    """Throughput above the queues."""
    above, below = canvas.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    draw_rates(above, over_time)
    above.set_ylabel("MiB/s")
    above.legend(fontsize=7)
    queued = over_time["queued"]
    below.stairs(queued, [i * over_time["interval_s"] for i in range(len(queued) + 1)], color="0.3")
    below.set_ylabel("requests waiting\nat all drives", fontsize=8)
    below.set(xlabel="simulated time since the first request (s)", ylim=(0, None))
    below.grid(alpha=0.3)


def draw_file(files: Outputs, path: Path, over_time: OverTime, title: str) -> None:
    with picture(files, path, WIDTH, HEIGHT, 8) as canvas:
        draw_over_time(canvas, over_time)
        canvas.suptitle(title, fontsize=9)


def as_svg(over_time: OverTime) -> str:
    """The drawing, to stand in a page; the same each time."""
    import matplotlib as mpl

    text = StringIO()
    with canvas_of(WIDTH, HEIGHT, 8) as canvas, mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sunstar"}):
        draw_over_time(canvas, over_time)
        canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]
