# SPDX-License-Identifier: MIT
"""How a run went, interval by interval (run.interval): throughput and the queues at its drives, as curves."""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from sunstar.drawing import Axes, Canvas, SubCanvas, canvas_of, picture
from sunstar.files import Outputs

OverTime = Mapping[str, Any]  # `over_time` of a result
RATES = {
    "moved": "moved between processors",
    "read": "read by drives",
    "written": "written by drives",
    "rebuilt": "rebuilt on spares",
    "lost": "reported lost",
}
"""The drawing of each figure, if it is not all 0."""
WIDTH, HEIGHT = 6.4, 3.6  # Of both panels, in inches


def rates(over_time: OverTime) -> dict[str, list[float]]:
    """MiB/s in each interval, of all figures that are not all 0."""
    step = over_time["interval_s"] * 2**20
    found = {name: [each / step for each in over_time.get(f"{name}_bytes", ())] for name in RATES}
    return {name: values for name, values in found.items() if any(values)}


def draw_rates(axes: Axes, over_time: OverTime) -> None:
    step = over_time["interval_s"]
    for name, values in rates(over_time).items():
        edges = [i * step for i in range(len(values) + 1)]
        axes.stairs(values, edges, label=RATES[name], color=f"C{list(RATES).index(name)}", linewidth=1.2)
    axes.set_ylim(bottom=0)
    axes.margins(x=0)
    axes.grid(alpha=0.3)


def draw_over_time(canvas: Canvas | SubCanvas, over_time: OverTime) -> None:
    """Throughput above the queues."""
    above, below = canvas.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    draw_rates(above, over_time)
    above.set_ylabel("MiB/s")
    above.legend(fontsize=7)
    queued = over_time["queued"]
    below.stairs(queued, [i * over_time["interval_s"] for i in range(len(queued) + 1)], color="0.3")
    below.set_ylabel("requests waiting\nat all drives", fontsize=8)
    below.set(xlabel="simulated time since the first request (s)", ylim=(0, None))
    below.grid(alpha=0.3)


def draw_file(files: Outputs, path: Path, over_time: OverTime, title: str) -> None:
    with picture(files, path, WIDTH, HEIGHT, 8) as canvas:
        draw_over_time(canvas, over_time)
        canvas.suptitle(title, fontsize=9)


def as_svg(over_time: OverTime) -> str:
    """The drawing, to stand in a page; the same each time."""
    import matplotlib as mpl

    text = StringIO()
    with canvas_of(WIDTH, HEIGHT, 8) as canvas, mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sunstar"}):
        draw_over_time(canvas, over_time)
        canvas.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]
