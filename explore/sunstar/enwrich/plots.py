# SPDX-License-Identifier: MIT
"""The experiments as pictures, one each."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from sunstar.enwrich.cases import LAYOUTS, Found
from sunstar.enwrich.experiments import Experiment
from sunstar.output import whole

COLOURS = {"tc": "C1", "enwrich": "C0", "ddio": "0.75", "tc-sstf": "C3", "tc-cscan": "C8"}
MARKERS = ("o", "s", "^", "D")


def bars(axes: Axes, names: Sequence[str], groups: Mapping[str, Sequence[float]], colours: Mapping[str, str]) -> None:
    """A group of bars for each name, one of each series."""
    width = 0.8 / len(groups)
    for i, (series, values) in enumerate(groups.items()):
        places = [at + (i - (len(groups) - 1) / 2) * width for at in range(len(names))]
        axes.bar(places, values, width, label=series, color=colours.get(series))
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_ylabel("throughput (MiB/s)")


def base(found: Found, canvas: Canvas) -> None:
    sizes, patterns = found.values("record_bytes"), found.values("pattern")
    for axes, size in zip(canvas.subplots(len(sizes), 1, squeeze=False)[:, 0], sizes, strict=True):
        groups = {
            m: [found.mib(found.select(m, pattern=p, record_bytes=size)[0]) for p in patterns]
            for m in ("tc", "enwrich", "ddio")
        }
        bars(axes, patterns, groups, COLOURS)
        axes.set_title(f"{size}-byte records", fontsize=9)
    canvas.axes[0].legend(fontsize=7, ncols=3, loc="upper left", bbox_to_anchor=(0, 1.16), frameon=False)


def cache_size(found: Found, canvas: Canvas) -> None:
    patterns = found.values("pattern")
    groups = {"tc": [found.mib(found.select("tc", pattern=p)[0]) for p in patterns]}
    for x in ("0.5", "1", "2"):
        groups[f"enwrich, {x} MB"] = [found.mib(found.select("enwrich", pattern=p, x=x)[0]) for p in patterns]
    shades = {"tc": "C1", "enwrich, 0.5 MB": "#a6cbe8", "enwrich, 1 MB": "#4f93c8", "enwrich, 2 MB": "#1a4f7c"}
    axes = canvas.subplots()
    bars(axes, patterns, groups, shades)
    axes.legend(fontsize=7, ncols=4, loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False)


def curves(found: Found, canvas: Canvas) -> None:
    axes = canvas.subplots()
    ticks = [int(x) for x in found.values("x")]
    for method, style in (("tc", "--"), ("enwrich", "-")):
        for i, pattern in enumerate(found.values("pattern")):
            keys = found.select(method, pattern=pattern)
            xs, ys = [int(key.x) for key in keys], [found.mib(key) for key in keys]
            axes.plot(xs, ys, style, marker=MARKERS[i], color=f"C{i}", label=f"{pattern} {method}", markersize=4)
    if ticks[1] == 2 * ticks[0] and ticks[-1] == ticks[0] * 2 ** (len(ticks) - 1):
        axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(ticks), [str(x) for x in sorted(ticks)])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_ylabel("throughput (MiB/s)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, handlelength=4, ncols=2)


def traced(found: Found, canvas: Canvas) -> None:
    pacings = found.values("x")
    groups = {m: [found.mib(found.select(m, x=x)[0]) for x in pacings] for m in found.values("method")}
    axes = canvas.subplots()
    bars(axes, pacings, groups, COLOURS)
    axes.set_xticks(range(len(pacings)), pacings, rotation=0, ha="center")
    axes.legend(fontsize=7)


def scheduler(found: Found, canvas: Canvas) -> None:
    patterns = found.values("pattern")
    for axes, layout in zip(canvas.subplots(1, 2), LAYOUTS, strict=True):
        groups = {
            m: [found.mib(found.select(m, pattern=p, layout=layout)[0]) for p in patterns]
            for m in ("tc", "tc-sstf", "tc-cscan", "enwrich")
        }
        bars(axes, patterns, groups, COLOURS)
        axes.set_title(layout, fontsize=9)
    canvas.legend(*canvas.axes[0].get_legend_handles_labels(), fontsize=7, ncols=4, loc="outside lower center")


def options(found: Found, canvas: Canvas) -> None:
    patterns, names = found.values("pattern"), [x for x in found.values("x") if x != "none"]
    axes = canvas.subplots()
    height = 0.8 / len(patterns)
    for i, pattern in enumerate(patterns):
        plain = found.mib(found.select(pattern=pattern, x="none")[0])
        gain = [100 * (found.mib(found.select(pattern=pattern, x=x)[0]) / plain - 1) for x in names]
        axes.barh([at + i * height for at in range(len(names))], gain, height, label=pattern)
    axes.set_yticks([at + 0.4 - height / 2 for at in range(len(names))], names)
    axes.invert_yaxis()
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.set_xlabel("throughput against ENWRICH without options (%)")
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(fontsize=7)


def latency(found: Found, canvas: Canvas) -> None:
    percentiles = ("p50", "p90", "p99", "max")
    for axes, layout in zip(canvas.subplots(1, 2, sharey=True), LAYOUTS, strict=True):
        for method, style in (("tc", "--"), ("enwrich", "-")):
            for i, key in enumerate(found.select(method, layout=layout)):
                label = f"{key.pattern} {key.record_bytes} B {method}"
                values = [1000 * found.latency(key, p) for p in percentiles]
                axes.plot(percentiles, values, style, marker="o", color=f"C{i}", label=label, markersize=4)
        axes.set_yscale("log")
        axes.set_title(layout, fontsize=9)
        axes.grid(alpha=0.3)
    canvas.axes[0].set_ylabel("a write's time at the CP (ms)")
    canvas.legend(
        *canvas.axes[0].get_legend_handles_labels(), fontsize=7, ncols=4, handlelength=4, loc="outside lower center"
    )


PLOTS: Mapping[str, tuple[Callable[[Found, Canvas], None], tuple[float, float]]] = {
    "4": (base, (7.2, 3.0)),
    "5": (base, (7.2, 3.0)),
    "6": (cache_size, (7.2, 4.0)),
    **dict.fromkeys(("7", "8", "9", "10"), (curves, (6.4, 4.2))),
    "11": (traced, (4.8, 3.6)),
    "scheduler": (scheduler, (8.0, 4.0)),
    "options": (options, (7.2, 7.0)),
    "latency": (latency, (8.0, 4.8)),
}
"""What draws an experiment, and its size in inches; for figures 4 and 5 of each record size."""


def draw(experiment: Experiment, found: Found, path: Path) -> Path:
    """Draws an experiment as a PNG."""
    how, (width, height) = PLOTS[experiment.name]
    if how is base:
        height *= len(found.values("record_bytes"))
    with mpl.rc_context({"font.size": 8}):
        canvas = Canvas(figsize=(width, height), layout="constrained")
        how(found, canvas)
        figure = f"figure {experiment.name}: " if experiment.name.isdecimal() else ""
        canvas.suptitle(f"ENWRICH, {figure}{experiment.title}", fontsize=9)
        if how is curves:
            canvas.axes[0].set_xlabel(experiment.x_label)
        with whole(path) as temporary:
            canvas.savefig(temporary, dpi=150)
    return path
