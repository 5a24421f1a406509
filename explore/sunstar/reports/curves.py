# SPDX-License-Identifier: MIT
"""The contents of a report, gathered from the user's runs and tables; drawings of figures against parameters, and of
the Pareto front, the runs that no other run dominates."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import polars as pl

from sunstar.configurations import leaves
from sunstar.drawing import OverTime, logarithmic, picture
from sunstar.drawing import label as line_label
from sunstar.errors import FileError, UsageError, meant
from sunstar.files import Outputs, taking_apart
from sunstar.machine.picture import Picture, picture_of
from sunstar.quantities import cell, engineering
from sunstar.reports.parts import telling_apart, used
from sunstar.reports.samples import half_width, numbers, samples_of
from sunstar.reports.sources import BEFORE_FIGURES, SEED, ResultFile, find
from sunstar.results import Document, figures, units, with_unit
from sunstar.runs.simulator import indices_of
from sunstar.sweeps.sweep import LOST, Sweep, column, figure_columns, parameter, pareto_front

RUN, NAME, IDENTITY = "run", "name", "identity"
FEASIBLE = "feasible"  # The column of a search that says whether a configuration keeps the constraints
OF_FIGURES = ("result.", "host.")
OF_ENDINGS = (BEFORE_FIGURES, "message", IDENTITY)
LABELS: dict[str, str] = json.loads(Path(__file__).with_name("labels.json").read_text())
MAIN = ("result.throughput.mib_per_s", "result.latency.mean_cycles", "result.accepted", "result.response.mean_ms")
"""The figures that are drawn by default: the first two of these that the table has."""
BETTER = {"max": "higher is better", "min": "lower is better"}
MOST_LINES = 16
MOST_TICKS = 12
MOST_DRAWINGS = 4  # Of dots, a drawing for each parameter
Steps = Literal["hv", "vh"]
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""The colours of Okabe and Ito, which people with any colour vision tell apart, on light and on dark ground."""
MARKERS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "cross": "P", "x": "x"}
STROKES = {"solid": "-", "dash": "--", "dot": ":"}
STEPS = {None: "default", "hv": "steps-post", "vh": "steps-pre"}
"""Plotly's and Matplotlib's names of symbols, dashes and steps. A colour comes back with another dash."""
SYMBOLS, DASHES = tuple(MARKERS), tuple(STROKES)
RING = "#d3262f"  # Of marks
Figure = dict[str, Any]


@dataclass(frozen=True)
class Detail:
    """A run that the report shows in full."""

    row: int
    config: Mapping[str, Any]  # Parameters by path
    picture: Picture | None
    warnings: Sequence[str]
    program: str
    over_time: OverTime | None


@dataclass
class Gathered:
    title: str
    frame: pl.DataFrame  # A row for each run: its parameters and figures, and, of a sweep or search, how it ended
    parameters: list[str]  # The columns of parameters that vary
    trials: dict[int, dict[str, list[float]]] = field(default_factory=dict)  # By row; those of known results
    seeds: dict[int, list[int]] = field(default_factory=dict)  # Of these trials
    details: list[Detail] = field(default_factory=list)

    @property
    def figures(self) -> list[str]:
        """The columns that can be drawn and are no parameters."""
        apart = {RUN, *OF_ENDINGS, *self.parameters}
        return [name for name in self.frame.columns if name not in apart and self.frame[name].dtype.is_numeric()]

    def number(self, column: str, row: int) -> float | None:
        """A number that can be drawn; None if it is missing or infinite."""
        value = self.frame[column][row]
        return value if value is not None and math.isfinite(value) else None

    def seeded(self, row: int, values: Sequence[float]) -> Iterator[tuple[object, float]]:
        """Values of a row's trials with their seeds, as far as all trials know the figure."""
        known = len(values) == len(self.seeds[row])
        return zip(self.seeds[row] if known else [(row, i) for i in range(len(values))], values, strict=True)

    def name(self, row: int) -> str:
        """The name of a run: its file's, or its number in the sweep."""
        if NAME in self.frame.columns:
            return str(self.frame[NAME][row])
        return f"run {self.frame[RUN][row] if RUN in self.frame.columns else row}"

    def lost(self, rows: Iterable[int]) -> float:
        """The most bytes that one of these runs lost."""
        known = (self.number(LOST, row) for row in rows) if LOST in self.frame.columns else ()
        return max(filter(None, known), default=0)

    def done(self, row: int) -> bool:
        return BEFORE_FIGURES not in self.frame.columns or self.frame[BEFORE_FIGURES][row] == 0

    def feasible(self, row: int) -> bool:
        """Whether it is done and, of a search, keeps the constraints."""
        return self.done(row) and (FEASIBLE not in self.frame.columns or bool(self.frame[FEASIBLE][row]))


def gather(
    names: Sequence[str], results: Path, most_details: int, where: str | None = None, called: Sequence[str] = ()
) -> Gathered:
    """`where` chooses rows of a table: an SQL condition on its columns. `called` are names of result files."""
    if called and len(called) != len(names):
        raise UsageError(f"--name is there {len(called)} times for {len(names)} results; name each of them, or none")
    sources = [find(name, results) for name in names]
    files = [source for source in sources if isinstance(source, ResultFile)]
    if len(files) == len(sources):
        if where is not None:
            raise UsageError("--where chooses runs of a sweep or table; of result files, name only the wanted ones")
        return of_files(files, most_details, called)
    if called:
        raise UsageError("--name names result files; the runs of a sweep or table have the names of their parameters")
    match sources:
        case [Sweep() as table]:
            return of_table(table, most_details, where)
    raise FileError(f"{', '.join(names)}: a report is of one or several result files, or of one sweep or table")


def of_files(files: Sequence[ResultFile], most_details: int, called: Sequence[str]) -> Gathered:
    results = [file.result for file in files]
    varying = {} if called else telling_apart([result.config for result in results])
    if len(set(seeds := [result.seed for result in results])) > 1:
        varying[SEED] = seeds
    measured = [figures({"result": result.result, "host": result.host}) for result in results]
    unit_of = {path: unit for result in results for path, unit in units(result.program).items()}
    set_ = [parameter(path, values) for path, values in varying.items()]
    stems = called or [file.path.name if ":" in file.path.name else file.path.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file.path) for file in files]
    first = [column(RUN, range(len(files))), column(NAME, names)]
    frame = pl.DataFrame([*first, *set_, *figure_columns(measured, unit_of)])
    title = names[0] if len(files) == 1 else f"{len(files)} runs"
    by_name = [NAME] * bool(called or (len(files) > 1 and varying.keys() <= {SEED}))
    found = Gathered(title, frame, [*by_name, *(each.name for each in set_)])
    for row, result in enumerate(results):
        add(found, row, result, most_details)
    return found


def of_table(table: Sweep, most_details: int, where: str | None) -> Gathered:
    frame = table.frame()
    try:
        frame = frame if where is None else frame.filter(pl.sql_expr(where))
    except pl.exceptions.PolarsError as error:
        raise UsageError(f"--where {where}: it must be an SQL condition on columns of the table; {error}") from error
    if frame.is_empty():
        raise FileError(f"{table.path} has no row" + (f" where {where}" if where else ""))
    found = Gathered(table.name, frame, varying_columns(frame))
    if IDENTITY in frame.columns:
        rows = indices_of(frame[IDENTITY].to_list())
        for identity, result in table.known(list(rows)):
            for row in rows[identity]:
                add(found, row, result, most_details)
        found.details.sort(key=lambda each: each.row)
    return found


def varying_columns(frame: pl.DataFrame) -> list[str]:
    """The parameters of a table that vary. Those of a sweep stand before `exit_code`; in another table they are the
    columns that are no figures, if figures have figures' names."""
    names = frame.columns
    if BEFORE_FIGURES in names:
        names = names[: names.index(BEFORE_FIGURES)]
    elif not any(name.startswith(OF_FIGURES) for name in names):
        names = [name for name in names if not frame[name].dtype.is_float()]
    apart = (RUN, NAME, *OF_ENDINGS)
    return [n for n in names if n not in apart and not n.startswith(OF_FIGURES) and frame[n].n_unique() > 1]


def add(found: Gathered, row: int, result: Document, most_details: int) -> None:
    unit_of = units(result.program)
    found.seeds[row] = [trial["seed"] for trial in result.trials]
    found.trials[row] = {
        with_unit(path, unit_of.get(path)): values
        for path, each in samples_of([result]).items()
        if (values := numbers(each)) is not None
    }
    if row < most_details:
        warnings = [str(each) for each in result.result.warnings or ()]
        with taking_apart(f"{found.name(row)}: its configuration or statistics are not what {result.platform} writes"):
            picture = picture_of(result.config, result.statistics, result.statistics_s)
            config = dict(leaves(used(result.config), lists=True))
        found.details.append(Detail(row, config, picture, warnings, result.program, result.over_time))


def label(column: str) -> str:
    return LABELS.get(column, column.removeprefix("result."))


@dataclass(frozen=True)
class Spot:
    x: float | str
    y: float
    half: float | None = None  # Half the confidence interval; None if there is a single value
    values: int = 1  # The number of trials or runs behind this mean
    text: str = ""  # The pointer's text there, if not the line's name


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
class Front:
    """All feasible runs by two objectives, and those on the front of all objectives."""

    objectives: Sequence[tuple[str, str]]  # The column and the aim, max or min, of each
    rows: Sequence[int]
    points: Sequence[tuple[float, float]]
    on: frozenset[int]  # Rows of the front
    names: Sequence[str]
    marks: Sequence[Mark]

    @property
    def curves(self) -> Curves:
        """The other runs as dots, and the front as a line through the points that both neighbours dominate."""
        y, x = (f"{label(column)}, {BETTER[aim]}" for column, aim in self.objectives[:2])
        told = sorted(zip(self.points, self.rows, self.names, strict=True))
        best = [Spot(*at, text=name) for at, row, name in told if row in self.on]
        others = [Spot(*at, text=name) for at, row, name in told if row not in self.on]
        steps: Steps = "hv" if self.objectives[1][1] == "min" else "vh"
        line = Line("Pareto front", best, len(self.objectives) == 2, steps, COLOURS[0], "diamond")
        lines = [Line("other runs", others, False, None, "#999999", "circle"), line]
        return Curves("front", x, y, lines, log=False, marks=self.marks)


def objectives(text: str) -> list[tuple[str, str]]:
    """The objectives of --pareto COLUMN:max,COLUMN:min."""
    found = []
    for each in map(str.strip, text.split(",")):
        column, _, aim = each.rpartition(":")
        if not column or aim not in ("max", "min"):
            example = "--pareto result.throughput.mib_per_s:max,machine.disks:min"
            raise UsageError(f"--pareto {text}: {each!r} must be COLUMN:max or COLUMN:min, as in {example}")
        found.append((column, aim))
    if len(found) < 2:
        raise UsageError(f"--pareto {text}: it must name at least two columns, separated by a comma")
    return found


def front(found: Gathered, wanted: Sequence[tuple[str, str]]) -> Front:
    known = [name for name in found.frame.columns if found.frame[name].dtype.is_numeric()]
    for name, _ in wanted:
        check("--pareto", name, known)
    values: dict[int, list[float]] = {}
    for row in range(found.frame.height):
        numbers = [number for name, _ in wanted if (number := found.number(name, row)) is not None]
        if len(numbers) == len(wanted) and found.feasible(row):
            values[row] = numbers
    signs = [-1 if aim == "max" else 1 for _, aim in wanted]
    losses = [tuple(sign * x for sign, x in zip(signs, each, strict=True)) for each in values.values()]
    best = {losses[index] for index in pareto_front(losses)}
    on = frozenset(row for row, loss in zip(values, losses, strict=True) if loss in best)
    points = [(each[1], each[0]) for each in values.values()]
    marks = lost_by(found, [Spot(*point) for point in points], ([row] for row in values))
    return Front(wanted, list(values), points, on, [found.name(row) for row in values], marks)


def plotly_curves(curves: Curves) -> Figure:
    data = [trace(curves, line, i) for i, line in enumerate(curves.lines)]
    if curves.marks:
        rings = {"type": "scatter", "mode": "markers", "showlegend": False}
        rings |= {of: [getattr(mark, of) for mark in curves.marks] for of in ("x", "y", "text")}
        marker = {"color": RING, "size": 18, "symbol": "circle-open", "line": {"width": 2.5}}
        data.append({**rings, "hovertemplate": "%{text}<extra></extra>", "marker": marker})
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
    own: dict[str, Any] = {"type": "bar", "marker": {"color": colour}, "textposition": "none"}
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
