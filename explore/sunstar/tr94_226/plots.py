# SPDX-License-Identifier: MIT
"""The figures as pictures."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

from sunstar.output import whole
from sunstar.tr94_226.figures import Curves, Figure

MARKERS = {"ra": "s", "rn": "^", "rb": "o", "rc": "D"}


def draw(figure: Figure, curves: Curves, path: Path) -> Path:
    """Draws a figure as a PNG; x is logarithmic, disk-directed I/O solid."""
    with mpl.rc_context({"font.size": 9}):
        canvas = Canvas(figsize=(6.4, 4.2), layout="constrained")
        axes = canvas.subplots()
        for line, curve in curves.items():
            xs = sorted(curve)
            style = "--" if line.method == "tc" else "-"
            marker, colour = MARKERS[line.pattern], f"C{list(curves).index(line) % len(MARKERS)}"
            label = figure.label(line)
            axes.plot(xs, [curve[x] for x in xs], style, marker=marker, color=colour, label=label, markersize=4)
        axes.set_xscale("log", base=2 if max(figure.xs) < 64 else 10)
        ticks = sorted({x for curve in curves.values() for x in curve})
        axes.set_xticks(ticks, [str(x) for x in ticks])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel(figure.x_label)
        axes.set_ylabel("throughput (MiB/s; ra a copy)")
        axes.set_title(f"TR94-226, figure {figure.number}: {figure.title}", fontsize=9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, handlelength=4)
        with whole(path) as temporary:
            canvas.savefig(temporary, dpi=150)
    return path
