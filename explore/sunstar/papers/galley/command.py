# SPDX-License-Identifier: MIT
"""sunstar reproduce galley"""

from typing import Annotated

import typer

from sunstar.papers.galley.cases import Choice
from sunstar.papers.galley.experiments import EXPERIMENTS, PAPER
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Output, choose, conduct

FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="NAME", help=f"Only this one of {', '.join(EXPERIMENTS)}; repeatable."),
]
QuickOption = Annotated[
    bool,
    typer.Option("--quick", help="Fewer record sizes and numbers of IOPs, less data, one trial: a few minutes in all."),
]


@command(trials=5, quick_trials=1)
def reproduce_galley(
    call: Call, figure: FigureOption = None, quick: QuickOption = False, document: DocumentOption = None
) -> bool:
    """Measure the Galley parallel file system on the SP-2 as its paper does (Nieuwejaar and Kotz, 1997): TCP/IP
    throughput (figure 5), the traditional interface (7 to 9), the strided one (10 to 12), its speedup (13 to 15), and
    what the text says of permissions to send and of the lock on a new fork's metadata.

    Prints throughput and speedups, draws them, and checks what the paper says: a statement holds, is a known shortfall,
    or is NEW. Of five trials the lowest and the highest do not count, as in the paper. Writes to results/galley/ a .png
    for each figure, all points as .csv, .json and .parquet, and the verdicts as .json; with --figure, their names say
    which figures they hold. Exit code 1 if a statement is NEW. Finished runs stay in results/runs.sqlite, and a later
    call does not repeat them. The largest runs take 6 GB each, so that --jobs must suit the memory. --document knows
    the names of the figures and "statements".

    Example: sunstar reproduce galley --quick
    """
    wanted = choose(EXPERIMENTS, figure or [])
    suffix = f"-{'-'.join(each.name for each in wanted)}" if figure else ""
    output = Output(call.folder("galley"), suffix=suffix, document=document)
    return conduct(PAPER, wanted, Choice(quick), call, output)
