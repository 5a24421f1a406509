# SPDX-License-Identifier: MIT
"""The map of the collectives: a row for each pattern and record size, a column for each network and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sunstar.papers.five_ways.cases import MEDIUM, WAYS, condition, way_of
from sunstar.papers.five_ways.leads import Best, best, short
from sunstar.study.cases import Found, Key

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

COLOURS = {"tc": "#f2a65a", "two-phase": "#8fc98b", "ddio": "#7fb2e0", "enwrich": "#d98fc0", "hybrid": "#b9a7e6"}
NAMES = {
    "tc": "traditional caching",
    "two-phase": "two-phase I/O",
    "ddio": "disk-directed I/O, of which the hybrid makes its collectives",
    "enwrich": "ENWRICH",
    "hybrid": "hybrid",
}
RIVALS = {"tc": "t", "two-phase": "p", "enwrich": "e"}
"""The initials of ways that are as good as the recommended one. Disk-directed I/O always takes less memory."""


def draw_map(found: Found, canvas: Canvas) -> None:
    from matplotlib.patches import Patch

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
        axes.set_xticks(range(len(found.xs)), [heading(x, "\n") for x in found.xs], fontsize=7)
        axes.set_yticks(range(len(rows)), [f"{pattern}  {size} B" for size, pattern in rows], fontsize=7)
        axes.tick_params(length=0)
        axes.set_title(layout, fontsize=9)
        axes.set_xlabel("MB/s a link; memory, where not medium", fontsize=8)
    patches = [Patch(facecolor=COLOURS[way], label=NAMES[way]) for way in WAYS if way in seen]
    initials = ", ".join(f"{letter} {NAMES[way]}" for way, letter in RIVALS.items())
    patches.append(Patch(facecolor=lighter("#808080"), label=f"lighter: others are within 5 %: {initials}"))
    canvas.legend(handles=patches, fontsize=7.5, ncols=2, loc="outside lower center")


def cell(axes: Axes, row: int, column: int, what: Best) -> None:
    """The best throughput in the colour of the recommended way, and the initials of those that are as good."""
    from matplotlib.patches import Rectangle

    own = COLOURS[way_of(what.thrifty)]
    drawn = lighter(own) if what.rivals else own
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=drawn, edgecolor="white", linewidth=0.8))
    mark = "+" if short(what.thrifty).endswith("+") else ""
    rivals = "".join(letter for way, letter in RIVALS.items() if way in what.rivals)
    text = f"{what.speeds[what.leader.first]:.1f}{mark}{' ' if rivals else ''}{rivals}"
    axes.text(column, row, text, ha="center", va="center", fontsize=6.5)


def lighter(colour: str) -> tuple[float, float, float]:
    """Half way to white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return (0.5 + red / 2, 0.5 + green / 2, 0.5 + blue / 2)


def heading(x: str, between: str = " ") -> str:
    """The heading of a condition's column: MB/s a link, and memory that is not medium."""
    bandwidth, memory = condition(x)
    return f"{bandwidth}" if memory == MEDIUM else f"{bandwidth}{between}{memory}"
