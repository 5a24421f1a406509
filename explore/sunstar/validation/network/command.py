# SPDX-License-Identifier: MIT
"""sunstar validate network"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Annotated

import polars as pl
import typer

from sunstar.console import Printed, in_parallel_with_progress, percent, print_table
from sunstar.drawing import picture
from sunstar.errors import UsageError
from sunstar.files import Outputs, write_table
from sunstar.results import NetworkResult
from sunstar.runs.runner import documents_of
from sunstar.runs.simulator import Point
from sunstar.study.command import Call, command
from sunstar.study.experiments import in_words, measure, run_with_progress, with_progress
from sunstar.validation.comparing import TABLES, Row, table
from sunstar.validation.network import curves as of_curves
from sunstar.validation.network import fabrics as of_fabrics
from sunstar.validation.network import models

TICKS = (10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 1000)


def draw_curve(files: Outputs, path: Path, points: Sequence[Row]) -> None:
    """Draws one configuration: latency against load on the left, accepted against offered load on the right."""
    with picture(files, path, 8.4, 3.6, dpi=120) as canvas:
        latency, accepted = canvas.subplots(1, 2)
        by_load = sorted(points, key=lambda p: p["offered"])
        measured = [p for p in by_load if p["reference_latency"] is not None]
        for axes, what, of in ((latency, "latency", measured), (accepted, "accepted", by_load)):
            for name, style, label in ((f"reference_{what}", "o", "BookSim2"), (what, "x-", "flit model")):
                known = [p for p in of if p[name] is not None]
                axes.plot([p["offered"] for p in known], [p[name] for p in known], style, mfc="none", label=label)
        shown = [p[name] for p in measured for name in ("reference_latency", "latency") if p[name] is not None]
        low, high = 0.9 * min(shown), 1.1 * max(shown)
        latency.set(yscale="log", ylim=(low, high), ylabel="mean latency from creation (cycles)")
        ticks = [t for t in TICKS if low <= t <= high]
        latency.set_yticks(ticks, [str(t) for t in ticks])
        latency.minorticks_off()
        accepted.set(ylim=(0, None), ylabel="accepted load")
        for axes in (latency, accepted):
            axes.set(xlim=(0, None), xlabel="offered load (flits a node a cycle)")
            axes.grid(alpha=0.3)
            axes.legend(fontsize=8)
        canvas.suptitle(points[0]["curve"], fontsize=9)


def draw_worms(files: Outputs, path: Path, of_cases: Sequence[Sequence[Row]]) -> None:
    import matplotlib as mpl

    with picture(files, path, 6.4, 4.8) as canvas:
        axes = canvas.subplots()
        axes.set_prop_cycle(color=[mpl.colormaps["tab20"](i) for i in range(20)])
        for case, mine in zip(models.CASES, of_cases, strict=True):
            loads, errors = [100 * p["share"] for p in mine], [100 * error(p) for p in mine]
            style = {"uniform": "-", "tornado": "--"}.get(case.traffic, ":")
            label = f"{case.traffic}, L={case.flits}, B={case.buffer}"
            axes.plot(loads, errors, style, marker="o", markersize=3, label=label)
        for low, high, bound in ((0, 20, 3), (20, 60, 9)):
            axes.hlines([-bound, bound], low, high, colors="grey", linewidth=0.8, label=f"{bound} % up to {high} %")
        axes.set(xlabel="load (% of saturation)", ylabel="latency, worm beside flit model (%)", ylim=(-16, 10))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=6, ncols=4, handlelength=3, loc="upper center", bbox_to_anchor=(0.5, -0.13))


def error(point: Row) -> float:
    return float(point["worm"] / point["flit"] - 1)


class Part(StrEnum):
    ZERO_LOAD = "zero-load"
    CURVES = "curves"
    WORMS = "worms"
    FABRICS = "fabrics"
    EXPERIMENTS = "experiments"


@command(trials=10, machine=False)
def validate_network(
    call: Call,
    only: list[Part] | None = None,
    reference_: Annotated[Path | None, typer.Option("--reference", metavar="FILE.csv")] = None,
    zero_load_: Annotated[Path | None, typer.Option("--zero-load", metavar="FILE.csv")] = None,
    fabrics_: Annotated[Path | None, typer.Option("--fabrics", metavar="FILE.csv")] = None,
    curve: Annotated[list[str] | None, typer.Option(metavar="TEXT")] = None,
) -> bool:
    parts = only or list(Part)
    folder = call.folder("validation/network")
    if Part.ZERO_LOAD in parts:
        zero_load(call, folder, zero_load_ or models.BOOKSIM_ZERO_LOAD)
    if Part.CURVES in parts:
        curves(call, folder, reference_ or models.BOOKSIM_CURVES, curve or [])
    if Part.WORMS in parts:
        worms(call, folder)
    if Part.FABRICS in parts:
        fabrics(call, folder, fabrics_ or of_fabrics.BOOKSIM_FABRICS, curve or [])
    if Part.EXPERIMENTS in parts:
        experiments(call, folder)
    return False


def zero_load(call: Call, folder: Path, source: Path) -> None:
    with call.runner() as runner:
        rows = models.zero_load(source, runner)
    headings = [f"{n} link{'' if n == 1 else 's'}" for n in sorted({row["hops"] for row in rows})]
    lines = []
    for (pipeline, flits), mine in groupby(rows, itemgetter("pipeline", "flits")):
        lines.append([pipeline, str(flits), *(f"{row['formula']} / {row['flit']:g}" for row in mine)])
    title = "one message alone, cycles from creation: closed form / flit model"
    print_table(call.out, Printed(title, ("pipeline", "flits", *headings), lines))
    call.out.print(f"{sum(row['flit'] == row['formula'] for row in rows)} of {len(rows)} are equal")
    write_table(call.files, folder / "zero-load.csv", pl.DataFrame(rows))


def measured(call: Call, what: str, of: ModuleType, source: Path, texts: list[str]) -> list[Row]:
    """The points of a reference's curves that have one of these texts in their names."""
    rows = of.rows_to_measure(source, texts)
    if not rows:
        raise UsageError(f"no curve of {source} has {' or '.join(texts)} in its name")
    names = [f"{row['curve']}, {row['offered']}" for row in rows]
    points = [Point(of.settings_of(row), platform="network", seed=call.conditions.seed) for row in rows]
    with call.runner() as runner:
        runs = run_with_progress(call, what, runner, points, names)
        found: list[Row] = of.load_points(rows, documents_of(NetworkResult, runs, runner.store))
    return found


def curves(call: Call, folder: Path, source: Path, texts: list[str]) -> None:
    found = measured(call, "latency against load", of_curves, source, texts)
    summaries = of_curves.summarise(found)
    print_table(call.out, table("network curves", summaries))
    call.out.print(TABLES["network curves"]["note"], soft_wrap=True)
    latency = [abs(each["worst_latency"]) for each in summaries]
    saturation = percent(max(abs(each["saturation_error"]) for each in summaries))
    within = f"within 3 % on {sum(error <= 0.03 for error in latency)}, at worst {percent(max(latency))}"
    call.out.print(f"{len(summaries)} curves: saturation within {saturation}; latency {within}", soft_wrap=True)
    write_table(call.files, folder / "curves.csv", pl.DataFrame(found))
    for curve, mine in of_curves.by_curve(found).items():
        name = re.sub(r"[\W_]+", "-", curve.replace("=", ""))
        draw_curve(call.files, folder / f"{name}.png", mine)


def worms(call: Call, folder: Path) -> None:
    # Each case searches by bisection, so the cases run side by side.
    names = [str(tuple(case)) for case in models.CASES]
    with call.runner() as runner:
        work = partial(models.worm_points, seed=call.conditions.seed, runner=runner)
        of_cases = in_parallel_with_progress(call.out, "worms beside flits", work, models.CASES, names, call.jobs)
    lines = []
    for case, mine in zip(models.CASES, of_cases, strict=True):
        warned = [p["share"] for p in mine if p["warned"]]
        errors = [percent(error(p), sign=True) for p in mine]
        ends = [f"{100 * mine[-2]['busiest']:.0f} %", f"from {100 * warned[0]:.0f} %" if warned else "-"]
        lines.append([*map(str, case), f"{mine[0]['saturation']:.3f}", *errors, *ends])
    shares = [f"{100 * share:.0f} %" for share in models.SHARES]
    headings = ("traffic", "flits", "buffer", "saturation", *shares, "busiest", "warns")
    print_table(call.out, Printed("latency, worm beside flit model, by load in % of saturation", headings, lines))
    call.out.print(f"busiest: share of time for which the busiest link was busy at {shares[-2]} of saturation")
    for share, *points in zip(shares, *of_cases, strict=True):
        call.out.print(f"at {share} of saturation within {percent(max(abs(error(p)) for p in points))}")
    found = [point for of_case in of_cases for point in of_case]
    unwarned = max(abs(error(p)) for p in found if not p["warned"])
    call.out.print(f"where it does not warn within {percent(unwarned)}")
    write_table(call.files, folder / "worms.csv", pl.DataFrame(found))
    draw_worms(call.files, folder / "worms.png", of_cases)


def fabrics(call: Call, folder: Path, source: Path, texts: list[str]) -> None:
    found = measured(call, "worms beside BookSim2", of_fabrics, source, texts)
    print_table(call.out, table("network fabrics", found))
    worst = max(found, key=lambda each: abs(float(each["error"])))
    call.out.print(
        f"{len(found)} points: within {percent(abs(worst['error']))} ({worst['curve']}, {worst['offered']:g})"
    )
    write_table(call.files, folder / "fabrics.csv", pl.DataFrame(found))


def experiments(call: Call, folder: Path) -> None:
    name = "whole experiments"
    rows = models.experiments(measure({name: models.cases()}, call.conditions, with_progress(call, name))[name])
    shown = [{**row, "difference": 100 * (row["flit"] / row["worm"] - 1)} for row in rows]
    print_table(call.out, table("network experiments", shown, trials=in_words(call.conditions.trials)))
    differences = [abs(row["difference"]) for row in shown]
    call.out.print(
        f"difference: median {median(differences):.2f} %, at most {max(differences):.2f} %; "
        "variation is that of single trials"
    )
    write_table(call.files, folder / "experiments.csv", pl.DataFrame(rows))
