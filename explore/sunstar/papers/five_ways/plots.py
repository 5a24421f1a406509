# SPDX-License-Identifier: MIT
"""The drawing of each experiment; that of the collectives is the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sunstar.papers.five_ways.cases import BIG, FLIT, MEDIUM, SMALL, WAYS, WORM, condition, way_of
from sunstar.papers.five_ways.leads import Best, best, short, slowdown, speed
from sunstar.study.cases import Found, Key
from sunstar.study.plots import bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = {"tc": "#f2a65a", "two-phase": "#8fc98b", "ddio": "#7fb2e0", "enwrich": "#d98fc0", "hybrid": "#b9a7e6"}
OPTIONS = {"tc": "#b5651d", "two-phase": "#3f8f3a", "ddio": "#2f6fb0", "enwrich": "#9c3f80", "hybrid": "#6a4fc0"}
"""Of each way with an option that gathers, strides or goes round; the map draws both in the colour of the way."""
NAMES = {
    "tc": "traditional caching",
    "two-phase": "two-phase I/O",
    "ddio": "disk-directed I/O, of which the hybrid makes its collectives",
    "enwrich": "ENWRICH",
    "hybrid": "hybrid",
}
RIVALS = {"tc": "t", "two-phase": "p", "enwrich": "e"}
"""The initials of ways that are as good as the recommended one. Disk-directed I/O always takes less memory."""
SHORT = {"contiguous": "contiguous", "random-blocks": "random blocks"}


def colour(method: str) -> str:
    way = way_of(method)
    return COLOURS[way] if method == way else OPTIONS[way]


def collective(found: Found, canvas: Canvas) -> None:
    """The map: a row for each pattern and record size, a column for each network and memory."""
    rows = [(size, pattern) for size in found.record_sizes for pattern in found.patterns]
    width, height = 1.0 + 0.67 * len(found.xs) * len(found.layouts), 1.6 + 0.215 * len(rows)
    canvas.set_size_inches(max(8.8, width), height)
    panels = canvas.subplots(1, len(found.layouts), squeeze=False, sharey=True)[0]
    seen = set()
    for axes, layout in zip(panels, found.layouts, strict=True):
        for i, (size, pattern) in enumerate(rows):
            for j, x in enumerate(found.xs):
                what = best(found, Key("", pattern, layout, size, x))
                cell(axes, i, j, what)
                seen.add(way_of(what.thrifty))
        for i in range(len(found.patterns), len(rows), len(found.patterns)):
            axes.axhline(i - 0.5, color="black", linewidth=1.5)
        axes.set_xlim(-0.5, len(found.xs) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(found.xs)), [column(x) for x in found.xs], fontsize=7)
        axes.set_yticks(range(len(rows)), [f"{pattern}  {size} B" for size, pattern in rows], fontsize=7)
        axes.tick_params(length=0)
        axes.set_title(SHORT[layout], fontsize=9)
        axes.set_xlabel("MB/s a link; memory, where not medium", fontsize=8)
    drawn = [way for way in WAYS if way in seen]
    from matplotlib.patches import Patch

    patches = [Patch(facecolor=COLOURS[way], label=NAMES[way]) for way in drawn]
    initials = ", ".join(f"{letter} {NAMES[way]}" for way, letter in RIVALS.items())
    patches.append(Patch(facecolor=lighter("#808080"), label=f"lighter: others are within 5 %: {initials}"))
    canvas.legend(handles=patches, fontsize=7.5, ncols=2, loc="outside lower center")


def cell(axes: Axes, row: int, column_: int, what: Best) -> None:
    """The best throughput in the colour of the recommended way, and the initials of those that are as good."""
    own = COLOURS[way_of(what.thrifty)]
    from matplotlib.patches import Rectangle

    drawn = lighter(own) if what.rivals else own
    axes.add_patch(Rectangle((column_ - 0.5, row - 0.5), 1, 1, facecolor=drawn, edgecolor="white", linewidth=0.8))
    mark = "+" if short(what.thrifty).endswith("+") else ""
    rivals = "".join(letter for way, letter in RIVALS.items() if way in what.rivals)
    text = f"{what.speeds[what.leader.first]:.1f}{mark}{' ' if rivals else ''}{rivals}"
    axes.text(column_, row, text, ha="center", va="center", fontsize=6.5)


def lighter(colour_: str) -> tuple[float, float, float]:
    """Half way to white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour_)
    return (0.5 + red / 2, 0.5 + green / 2, 0.5 + blue / 2)


def column(x: str) -> str:
    bandwidth, memory = condition(x)
    return f"{bandwidth}" if memory == MEDIUM else f"{bandwidth}\n{memory}"


def groups_of(
    found: Found, rows: Sequence[Key], methods: Sequence[str], value: Callable[[Key], float]
) -> dict[str, list[float]]:
    """The bars of each method; none where nothing was measured."""
    return {
        method: [
            value(key) if key in found.results else float("nan")
            for key in (row._replace(method=method) for row in rows)
        ]
        for method in methods
    }


def by_method(found: Found, canvas: Canvas) -> None:
    """A panel for each layout and record size: throughput of each method."""
    panels = canvas.subplots(len(found.layouts), len(found.record_sizes), squeeze=False, sharey="row")
    canvas.set_size_inches(2.2 + 3.0 * len(found.record_sizes), 5.2)
    for i, layout in enumerate(found.layouts):
        for j, size in enumerate(found.record_sizes):
            axes = panels[i, j]
            rows = [Key("", pattern, layout, size, found.xs[0]) for pattern in found.patterns]
            groups = groups_of(found, rows, found.methods, lambda key: speed(found, key))
            bars(axes, found.patterns, groups, {method: colour(method) for method in found.methods}, "")
            axes.set_xticks(range(len(rows)), found.patterns, rotation=0, ha="center")
            axes.set_title(f"{SHORT[layout]}, {size} B", fontsize=8)
        panels[i, 0].set_ylabel("MiB/s")
    legend(canvas)


def mixed(found: Found, canvas: Canvas) -> None:
    """A panel for each layout and measure: throughput, and how much longer each job takes beside the other one."""

    measures: dict[str, Callable[[Key], float]] = {
        "MiB/s of both jobs": lambda key: speed(found, key),
        "slowdown of the collective": lambda key: slowdown(found, key, BIG),
        "slowdown of the calls": lambda key: slowdown(found, key, SMALL),
    }
    panels = canvas.subplots(len(measures), len(found.layouts), squeeze=False, sharex=True)
    for i, (title, measure) in enumerate(measures.items()):
        for j, layout in enumerate(found.layouts):
            axes = panels[i, j]
            rows = [Key("", pattern, layout, found.record_sizes[0], found.xs[0]) for pattern in found.patterns]
            groups = groups_of(found, rows, found.methods, measure)
            bars(axes, found.patterns, groups, {method: colour(method) for method in found.methods}, "")
            axes.set_xticks(range(len(rows)), found.patterns, rotation=0, ha="center", fontsize=7)
            axes.set_title(f"{SHORT[layout]}: {title}", fontsize=8)
            if i:
                axes.axhline(1, color="0.3", linewidth=0.8)
        if "calls" in title:  # up to a hundred
            for axes in panels[i]:
                axes.set_yscale("log")
                axes.yaxis.set_major_formatter("{x:g}")
    legend(canvas)


def legend(canvas: Canvas) -> None:
    canvas.legend(*canvas.axes[0].get_legend_handles_labels(), fontsize=7.5, ncols=6, loc="outside lower center")


def models(found: Found, canvas: Canvas) -> None:
    axes = canvas.subplots()
    worms = found.select(x=WORM)
    groups = {model: [speed(found, key._replace(x=model)) for key in worms] for model in (WORM, FLIT)}
    bars(axes, [f"{key.pattern} {key.method}" for key in worms], groups, {WORM: "C0", FLIT: "C1"})
    axes.legend(fontsize=7)
