# SPDX-License-Identifier: MIT
"""sunstar validate network"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from sunstar.console import Printed, in_parallel_with_progress, listed_in, percent, print_table
from sunstar.drawing import picture
from sunstar.errors import UsageError
from sunstar.files import Outputs, write_table
from sunstar.results import NetworkResult
from sunstar.runs.runner import documents_of
from sunstar.study.command import Call, command
from sunstar.study.experiments import in_words, measure, run_with_progress, with_progress
from sunstar.validation.network import models
from sunstar.validation.network.curves import file_name, load_points, of_curve, points_of, rows_to_measure, summarise

TICKS = (10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 1000)


def draw_curve(files: Outputs, path: Path, points: Sequence[models.Row]) -> None:
    """Draws one configuration: latency against load on the left, accepted against offered load on the right."""
    with picture(files, path, 8.4, 3.6, dpi=120) as canvas:
        latency, accepted = canvas.subplots(1, 2)
        by_load = sorted(points, key=lambda p: p["offered"])
        measured = [p for p in by_load if p["reference_latency"] is not None]
        for axes, what, of in ((latency, "latency", measured), (accepted, "accepted", by_load)):
            for name, style, label in ((f"reference_{what}", "o", "BookSim2"), (what, "x-", "flit model")):
                known = [p for p in of if p[name] is not None]
                axes.plot([p["offered"] for p in known], [p[name] for p in known], style, mfc="none", label=label)
        latency.set_yscale("log")
        shown = [p[name] for p in measured for name in ("reference_latency", "latency") if p[name] is not None]
        low, high = 0.9 * min(shown), 1.1 * max(shown)
        latency.set_ylim(low, high)
        ticks = [t for t in TICKS if low <= t <= high]
        latency.set_yticks(ticks, [str(t) for t in ticks])
        latency.minorticks_off()
        latency.set_ylabel("mean latency from creation (cycles)")
        accepted.set_ylabel("accepted load")
        accepted.set_ylim(bottom=0)
        for axes in (latency, accepted):
            axes.set_xlim(left=0)
            axes.set_xlabel("offered load (flits a node a cycle)")
            axes.grid(alpha=0.3)
            axes.legend(fontsize=8)
        canvas.suptitle(points[0]["curve"], fontsize=9)


def draw_worms(files: Outputs, path: Path, points: Sequence[models.Row]) -> None:
    with picture(files, path, 6.4, 4.8) as canvas:
        axes = canvas.subplots()
        import matplotlib as mpl

        axes.set_prop_cycle(color=[mpl.colormaps["tab20"](i) for i in range(20)])
        for case, mine in by_case(points):
            axes.plot(
                [100 * p["share"] for p in mine],
                [100 * error(p) for p in mine],
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


def by_case(points: Sequence[models.Row]) -> Iterator[tuple[models.Case, Sequence[models.Row]]]:
    for start in range(0, len(points), len(models.SHARES)):
        yield models.CASES[start // len(models.SHARES)], points[start : start + len(models.SHARES)]


def error(point: models.Row) -> float:
    return float(point["worm"] / point["flit"] - 1)


class Part(StrEnum):
    ZERO_LOAD = "zero-load"
    CURVES = "curves"
    WORMS = "worms"
    EXPERIMENTS = "experiments"


@command(trials=10, machine=False)
def validate_network(
    call: Call,
    only: Annotated[list[Part] | None, typer.Option(help="Only this part; repeatable. All four if left out.")] = None,
    reference_: Annotated[
        Path,
        typer.Option(
            "--reference", metavar="FILE.csv", show_default=False, help="Curves; those of BookSim2 if left out."
        ),
    ] = models.BOOKSIM_CURVES,
    zero_load_: Annotated[
        Path,
        typer.Option(
            "--zero-load", metavar="FILE.csv", show_default=False, help="Closed forms; those of BookSim2 if left out."
        ),
    ] = models.BOOKSIM_ZERO_LOAD,
    curve: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Only curves with this in their name; repeatable.")
    ] = None,
) -> bool:
    parts = set(only or Part)
    folder = call.folder("validation/network")
    if Part.ZERO_LOAD in parts:
        with call.runner() as runner:
            rows = models.zero_load(zero_load_, runner)
        print_zero_load(call.out, rows)
        write_table(call.files, folder / "zero-load.csv", pl.DataFrame(rows))
    if Part.CURVES in parts:
        curves(call, folder, reference_, curve or [])
    if Part.WORMS in parts:
        worms(call, folder)
    if Part.EXPERIMENTS in parts:
        name = "whole experiments"
        rows = models.experiments(measure({name: models.cases()}, call.conditions, with_progress(call, name))[name])
        print_experiments(call.out, rows, call.conditions.trials)
        write_table(call.files, folder / "experiments.csv", pl.DataFrame(rows))
    return False


def print_zero_load(out: Console, rows: Sequence[models.Row]) -> None:
    hops = sorted({row["hops"] for row in rows})
    headings = [f"{n} link{'' if n == 1 else 's'}" for n in hops]
    lines = []
    for (pipeline, flits), mine in groupby(rows, itemgetter("pipeline", "flits")):
        lines.append([pipeline, str(flits), *(f"{row['formula']} / {row['flit']:g}" for row in mine)])
    title = "one message alone, cycles from creation: closed form / flit model"
    print_table(out, Printed(title, ("pipeline", "flits", *headings), lines))
    wrong = sum(row["flit"] != row["formula"] for row in rows)
    out.print(f"{len(rows) - wrong} of {len(rows)} are equal")


def curves(call: Call, folder: Path, source: Path, texts: list[str]) -> None:
    rows = rows_to_measure(source, texts)
    if not rows:
        raise UsageError(f"no curve of {source} has {' or '.join(texts)} in its name")
    wanted_points = points_of(rows, call.conditions.seed)
    with call.runner() as runner:
        runs = run_with_progress(
            call, "latency against load", runner, list(wanted_points.values()), list(wanted_points)
        )
        found = load_points(rows, documents_of(NetworkResult, runs, runner.store))
    summaries = summarise(found)
    print_curves(call.out, summaries)
    write_table(call.files, folder / "curves.csv", pl.DataFrame(found))
    for each in summaries:
        curve = each["curve"]
        draw_curve(call.files, folder / f"{file_name(curve)}.png", of_curve(found, curve))


CURVE_COLUMNS: Mapping[str, Callable[[models.Row], str]] = {
    "curve": lambda each: each["curve"],
    "runs": lambda each: str(each["points"]),
    "sat.": lambda each: f"{each['saturation']:.3f}",
    "BookSim2": lambda each: f"{each['reference_saturation']:.3f}",
    "error": lambda each: percent(each["saturation_error"], sign=True),
    "acc.*": lambda each: percent(each["worst_accepted"], sign=True),
    "lat.**": lambda each: percent(each["worst_latency"], sign=True),
    "load": lambda each: f"{each['worst_at']:g}",
}


def print_curves(out: Console, summaries: Sequence[models.Row]) -> None:
    print_table(out, listed_in("flit model beside BookSim2", summaries, CURVE_COLUMNS))
    out.print(
        "sat.: the largest accepted load; largest errors: * of the accepted load in a saturated run,"
        " ** of latency up to 80 % of sat.",
        soft_wrap=True,
    )
    latency = [abs(each["worst_latency"]) for each in summaries]
    saturation = max(abs(each["saturation_error"]) for each in summaries)
    out.print(
        f"{len(summaries)} curves: saturation within {percent(saturation)}; latency within 3 % on "
        f"{sum(error <= 0.03 for error in latency)}, at worst {percent(max(latency))}",
        soft_wrap=True,
    )


def worms(call: Call, folder: Path) -> None:
    # Each case searches by bisection, so the cases run side by side.
    names = [str(tuple(case)) for case in models.CASES]
    with call.runner() as runner:
        work = partial(models.worm_points, seed=call.conditions.seed, runner=runner)
        of_cases = in_parallel_with_progress(call.out, "worms beside flits", work, models.CASES, names, call.jobs)
    found = [point for of_case in of_cases for point in of_case]
    print_worms(call.out, found)
    write_table(call.files, folder / "worms.csv", pl.DataFrame(found))
    draw_worms(call.files, folder / "worms.png", found)


def print_worms(out: Console, found: Sequence[models.Row]) -> None:
    lines = []
    for case, mine in by_case(found):
        warned = [p["share"] for p in mine if p["warned"]]
        lines.append(
            [
                *map(str, case),
                f"{mine[0]['saturation']:.3f}",
                *(percent(error(p), sign=True) for p in mine),
                f"{100 * mine[-2]['busiest']:.0f} %",
                f"from {100 * warned[0]:.0f} %" if warned else "-",
            ]
        )
    shares = [f"{100 * share:.0f} %" for share in models.SHARES]
    headings = ("traffic", "flits", "buffer", "saturation", *shares, "busiest", "warns")
    title = "latency, worm beside flit model, by load in % of saturation"
    print_table(out, Printed(title, headings, lines))
    out.print(f"busiest: share of time for which the busiest link was busy at {shares[-2]} of saturation")
    for share, name in zip(models.SHARES, shares, strict=True):
        out.print(f"at {name} of saturation within {percent(max(abs(error(p)) for p in found if p['share'] == share))}")
    out.print(f"where it does not warn within {percent(max(abs(error(p)) for p in found if not p['warned']))}")


EXPERIMENT_COLUMNS: Mapping[str, Callable[[models.Row], str]] = {
    "file system": lambda row: row["file_system"],
    "pattern": lambda row: row["pattern"],
    "records": lambda row: f"{row['record_bytes']} B",
    "worm": lambda row: f"{row['worm']:.2f}",
    "flit": lambda row: f"{row['flit']:.2f}",
    "difference": lambda row: f"{100 * (row['flit'] / row['worm'] - 1):+.2f} %",
    "variation": lambda row: percent(row["variation"]),
}


def print_experiments(out: Console, found: Sequence[models.Row], trials: int) -> None:
    title = f"throughput under both models, MiB/s, means of {in_words(trials)}"
    print_table(out, listed_in(title, found, EXPERIMENT_COLUMNS, names=2))
    differences = sorted(abs(row["flit"] / row["worm"] - 1) for row in found)
    out.print(
        f"difference: median {100 * differences[len(differences) // 2]:.2f} %, at most {100 * differences[-1]:.2f} %; "
        "variation is that of single trials"
    )
