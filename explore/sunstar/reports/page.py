# SPDX-License-Identifier: MIT
"""A report as one HTML page that needs no network: Plotly, the style, the script and all data are in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

from sunstar import pages
from sunstar.configurations import key
from sunstar.drawing import as_svg
from sunstar.machine.picture import drawing_of
from sunstar.quantities import cell, engineering
from sunstar.reports.curves import LABELS, NAME, RUN, Curves, Figure, Front, Gathered, label, plotly_curves
from sunstar.reports.samples import half_width, is_number
from sunstar.sweeps.sweep import LOST

MOST_ROWS = 1000
RATE, MEDIUM_RATE = "result.throughput.mib_per_s", "result.throughput.medium_mib_per_s"
RINGS = " A red ring marks runs that lost bytes."


def plotted(
    command: str, title: str, summary: str, body: str, plots: Sequence[Figure], runs: Mapping[str, Any] | None = None
) -> str:
    """A page whose script draws these plots at their places in the body, and shows the runs, if there are any."""
    from plotly.offline import get_plotlyjs  # here, so that other commands start without it

    data = {"plots": plots, **(runs or {"shared": {}, "runs": [], "drawings": []})}
    return pages.page(command, "report", title, summary, body, data, Path(__file__).with_suffix(".js"), get_plotlyjs())


def page(found: Gathered, curves: Sequence[Curves], front: Front | None) -> str:
    plots = [plotly_curves(each) for each in [*curves, *([front.curves] if front else [])]]
    columns = columns_of(found, front)
    rows = range(min(found.frame.height, MOST_ROWS))
    text = [not found.frame[name].dtype.is_numeric() for name in columns]
    tested = any(len(values) > 1 for each in found.trials.values() for values in each.values())
    figures = found.trials[0] if found.trials and found.frame.height == 1 else {}  # of a single run: it has no curves
    shown = [(number, described(found, detail.row)) for number, detail in enumerate(found.details)]
    body = pages.filled(
        Path(__file__).with_suffix(".html"),
        spread=" ± is half the 95 % confidence interval of the mean over trials (Student's t)." if tested else "",
        heads=[("run", True), *zip(map(label, columns), text, strict=True), *([("front", False)] if front else [])],
        rows=[(*note(found, row), list(cells(found, front, row, columns))) for row in rows],
        left=found.frame.height - len(rows),
        figures=[(name, with_spread(fmean(values), values, name)) for name, values in figures.items()],
        curves=[(each.title, number, caption(each)) for number, each in enumerate(curves)],
        front=front and front_words(front, len(curves)),
        over_time=[(as_svg(of.over_time), described(found, of.row)) for of in found.details if of.over_time],
        pictured=[each for each, detail in zip(shown, found.details, strict=True) if detail.picture],
        shown=shown,
        warnings=[detail.warnings for detail in found.details],
        hidden=len(found.trials) - len(found.details),
    )
    return plotted("report", found.title, summary(found), body, plots, runs_data(found))


def summary(found: Gathered) -> str:
    rows = found.frame.height
    failed = sum(not found.done(row) for row in range(rows))
    programs = sorted({detail.program for detail in found.details})
    of = f" of {', '.join(f'sunstar-{name}' for name in programs)}" if programs else ""
    trials = sorted({len(next(iter(each.values()), [])) for each in found.trials.values()})
    each = f", {' or '.join(map(str, trials))} trial{'s' if trials != [1] else ''} each" if trials else ""
    return f"{rows} run{'s' if rows != 1 else ''}{of}{each}" + (f", {failed} failed" if failed else "")


def columns_of(found: Gathered, front: Front | None) -> list[str]:
    """The overview's columns for each run; the throughput to the medium only if it differs from the other one, lost
    bytes only if there are some."""
    essential = [name for name in found.figures if name in LABELS or not name.startswith(("result.", "host."))]
    flags = [name for name in LABELS if name in found.frame.columns and name not in found.figures]
    aims = [column for column, _ in front.objectives] if front else []
    names = dict.fromkeys([*found.parameters, *aims, *essential, *flags])
    same = MEDIUM_RATE in names and found.frame[RATE].equals(found.frame[MEDIUM_RATE])
    idle = {NAME, *[MEDIUM_RATE] * same, *[LOST] * (not found.lost(range(found.frame.height)))}
    return [name for name in names if name not in idle]


def note(found: Gathered, row: int) -> tuple[bool, str]:
    """Whether a run failed, and why, or its simulator's warnings."""
    if not found.done(row):
        return True, str(found.frame["message"][row])
    return False, "\n".join(text for detail in found.details if detail.row == row for text in detail.warnings)


def with_spread(value: object, values: Sequence[float], column: str = "") -> str:
    """A figure with at most five digits, and half its confidence interval if it has one."""
    half, unit = half_width(values), "B" if column.endswith("[B]") else ""
    if not is_number(value):
        return escape(cell(value))
    return engineering(value, unit) + (f" ± {engineering(half, unit, 2, value)}" if half else "")


def cells(found: Gathered, front: Front | None, row: int, columns: Sequence[str]) -> Iterator[tuple[bool, object, str]]:
    """For each cell: whether it is a text, its sort key, and its shown text."""
    warned = " ⚠" * any(detail.warnings for detail in found.details if detail.row == row)
    yield True, found.frame[RUN][row] if RUN in found.frame.columns else row, escape(found.name(row)) + warned
    for name in columns:
        value = found.frame[name][row]
        number = is_number(value)
        yield not number, value if number else None, with_spread(value, found.trials.get(row, {}).get(name, []), name)
    if front:
        yield False, None, "◆" if row in front.on else ""


def caption(curves: Curves) -> str:
    values = sorted({spot.values for line in curves.lines for spot in line.spots})
    rings = RINGS * bool(curves.marks)
    if not values or values[-1] < 2:
        return f"One value each; a single trial has no confidence interval.{rings}"
    each = str(values[-1]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
    return f"Means of {each} trials or runs each; the bars are 95 % confidence intervals (Student's t).{rings}"


def front_words(front: Front, number: int) -> dict[str, object]:
    aims = ", ".join(f"{label(column)} {aim}" for column, aim in front.objectives)
    counted = f"{len(front.on)} of {len(front.rows)} runs are on the front"
    caption = f"{counted}: no other run is as good in all and better in one.{RINGS * bool(front.marks)}"
    return {"aims": aims, "number": number, "caption": caption}


def described(found: Gathered, row: int) -> str:
    values = ", ".join(cell(found.frame[name][row]) for name in found.parameters if name != NAME)
    return f"{found.name(row)}: {values}" if values else found.name(row)


def runs_data(found: Gathered) -> dict[str, Any]:
    """The data of the runs for the script. The configurations' common part and each drawing are stored once."""
    configs = [
        {path: value if isinstance(value, str) else json.dumps(value) for path, value in detail.config.items()}
        for detail in found.details
    ]
    shared = dict(configs[0] if configs else {})
    for config in configs:
        shared = {path: value for path, value in shared.items() if config.get(path) == value}
    drawings: dict[str, int] = {}
    runs = []
    for detail, config in zip(found.details, configs, strict=True):
        figures = {name: [fmean(of), half_width(of), len(of)] for name, of in found.trials[detail.row].items()}
        own = {path: value for path, value in config.items() if path not in shared}
        data: dict[str, Any] = {"name": found.name(detail.row), "own": own, "figures": figures}
        if detail.picture:
            drawing = key(drawing_of(detail.picture))
            data["drawing"] = drawings.setdefault(drawing, len(drawings))
            data["shares"] = [None if box.value is None else round(box.value, 4) for box in detail.picture.boxes]
            data["more"] = [box.more for box in detail.picture.boxes]
        runs.append(data)
    return {"shared": shared, "runs": runs, "drawings": [json.loads(each) for each in drawings]}
