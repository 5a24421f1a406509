# SPDX-License-Identifier: MIT
"""Drawings of figures against parameters, and of the Pareto front, the runs that no other run dominates."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from sunstar.drawing import label as line_label
from sunstar.drawing import logarithmic, picture
from sunstar.errors import UsageError, meant
from sunstar.files import Outputs
from sunstar.quantities import cell, engineering
from sunstar.reports.gathering import IDENTITY, NAME, Gathered
from sunstar.reports.samples import half_width
from sunstar.reports.sources import SEED
from sunstar.sweeps.tables import pareto_front

LABELS: dict[str, str] = json.loads(Path(__file__).with_name("labels.json").read_text())
MAIN = ("result.throughput.mib_per_s", "result.latency.mean_cycles", "result.accepted", "result.response.mean_ms")
"""The figures that are drawn by default: the first two of these that the table has."""
BETTER = {"max": "higher is better", "min": "lower is better"}
MOST_LINES = 16
MOST_TICKS = 12
MOST_DRAWINGS = 4  # Of dots, a drawing for each parameter


def label(column: str) -> str:
    """A column's name on an axis."""
    return LABELS.get(column, column.removeprefix("result."))


@dataclass(frozen=True)
class Spot:
    x: float | str
    y: float
    half: float | None = None  # Half the confidence interval; None if there is a single value
    values: int = 1  # The number of trials or runs behind this mean
    text: str = ""  # The pointer's text there, if not the line's name


Steps = Literal["hv", "vh"]


@dataclass(frozen=True)
class Line:
    name: str
    spots: Sequence[Spot]
    joined: bool = True
    steps: Steps | None = None  # How it goes from spot to spot if not straight, in Plotly's words
    colour: str = ""
    symbol: str = ""


@dataclass(frozen=True)
class Mark:
    """A ring round a spot."""

    x: float | str
    y: float
    text: str  # The pointer's text there


@dataclass(frozen=True)
class Curves:
    kind: Literal["lines", "dots", "bars", "front"]
    x: str
    y: str  # The names of the axes
    lines: Sequence[Line]
    log: bool  # Whether the x axis is logarithmic
    log_y: bool = False
    marks: Sequence[Mark] = ()

    @property
    def ticks(self) -> list[float] | None:
        """Where a logarithmic axis has its numbers: at each value if there are few, else at 1, 2, 5, 10, ..."""
        values = sorted({spot.x for line in self.lines for spot in line.spots if not isinstance(spot.x, str)})
        if not self.log or not values:
            return None
        if len(values) <= MOST_TICKS and (self.kind == "lines" or all(value == int(value) for value in values)):
            return values
        first, last = math.floor(math.log10(values[0])), math.ceil(math.log10(values[-1]))
        return [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]

    @property
    def title(self) -> str:
        return f"{self.y.partition(' (')[0]} by {self.x}"


def curves_of(found: Gathered, x: str | None, ys: Sequence[str]) -> list[Curves]:
    """The drawings that the user asks for or, without wishes, those of the main figures, if there are several runs."""
    for y in ys:
        check("--y", y, found.figures)
    if x:
        check("--x", x, [*found.parameters, *found.figures])
    if found.frame.height == 1 and not ys:
        return []
    main = [name for name in MAIN if name in found.figures and found.frame[name].null_count() < found.frame.height]
    return [drawn for y in ys or main[:2] or found.figures[:1] for drawn in drawings(found, x, y)]


def check(option: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        allowed = meant(name, known) or f"; it must be one of {', '.join(known)}"
        raise UsageError(f"{option} {name}: there is no such column of numbers{allowed}")


def drawings(found: Gathered, x: str | None, y: str) -> list[Curves]:
    numeric = [name for name in found.parameters if found.frame[name].dtype.is_numeric() and name != SEED]
    if x is None and not numeric:
        return [bars(found, y)]
    across = x or max(numeric, key=lambda name: found.frame[name].n_unique())
    by = [name for name in found.parameters if name not in (across, SEED)]
    lines = found.frame.select(by).n_unique() if by else 1
    rows = found.frame.drop_nulls([across, y]).height
    if lines <= MOST_LINES and (lines < rows or rows <= MOST_LINES):
        return [against(found, across, y, by, "lines")]
    chosen = [x] if x else sorted(numeric, key=lambda name: -found.frame[name].n_unique())[:MOST_DRAWINGS]
    return [against(found, name, y, [], "dots") for name in chosen]


def against(found: Gathered, x: str, y: str, by: Sequence[str], kind: Literal["lines", "dots"]) -> Curves:
    frame = found.frame
    apart = [name for name in found.parameters if kind == "dots" and name != SEED]
    pooled: dict[tuple[object, ...], dict[tuple[object, ...], list[int]]] = {}
    for row in range(frame.height):
        at = found.number(x, row) if frame[x].dtype.is_numeric() else frame[x][row]
        if at is not None and found.number(y, row) is not None:
            line, others = (tuple(frame[name][row] for name in names) for names in (by, apart))
            pooled.setdefault(line, {}).setdefault((at, *others), []).append(row)
    lines, marks = [], []
    for names, rows in pooled.items():
        spots = [spot(found, frame[x][some[0]], y, some) for some in rows.values()]
        marks += lost_by(found, spots, rows.values())
        lines.append(Line(line_label(by, names), sorted(spots, key=lambda each: each.x)))
    return Curves(kind, label(x), label(y), lines, logarithmic(frame[x].drop_nulls()), marks=marks)


def lost_by(found: Gathered, spots: Sequence[Spot], rows: Iterable[Sequence[int]]) -> list[Mark]:
    """A ring round each spot of runs that lost bytes."""
    lost = [found.lost(some) for some in rows]
    return [Mark(at.x, at.y, f"up to {engineering(n, 'B')} lost") for at, n in zip(spots, lost, strict=True) if n]


def spot(found: Gathered, x: float | str, y: str, rows: Sequence[int]) -> Spot:
    """The mean over runs of one point and their trials. A run that a table has twice, or a seed, counts once."""
    if IDENTITY in found.frame.columns:
        rows = list({found.frame[IDENTITY][row] or row: row for row in rows}.values())
    trials = [found.trials.get(row, {}).get(y) for row in rows]
    by_seed = {seed: of for row, each in zip(rows, trials, strict=True) if each for seed, of in found.seeded(row, each)}
    values = list(by_seed.values())
    if not all(trials):  # a derived column, or results that are not at hand
        values = [float(found.frame[y][row]) for row in rows]
    return Spot(x, fmean(values), half_width(values), len(values))


def bars(found: Gathered, y: str) -> Curves:
    """Nothing numeric varies: each run by its name, or each point by its parameters."""
    by = [name for name in found.parameters if name != SEED]
    apart = bool(by) and found.frame.select(by).n_unique() == found.frame.height  # else files have their names
    pooled: dict[str, list[int]] = {}
    for row in range(found.frame.height):
        if found.number(y, row) is not None:
            values = ", ".join(str(found.frame[name][row]) for name in by)
            name = found.name(row) if not values or (NAME in found.frame.columns and not apart) else values
            pooled.setdefault(name, []).append(row)
    spots = [spot(found, name, y, rows) for name, rows in pooled.items()]
    marks = lost_by(found, spots, pooled.values())
    return Curves("bars", "run", label(y), [Line("", spots)], log=False, marks=marks)


@dataclass(frozen=True)
class Objective:
    column: str
    aim: Literal["max", "min"]


@dataclass(frozen=True)
class Front:
    """All feasible runs by two objectives, and those on the front of all objectives."""

    objectives: Sequence[Objective]
    rows: Sequence[int]
    points: Sequence[tuple[float, float]]
    on: frozenset[int]  # Rows of the front
    names: Sequence[str]
    marks: Sequence[Mark]

    @property
    def curves(self) -> Curves:
        """The other runs as dots, and the front as a line through the points that both neighbours dominate."""
        y, x = (f"{label(each.column)}, {BETTER[each.aim]}" for each in self.objectives[:2])
        told = sorted(zip(self.points, self.rows, self.names, strict=True))
        best = [Spot(*at, text=name) for at, row, name in told if row in self.on]
        others = [Spot(*at, text=name) for at, row, name in told if row not in self.on]
        steps: Steps = "hv" if self.objectives[1].aim == "min" else "vh"
        line = Line("Pareto front", best, len(self.objectives) == 2, steps, COLOURS[0], "diamond")
        lines = [Line("other runs", others, False, None, "#999999", "circle"), line]
        return Curves("front", x, y, lines, log=False, marks=self.marks)


def objectives(text: str) -> list[Objective]:
    """The objectives of --pareto COLUMN:max,COLUMN:min."""
    found = []
    for each in map(str.strip, text.split(",")):
        column, _, aim = each.rpartition(":")
        if not column or aim not in ("max", "min"):
            example = "--pareto result.throughput.mib_per_s:max,machine.disks:min"
            raise UsageError(f"--pareto {text}: {each!r} must be COLUMN:max or COLUMN:min, as in {example}")
        found.append(Objective(column, "max" if aim == "max" else "min"))
    if len(found) < 2:
        raise UsageError(f"--pareto {text}: it must name at least two columns, separated by a comma")
    return found


def front(found: Gathered, wanted: Sequence[Objective]) -> Front:
    known = [name for name in found.frame.columns if found.frame[name].dtype.is_numeric()]
    for each in wanted:
        check("--pareto", each.column, known)
    values: dict[int, list[float]] = {}
    for row in range(found.frame.height):
        numbers = [number for each in wanted if (number := found.number(each.column, row)) is not None]
        if len(numbers) == len(wanted) and found.feasible(row):
            values[row] = numbers
    signs = [-1 if each.aim == "max" else 1 for each in wanted]
    losses = [tuple(sign * x for sign, x in zip(signs, each, strict=True)) for each in values.values()]
    best = {losses[index] for index in pareto_front(losses)}
    on = frozenset(row for row, loss in zip(values, losses, strict=True) if loss in best)
    points = [(each[1], each[0]) for each in values.values()]
    marks = lost_by(found, [Spot(*point) for point in points], ([row] for row in values))
    return Front(wanted, list(values), points, on, [found.name(row) for row in values], marks)


# Drawings, by Plotly for a page, whose text and grid have the page's own colours, and by Matplotlib for print ---------


COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""The colours of Okabe and Ito, which people with any colour vision tell apart, on light and on dark ground."""
MARKERS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "cross": "P", "x": "x"}
STROKES = {"solid": "-", "dash": "--", "dot": ":"}
STEPS = {None: "default", "hv": "steps-post", "vh": "steps-pre"}
"""Plotly's and Matplotlib's names of symbols, dashes and steps. A colour comes back with another dash."""
SYMBOLS, DASHES = tuple(MARKERS), tuple(STROKES)
RING = "#d3262f"  # Of marks

Figure = dict[str, Any]


def plotly_curves(curves: Curves) -> Figure:
    data = [trace(curves, line, i) for i, line in enumerate(curves.lines)]
    if curves.marks:
        rings = {
            "type": "scatter",
            "mode": "markers",
            "showlegend": False,
            "x": [mark.x for mark in curves.marks],
            "y": [mark.y for mark in curves.marks],
            "text": [mark.text for mark in curves.marks],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": {"color": RING, "size": 18, "symbol": "circle-open", "line": {"width": 2.5}},
        }
        data.append(rings)
    names = any(isinstance(spot.x, str) for line in curves.lines for spot in line.spots)
    kind = "category" if names else "log" if curves.log else "linear"
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": curves.x}, "type": kind},
        "yaxis": {"title": {"text": curves.y}, **y_range(curves)},
        "showlegend": len(data) > 1,
    }
    if curves.kind == "bars":
        layout |= {"xaxis": {"type": "category"}, "bargap": 0.5}
    elif curves.ticks:
        layout["xaxis"] |= {"tickvals": curves.ticks, "ticktext": [cell(tick) for tick in curves.ticks]}
    return {"data": data, "layout": layout}


def y_range(curves: Curves) -> dict[str, Any]:
    """From 0 to above the highest interval, if nothing is negative; Plotly chooses if it is logarithmic."""
    if curves.log_y:
        return {"type": "log", "dtick": "D2", "exponentformat": "SI"}
    spots = [spot for line in curves.lines for spot in line.spots]
    if curves.kind == "front" or any(spot.y < 0 for spot in spots):
        return {}
    return {"range": [0, 1.05 * max((spot.y + (spot.half or 0) for spot in spots), default=1) or 1]}


def look(curves: Curves, line: Line, index: int) -> tuple[str, str, str]:
    """Colour, symbol and dash of a line, as Plotly calls them."""
    colour, symbol = line.colour or COLOURS[index % len(COLOURS)], line.symbol or SYMBOLS[index % len(SYMBOLS)]
    return colour, symbol, DASHES[index // len(COLOURS) % len(DASHES)] if curves.kind == "lines" else "solid"


def trace(curves: Curves, line: Line, index: int) -> dict[str, Any]:
    colour, symbol, dash = look(curves, line, index)
    halves = [spot.half or 0 for spot in line.spots]
    words = ["" if spot.half is None else f" ± {cell(spot.half)} ({spot.values} values)" for spot in line.spots]
    own: dict[str, Any] = {"type": "bar", "marker": {"color": colour}}
    if curves.kind != "bars":
        mode = "lines+markers" if line.joined and curves.kind != "dots" else "markers"
        own = {"type": "scatter", "mode": mode, "marker": {"color": colour, "size": 7, "symbol": symbol}}
    return {
        **own,
        "name": line.name or curves.y,
        "x": [spot.x for spot in line.spots],
        "y": [spot.y for spot in line.spots],
        "customdata": words,
        "text": [spot.text or line.name or curves.y for spot in line.spots],
        "hovertemplate": "%{x}: %{y:.5~g}%{customdata}<extra>%{text}</extra>",
        "error_y": {"type": "data", "array": halves, "visible": any(halves), "thickness": 1.2, "width": 3},
        "line": {"color": colour, "dash": dash, "width": 2, **({"shape": line.steps} if line.steps else {})},
    }


def draw_curves(files: Outputs, path: Path, curves: Curves) -> None:
    with picture(files, path, 6.4, 4.2) as canvas:
        axes = canvas.subplots()
        for i, line in enumerate(curves.lines):
            colour, symbol, dash = look(curves, line, i)
            xs, ys, halves = ([getattr(spot, of) for spot in line.spots] for of in ("x", "y", "half"))
            shown = [half or 0 for half in halves] if any(halves) else None
            if curves.kind == "bars":
                axes.bar(range(len(xs)), ys, 0.7, yerr=shown, capsize=3, color=colour)
                axes.set_xticks(range(len(xs)), map(str, xs), rotation=30, ha="right", rotation_mode="anchor")
                continue
            stroke = STROKES[dash] if line.joined and curves.kind != "dots" else "none"
            size = 6 if curves.kind == "front" else 4
            points: dict[str, Any] = {"marker": MARKERS[symbol], "markersize": size, "capsize": 3, "color": colour}
            axes.errorbar(xs, ys, shown, label=line.name, linestyle=stroke, drawstyle=STEPS[line.steps], **points)
        for mark in curves.marks:
            at = [spot.x for spot in curves.lines[0].spots].index(mark.x) if curves.kind == "bars" else mark.x
            axes.plot(at, mark.y, "o", markersize=13, markerfacecolor="none", color=RING, clip_on=False, zorder=9)
        axes.set_xlabel("" if curves.kind == "bars" else curves.x)
        axes.set_ylabel(curves.y)
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
        if len(curves.lines) > 1:
            axes.legend(fontsize=7, handlelength=4)
        if curves.log_y:
            axes.set_yscale("log")
        elif curves.kind != "front":
            axes.set_ylim(bottom=0)
        if curves.ticks:
            axes.set_xscale("log")
            least, most = axes.get_xlim()
            axes.set_xticks(curves.ticks, [cell(float(tick)) for tick in curves.ticks])
            axes.set_xlim(least, most)
            axes.minorticks_off()
