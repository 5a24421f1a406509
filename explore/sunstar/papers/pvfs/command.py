# SPDX-License-Identifier: MIT
"""sunstar reproduce pvfs"""

from typing import Annotated

import typer

from sunstar.papers.pvfs.cases import Choice
from sunstar.papers.pvfs.experiments import EXPERIMENTS, PAPER
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Output, choose, conduct

FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="NAME", help=f"Only this one of {', '.join(EXPERIMENTS)}; repeatable."),
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Fewer request sizes and degrees of sharing, one trial: a few minutes in all.")
]


@command(trials=3, quick_trials=1)
def reproduce_pvfs(
    call: Call, figure: FigureOption = None, quick: QuickOption = False, document: DocumentOption = None
) -> bool:
    """Measure PVFS with and without the kernel's cache on application nodes as its paper does (Vilayannur, Kandemir and
    Sivasubramaniam, 2002): one instance of the micro-benchmark without locality (figure 4) and with it (5), two
    instances that share data on 4 nodes (6) and on 2 (7), and both on the same 3 nodes or on 6 (8); and what choices
    weigh that the paper leaves open.

    Prints times, draws them, and checks what the paper says: a statement holds, is a known shortfall, or is NEW. Writes
    to results/pvfs/ a .png for each figure, all points as .csv, .json and .parquet, and the verdicts as .json; with
    --figure, their names say which figures they hold. Exit code 1 if a statement is NEW. Finished runs stay in
    results/runs.sqlite, and a later call does not repeat them. --document knows the names of the figures and
    "statements".

    Example: sunstar reproduce pvfs --quick
    """
    wanted = choose(EXPERIMENTS, figure or [])
    suffix = f"-{'-'.join(each.name for each in wanted)}" if figure else ""
    output = Output(call.folder("pvfs"), suffix=suffix, document=document)
    return conduct(PAPER, wanted, Choice(quick), call, output)
