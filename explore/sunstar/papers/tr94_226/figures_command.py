# SPDX-License-Identifier: MIT
"""sunstar figures tr94-226"""

import os
from typing import Annotated

import typer

from sunstar.papers.tr94_226.cases import SWEEPS
from sunstar.papers.tr94_226.experiments import STUDY, Choice, left_out
from sunstar.programs import processors
from sunstar.study.command import Call, command
from sunstar.study.experiments import Output, conduct
from sunstar.study.tables import called

FigureOption = Annotated[str, typer.Option("--figure", metavar="6..12|all", help="The figure to sweep, or all.")]
LargeOption = Annotated[bool, typer.Option("--large", help="Also 1000 MiB files in figures 10 and 11; takes minutes.")]


@command(trials=5)
def figures_tr94_226(call: Call, figure: FigureOption = "all", large: LargeOption = False) -> bool:
    """Repeat figures 6 to 12 of TR94-226: number of CPs, IOPs and disks, file size, record size.

    Prints each as a table, draws it, and checks what the report says about it. Writes results/figures/tr94-226-N.png,
    and beside them tables of the points (.csv, .json, .parquet) and of the verdicts (.json). Exit code 1 if a statement
    is NEW, that is, if it fails without being a known shortfall.

    Example: sunstar figures tr94-226 --figure 7 --trials 1
    """
    wanted = STUDY.choose([] if figure == "all" else [figure])
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    choice = Choice(large, memory // (2 * (call.jobs or processors())))
    for each in wanted:
        for key, needed in left_out(SWEEPS[int(each.name)], choice):
            name = f"{called(each.name)}, {key} ({needed >> 30} GiB)"
            call.out.print(f"left out, too large for this machine's memory: {name}", soft_wrap=True)
    output = Output(call.folder("figures"), "tr94-226-", "" if figure == "all" else f"-{figure}")
    return conduct(STUDY, wanted, choice, call, output)
