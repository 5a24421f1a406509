# SPDX-License-Identifier: MIT
"""sunstar reproduce two-phase"""

from typing import Annotated

import typer

from sunstar.papers.two_phase.cases import Choice
from sunstar.papers.two_phase.experiments import EXPERIMENTS, LONG, PAPER
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Output, choose, conduct

FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="NAME", help=f"Only this one of {', '.join(EXPERIMENTS)}; repeatable."),
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help=f"Fewer patterns and networks, and not {' or '.join(LONG)} unless named.")
]


@command(trials=1)
def reproduce_two_phase(
    call: Call, figure: FigureOption = None, quick: QuickOption = False, document: DocumentOption = None
) -> bool:
    """Compare two-phase I/O with disk-directed I/O and traditional caching on networks from a hundredth to ten times
    the bandwidth of TR94-226, which only argues about it.

    Prints throughput and where two-phase I/O is ahead, draws it, and checks what the report expects: a statement holds,
    is a known shortfall, or is NEW. Writes to results/two-phase/ a .png for each experiment; as .csv, .json and
    .parquet all points, map (the best file system at each point) and crossovers; and the verdicts as .json. With
    --figure, the names of these files say which experiments they hold. Exit code 1 if a statement is NEW. Finished runs
    stay in results/runs.sqlite, and a later call does not repeat them. --document knows the names of the experiments
    and "statements".

    Example: sunstar reproduce two-phase --quick
    """
    wanted = choose(EXPERIMENTS, figure or [each for each in EXPERIMENTS if not (quick and each in LONG)])
    suffix = f"-{'-'.join(each.name for each in wanted)}" if figure else ""
    output = Output(call.folder("two-phase"), suffix=suffix, document=document)
    return conduct(PAPER, wanted, Choice(quick), call, output)
