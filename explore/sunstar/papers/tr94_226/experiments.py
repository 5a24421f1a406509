# SPDX-License-Identifier: MIT
"""The report's figures 6 to 12 as experiments, and their command."""

from collections.abc import Callable
from typing import Annotated

import typer

from sunstar.papers.tr94_226.cases import METHODS, points
from sunstar.study.cases import Cases, Key
from sunstar.study.command import Call, command
from sunstar.study.described import study_of
from sunstar.study.experiments import conduct


def lines(figure: str) -> Callable[[None], Cases]:
    """A figure's points, one line after the other."""
    found = points(figure)
    return lambda _: {key: found[key] for method in METHODS for key in found if key.method == method}


def trials_of_figure_10(key: Key) -> int:
    """Under traditional caching, single trials of rb vary by 3 %, and the statement is about 5 %."""
    return 40 if (key.method, key.pattern) == ("tc", "rb") else 1


STUDY = study_of("tr94-226", globals())


@command(trials=5)
def figures_tr94_226(
    call: Call, figure: Annotated[str, typer.Option(metavar="6..12|all", help="The figure to sweep, or all.")] = "all"
) -> bool:
    named = figure != "all"
    wanted = STUDY.choose([figure] if named else [])
    return conduct(STUDY, wanted, None, call, call.folder("figures"), named=named, prefix="tr94-226-")
