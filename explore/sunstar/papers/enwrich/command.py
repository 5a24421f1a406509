# SPDX-License-Identifier: MIT
"""sunstar reproduce enwrich"""

from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sunstar.errors import FileError, UsageError
from sunstar.papers.enwrich.cases import READ_OF_SYSTEM, Choice
from sunstar.papers.enwrich.experiments import STUDY
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Experiment
from sunstar.study.reproducing import carry_out, figures_of


class RecordSizes(StrEnum):
    """The record sizes in figures 4 and 5."""

    LARGE = "8192"
    MIDDLE = "512"
    SMALL = "8"
    BOTH = "8192,512"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        if self is RecordSizes.ALL:
            return (8192, 512, 8)
        return tuple(int(size) for size in self.value.split(","))


FigureOption = Annotated[list[str] | None, figures_of(STUDY)]
RecordSizesOption = Annotated[
    RecordSizes, typer.Option("--records", help="Record sizes in bytes in figures 4 and 5; all: 8192, 512 and 8.")
]
TraceOption = Annotated[
    Path | None, typer.Option("--trace", metavar="FILE", help="Trace for figure 11 and for the options.")
]
ExcludeOption = Annotated[
    str, typer.Option("--exclude", metavar="REGEX", help="Files of the trace to leave out; empty: none.")
]


@command(trials=1)
def reproduce_enwrich(
    call: Call,
    figure: FigureOption = None,
    records: RecordSizesOption = RecordSizes.BOTH,
    trace: TraceOption = None,
    exclude: ExcludeOption = READ_OF_SYSTEM,
    document: DocumentOption = None,
) -> bool:
    """Compare ENWRICH with traditional caching and disk-directed I/O: figures 4 to 11 of Duke CS-1995-22, a smart disk
    scheduler, the options beyond the paper, and the latency of writes.

    Prints each as a table, draws it, and checks what the paper says about it: a statement holds, is a known shortfall,
    or is NEW. Writes to results/enwrich/ a .png for each, all points as .csv, .json and .parquet, and the verdicts as
    .json; with --figure, their names say which figures they hold. Exit code 1 if a statement is NEW. Figure 11 needs
    --trace. --document knows the names of the figures and "statements".

    Example: sunstar reproduce enwrich --figure 4 --figure 5 --records all --trials 5
    """
    wanted = which(figure or [], trace)
    with TemporaryDirectory(prefix="sunstar-") as made:
        choice = Choice(records.sizes(), readable(trace), exclude, Path(made))
        return carry_out(STUDY, wanted, choice, call, document, bool(figure))


def which(names: list[str], trace: Path | None) -> list[Experiment[Choice]]:
    """The experiments of these names; without names, all that are possible."""
    if "11" in names and trace is None:
        raise UsageError("--figure 11 replays a trace; name it with --trace")
    return [each for each in STUDY.choose(names) if each.name != "11" or trace is not None]


def readable(trace: Path | None) -> Path | None:
    if trace is not None and not trace.is_file():
        raise FileError(f"--trace {trace}: there is no such file")
    return trace
