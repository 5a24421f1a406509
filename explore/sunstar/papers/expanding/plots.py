# SPDX-License-Identifier: MIT
"""The drawing of each experiment: the paper's three measures, and bytes with headers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sunstar.papers.expanding.measures import Normalised, normalised
from sunstar.study.cases import Found, Key
from sunstar.study.plots import bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PANELS = {
    "time": "time",
    "data": "message bytes",
    "messages": "messages",
    "network": "message bytes with headers",
}
COLOURS = {
    "tc": "C1",
    "tc-share": "#c05a00",
    "tc-direct": "#ffc48a",
    "tc-no-prefetch": "#ffc48a",
    "tc-gather": "#ffc48a",
    "ddio": "0.65",
    "ddio-at-cp": "0.85",
    "ddio-gather": "0.85",
    "tc, 90 %": "#ffc48a",
    "ddio, 90 %": "C0",
    "ddio-at-cp, 90 %": "#a6cbe8",
}
FEW = 4
"""The names of so many groups fit side by side."""
SHORT = {"contiguous": "contig", "random-blocks": "random"}


def panels(group: Callable[[Key], str], series: Callable[[Key], str]) -> Callable[[Found, Canvas], None]:
    """A panel for each measure; points of one group stand together, points of one series have one colour."""

    def draw(found: Found, canvas: Canvas) -> None:
        of = {(group(key), series(key)): normalised(found, key) for key in found.select()}
        names = list(dict.fromkeys(name for name, _ in of))
        methods = list(dict.fromkeys(method for _, method in of))
        for axes, (measure, title) in zip(canvas.subplots(2, 2).flat, PANELS.items(), strict=True):
            groups = {method: [value(of.get((name, method)), measure) for name in names] for method in methods}
            bars(axes, names, groups, COLOURS, "over the best possible")
            if len(names) <= FEW:
                axes.set_xticks(range(len(names)), names, rotation=0, ha="center")
            axes.axhline(1, color="0.3", linewidth=0.8)
            axes.set_title(title, fontsize=9)
        canvas.legend(*canvas.axes[0].get_legend_handles_labels(), fontsize=7, ncols=5, loc="outside lower center")

    return draw


def value(of: Normalised | None, measure: str) -> float:
    """No bar where nothing was measured."""
    return float("nan") if of is None else float(getattr(of, measure))


def place(key: Key) -> str:
    return f"{SHORT[key.layout]}\n{key.record_bytes} B"


distribution = panels(place, lambda key: key.method)
filtering = panels(place, lambda key: key.method + (f", {100 * float(key.x):.0f} %" if float(key.x) else ""))
subsets = panels(lambda key: f"{SHORT[key.layout]}\n{key.x}", lambda key: key.method)
functions = panels(lambda key: f"{SHORT[key.layout]} {key.record_bytes} B {key.pattern}", lambda key: key.method)
