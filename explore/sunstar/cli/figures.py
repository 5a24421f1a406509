# SPDX-License-Identifier: MIT
"""sunstar figures tr94-226"""

import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sunstar.cli.common import (
    ConfigOption,
    JobsOption,
    ResultsOption,
    SeedOption,
    SetOption,
    TrialsOption,
    answer_errors,
    console,
    print_verdicts,
    results_folder,
    settings_from,
    shown,
    throughput,
)
from sunstar.errors import UsageError
from sunstar.output import make_folder, write_json, write_table
from sunstar.progress import sweep_with_progress
from sunstar.run import Point
from sunstar.sweep import processors
from sunstar.tr94_226 import plots
from sunstar.tr94_226.figures import FIGURES, Case, Curves, Figure, cases, curves, table
from sunstar.tr94_226.trends import TRENDS

FigureOption = Annotated[str, typer.Option("--figure", metavar="6..12|all", help="Which figure.")]
LargeOption = Annotated[bool, typer.Option("--large", help="Also 1000 MB files in figures 10 and 11; takes minutes.")]


@answer_errors
def figures_tr94_226(
    figure: FigureOption = "all",
    large: LargeOption = False,
    trials: TrialsOption = 5,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    config: ConfigOption = None,
    set_: SetOption = None,
    results: ResultsOption = None,
) -> None:
    """Figures 6 to 12 of TR94-226: number of CPs, IOPs and disks, file size, record size.

    Prints each as a table, draws it, and checks what the report says of it; writes results/figures/tr94-226-N.png, and
    tables of the points and verdicts (.csv, .parquet, .json) beside them. Exit code 1 if a trend is not met.

    Example: sunstar figures tr94-226 --figure 7 --trials 1
    """
    start = time.monotonic()
    out = console()
    wanted = which(figure)
    base = settings_from(set_)
    folder = make_folder(results_folder(results) / "figures")
    points = affordable(out, [case for each in wanted for case in cases(each, large)], jobs)
    outcome = sweep_with_progress(
        out,
        f"TR94-226, figures, {trials} trials each",
        [Point({**case.settings(), **base}, config=config, seed=seed, trials=trials) for case in points],
        [f"figure {case.figure}, {FIGURES[case.figure].label(case.line)}, {case.x}" for case in points],
        jobs,
    )
    written, verdicts = [], []
    for each in wanted:
        mine = [i for i, case in enumerate(points) if case.figure == each.number]
        found = curves([points[i] for i in mine], [outcome[i] for i in mine])
        print_figure(out, each, found)
        verdicts += TRENDS[each.number](found)
        written.append(plots.draw(each, found, folder / f"tr94-226-{each.number}.png"))
    everything = table(points, outcome)
    name = "tr94-226" if len(wanted) > 1 else f"tr94-226-{wanted[0].number}"
    written += [write_table(folder / f"{name}{suffix}", everything) for suffix in (".csv", ".parquet")]
    written.append(write_json(folder / f"{name}.json", [asdict(verdict) for verdict in verdicts]))
    print_verdicts(out, verdicts)
    out.print(f"written: {', '.join(shown(path) for path in written)}", soft_wrap=True)
    out.print(f"took {time.monotonic() - start:.0f} s")
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)


def which(figure: str) -> list[Figure]:
    if figure == "all":
        return list(FIGURES.values())
    if not figure.isdecimal() or int(figure) not in FIGURES:
        raise UsageError(f'--figure {figure}: it must be one of {", ".join(map(str, FIGURES))} or "all"')
    return [FIGURES[int(figure)]]


def affordable(out: Console, points: Sequence[Case], jobs: int) -> list[Case]:
    """The points that fit into this machine's memory, `jobs` at a time; says which do not."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = memory // (2 * (jobs or processors()))
    left_out = [case for case in points if case.memory_bytes() > limit]
    for case in left_out:
        name = f"figure {case.figure}, {FIGURES[case.figure].label(case.line)}, {case.x}"
        out.print(f"left out, too large for this machine's memory: {name} ({case.memory_bytes() >> 30} GiB)")
    return [case for case in points if case.memory_bytes() <= limit]


def print_figure(out: Console, figure: Figure, found: Curves) -> None:
    shown_table = Table(title=f"figure {figure.number}: {figure.title}: MiB/s (ra a copy)", title_justify="left")
    shown_table.add_column(figure.x_label, justify="right")
    for line in found:
        shown_table.add_column(figure.label(line).replace("ddio-presort", "ddio"), justify="right")
    for x in sorted({x for curve in found.values() for x in curve}):
        shown_table.add_row(str(x), *(throughput(curve.get(x)) for curve in found.values()))
    out.print(shown_table)
