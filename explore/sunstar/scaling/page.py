# SPDX-License-Identifier: MIT
"""The page of curves, and the table that is printed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import fmean

from sunstar import pages, reports
from sunstar.console import Printed, listed_in
from sunstar.reports.curves import Curves, Figure, Line, Mark, Spot
from sunstar.reports.page import curves_section
from sunstar.reports.samples import half_width
from sunstar.scaling.design import Design
from sunstar.scaling.found import Sample, Scaled, share

FIGURES: Mapping[str, Callable[[Sample], Sequence[float]]] = {
    "throughput (MiB/s)": lambda sample: sample.throughputs,
    "messages": lambda sample: sample.messages,
    "host time (s)": lambda sample: [sample.host_s],
    "host memory (MiB)": lambda sample: [sample.host_mib],
}
X = "compute processors"
SUMMARY: Mapping[str, Callable[[Scaled], object]] = {
    "growth": lambda each: each.curve.growth,
    "layout": lambda each: each.curve.layout,
    "file system": lambda each: each.curve.file_system,
    "stops at": lambda each: each.stops,
    "gain": lambda each: gained(each, each.judged),
    "critical path": lambda each: each.samples[each.judged].stages(1) if each.judged else "-",
    "busiest": lambda each: each.samples[each.judged].busiest if each.judged else "-",
}
NAMES = 3  # Columns of text at the left of SUMMARY
RUNS: Mapping[str, Callable[[Sample], str]] = {
    "I/O processors": lambda sample: str(sample.io),
    "MiB/s": lambda sample: f"{sample.mib_per_s:.1f}",
    "messages": lambda sample: f"{fmean(sample.messages):.0f}",
    "simulated s": lambda sample: f"{sample.elapsed_s:.3f}",
    "host s": lambda sample: f"{sample.host_s:.2f}",
    "host MiB": lambda sample: f"{sample.host_mib:.0f}",
    "critical path": Sample.stages,
    "busiest": lambda sample: sample.busiest,
}


def gained(each: Scaled, size: int | None) -> str:
    gain = None if size is None else each.gain(size)
    return "-" if gain is None else f"{gain:.2f}"


def summary(found: Sequence[Scaled], least_gain: float) -> Printed:
    title = "A curve stops at the number of compute processors from which on every doubling gives less than "
    title += f"{1 + least_gain:.3g} times the throughput ({share(least_gain)} of the gain that 2 would be)"
    return listed_in(title, found, SUMMARY, NAMES)


def drawings(found: Sequence[Scaled]) -> dict[tuple[str, str], list[Curves]]:
    """A drawing of each figure, for each growth and layout."""
    panels = dict.fromkeys((each.curve.growth, each.curve.layout) for each in found)
    return {
        panel: [
            drawing([each for each in found if each.curve[:2] == panel], name, values)
            for name, values in FIGURES.items()
        ]
        for panel in panels
    }


def drawing(found: Iterable[Scaled], name: str, values: Callable[[Sample], Sequence[float]]) -> Curves:
    lines, marks = [], []
    for each in found:
        measured = {size: values(sample) for size, sample in sorted(each.samples.items())}
        spots = [Spot(size, fmean(of), half_width(of), len(of)) for size, of in measured.items()]
        lines.append(Line(each.curve.file_system, spots))
        if each.stop is not None and values is FIGURES["throughput (MiB/s)"]:
            marks.append(Mark(each.stop, fmean(measured[each.stop]), f"{each.curve.file_system} stops scaling here"))
    return Curves("lines", X, name, lines, log=True, log_y=True, marks=marks)


def page(design: Design, found: Sequence[Scaled], least_gain: float, conditions: str) -> str:
    """The whole page; `conditions` says what all runs share."""
    from plotly.offline import get_plotlyjs  # here, so that other commands start without it

    plots: list[Figure] = []
    printed = summary(found, least_gain)
    body = [
        f"<section><h2>Where each curve stops</h2><p>{escape(printed.title)}. A ring marks that point. Gain, critical "
        "path and busiest resource are those of the run after the next doubling or, if the curve does not stop, of its "
        f"largest run.</p>{table(printed.headings, printed.rows, NAMES)}</section>"
    ]
    for (growth, layout), curves in drawings(found).items():
        body += [
            f"<section><h2>{growth.capitalize()} scaling, {layout}</h2>",
            f"<p>{escape(design.words('weak' if growth == 'weak' else 'strong'))}</p>",
            '<div class="pairs">',  # side by side where there is room
            *(f"<div>{''.join(curves_section([one], plots)[1:-1])}</div>" for one in curves),
            "</div>",
            *(curve(each) for each in found if each.curve[:2] == (growth, layout)),
            "</section>",
        ]
    data = {"plots": plots, "shared": {}, "runs": [], "drawings": []}
    script = Path(reports.__file__).with_name("page.js")
    title = "Where does it stop scaling?"
    return pages.page("scaling", "report", title, conditions, "\n".join(body), data, script, get_plotlyjs())


def curve(each: Scaled) -> str:
    rows = [
        [str(size), *([tell(each.samples[size]) for tell in RUNS.values()]), gained(each, size)]
        for size in sorted(each.samples)
    ]
    missing = [[str(size), reason] for size, reason in sorted(each.missing.items())]
    text = f"<h3>{escape(each.curve.file_system)}</h3><p>{escape(each.why())}</p>"
    return text + table([X, *RUNS, "gain"], [*rows, *missing])


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], names: int = 0) -> str:
    """A table; a short row's last cell is as wide as what is missing."""

    def cell(row: Sequence[str], i: int) -> str:
        left = len(headings) - len(row)
        wide = f' colspan="{left + 1}"' if left and i == len(row) - 1 else ""
        text = ' class="text"' if wide or i < names else ""
        return f"<td{wide}{text}>{escape(row[i])}</td>"

    head = "".join(f"<th{' class=text' if i < names else ''}>{escape(each)}</th>" for i, each in enumerate(headings))
    body = "".join(f"<tr>{''.join(cell(row, i) for i in range(len(row)))}</tr>\n" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>'
