# SPDX-License-Identifier: MIT
"""sunstar figures tr94-226"""

import os
from typing import Annotated

import typer

from sunstar.files import make_folder
from sunstar.papers.tr94_226.cases import SWEEPS
from sunstar.papers.tr94_226.experiments import EXPERIMENTS, PAPER, Choice, left_out
from sunstar.study.command import (
    ConfigOption,
    JobsOption,
    ResultsOption,
    SeedOption,
    SetOption,
    TrialsOption,
    answer_errors,
    files_and_time,
    results_folder,
    settings_from,
)
from sunstar.study.experiments import Output, choose, conduct
from sunstar.study.measuring import Conditions
from sunstar.study.tables import called, console
from sunstar.sweep import processors

FigureOption = Annotated[str, typer.Option("--figure", metavar="6..12|all", help="Which figure.")]
LargeOption = Annotated[bool, typer.Option("--large", help="Also 1000 MiB files in figures 10 and 11; takes minutes.")]


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
    tables of the points (.csv, .json, .parquet) and verdicts (.json) beside them. Exit code 1 if a statement is NEW: if
    it fails without being a known shortfall.

    Example: sunstar figures tr94-226 --figure 7 --trials 1
    """
    out = console()
    wanted = choose(EXPERIMENTS, [] if figure == "all" else [figure])
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    choice = Choice(large, memory // (2 * (jobs or processors())))
    for each in wanted:
        for key, needed in left_out(SWEEPS[int(each.name)], choice):
            name = f"{called(each.name)}, {key} ({needed >> 30} GiB)"
            out.print(f"left out, too large for this machine's memory: {name}", soft_wrap=True)
    with files_and_time(out) as files:
        folder = make_folder(results_folder(results) / "figures")
        suffix = "" if figure == "all" else f"-{figure}"
        conditions = Conditions(trials, seed, settings_from(set_), config)
        output = Output(folder, "tr94-226-", suffix)
        written, new = conduct(PAPER, wanted, choice, conditions, jobs, output, out)
        files += written
    if new:
        raise typer.Exit(1)
