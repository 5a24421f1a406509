# SPDX-License-Identifier: MIT
"""The report's figures 6 to 12 as experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sunstar.papers.tr94_226.cases import SWEEPS, Sweep, memory_bytes
from sunstar.papers.tr94_226.curves import a_copy, curves
from sunstar.papers.tr94_226.statements import of_figure
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot
from sunstar.study.measuring import one_trial
from sunstar.study.plots import Line, lines
from sunstar.study.tables import Printed, throughput

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    large: bool = False
    """Also values of x that take long."""
    most_memory: int | None = None
    """Bytes; a run that needs more is left out."""


def cases(sweep: Sweep, choice: Choice) -> Cases:
    return {
        key: sets
        for key, sets in sweep.cases(choice.large).items()
        if choice.most_memory is None or memory_bytes(sets, key) <= choice.most_memory
    }


def left_out(sweep: Sweep, choice: Choice) -> Iterator[tuple[Key, int]]:
    """The runs that do not fit into memory, and the bytes that they need."""
    fitting = cases(sweep, choice)
    for key, sets in sweep.cases(choice.large).items():
        if key not in fitting:
            yield key, memory_bytes(sets, key)


def table(number: int, found: Found) -> Iterator[Printed]:
    sweep, of = SWEEPS[number], curves(number, found)
    xs = sorted({x for curve in of.values() for x in curve})
    rows = [[str(x), *(throughput(curve.get(x)) for curve in of.values())] for x in xs]
    headings = [sweep.label(line).replace("ddio-presort", "ddio") for line in of]
    yield Printed("MiB/s (ra a copy)", (sweep.x_label, *headings), rows)


MARKERS = {"ra": "s", "rn": "^", "rb": "o", "rc": "D"}


def draw(number: int, found: Found, canvas: Canvas) -> None:
    """Draws a figure; the lines of disk-directed I/O are solid."""
    sweep, of = SWEEPS[number], curves(number, found)
    drawn = [
        Line(
            sweep.label(line),
            curve,
            "--" if line.method == "tc" else "-",
            MARKERS[line.pattern],
            f"C{i % len(MARKERS)}",
        )
        for i, (line, curve) in enumerate(of.items())
    ]
    lines(canvas.subplots(), drawn, sweep.x_label, "throughput (MiB/s; ra a copy)")


def columns(number: int, found: Found, key: Key) -> Mapping[str, Cell]:
    return {"mib_per_s_a_copy": a_copy(number, found, key)}


def trials_of_figure_10(key: Key) -> int:
    """Under traditional caching, single trials of rb vary by 3 %, and the statement is about 5 %."""
    return 40 if (key.method, key.pattern) == ("tc", "rb") else 1


LEAST_TRIALS: Mapping[int, Callable[[Key], int]] = {10: trials_of_figure_10}

PAPER = Paper("TR94-226")

EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    str(number): Experiment(
        str(number),
        sweep.title,
        partial(cases, sweep),
        partial(table, number),
        Plot(partial(draw, number), 6.4, 4.2),
        of_figure(number),
        LEAST_TRIALS.get(number, one_trial),
    )
    for number, sweep in SWEEPS.items()
}
