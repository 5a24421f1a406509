# SPDX-License-Identifier: MIT
"""sunstar goodput: the share of time in which training makes lasting progress although nodes fail, by the interval
between checkpoints: simulated, and by the formulae of Young (1974) and Daly (2006)."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from sunstar.commands import ResultsOption, results_folder, written
from sunstar.console import Printed, console, percent, print_table
from sunstar.errors import UsageError
from sunstar.feeding.answers import write_points
from sunstar.files import Outputs, make_folder
from sunstar.quantities import duration
from sunstar.reports.curves import Curves, Line, Mark, Spot, draw_curves
from sunstar.reports.samples import half_width
from sunstar.results import read_file

BLOCKS, FAILURES = 20, 10_000  # The goodputs of blocks of so many failures give the interval of confidence
RANGE, POINTS = 16.0, 33  # Intervals from a sixteenth of Daly's to sixteen times that
NEAR = 2.0  # Around the best of them, within this factor, a parabola finds the top
SHOWN = POINTS // 8  # The distance between two printed points


class Row(NamedTuple):
    interval_s: float
    goodput: float  # Simulated
    half: float  # Half its 95 % interval
    formula: float
    name: str = ""


@dataclass(frozen=True)
class Losses:
    """What checkpoints and failures cost, in seconds."""

    stall: float  # How long a checkpoint stops training
    restart: float  # From a failure until training goes on
    behind: float  # From the end of the stall until the checkpoint is safe
    between: float  # The mean time between failures of any node

    @property
    def young(self) -> float:
        return math.sqrt(2 * self.stall * self.between)

    @property
    def daly(self) -> float:
        """Daly's higher-order estimate, equation 37."""
        small = self.stall / (2 * self.between)
        return self.young * (1 + math.sqrt(small) / 3 + small / 9) - self.stall if small < 1 else self.between

    def formula(self, interval: float) -> float:
        """Daly's complete model, equation 20; a checkpoint is safe when the stall ends."""
        period = (interval + self.stall) / self.between
        return interval / self.between * math.exp(-self.restart / self.between) / math.expm1(period)

    def row(self, interval: float, seed: int, name: str = "") -> Row:
        """Times from failure to failure are exponential. A failure loses what is younger than the last safe checkpoint;
        one during a restart begins the restart anew."""
        up = np.random.default_rng(seed).exponential(self.between, (BLOCKS, FAILURES))
        safe = np.maximum(up - self.restart - self.behind, 0) // (interval + self.stall)
        shares = (interval * safe.sum(1) / up.sum(1)).tolist()
        return Row(interval, float(np.mean(shares)), half_width(shares) or 0.0, self.formula(interval), name)

    def rows(self, seed: int) -> list[Row]:
        """Of intervals in which a checkpoint becomes safe before the next, with the best, Young's and Daly's."""
        tried = np.geomspace(max(self.daly / RANGE, self.behind), max(self.daly, self.behind) * RANGE, POINTS)
        rows = [self.row(float(each), seed) for each in tried]
        top = max(rows, key=lambda each: each.goodput).interval_s
        near = [each for each in rows if top / NEAR <= each.interval_s <= top * NEAR]
        a, b, _ = np.polyfit([math.log(each.interval_s) for each in near], [each.goodput for each in near], 2)
        if a < 0:
            top = min(max(math.exp(-b / (2 * a)), near[0].interval_s), near[-1].interval_s)
        named = {"best": top, "Young": self.young, "Daly": self.daly}
        rows += [self.row(each, seed, name) for name, each in named.items() if each >= self.behind]
        return sorted(rows)


def span(seconds: float) -> str:
    unit, length = next(((u, n) for u, n in (("d", 86400), ("h", 3600), ("min", 60)) if seconds >= 2 * n), ("s", 1))
    return f"{seconds / length:.3g} {unit}"


def curves(rows: list[Row]) -> Curves:
    """Of the lost time, in which differences are easier to see."""
    simulated = [Spot(of.interval_s, 100 * (1 - of.goodput), 100 * of.half, BLOCKS) for of in rows]
    formula = [Spot(of.interval_s, 100 * (1 - of.formula)) for of in rows]
    marks = [Mark(at.x, at.y, of.name) for at, of in zip(simulated, rows, strict=True) if of.name == "best"]
    lines = [Line("Daly's formula", formula, symbol="x"), Line("simulated", simulated, joined=False)]
    return Curves("lines", "interval between checkpoints (s)", "lost time (%)", lines, log=True, marks=marks)


def losses_of(result: Path | None, given: dict[str, str | None], mtbf: str, nodes: int | None) -> Losses:
    """Of a result with checkpoints, unless an option says otherwise."""
    times = {name: duration(f"--{name}", text) for name, text in given.items() if text is not None}
    if result:
        document = read_file(result)
        measured = (document.result.training or {}).get("checkpoint") or {}
        times = {name: measured[f"{name}_s"] for name in given if measured.get(f"{name}_s") is not None} | times
        nodes = nodes or int(document.config.get("machine", {}).get("compute_processors", 0))
    if missing := [f"--{name}" for name in ("stall", "restart") if name not in times]:
        where = f"{result} has no checkpoint that is written and read" if result else "no result is given"
        raise UsageError(f"{where}, so {' and '.join(missing)} must be there")
    stall, restart, between = times["stall"], times["restart"], duration("--mtbf", mtbf) / (nodes or 1)
    if not stall + restart < between:
        least = f"a stall of {span(stall)} and a restart of {span(restart)} must together be shorter than that"
        raise UsageError(f"one of {nodes or 1} nodes fails every {span(between)}; {least}")
    return Losses(stall, restart, max(times.get("write", 0.0) - stall, 0.0), between)


def goodput(
    result: Annotated[Path | None, typer.Argument(metavar="RESULT", help="Of a run with checkpoints.")] = None,
    mtbf: Annotated[str, typer.Option(metavar="TIME", help="Mean time between failures of a node.")] = "5y",
    nodes: Annotated[int | None, typer.Option(min=1, show_default="the result's", help="Nodes that train.")] = None,
    stall: Annotated[str | None, typer.Option(metavar="TIME", help="How long a checkpoint stops training.")] = None,
    write: Annotated[str | None, typer.Option(metavar="TIME", help="From its start until it is safe.")] = None,
    restart: Annotated[str | None, typer.Option(metavar="TIME", help="From a failure until training goes on.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the failures.")] = 1,
    results: ResultsOption = None,
) -> None:
    losses = losses_of(result, {"stall": stall, "restart": restart, "write": write}, mtbf, nodes)
    rows = losses.rows(seed)
    folder = make_folder(results_folder(results) / "goodput")
    with Outputs([result] if result else []) as files:
        write_points(files, folder, rows, Row._fields)
        draw_curves(files, folder / "goodput.png", curves(rows))
    cells = [[span(of.interval_s), *map(percent, of[1:4]), of.name] for of in rows]
    shown = [each for i, each in enumerate(cells) if each[-1] or i % SHOWN == 0]
    print_table(console(), Printed("", ("interval", "goodput", "± (95 %)", "formula", ""), shown))
    best = next(each for each in rows if each.name == "best")
    told = f"a checkpoint every {span(best.interval_s)} leaves most time for training, {percent(best.goodput)}"
    console().print(f"A node fails every {span(losses.between)}; {told}.\n{written(files.paths())}", soft_wrap=True)
