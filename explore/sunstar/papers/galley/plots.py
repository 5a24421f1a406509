# SPDX-License-Identifier: MIT
"""The drawing of each experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sunstar.papers.galley.cases import INTERLEAVED, IO_PROCESSORS, KIB, PAIR, PARTITIONED, TCP, limit_of
from sunstar.papers.galley.measures import Series, interleaved_over_partitioned, mb, series, size, speedups
from sunstar.papers.galley.tables import panels
from sunstar.study.cases import Found
from sunstar.study.plots import Line, lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARKERS = dict(zip(map(str, (1, *IO_PROCESSORS)), "v^sDox", strict=True))
"""Of a number of IOPs, or sources."""


def draw_curves(axes: Axes, curves: Sequence[Series], x_label: str, y_label: str) -> None:
    """A line for each number of IOPs or sources."""
    drawn = [Line(each.x, each.curve, "-", MARKERS[each.x], f"C{list(MARKERS).index(each.x)}") for each in curves]
    lines(axes, drawn, x_label, y_label, legend=False)
    records = sorted({record for each in curves for record in each.curve})
    axes.set_xticks(records, [short(record) for record in records])


def short(record: int) -> str:
    return f"{record // KIB}K" if record >= KIB else f"{record}"


def legend(canvas: Canvas, title: str) -> None:
    handles, labels = canvas.axes[0].get_legend_handles_labels()
    canvas.legend(handles, labels, title=title, fontsize=7, ncols=len(labels), loc="outside lower center")


def tcp(found: Found, canvas: Canvas) -> None:
    axes = canvas.subplots()
    draw_curves(axes, [*series(found, PAIR), *series(found, TCP)], "message size (bytes)", "throughput (MB/s)")
    legend(canvas, "sources (16 sinks; 1: one sink)")


def by_pattern(
    curves: Callable[[Found], Sequence[Series]], y_label: str, logarithmic: bool = False, one: bool = False
) -> Callable[[Found, Canvas], None]:
    """A panel for each pattern; with `one`, a line marks 1."""

    def draw(found: Found, canvas: Canvas) -> None:
        of = list(panels(curves(found)))
        for axes, (pattern, those) in zip(canvas.subplots(1, len(of), squeeze=False)[0], of, strict=True):
            draw_curves(axes, those, "record size (bytes)", y_label)
            axes.set_title(pattern, fontsize=9)
            if logarithmic:
                values = [value for each in those for value in each.curve.values()]
                axes.set_yscale("log")
                axes.set_ylim(0.7 * min(values), 1.4 * max(values))
                axes.yaxis.set_major_formatter("{x:g}")
            if one:
                axes.axhline(1, color="0.3", linewidth=0.8)
        legend(canvas, "IOPs")

    return draw


def throughput(method: str) -> Callable[[Found, Canvas], None]:
    return by_pattern(lambda found: series(found, method), "throughput (MB/s)")


def speedup(operation: str) -> Callable[[Found, Canvas], None]:
    return by_pattern(lambda found: speedups(found, operation), "strided over traditional", logarithmic=True, one=True)


def flow(found: Found, canvas: Canvas) -> None:
    """A panel for each pattern: throughput by limit."""
    for axes, pattern in zip(canvas.subplots(1, 2, sharey=True), (PARTITIONED, INTERLEAVED), strict=True):
        for i, record in enumerate(found.record_sizes):
            for x in found.xs:
                keys = sorted(found.select(pattern=pattern, record_bytes=record, x=x), key=limit_of)
                names = [str(limit_of(key) or "none") for key in keys]
                style = "-" if x == found.xs[-1] else "--"
                values = [mb(found, key) for key in keys]
                axes.plot(
                    names,
                    values,
                    style,
                    marker=MARKERS[x],
                    color=f"C{i}",
                    label=f"{size(record)}, {x} IOPs",
                    markersize=4,
                )
        axes.set_title(pattern, fontsize=9)
        axes.set_xlabel("limit of permissions")
        axes.grid(alpha=0.3)
    canvas.axes[0].set_ylim(0, 1.1 * max(mb(found, key) for key in found.select()))
    canvas.axes[0].set_ylabel("throughput (MB/s)")
    canvas.legend(*canvas.axes[0].get_legend_handles_labels(), fontsize=7, ncols=6, loc="outside lower center")


lock = by_pattern(interleaved_over_partitioned, "interleaved over partitioned", one=True)
