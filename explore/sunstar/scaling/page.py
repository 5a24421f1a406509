# SPDX-License-Identifier: MIT
"""The page of curves, and the table that is printed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from statistics import fmean

from sunstar import pages
from sunstar.console import Printed, listed_in
from sunstar.reports.curves import Curves, Line, Mark, Spot, plotly_curves
from sunstar.reports.page import caption, plotted
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
    "gain": lambda each: gained(each, each.judged or 0),
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


def gained(each: Scaled, size: int) -> str:
    gain = each.gain(size)
    return "-" if gain is None else f"{gain:.2f}"


def summary(found: Sequence[Scaled], least_gain: float) -> Printed:
    title = "A curve stops at the number of compute processors from which on every doubling gives less than "
    title += f"{1 + least_gain:.3g} times the throughput ({share(least_gain)} of the gain that 2 would be)"
    return listed_in(title, found, SUMMARY, NAMES)


def drawings(found: Sequence[Scaled]) -> dict[tuple[str, str], list[Curves]]:
    """A drawing of each figure, for each growth and layout."""
    panels: dict[tuple[str, str], list[Scaled]] = defaultdict(list)
    for each in found:
        panels[each.curve.growth, each.curve.layout].append(each)
    return {panel: [drawing(of, *figure) for figure in FIGURES.items()] for panel, of in panels.items()}


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
    """The whole page; `conditions` describes all runs."""
    numbers = count()
    panels = drawings(found)
    body = pages.filled(
        Path(__file__).with_suffix(".html"),
        summary=summary(found, least_gain),
        names=NAMES,
        headings=[X, *RUNS, "gain"],
        panels=[
            (
                growth,
                layout,
                design.words("weak" if growth == "weak" else "strong"),
                [(each.title, next(numbers), caption(each)) for each in curves],
                [
                    (each.curve.file_system, each.why(), runs_of(each))
                    for each in found
                    if each.curve[:2] == (growth, layout)
                ],
            )
            for (growth, layout), curves in panels.items()
        ],
    )
    plots = [plotly_curves(each) for curves in panels.values() for each in curves]
    return plotted("scaling", "Where does it stop scaling?", conditions, body, plots)


def runs_of(each: Scaled) -> list[list[str]]:
    """A row for each run; for one that is missing, its size and the reason."""
    rows = [
        [str(size), *([tell(each.samples[size]) for tell in RUNS.values()]), gained(each, size)]
        for size in sorted(each.samples)
    ]
    return rows + [[str(size), reason] for size, reason in sorted(each.missing.items())]
