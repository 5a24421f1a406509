# SPDX-License-Identifier: MIT
"""sunstar reproduce expanding"""

from typing import Annotated

import typer

from sunstar.papers.expanding.cases import Choice
from sunstar.papers.expanding.experiments import EXPERIMENTS, PAPER
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Output, choose, conduct

FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="NAME", help=f"Only this one of {', '.join(EXPERIMENTS)}; repeatable."),
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Leave out what takes long: a minute or two in all.")]


@command(trials=5)
def reproduce_expanding(
    call: Call, figure: FigureOption = None, quick: QuickOption = False, document: DocumentOption = None
) -> bool:
    """Compare disk-directed I/O with traditional caching where data say where records go, and on irregular subsets:
    figures 2 to 4 of Kotz, "Expanding the potential for disk-directed I/O", 1995, and other functions of the records.

    Prints time, message bytes and messages over the best possible, draws them, and checks what the paper says: a
    statement holds, is a known shortfall, or is NEW. Writes to results/expanding/ a .png for each experiment, all
    points as .csv, .json and .parquet, and the verdicts as .json; with --figure, their names say which figures they
    hold. Exit code 1 if a statement is NEW. Finished runs stay in results/runs.sqlite, and a later call does not repeat
    them. --document knows the names of the figures and "statements".

    Example: sunstar reproduce expanding --figure 2 --trials 1
    """
    wanted = choose(EXPERIMENTS, figure or [])
    suffix = f"-{'-'.join(each.name for each in wanted)}" if figure else ""
    output = Output(call.folder("expanding"), suffix=suffix, document=document)
    return conduct(PAPER, wanted, Choice(quick), call, output)
