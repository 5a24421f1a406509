# SPDX-License-Identifier: MIT
"""Drawings of the network's curves."""

from collections.abc import Sequence
from pathlib import Path

from sunstar.files import Outputs
from sunstar.study.plots import picture
from sunstar.validation.network.curves import LoadPoint
from sunstar.validation.network.worms import WormPoint

TICKS = (10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 1000)


def draw_curve(files: Outputs, path: Path, points: Sequence[LoadPoint]) -> None:
    """Draws one configuration: latency against load on the left, accepted against offered load on the right."""
    with picture(files, path, 8.4, 3.6, dpi=120) as canvas:
        latency, accepted = canvas.subplots(1, 2)
        by_load = sorted(points, key=lambda p: p.offered)
        measured = [p for p in by_load if p.reference_latency is not None]
        theirs = [(p.offered, p.reference_latency) for p in measured if p.reference_latency is not None]
        ours = [(p.offered, p.latency) for p in measured if p.latency is not None]
        latency.plot([x for x, _ in theirs], [y for _, y in theirs], "o", mfc="none", label="BookSim2")
        latency.plot([x for x, _ in ours], [y for _, y in ours], "x-", label="flit model")
        latency.set_yscale("log")
        shown = [y for _, y in theirs + ours]
        latency.set_ylim(0.9 * min(shown), 1.1 * max(shown))
        ticks = [t for t in TICKS if min(shown) * 0.9 <= t <= max(shown) * 1.1]
        latency.set_yticks(ticks, [str(t) for t in ticks])
        latency.minorticks_off()
        latency.set_ylabel("mean latency from creation (cycles)")
        loads = [p.offered for p in by_load]
        accepted.plot(loads, [p.reference_accepted for p in by_load], "o", mfc="none", label="BookSim2")
        accepted.plot(loads, [p.accepted for p in by_load], "x-", label="flit model")
        accepted.set_ylabel("accepted load")
        accepted.set_ylim(bottom=0)
        for axes in (latency, accepted):
            axes.set_xlim(left=0)
            axes.set_xlabel("offered load (flits a node a cycle)")
            axes.grid(alpha=0.3)
            axes.legend(fontsize=8)
        canvas.suptitle(points[0].curve.name(), fontsize=9)


def draw_worms(files: Outputs, path: Path, points: Sequence[WormPoint]) -> None:
    """Draws the worm model's error by load, with a line for each case."""
    with picture(files, path, 6.4, 4.8) as canvas:
        axes = canvas.subplots()
        import matplotlib as mpl

        axes.set_prop_cycle(color=[mpl.colormaps["tab20"](i) for i in range(20)])
        for case in dict.fromkeys(p.case for p in points):
            mine = [p for p in points if p.case == case]
            axes.plot(
                [100 * p.share for p in mine],
                [100 * p.error for p in mine],
                {"uniform": "-", "tornado": "--"}.get(case.traffic, ":"),
                marker="o",
                markersize=3,
                label=f"{case.traffic}, L={case.flits}, B={case.buffer}",
            )
        for low, high, bound in ((0, 20, 3), (20, 60, 9)):
            axes.hlines([-bound, bound], low, high, colors="grey", linewidth=0.8, label=f"{bound} % up to {high} %")
        axes.set_xlabel("load (% of saturation)")
        axes.set_ylabel("latency, worm beside flit model (%)")
        axes.set_ylim(-16, 10)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=6, ncols=4, handlelength=3, loc="upper center", bbox_to_anchor=(0.5, -0.13))
