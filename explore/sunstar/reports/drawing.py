# SPDX-License-Identifier: MIT
"""Curves and fronts, drawn by Plotly for a page and by Matplotlib for print. On a page, text and grid have the page's
own colours, so that they follow light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sunstar.files import Outputs
from sunstar.quantities import cell
from sunstar.reports.curves import Curves, Front, Line
from sunstar.study.plots import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Those of Okabe and Ito, which people with any colour vision tell apart, on light and on dark ground."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
DASHES = ("solid", "dash", "dot")
"""A colour comes back with another dash."""

MARKERS, STROKES = "osD^Px", ("-", "--", ":")
"""The same for Matplotlib."""

Figure = dict[str, Any]


def plotly_curves(curves: Curves) -> Figure:
    data = [trace(curves, line, i) for i, line in enumerate(curves.lines)]
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": curves.x}, "type": axis_type(curves)},
        "yaxis": {"title": {"text": curves.y}, **y_range(curves)},
        "showlegend": len(data) > 1,
    }
    if curves.kind == "bars":
        layout |= {"xaxis": {"type": "category"}, "bargap": 0.5}
    elif curves.ticks:
        layout["xaxis"] |= {"tickvals": curves.ticks, "ticktext": [cell(tick) for tick in curves.ticks]}
    return {"data": data, "layout": layout}


def y_range(curves: Curves) -> dict[str, Any]:
    """From 0 to above the highest interval, if nothing is negative."""
    spots = [spot for line in curves.lines for spot in line.spots]
    if any(spot.y < 0 for spot in spots):
        return {}
    return {"range": [0, 1.05 * max((spot.y + (spot.half or 0) for spot in spots), default=1) or 1]}


def axis_type(curves: Curves) -> str:
    if any(isinstance(spot.x, str) for line in curves.lines for spot in line.spots):
        return "category"
    return "log" if curves.log else "linear"


def trace(curves: Curves, line: Line, index: int) -> dict[str, Any]:
    colour = COLOURS[index % len(COLOURS)]
    halves = [spot.half or 0 for spot in line.spots]
    return {
        "type": "bar" if curves.kind == "bars" else "scatter",
        **({} if curves.kind == "bars" else {"mode": "lines+markers" if curves.kind == "lines" else "markers"}),
        "name": line.name or curves.y,
        "x": [spot.x for spot in line.spots],
        "y": [spot.y for spot in line.spots],
        "customdata": [words(spot.half, spot.values) for spot in line.spots],
        "hovertemplate": "%{x}: %{y:.5~g}%{customdata}<extra>%{fullData.name}</extra>",
        "error_y": {"type": "data", "array": halves, "visible": any(halves), "thickness": 1.2, "width": 3},
        "marker": {"color": colour, "size": 7, "symbol": SYMBOLS[index % len(SYMBOLS)]}
        if curves.kind != "bars"
        else {"color": colour},
        "line": {"color": colour, "dash": DASHES[index // len(COLOURS) % len(DASHES)], "width": 2},
    }


def words(half: float | None, values: int) -> str:
    return f" ± {cell(half)} ({values} values)" if half is not None else ""


def plotly_front(front: Front) -> Figure:
    x, y = front.axes
    beaten = [i for i, row in enumerate(front.rows) if row not in front.on]
    best = [i for i, row in enumerate(front.rows) if row in front.on]
    best.sort(key=lambda i: front.points[i])

    def some(name: str, indices: list[int], **more: object) -> dict[str, Any]:
        return {
            "type": "scatter",
            "name": name,
            "x": [front.points[i][0] for i in indices],
            "y": [front.points[i][1] for i in indices],
            "text": [front.names[i] for i in indices],
            "hovertemplate": "%{text}: %{x:.5~g}, %{y:.5~g}<extra></extra>",
            **more,
        }

    others = some("other runs", beaten, mode="markers", marker={"color": "#999999", "size": 7})
    line = some(
        "Pareto front",
        best,
        mode="lines+markers" if len(front.objectives) == 2 else "markers",
        marker={"color": COLOURS[0], "size": 10, "symbol": "diamond"},
        line={"color": COLOURS[0], "width": 2, "shape": "hv" if front.steps == "steps-post" else "vh"},
    )
    return {
        "data": [others, line],
        "layout": {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}, "showlegend": True},
    }


def draw_curves(files: Outputs, path: Path, curves: Curves) -> None:
    with picture(files, path, 6.4, 4.2) as canvas:
        axes = canvas.subplots()
        for i, line in enumerate(curves.lines):
            ys = [spot.y for spot in line.spots]
            halves = [spot.half or 0 for spot in line.spots]
            shown = halves if any(halves) else None
            if curves.kind == "bars":
                names = [str(spot.x) for spot in line.spots]
                axes.bar(range(len(names)), ys, 0.7, yerr=shown, capsize=3, color=COLOURS[0])
                axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
                continue
            axes.errorbar(
                [spot.x for spot in line.spots],
                ys,
                shown,
                label=line.name,
                color=COLOURS[i % len(COLOURS)],
                marker=MARKERS[i % len(MARKERS)],
                linestyle=STROKES[i // len(COLOURS) % len(STROKES)] if curves.kind == "lines" else "none",
                markersize=4,
                capsize=3,
            )
        finish(axes, "" if curves.kind == "bars" else curves.x, curves.y, legend=len(curves.lines) > 1)
        axes.set_ylim(bottom=0)
        if curves.ticks:
            axes.set_xscale("log")
            least, most = axes.get_xlim()
            axes.set_xticks(curves.ticks, [cell(float(tick)) for tick in curves.ticks])
            axes.set_xlim(least, most)
            axes.minorticks_off()


def finish(axes: Axes, x: str, y: str, legend: bool) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if legend:
        axes.legend(fontsize=7, handlelength=4)


def draw_front(files: Outputs, path: Path, front: Front) -> None:
    with picture(files, path, 6.4, 4.2) as canvas:
        axes = canvas.subplots()
        beaten = [point for row, point in zip(front.rows, front.points, strict=True) if row not in front.on]
        axes.plot(*(zip(*beaten, strict=True) if beaten else ((), ())), "o", color="0.6", label="other runs")
        two = len(front.objectives) == 2
        axes.plot(
            *zip(*front.best, strict=True),
            marker="D",
            color=COLOURS[0],
            label="Pareto front",
            linestyle="-" if two else "none",
            drawstyle=front.steps,
        )
        finish(axes, *front.axes, legend=True)
