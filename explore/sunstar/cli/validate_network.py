# SPDX-License-Identifier: MIT
"""sunstar validate network"""

import time
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from sunstar.cli.common import (
    JobsOption,
    ResultsOption,
    SeedOption,
    answer_errors,
    console,
    percent,
    results_folder,
    shown,
)
from sunstar.errors import UsageError
from sunstar.output import make_folder, write_table
from sunstar.places import shared
from sunstar.progress import progress
from sunstar.run import run_document
from sunstar.sweep import sweep_with
from sunstar.validation import network, network_plots


class Part(StrEnum):
    """What is shown."""

    ZERO_LOAD = "zero-load"
    CURVES = "curves"
    WORMS = "worms"
    EXPERIMENTS = "experiments"


PartOption = Annotated[
    list[Part] | None, typer.Option("--only", help="Only this part; repeatable. All four if left out.")
]
CurvesOption = Annotated[
    Path | None, typer.Option("--reference", metavar="FILE.csv", help="Curves; the shared folder's booksim-torus.csv.")
]
ZeroOption = Annotated[
    Path | None, typer.Option("--zero-load", metavar="FILE.csv", help="The shared folder's booksim-zero-load.csv.")
]
CurveOption = Annotated[
    list[str] | None,
    typer.Option("--curve", metavar="TEXT", help="Only curves with this in their name; repeatable."),
]
TrialsOption = Annotated[int, typer.Option("--trials", min=1, help="Trials of each whole experiment.")]


@answer_errors
def validate_network(
    only: PartOption = None,
    reference: CurvesOption = None,
    zero_load: ZeroOption = None,
    curve: CurveOption = None,
    trials: TrialsOption = 10,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
) -> None:
    """The flit model beside BookSim2, and the worm model beside the flit model.

    zero-load: one message alone beside the closed forms. curves: latency and accepted load of every configuration of
    the reference. worms: error of the worm model by load. experiments: throughput of whole machines under both.
    Writes tables and one plot a curve to results/validation/network.

    Example: sunstar validate network --only curves --curve "tornado"
    """
    start = time.monotonic()
    out = console()
    parts = set(only or Part)
    folder = make_folder(results_folder(results) / "validation" / "network")
    written: list[Path] = []
    if Part.ZERO_LOAD in parts:
        rows = network.zero_load(zero_load or shared("reference/booksim-zero-load.csv"))
        print_zero_load(out, rows)
        written.append(write_table(folder / "zero-load.csv", pl.DataFrame(network.table_of(rows))))
    if Part.CURVES in parts:
        written += curves(out, folder, reference or shared("reference/booksim-torus.csv"), curve or [], seed, jobs)
    if Part.WORMS in parts:
        written += worms(out, folder, seed, jobs)
    if Part.EXPERIMENTS in parts:
        written += whole_experiments(out, folder, trials, seed, jobs)
    out.print(f"written: {', '.join(shown(path) for path in written)}", soft_wrap=True)
    out.print(f"took {time.monotonic() - start:.0f} s")


def print_zero_load(out: Console, rows: Sequence[network.ZeroLoad]) -> None:
    table = Table(title="one message alone, cycles from creation: closed form / flit model", title_justify="left")
    table.add_column("pipeline")
    table.add_column("flits", justify="right")
    for hops in sorted({row.hops for row in rows}):
        table.add_column(f"{hops} links", justify="right")
    for pipeline, flits in dict.fromkeys((row.pipeline, row.flits) for row in rows):
        cells = [f"{row.formula} / {row.flit:g}" for row in rows if row.pipeline == pipeline and row.flits == flits]
        table.add_row(pipeline, str(flits), *cells)
    out.print(table)
    wrong = sum(row.flit != row.formula for row in rows)
    out.print(f"{len(rows) - wrong} of {len(rows)} are equal")


def curves(out: Console, folder: Path, reference: Path, texts: list[str], seed: int, jobs: int) -> list[Path]:
    def wanted(curve: network.Curve) -> bool:
        return not texts or any(text in curve.name() for text in texts)

    runs = len(network.rows_to_measure(reference, wanted))
    if runs == 0:
        raise UsageError(f"no curve of {reference} has {' or '.join(texts)} in its name")
    with progress(out, "latency against load", runs) as advance:
        points = network.measure_curves(reference, seed, jobs, wanted, advance)
    summaries = network.summarise(points)
    table = Table(title="flit model beside BookSim2", title_justify="left")
    table.add_column("curve", no_wrap=True)
    for heading in ("runs", "sat.", "BookSim2", "error", "acc.*", "lat.**", "load"):
        table.add_column(heading, justify="right")
    for s in summaries:
        table.add_row(
            s.curve.name(),
            str(s.points),
            f"{s.saturation:.3f}",
            f"{s.reference_saturation:.3f}",
            percent(s.saturation_error, sign=True),
            percent(s.worst_accepted, sign=True),
            percent(s.worst_latency, sign=True),
            f"{s.worst_at:g}",
        )
    out.print(table)
    out.print(
        "sat.: the most that is accepted; largest errors: * of the accepted load in a saturated run,"
        " ** of latency up to 80 % of sat.",
        soft_wrap=True,
    )
    out.print(
        f"{len(summaries)} curves: saturation within {percent(max(abs(s.saturation_error) for s in summaries))}; "
        f"latency within 3 % on {sum(abs(s.worst_latency) <= 0.03 for s in summaries)}, "
        f"at worst {percent(max(abs(s.worst_latency) for s in summaries))}",
        soft_wrap=True,
    )
    written = [write_table(folder / "curves.csv", pl.DataFrame(network.table_of(points)))]
    for s in summaries:
        mine = [p for p in points if p.curve == s.curve]
        written.append(network_plots.draw_curve(mine, folder / f"{s.curve.file_name()}.png"))
    return written if len(written) <= 4 else [written[0], folder / "*.png"]


def worms(out: Console, folder: Path, seed: int, jobs: int) -> list[Path]:
    cases = network.WORM_CASES
    points: list[network.WormPoint] = []
    with progress(out, "worms beside flits", len(cases)) as advance:
        # One case after the other goes by bisection, so the cases run side by side.
        for of_case in parallel(cases, seed, jobs, advance):
            points += of_case
    table = Table(title="latency, worm beside flit model, by load in % of saturation", title_justify="left")
    shares = [f"{100 * share:.0f} %" for share in network.SHARES]
    for heading in ("traffic", "flits", "buffer", "saturation", *shares, "busiest", "warns"):
        table.add_column(heading, justify="left" if heading == "traffic" else "right")
    for case in cases:
        mine = [p for p in points if (p.traffic, p.flits, p.buffer) == case]
        warned = [p.share for p in mine if p.warned]
        table.add_row(
            case[0],
            str(case[1]),
            str(case[2]),
            f"{mine[0].saturation:.3f}",
            *(percent(p.error, sign=True) for p in mine),
            f"{100 * mine[-2].busiest:.0f} %",
            f"from {100 * warned[0]:.0f} %" if warned else "-",
        )
    out.print(table)
    out.print(f"busiest: share of time for which the busiest link was busy at {shares[-2]} of saturation")
    for share in network.SHARES:
        worst = max(abs(p.error) for p in points if p.share == share)
        out.print(f"at {100 * share:.0f} % of saturation within {percent(worst)}")
    quiet = [abs(p.error) for p in points if not p.warned]
    out.print(f"where it does not warn within {percent(max(quiet))}")
    return [
        write_table(folder / "worms.csv", pl.DataFrame(network.table_of(points))),
        network_plots.draw_worms(points, folder / "worms.png"),
    ]


def parallel(cases: Sequence[tuple[str, int, int]], seed: int, jobs: int, advance) -> list[list[network.WormPoint]]:  # noqa: ANN001
    return sweep_with(  # type: ignore[type-var]
        lambda case: network.worm_points(case, seed), cases, jobs=jobs, on_result=lambda i, _: advance(str(cases[i]))
    )


def whole_experiments(out: Console, folder: Path, trials: int, seed: int, jobs: int) -> list[Path]:
    points = network.experiment_points(trials, seed)
    with progress(out, "whole experiments", len(points)) as advance:
        documents = sweep_with(
            lambda point: run_document(point, jobs=1),
            points,
            jobs=jobs,
            on_result=lambda i, _: advance(str(points[i].settings["workload.pattern"])),
        )
    rows = network.experiments(documents)
    table = Table(title=f"throughput under both models, MiB/s, means of {trials} trials", title_justify="left")
    for heading in ("file system", "pattern", "records", "worm", "flit", "difference", "variation"):
        table.add_column(heading, justify="left" if heading in ("file system", "pattern") else "right")
    for row in rows:
        table.add_row(
            row.file_system,
            row.pattern,
            f"{row.record_bytes} B",
            f"{row.worm:.2f}",
            f"{row.flit:.2f}",
            f"{100 * row.difference:+.2f} %",
            f"{100 * row.variation:.1f} %",
        )
    out.print(table)
    differences = sorted(abs(row.difference) for row in rows)
    out.print(
        f"difference: median {100 * differences[len(differences) // 2]:.2f} %, at most {100 * differences[-1]:.2f} %; "
        "variation is that of single trials",
    )
    return [write_table(folder / "experiments.csv", pl.DataFrame(network.table_of(rows)))]
