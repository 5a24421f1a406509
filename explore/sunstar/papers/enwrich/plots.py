# SPDX-License-Identifier: MIT
"""The drawing of each experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sunstar.papers.enwrich.cases import LAYOUTS
from sunstar.study.cases import Found
from sunstar.study.plots import Line, bars, lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COLOURS = {"tc": "C1", "enwrich": "C0", "ddio": "0.75", "tc-sstf": "C3", "tc-cscan": "C8"}
MARKERS = ("o", "s", "^", "D")
STYLES = {"tc": "--", "enwrich": "-"}


def base(found: Found, canvas: Canvas) -> None:
    """A row of bars for each record size."""
    sizes, patterns = found.record_sizes, found.patterns
    canvas.set_figheight(canvas.get_figheight() * len(sizes))
    for axes, size in zip(canvas.subplots(len(sizes), 1, squeeze=False)[:, 0], sizes, strict=True):
        groups = {
            method: [found.mib(found.one(method, pattern=pattern, record_bytes=size)) for pattern in patterns]
            for method in ("tc", "enwrich", "ddio")
        }
        bars(axes, patterns, groups, COLOURS)
        axes.set_title(f"{size}-byte records", fontsize=9)
    canvas.axes[0].legend(fontsize=7, ncols=3, loc="upper left", bbox_to_anchor=(0, 1.16), frameon=False)


def cache_size(found: Found, canvas: Canvas) -> None:
    patterns = found.patterns
    groups = {"tc": [found.mib(found.one("tc", pattern=pattern)) for pattern in patterns]}
    for x in ("0.5", "1", "2"):
        groups[f"enwrich, {x} MiB"] = [found.mib(found.one("enwrich", pattern=p, x=x)) for p in patterns]
    shades = {"tc": "C1", "enwrich, 0.5 MiB": "#a6cbe8", "enwrich, 1 MiB": "#4f93c8", "enwrich, 2 MiB": "#1a4f7c"}
    axes = canvas.subplots()
    bars(axes, patterns, groups, shades)
    axes.legend(fontsize=7, ncols=4, loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False)


def curves(x_label: str) -> Callable[[Found, Canvas], None]:
    def draw(found: Found, canvas: Canvas) -> None:
        drawn = [
            Line(f"{pattern} {method}", found.curve(method, pattern), style, MARKERS[i], f"C{i}")
            for method, style in STYLES.items()
            for i, pattern in enumerate(found.patterns)
        ]
        lines(canvas.subplots(), drawn, x_label)

    return draw


def traced(found: Found, canvas: Canvas) -> None:
    pacings = found.xs
    groups = {method: [found.mib(found.one(method, x=x)) for x in pacings] for method in found.methods}
    axes = canvas.subplots()
    bars(axes, pacings, groups, COLOURS)
    axes.set_xticks(range(len(pacings)), pacings, rotation=0, ha="center")
    axes.legend(fontsize=7)


def scheduler(found: Found, canvas: Canvas) -> None:
    patterns = found.patterns
    for axes, layout in zip(canvas.subplots(1, 2), LAYOUTS, strict=True):
        groups = {
            method: [found.mib(found.one(method, pattern=pattern, layout=layout)) for pattern in patterns]
            for method in ("tc", "tc-sstf", "tc-cscan", "enwrich")
        }
        bars(axes, patterns, groups, COLOURS)
        axes.set_title(layout, fontsize=9)
    canvas.legend(*canvas.axes[0].get_legend_handles_labels(), fontsize=7, ncols=4, loc="outside lower center")


def options(found: Found, canvas: Canvas) -> None:
    patterns, names = found.patterns, [x for x in found.xs if x != "none"]
    axes = canvas.subplots()
    height = 0.8 / len(patterns)
    for i, pattern in enumerate(patterns):
        plain = found.mib(found.one(pattern=pattern, x="none"))
        gain = [100 * (found.mib(found.one(pattern=pattern, x=x)) / plain - 1) for x in names]
        axes.barh([at + i * height for at in range(len(names))], gain, height, label=pattern)
    axes.set_yticks([at + 0.4 - height / 2 for at in range(len(names))], names)
    axes.invert_yaxis()
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_xlabel("throughput against ENWRICH without options (%)")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(fontsize=7)


def latency(found: Found, canvas: Canvas) -> None:
    for axes, layout in zip(canvas.subplots(1, 2, sharey=True), LAYOUTS, strict=True):
        for method, style in STYLES.items():
            for i, key in enumerate(found.select(method, layout=layout)):
                of = found[key].latency
                values = [1000 * seconds for seconds in (of.p50_s, of.p90_s, of.p99_s, of.max_s)]
                label = f"{key.pattern} {key.record_bytes} B {method}"
                axes.plot(
                    ("p50", "p90", "p99", "max"), values, style, marker="o", color=f"C{i}", label=label, markersize=4
                )
        axes.set_yscale("log")
        axes.set_title(layout, fontsize=9)
        axes.grid(alpha=0.3)
    canvas.axes[0].set_ylabel("a write's time at the CP (ms)")
    canvas.legend(
        *canvas.axes[0].get_legend_handles_labels(), fontsize=7, ncols=4, handlelength=4, loc="outside lower center"
    )
