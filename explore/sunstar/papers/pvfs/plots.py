# SPDX-License-Identifier: MIT
"""The drawing of each experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sunstar.papers.pvfs.cases import APART, BOUND, CACHING, KIB, NONE
from sunstar.papers.pvfs.measures import Series, first_pass, points, seconds, size
from sunstar.papers.pvfs.tables import panels
from sunstar.study.cases import Found
from sunstar.study.plots import Line, bars, lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

STYLES = {NONE: ("--", "o", "0.2"), APART: (":", "D", "0.5"), CACHING: ("-", "s", "C0"), BOUND: ("-.", "^", "C3")}
COLOURS = {method: colour for method, (_, _, colour) in STYLES.items()}
OF_SHARING = {"0": ("v", "C0"), "25": ("^", "C1"), "50": ("s", "C2"), "75": ("x", "C3"), "100": ("*", "C4")}

ENTRIES = 6
"""The most entries of a legend that stand side by side."""
ABOVE = 1.05
"""The end of a time axis over the longest time."""


def line(each: Series) -> Line:
    style, marker, colour = STYLES[each.method]
    if each.method == CACHING and each.x:
        marker, colour = OF_SHARING[each.x]
    return Line(each.name, {request // KIB: value for request, value in each.curve.items()}, style, marker, colour)


def figure(nodes: int) -> Callable[[Found, Canvas], None]:
    """A panel for each operation, or degree of locality."""

    def draw(found: Found, canvas: Canvas) -> None:
        of = list(panels(found, nodes))
        for axes, (pattern, curves) in zip(canvas.subplots(1, len(of), squeeze=False)[0], of, strict=True):
            lines(axes, [line(each) for each in curves], "d (KiB)", "time (s)", legend=False)
            axes.set_title(pattern, fontsize=9)
            axes.set_ylim(0, ABOVE * max(max(each.curve.values()) for each in curves))
        legend(canvas)

    return draw


def legend(canvas: Canvas, columns: int | None = None) -> None:
    handles, labels = canvas.axes[0].get_legend_handles_labels()
    rows = -(-len(labels) // ENTRIES)
    columns = columns or -(-len(labels) // rows)
    canvas.legend(handles, labels, fontsize=7, ncols=columns, handlelength=4, loc="outside lower center")


def options(found: Found, canvas: Canvas) -> None:
    """A panel for each load: bars for each option."""
    loads = list(dict.fromkeys((key.pattern, key.record_bytes) for key in points(found)))
    for axes, (pattern, request) in zip(canvas.subplots(1, len(loads), squeeze=False)[0], loads, strict=True):
        keys = points(found, pattern=pattern, record_bytes=request)
        groups: dict[str, list[float]] = {}
        for key in keys:
            groups.setdefault(key.method, []).append(seconds(found, key))
        bars(axes, found.xs, groups, COLOURS, "time (s)")
        axes.set_title(f"{pattern}, {size(request)}", fontsize=8)
    handles = {
        label: handle for axes in canvas.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    canvas.legend(handles.values(), handles, fontsize=7, ncols=len(handles), loc="outside lower center")


def passes(found: Found, canvas: Canvas) -> None:
    """The two passes, with and without the cache."""
    for axes, method in zip(canvas.subplots(1, 2, sharey=True), (NONE, CACHING), strict=True):
        drawn = [line_of_pass(found, method, x, first) for x in found.xs for first in (True, False)]
        lines(axes, drawn, "d (KiB)", "time (s)", legend=False)
        axes.set_title(method, fontsize=9)
    canvas.axes[0].set_ylim(0, ABOVE * max(first_pass(found, key) for key in points(found)))
    legend(canvas, 3)


def line_of_pass(found: Found, method: str, x: str, first: bool) -> Line:
    marker, colour = OF_SHARING[x]
    values = {
        key.record_bytes // KIB: (first_pass if first else seconds)(found, key) for key in points(found, method, x=x)
    }
    return Line(f"s = {x} %, {'first' if first else 'third'} pass", values, "--" if first else "-", marker, colour)
