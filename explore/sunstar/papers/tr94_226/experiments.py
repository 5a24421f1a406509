# SPDX-License-Identifier: MIT
"""The report's figures 6 to 12 as experiments, and their command."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from sunstar.console import called
from sunstar.papers.tr94_226 import statements
from sunstar.papers.tr94_226.cases import METHODS, memory_bytes, points
from sunstar.programs import processors
from sunstar.study.cases import Cases, Key
from sunstar.study.command import Call, command
from sunstar.study.described import study_of
from sunstar.study.experiments import conduct
from sunstar.study.views import Quantity


@dataclass(frozen=True)
class Choice:
    large: bool = False  # Also values of x that take long
    most_memory: int | None = None  # Bytes; a run that needs more is left out


def every(figure: str, large: bool) -> Cases:
    """A figure's points, one line after the other."""
    found = points(figure, not large)
    return {key: found[key] for method in METHODS for key in found if key.method == method}


def lines(figure: str) -> Callable[[Choice], Cases]:
    def cases(choice: Choice) -> Cases:
        left = left_out(figure, choice)
        return {key: sets for key, sets in every(figure, choice.large).items() if key not in left}

    return cases


def left_out(figure: str, choice: Choice) -> dict[Key, int]:
    """The runs that do not fit into memory, and the bytes that they need."""
    needed = {key: memory_bytes(sets, key) for key, sets in every(figure, choice.large).items()}
    return {key: size for key, size in needed.items() if choice.most_memory is not None and size > choice.most_memory}


def a_copy(figure: int) -> Quantity:
    return Quantity("MiB/s (ra a copy)", partial(statements.a_copy, figure))


def trials_of_figure_10(key: Key) -> int:
    """Under traditional caching, single trials of rb vary by 3 %, and the statement is about 5 %."""
    return 40 if (key.method, key.pattern) == ("tc", "rb") else 1


STUDY = study_of("tr94-226", globals())


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
        for key, needed in left_out(each.name, choice).items():
            name = f"{called(each.name)}, {key} ({needed >> 30} GiB)"
            call.out.print(f"left out, too large for this machine's memory: {name}", soft_wrap=True)
    suffix = "" if figure == "all" else f"-{figure}"
    return conduct(STUDY, wanted, choice, call, call.folder("figures"), prefix="tr94-226-", suffix=suffix)
