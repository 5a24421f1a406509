# SPDX-License-Identifier: MIT
"""The command `sunstar reproduce NAME` of a study."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from typer.models import OptionInfo

from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Experiment, Output, Study, conduct

Choice = TypeVar("Choice")

TEXT = """{about}

Prints the figures, draws them, and checks statements about them: a statement holds, is a known shortfall, or is NEW.
Writes to results/{name}/ a .png for each experiment; as .csv, .json and .parquet {tables}; and the verdicts as .json.
With --figure, the names of these files say which experiments they hold. Exit code 1 if a statement is NEW. Finished
runs stay in results/runs.sqlite, and a later call does not repeat them. --document knows the names of the experiments
and "statements".

Example: sunstar reproduce {name} {example}
"""


def reproduction(
    study: Study[bool],
    about: str,
    *,
    example: str = "--quick",
    tables: str = "all points",
    quick: str,
    trials: int = 1,
    quick_trials: int | None = None,
    long: Sequence[str] = (),
) -> Callable[..., None]:
    """The command of a study whose cases only depend on --quick; `quick` says what that does. `long` are experiments
    that it leaves out unless they are named."""
    figure_option = Annotated[list[str] | None, figures_of(study)]
    quick_option = Annotated[bool, typer.Option("--quick", help=quick)]

    def reproduce(
        call: Call,
        figure: figure_option = None,
        quick: quick_option = False,
        document: DocumentOption = None,
    ) -> bool:
        named: list[str] = figure or [name for name in study.names if not (quick and name in long)]
        return carry_out(study, study.choose(named), bool(quick), call, document, bool(figure))

    reproduce.__doc__ = TEXT.format(about=about, name=study.name, tables=tables, example=example)
    return command(trials=trials, quick_trials=quick_trials)(reproduce)


def figures_of(study: Study[Choice]) -> OptionInfo:
    """The option --figure."""
    help_ = f"Only this one of {', '.join(study.names)}; repeatable."
    option: OptionInfo = typer.Option("--figure", metavar="NAME", help=help_)
    return option


def carry_out(
    study: Study[Choice],
    wanted: Sequence[Experiment[Choice]],
    choice: Choice,
    call: Call,
    document: Path | None,
    named: bool,
) -> bool:
    """Carries out experiments in the study's own folder of results; if they were `named`, the files say so."""
    suffix = f"-{'-'.join(each.name for each in wanted)}" if named else ""
    return conduct(study, wanted, choice, call, Output(call.folder(study.name), suffix=suffix, document=document))
