# SPDX-License-Identifier: MIT
"""The drawing of each experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sunstar.papers.two_phase.cases import FLIT, METHODS, WORM
from sunstar.study.cases import Found
from sunstar.study.plots import Line, bars, lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

STYLES = {
    "tc": (":", "o", "C1"),
    "two-phase": ("--", "s", "C2"),
    "two-phase-cyclic": ("-", "s", "C2"),
    "ddio": ("--", "^", "C0"),
    "ddio-gather": ("-", "^", "C0"),
}
COLUMNS = 5


def of_records(found: Found, canvas: Canvas) -> None:
    """A panel for each pattern and layout: throughput by the network's bandwidth."""
    patterns = found.patterns
    columns = min(COLUMNS, len(patterns))
    rows = -(-len(patterns) // columns)
    canvas.set_size_inches(2.1 * columns, 2.0 * rows * len(found.layouts) + 0.8)
    panels = canvas.subplots(rows * len(found.layouts), columns, squeeze=False)
    for i, layout in enumerate(found.layouts):
        for j, pattern in enumerate(patterns):
            axes = panels[i * rows + j // columns, j % columns]
            drawn = [
                Line(
                    method,
                    {int(key.x): found.mib(key) for key in found.select(method, pattern=pattern, layout=layout)},
                    *STYLES[method],
                )
                for method in METHODS
            ]
            bottom = j // columns == rows - 1
            lines(axes, drawn, "MB/s a link" if bottom else "", "MiB/s" if j % columns == 0 else "", legend=False)
            axes.tick_params(labelsize=6)
            axes.set_title(f"{layout} {pattern}", fontsize=8)
    canvas.legend(*panels[0, 0].get_legend_handles_labels(), fontsize=7, ncols=5, loc="outside lower center")


def models(found: Found, canvas: Canvas) -> None:
    axes = canvas.subplots()
    worms = [key for key in found.select() if key.x.endswith(WORM)]
    names = [f"{key.pattern} {key.method} {key.x.split()[0]} MB/s" for key in worms]
    groups = {model: [found.mib(key._replace(x=key.x.replace(WORM, model))) for key in worms] for model in (WORM, FLIT)}
    bars(axes, names, groups, {WORM: "C0", FLIT: "C1"})
    axes.legend(fontsize=7)
