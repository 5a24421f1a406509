# SPDX-License-Identifier: MIT
"""A report as one HTML page that needs no network: Plotly, the style, the script and all data are in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

from sunstar import pages
from sunstar.configurations import key
from sunstar.machine.picture import drawing_of
from sunstar.over_time import as_svg
from sunstar.quantities import cell, engineering
from sunstar.reports.curves import LABELS, Curves, Front, label, plotly_curves
from sunstar.reports.gathering import RUN, Detail, Gathered
from sunstar.reports.samples import half_width

MOST_ROWS = 1000


@dataclass(frozen=True)
class Report:
    found: Gathered
    curves: Sequence[Curves]
    front: Front | None


def page(report: Report) -> str:
    from plotly.offline import get_plotlyjs  # here, so that other commands start without it

    found, front = report.found, report.front
    plots = [plotly_curves(each) for each in [*report.curves, *([front.curves] if front else [])]]
    columns = columns_of(report)
    shown = range(min(found.frame.height, MOST_ROWS))
    text = [not found.frame[name].dtype.is_numeric() for name in columns]
    tested = any(len(values) > 1 for each in found.trials.values() for values in each.values())
    body = pages.filled(
        Path(__file__).with_suffix(".html"),
        spread=" ± is half the 95 % confidence interval of the mean over trials (Student's t)." if tested else "",
        heads=[("run", True), *zip(map(label, columns), text, strict=True), *([("front", False)] if front else [])],
        rows=[(*note(found, row), list(cells(report, row, columns))) for row in shown],
        left=found.frame.height - len(shown),
        figures=figures(found),
        curves=[(each.title, number, caption(each)) for number, each in enumerate(report.curves)],
        front=front and front_words(front, len(report.curves)),
        over_time=[(as_svg(of.over_time), described(found, of.row)) for of in found.details if of.over_time],
        pictured=runs_to_choose(found, pictured=True),
        shown=runs_to_choose(found),
        warnings=[detail.warnings for detail in found.details],
        hidden=len(found.trials) - len(found.details),
    )
    data = {"plots": plots, **runs_data(found)}
    script = Path(__file__).with_suffix(".js")
    return pages.page("report", "report", found.title, summary(found), body, data, script, get_plotlyjs())


def summary(found: Gathered) -> str:
    rows = found.frame.height
    failed = sum(not found.done(row) for row in range(rows))
    programs = sorted({detail.program for detail in found.details})
    of = f" of {', '.join(f'sunstar-{name}' for name in programs)}" if programs else ""
    trials = sorted({len(next(iter(each.values()), [])) for each in found.trials.values()})
    each = f", {' or '.join(map(str, trials))} trial{'s' if trials != [1] else ''} each" if trials else ""
    return f"{rows} run{'s' if rows != 1 else ''}{of}{each}" + (f", {failed} failed" if failed else "")


def columns_of(report: Report) -> list[str]:
    """What the overview tells of each run."""
    found = report.found
    essential = [name for name in found.figures if name in LABELS or not name.startswith(("result.", "host."))]
    flags = [name for name in LABELS if name in found.frame.columns and name not in found.figures]
    aims = [each.column for each in report.front.objectives] if report.front else []
    return [name for name in dict.fromkeys([*found.parameters, *aims, *essential, *flags]) if tells(found, name)]


def tells(found: Gathered, column: str) -> bool:
    """Whether a column adds to the throughput: for reads, that to the medium is usually the same."""
    first, medium = "result.throughput.mib_per_s", "result.throughput.medium_mib_per_s"
    return column != medium or not found.frame[first].equals(found.frame[medium])


def note(found: Gathered, row: int) -> tuple[bool, str]:
    """Whether a run failed, and why, or of what its simulator warned."""
    if not found.done(row):
        return True, str(found.frame["message"][row])
    return False, "\n".join(text for detail in found.details if detail.row == row for text in detail.warnings)


def with_spread(value: object, values: Sequence[float], column: str = "") -> str:
    """A figure with at most five digits, and half its confidence interval if it has one."""
    half, unit = half_width(values), "B" if column.endswith("[B]") else ""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return escape(cell(value))
    return engineering(value, unit) + (f" ± {engineering(half, unit, 2, value)}" if half else "")


def cells(report: Report, row: int, columns: Sequence[str]) -> Iterator[tuple[bool, object, str]]:
    """Of each cell: whether it is a text, what it is sorted by, and what is shown."""
    found = report.found
    warned = " ⚠" * any(detail.warnings for detail in found.details if detail.row == row)
    yield True, found.frame[RUN][row] if RUN in found.frame.columns else row, escape(found.name(row)) + warned
    for name in columns:
        value = found.frame[name][row]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        yield not number, value if number else None, with_spread(value, found.trials.get(row, {}).get(name, []), name)
    if report.front:
        yield False, None, "◆" if row in report.front.on else ""


def figures(found: Gathered) -> list[tuple[str, str]]:
    """All figures of a single run, which has no curves."""
    if found.frame.height > 1 or not found.trials:
        return []
    return [(name, with_spread(fmean(values), values, name)) for name, values in found.trials[0].items()]


def caption(curves: Curves) -> str:
    values = sorted({spot.values for line in curves.lines for spot in line.spots})
    if not values or values[-1] < 2:
        return "One value each; a single trial has no confidence interval."
    each = str(values[-1]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
    return f"Means of {each} trials or runs each; the bars are 95 % confidence intervals (Student's t)."


def front_words(front: Front, number: int) -> dict[str, object]:
    aims = ", ".join(f"{label(each.column)} {each.aim}" for each in front.objectives)
    counted = f"{len(front.on)} of {len(front.rows)} runs are on the front"
    return {"aims": aims, "number": number, "caption": f"{counted}: no other run is as good in all and better in one."}


def runs_to_choose(found: Gathered, pictured: bool = False) -> list[tuple[str, str]]:
    return [
        (str(i), described(found, detail.row))
        for i, detail in enumerate(found.details)
        if detail.picture or not pictured
    ]


def described(found: Gathered, row: int) -> str:
    values = ", ".join(cell(found.frame[name][row]) for name in found.parameters)
    return f"{found.name(row)}: {values}" if values else found.name(row)


def runs_data(found: Gathered) -> dict[str, Any]:
    """The data of the runs for the script. What all configurations share is stored once, and so is each drawing."""
    configs = [{path: as_value(value) for path, value in detail.config.items()} for detail in found.details]
    shared = {
        path: value
        for path, value in (configs[0] if configs else {}).items()
        if all(each.get(path) == value for each in configs)
    }
    drawings: dict[str, int] = {}
    runs = [
        run_data(found, detail, {path: v for path, v in config.items() if path not in shared}, drawings)
        for detail, config in zip(found.details, configs, strict=True)
    ]
    return {"shared": shared, "runs": runs, "drawings": [json.loads(each) for each in drawings]}


def as_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def run_data(found: Gathered, detail: Detail, own: Mapping[str, str], drawings: dict[str, int]) -> dict[str, Any]:
    figures = {
        name: [fmean(values), half_width(values), len(values)] for name, values in found.trials[detail.row].items()
    }
    data: dict[str, Any] = {"name": found.name(detail.row), "own": own, "figures": figures}
    if detail.picture:
        drawing = key(drawing_of(detail.picture))
        data["drawing"] = drawings.setdefault(drawing, len(drawings))
        data["shares"] = [None if box.value is None else round(box.value, 4) for box in detail.picture.boxes]
        data["more"] = [box.more for box in detail.picture.boxes]
    return data
