# SPDX-License-Identifier: MIT
"""sunstar validate network"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from sunstar.errors import UsageError
from sunstar.files import write_table
from sunstar.progress import in_parallel_with_progress
from sunstar.results import NetworkResult
from sunstar.runs.runner import documents_of
from sunstar.study.command import Call, command
from sunstar.study.experiments import run_with_progress, with_progress
from sunstar.study.measuring import in_words, measure
from sunstar.study.tables import Printed, listed_in, percent, print_table
from sunstar.validation.network import plots, reference
from sunstar.validation.network.curves import (
    Curve,
    CurveSummary,
    load_points,
    points_of,
    rows_to_measure,
    summarise,
)
from sunstar.validation.network.experiments import Experiment, cases, experiments
from sunstar.validation.network.worms import CASES, SHARES, WormPoint, worm_points
from sunstar.validation.network.zero_load import ZeroLoad, zero_load

if TYPE_CHECKING:
    import polars as pl


class Part(StrEnum):
    """The parts of the comparison."""

    ZERO_LOAD = "zero-load"
    CURVES = "curves"
    WORMS = "worms"
    EXPERIMENTS = "experiments"


PartOption = Annotated[
    list[Part] | None, typer.Option("--only", help="Only this part; repeatable. All four if left out.")
]
CurvesOption = Annotated[
    Path,
    typer.Option("--reference", metavar="FILE.csv", show_default=False, help="Curves; those of BookSim2 if left out."),
]
ZeroOption = Annotated[
    Path,
    typer.Option(
        "--zero-load", metavar="FILE.csv", show_default=False, help="Closed forms; those of BookSim2 if left out."
    ),
]
CurveOption = Annotated[
    list[str] | None,
    typer.Option("--curve", metavar="TEXT", help="Only curves with this in their name; repeatable."),
]


@command(trials=10, machine=False)
def validate_network(
    call: Call,
    only: PartOption = None,
    reference_: CurvesOption = reference.CURVES,
    zero_load_: ZeroOption = reference.ZERO_LOAD,
    curve: CurveOption = None,
) -> bool:
    """Compare the flit model with BookSim2, and the worm model with the flit model.

    zero-load: one message alone beside the closed forms. curves: latency and accepted load of every configuration of
    the reference. worms: the worm model's error by load. experiments: throughput of whole machines under both models,
    with --trials trials each. Writes tables and a plot for each curve to results/validation/network.

    Example: sunstar validate network --only curves --curve "tornado"
    """
    parts = set(only or Part)
    folder = call.folder("validation/network")
    if Part.ZERO_LOAD in parts:
        with call.runner() as runner:
            rows = zero_load(zero_load_, runner)
        print_zero_load(call.out, rows)
        write_table(call.files, folder / "zero-load.csv", table_of(rows))
    if Part.CURVES in parts:
        curves(call, folder, reference_, curve or [])
    if Part.WORMS in parts:
        worms(call, folder)
    if Part.EXPERIMENTS in parts:
        whole_experiments(call, folder)
    return False


def print_zero_load(out: Console, rows: Sequence[ZeroLoad]) -> None:
    hops = sorted({row.hops for row in rows})
    headings = [f"{n} link{'' if n == 1 else 's'}" for n in hops]
    lines = []
    for pipeline, flits in dict.fromkeys((row.pipeline, row.flits) for row in rows):
        mine = [row for row in rows if (row.pipeline, row.flits) == (pipeline, flits)]
        lines.append([pipeline, str(flits), *(f"{row.formula} / {row.flit:g}" for row in mine)])
    title = "one message alone, cycles from creation: closed form / flit model"
    print_table(out, Printed(title, ("pipeline", "flits", *headings), lines))
    wrong = sum(row.flit != row.formula for row in rows)
    out.print(f"{len(rows) - wrong} of {len(rows)} are equal")


def curves(call: Call, folder: Path, source: Path, texts: list[str]) -> None:
    def wanted(curve: Curve) -> bool:
        return not texts or any(text in curve.name() for text in texts)

    rows = rows_to_measure(source, wanted)
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
    write_table(call.files, folder / "curves.csv", table_of(found))
    for each in summaries:
        mine = [p for p in found if p.curve == each.curve]
        plots.draw_curve(call.files, folder / f"{each.curve.file_name()}.png", mine)


CURVE_COLUMNS: Mapping[str, Callable[[CurveSummary], str]] = {
    "curve": lambda each: each.curve.name(),
    "runs": lambda each: str(each.points),
    "sat.": lambda each: f"{each.saturation:.3f}",
    "BookSim2": lambda each: f"{each.reference_saturation:.3f}",
    "error": lambda each: percent(each.saturation_error, sign=True),
    "acc.*": lambda each: percent(each.worst_accepted, sign=True),
    "lat.**": lambda each: percent(each.worst_latency, sign=True),
    "load": lambda each: f"{each.worst_at:g}",
}


def print_curves(out: Console, summaries: Sequence[CurveSummary]) -> None:
    print_table(out, listed_in("flit model beside BookSim2", summaries, CURVE_COLUMNS))
    out.print(
        "sat.: the largest accepted load; largest errors: * of the accepted load in a saturated run,"
        " ** of latency up to 80 % of sat.",
        soft_wrap=True,
    )
    out.print(
        f"{len(summaries)} curves: saturation within {percent(max(abs(s.saturation_error) for s in summaries))}; "
        f"latency within 3 % on {sum(abs(s.worst_latency) <= 0.03 for s in summaries)}, "
        f"at worst {percent(max(abs(s.worst_latency) for s in summaries))}",
        soft_wrap=True,
    )


def worms(call: Call, folder: Path) -> None:
    # Each case searches by bisection, so the cases run side by side.
    names = [str(tuple(case)) for case in CASES]
    with call.runner() as runner:
        work = partial(worm_points, seed=call.conditions.seed, runner=runner)
        of_cases = in_parallel_with_progress(call.out, "worms beside flits", work, CASES, names, call.jobs)
    found = [point for of_case in of_cases for point in of_case]
    print_worms(call.out, found)
    write_table(call.files, folder / "worms.csv", table_of(found))
    plots.draw_worms(call.files, folder / "worms.png", found)


def print_worms(out: Console, found: Sequence[WormPoint]) -> None:
    lines = []
    for case in CASES:
        mine = [p for p in found if p.case == case]
        warned = [p.share for p in mine if p.warned]
        lines.append(
            [
                case.traffic,
                str(case.flits),
                str(case.buffer),
                f"{mine[0].saturation:.3f}",
                *(percent(p.error, sign=True) for p in mine),
                f"{100 * mine[-2].busiest:.0f} %",
                f"from {100 * warned[0]:.0f} %" if warned else "-",
            ]
        )
    shares = [f"{100 * share:.0f} %" for share in SHARES]
    headings = ("traffic", "flits", "buffer", "saturation", *shares, "busiest", "warns")
    title = "latency, worm beside flit model, by load in % of saturation"
    print_table(out, Printed(title, headings, lines))
    out.print(f"busiest: share of time for which the busiest link was busy at {shares[-2]} of saturation")
    for share, name in zip(SHARES, shares, strict=True):
        out.print(f"at {name} of saturation within {percent(max(abs(p.error) for p in found if p.share == share))}")
    out.print(f"where it does not warn within {percent(max(abs(p.error) for p in found if not p.warned))}")


def whole_experiments(call: Call, folder: Path) -> None:
    name = "whole experiments"
    found = experiments(measure({name: cases()}, call.conditions, with_progress(call, name))[name])
    print_experiments(call.out, found, call.conditions.trials)
    write_table(call.files, folder / "experiments.csv", table_of(found))


EXPERIMENT_COLUMNS: Mapping[str, Callable[[Experiment], str]] = {
    "file system": lambda row: row.file_system,
    "pattern": lambda row: row.pattern,
    "records": lambda row: f"{row.record_bytes} B",
    "worm": lambda row: f"{row.worm:.2f}",
    "flit": lambda row: f"{row.flit:.2f}",
    "difference": lambda row: f"{100 * row.difference:+.2f} %",
    "variation": lambda row: percent(row.variation),
}


def print_experiments(out: Console, found: Sequence[Experiment], trials: int) -> None:
    title = f"throughput under both models, MiB/s, means of {in_words(trials)}"
    print_table(out, listed_in(title, found, EXPERIMENT_COLUMNS, names=2))
    differences = sorted(abs(row.difference) for row in found)
    out.print(
        f"difference: median {100 * differences[len(differences) // 2]:.2f} %, at most {100 * differences[-1]:.2f} %; "
        "variation is that of single trials",
    )


def table_of(items: Iterable[object]) -> "pl.DataFrame":
    """Dataclasses as rows; a curve as its name."""

    import polars as pl

    def plain(value: Any) -> Any:  # noqa: ANN401  whatever a field holds
        return value.name() if isinstance(value, Curve) else value

    return pl.DataFrame([{name: plain(value) for name, value in vars(item).items()} for item in items])
