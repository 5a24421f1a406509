# SPDX-License-Identifier: MIT
"""sunstar reproduce five-ways"""

from typing import Annotated

import typer

from sunstar.papers.five_ways.cases import Choice
from sunstar.papers.five_ways.experiments import EXPERIMENTS, PAPER
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Output, choose, conduct

FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="NAME", help=f"Only this one of {', '.join(EXPERIMENTS)}; repeatable."),
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Fewer patterns, record sizes, networks and memories.")]


@command(trials=1)
def reproduce_five_ways(
    call: Call, figure: FigureOption = None, quick: QuickOption = False, document: DocumentOption = None
) -> bool:
    """Map which of the five ways to do parallel I/O is best: traditional caching, two-phase I/O, disk-directed I/O,
    ENWRICH or the hybrid, by how the application asks, pattern, record size, layout, network and memory.

    Prints throughput, memory and the map, draws them, and checks statements of ours: a statement holds, is a known
    shortfall, or is NEW. Writes to results/five-ways/ a .png for each experiment (collective.png is the map); as .csv,
    .json and .parquet all points, and map (the best way at each point, how far it leads, the ways within 5 % of it, and
    the one of these that takes the least memory); and the verdicts as .json. With --figure, the names of these files
    say which experiments they hold. Exit code 1 if a statement is NEW. Finished runs stay in results/runs.sqlite, and a
    later call does not repeat them. --document knows the names of the experiments and "statements".

    Example: sunstar reproduce five-ways --quick
    """
    wanted = choose(EXPERIMENTS, figure or [])
    suffix = f"-{'-'.join(each.name for each in wanted)}" if figure else ""
    output = Output(call.folder("five-ways"), suffix=suffix, document=document)
    return conduct(PAPER, wanted, Choice(quick), call, output)
