# SPDX-License-Identifier: MIT
"""The report's figures 6 to 12 as experiments, and their command."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from sunstar.console import called
from sunstar.papers.tr94_226.cases import SWEEPS, Sweep, memory_bytes
from sunstar.papers.tr94_226.statements import a_copy, of_figure
from sunstar.programs import processors
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.command import Call, command
from sunstar.study.experiments import Experiment, Study, conduct
from sunstar.study.views import Quantity, View


@dataclass(frozen=True)
class Choice:
    large: bool = False  # Also values of x that take long
    most_memory: int | None = None  # Bytes; a run that needs more is left out


def cases(sweep: Sweep, choice: Choice) -> Cases:
    return {
        key: sets
        for key, sets in sweep.cases(choice.large).items()
        if choice.most_memory is None or memory_bytes(sets, key) <= choice.most_memory
    }


def left_out(sweep: Sweep, choice: Choice) -> Iterator[tuple[Key, int]]:
    """The runs that do not fit into memory, and the bytes that they need."""
    fitting = cases(sweep, choice)
    for key, sets in sweep.cases(choice.large).items():
        if key not in fitting:
            yield key, memory_bytes(sets, key)


def view(number: int) -> View:
    """A line for each x, a column for each line of the figure."""

    def value(found: Found, key: Key) -> float:
        return a_copy(number, found, key)

    sweep = SWEEPS[number]
    several = len({line.layout for line in sweep.lines}) > 1
    columns = ("pattern", "method", *(["layout"] if several else []))
    return View({sweep.x_label: "x"}, columns, quantities=[Quantity("MiB/s (ra a copy)", value)], drawn="lines")


def trials_of_figure_10(key: Key) -> int:
    """Under traditional caching, single trials of rb vary by 3 %, and the statement is about 5 %."""
    return 40 if (key.method, key.pattern) == ("tc", "rb") else 1


STUDY = Study(
    "tr94-226",
    "TR94-226",
    [
        Experiment(
            str(number),
            sweep.title,
            partial(cases, sweep),
            [view(number)],
            of_figure(number),
            trials_of_figure_10 if number == 10 else lambda _: 1,
        )
        for number, sweep in SWEEPS.items()
    ],
)


@command(trials=5)
def figures_tr94_226(
    call: Call,
    figure: Annotated[str, typer.Option(metavar="6..12|all", help="The figure to sweep, or all.")] = "all",
    large: Annotated[
        bool, typer.Option("--large", help="Also 1000 MiB files in figures 10 and 11; takes minutes.")
    ] = False,
) -> bool:
    wanted = STUDY.choose([] if figure == "all" else [figure])
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    choice = Choice(large, memory // (2 * (call.jobs or processors())))
    for each in wanted:
        for key, needed in left_out(SWEEPS[int(each.name)], choice):
            name = f"{called(each.name)}, {key} ({needed >> 30} GiB)"
            call.out.print(f"left out, too large for this machine's memory: {name}", soft_wrap=True)
    suffix = "" if figure == "all" else f"-{figure}"
    return conduct(STUDY, wanted, choice, call, call.folder("figures"), prefix="tr94-226-", suffix=suffix)
