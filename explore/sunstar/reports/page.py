# SPDX-License-Identifier: MIT
"""A report as one HTML page that needs no network: Plotly, the style, the script and all data are in it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

from sunstar import pages
from sunstar.configurations import key
from sunstar.machine.picture import drawing_of
from sunstar.over_time import as_svg
from sunstar.quantities import cell
from sunstar.reports.curves import LABELS, Curves, Figure, Front, label, plotly_curves, plotly_front
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

    plots: list[Figure] = []
    sections = [
        overview(report),
        *figures_section(report.found),
        *curves_section(report.curves, plots),
        *front_section(report.front, plots),
        *over_time_section(report.found),
        *machine_section(report.found),
        *difference_section(report.found),
        *configurations(report.found),
    ]
    data = {"plots": plots, **runs_data(report.found)}
    body, script = "\n".join(sections), Path(__file__).with_suffix(".js")
    return pages.page("report", "report", report.found.title, summary(report.found), body, data, script, get_plotlyjs())


def summary(found: Gathered) -> str:
    rows = found.frame.height
    failed = sum(not found.done(row) for row in range(rows))
    programs = sorted({detail.program for detail in found.details})
    of = f" of {', '.join(f'sunstar-{name}' for name in programs)}" if programs else ""
    trials = sorted({len(next(iter(each.values()), [])) for each in found.trials.values()})
    each = f", {' or '.join(map(str, trials))} trial{'s' if trials != [1] else ''} each" if trials else ""
    return f"{rows} run{'s' if rows != 1 else ''}{of}{each}" + (f", {failed} failed" if failed else "")


def overview(report: Report) -> str:
    found = report.found
    essential = [name for name in found.figures if name in LABELS or not name.startswith(("result.", "host."))]
    flags = [name for name in LABELS if name in found.frame.columns and name not in found.figures]
    aims = [each.column for each in report.front.objectives] if report.front else []
    columns = [name for name in dict.fromkeys([*found.parameters, *aims, *essential, *flags]) if tells(found, name)]
    shown = range(min(found.frame.height, MOST_ROWS))
    text = [not found.frame[name].dtype.is_numeric() for name in columns]
    heads = [head("run", True), *map(head, map(label, columns), text), *([head("front")] if report.front else [])]
    rows = "\n".join(overview_row(report, row, columns) for row in shown)
    left = found.frame.height - len(shown)
    more = f'<p class="note">The first {len(shown)} runs; {left} more are in the table itself.</p>' if left else ""
    tested = any(len(values) > 1 for each in found.trials.values() for values in each.values())
    spread = " ± is half the 95 % confidence interval of the mean over trials (Student's t)." if tested else ""
    return (
        f'<section><h2>Runs</h2>\n<p class="note">Click a heading to sort.{spread}</p>\n'
        f'<div class="wide tall"><table id="overview"><thead><tr>{"".join(heads)}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>{more}</section>"
    )


def tells(found: Gathered, column: str) -> bool:
    """Whether a column adds to the throughput: for reads, that to the medium is usually the same."""
    first, medium = "result.throughput.mib_per_s", "result.throughput.medium_mib_per_s"
    return column != medium or not found.frame[first].equals(found.frame[medium])


def head(name: str, text: bool = False) -> str:
    """A heading, which may be broken after its dots and underscores."""
    shown = re.sub(r"(?<=[._])", "<wbr>", escape(name))
    return f'<th class="text">{shown}</th>' if text else f"<th>{shown}</th>"


def overview_row(report: Report, row: int, columns: Sequence[str]) -> str:
    found = report.found
    number = found.frame[RUN][row] if RUN in found.frame.columns else row
    cells = [f'<td class="text" data-sort="{number}">{escape(found.name(row))}</td>']
    for name in columns:
        value = found.frame[name][row]
        shown = escape(cell(value))
        half = half_width(found.trials.get(row, {}).get(name, []))
        if half:
            shown += f" ± {half:.2g}"
        if isinstance(value, int | float) and not isinstance(value, bool):
            cells.append(f'<td data-sort="{value}">{shown}</td>')
        else:
            cells.append(f'<td class="text">{shown}</td>')
    if report.front:
        cells.append(f"<td>{'◆' if row in report.front.on else ''}</td>")
    failed = "" if found.done(row) else f' class="failed" title="{escape(str(found.frame["message"][row]))}"'
    return f"<tr{failed}>{''.join(cells)}</tr>"


def figure_of(plots: list[Figure], plot: Figure, caption: str) -> str:
    plots.append(plot)
    number = len(plots) - 1
    return f'<figure><div class="plot" id="plot-{number}"></div><figcaption>{escape(caption)}</figcaption></figure>'


def figures_section(found: Gathered) -> list[str]:
    """All figures of a single run, which has no curves."""
    if found.frame.height > 1 or not found.trials:
        return []
    rows = []
    for name, values in found.trials[0].items():
        half = half_width(values)
        shown = cell(fmean(values)) + (f" ± {half:.2g}" if half else "")
        rows.append(f'<tr><td class="path">{escape(name)}</td><td>{shown}</td></tr>')
    body = f"<tbody>{''.join(rows)}</tbody>"
    return [f'<section><h2>Figures</h2><div class="wide tall"><table>{body}</table></div></section>']


def curves_section(curves: Sequence[Curves], plots: list[Figure]) -> list[str]:
    if not curves:
        return []
    drawn = [f"<h3>{escape(each.title)}</h3>{figure_of(plots, plotly_curves(each), caption(each))}" for each in curves]
    return ["<section><h2>Figures</h2>", *drawn, "</section>"]


def caption(curves: Curves) -> str:
    values = sorted({spot.values for line in curves.lines for spot in line.spots})
    if not values or values[-1] < 2:
        return "One value each; a single trial has no confidence interval."
    each = str(values[-1]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
    return f"Means of {each} trials or runs each; the bars are 95 % confidence intervals (Student's t)."


def front_section(front: Front | None, plots: list[Figure]) -> list[str]:
    if front is None:
        return []
    aims = ", ".join(f"{label(each.column)} {each.aim}" for each in front.objectives)
    text = (
        f"{len(front.on)} of {len(front.rows)} runs are on the front: no other run is as good in all and better in one."
    )
    return [
        f"<section><h2>Pareto front</h2><p>{escape(aims)}</p>",
        figure_of(plots, plotly_front(front), text),
        "</section>",
    ]


def over_time_section(found: Gathered) -> list[str]:
    drawn = [
        f"<figure>{as_svg(each.over_time)}<figcaption>{escape(described(found, each.row))}</figcaption></figure>"
        for each in found.details
        if each.over_time
    ]
    return ["<section><h2>Over time</h2>", *drawn, "</section>"] if drawn else []


def choice(name: str, text: str, options: Sequence[tuple[str, str]], chosen: int = 0) -> str:
    inside = "".join(
        f'<option value="{value}"{" selected" if i == chosen else ""}>{escape(shown)}</option>'
        for i, (value, shown) in enumerate(options)
    )
    return f'<label>{text} <select id="{name}">{inside}</select></label>'


def runs_to_choose(found: Gathered, pictured: bool = False) -> list[tuple[str, str]]:
    return [
        (str(i), described(found, detail.row))
        for i, detail in enumerate(found.details)
        if detail.picture or not pictured
    ]


def described(found: Gathered, row: int) -> str:
    values = ", ".join(cell(found.frame[name][row]) for name in found.parameters)
    return f"{found.name(row)}: {values}" if values else found.name(row)


def machine_section(found: Gathered) -> list[str]:
    options = runs_to_choose(found, pictured=True)
    if not options:
        return []
    scales = [("full", "0 to 100 %"), ("busiest", "0 to the busiest of its kind")]
    return [
        "<section><h2>Machine</h2>",
        '<p class="note">The share of time for which each resource was busy in the first trial '
        '(<span id="machine-what"></span>).</p>',
        '<div class="choices">',
        choice("machine-run", "Run", options),
        choice("machine-scale", "Colours", scales),
        "</div>",
        '<figure><div id="machine"></div><figcaption><span class="legend">idle <i></i> busy</span>'
        '<span id="machine-chosen" aria-live="polite"></span></figcaption></figure>',
        '<div id="machine-busiest"></div></section>',
    ]


def difference_section(found: Gathered) -> list[str]:
    options = runs_to_choose(found)
    if len(options) < 2:
        return []
    return [
        "<section><h2>Two runs side by side</h2>",
        '<p class="note">What differs between them; sunstar compare says which differences are more than noise.</p>',
        f'<div class="choices">{choice("difference-a", "From", options)}'
        f"{choice('difference-b', 'to', options, len(options) - 1)}</div>",
        '<div id="difference"></div></section>',
    ]


def configurations(found: Gathered) -> list[str]:
    if not found.details:
        return []
    folds = []
    for i, (_, text) in enumerate(runs_to_choose(found)):
        warnings = found.details[i].warnings
        count = f" ({len(warnings)} warning{'s' if len(warnings) > 1 else ''})" if warnings else ""
        told = "".join(f'<p class="note warning">{escape(warning)}</p>' for warning in warnings)
        folds.append(f'<details data-run="{i}"><summary>{escape(text)}{count}</summary>{told}</details>')
    left = len(found.trials) - len(found.details)
    more = f'<p class="note">{left} further runs are left out here (--details).</p>' if left else ""
    return ["<section><h2>Effective configurations</h2>", *folds, more, "</section>"]


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
