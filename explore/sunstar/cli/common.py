# SPDX-License-Identifier: MIT
"""What the commands share: options, answers to errors, how a throughput is shown."""

import functools
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ParamSpec

import typer
from rich.console import Console

from sunstar.errors import FileError, SunstarError, UsageError
from sunstar.places import project
from sunstar.run import Setting
from sunstar.verdicts import Verdict

P = ParamSpec("P")

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Configuration below the rows' own.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Set a parameter of the machine in every run; repeatable."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the first trial.")]
TrialsOption = Annotated[int, typer.Option("--trials", min=1, help="Trials a row, with seeds seed, seed + 1, ...")]
JobsOption = Annotated[int, typer.Option("--jobs", min=0, help="Runs at the same time; 0: as many as processors.")]
ResultsOption = Annotated[
    Path | None, typer.Option("--results", metavar="FOLDER", help="Where to write; the project's results/ if left out.")
]
DocumentOption = Annotated[
    Path | None,
    typer.Option(
        "--document", metavar="FILE.md", help="Also put the tables into this document, after <!-- printed: NAME -->."
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="NAME", help="Only this layout, pattern or method; repeatable, names of a kind add up."
    ),
]
ReferenceOption = Annotated[
    Path | None,
    typer.Option("--reference", metavar="FILE.csv", help="Published figures; the package's own if left out."),
]


class Records(StrEnum):
    """Which record sizes."""

    LARGE = "8192"
    SMALL = "8"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        return (8, 8192) if self is Records.ALL else (int(self.value),)


RecordsOption = Annotated[Records, typer.Option("--records", help="Record sizes in bytes.")]


def answer_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Makes a command answer errors with their sentence and an exit code: 2 for a mistake in the call, 3 for a file or
    folder that cannot be used, otherwise the simulator's, or 1."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except SunstarError as error:
            typer.echo(f"sunstar: {error}", err=True)
            codes = {UsageError: 2, FileError: 3}
            code = codes.get(type(error), getattr(error, "exit_code", 1))
            raise typer.Exit(max(code, 1)) from error

    return wrapped


def settings_from(texts: list[str] | None) -> dict[str, Setting]:
    """Takes --set options apart; their values are checked by the simulator."""
    settings: dict[str, Setting] = {}
    for text in texts or []:
        path, equals, value = text.partition("=")
        if not (path and equals):
            raise UsageError(f'--set {text}: it must be path=value, as in --set machine.network.model="worm"')
        settings[path] = value
    return settings


def results_folder(folder: Path | None) -> Path:
    if folder == Path("-"):
        raise UsageError("--results is -, the standard output; it must be a folder, for results are several files")
    return folder or project() / "results"


def console() -> Console:
    """For tables and progress. Off a terminal it is wide enough for every table."""
    terminal = Console(highlight=False)
    return terminal if terminal.is_terminal else Console(highlight=False, width=120)


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def throughput(value: float | None) -> str:
    """As the papers print it."""
    return "-" if value is None else f"{value:.1f}"


def percent(value: float | None, sign: bool = False) -> str:
    return "-" if value is None else f"{100 * value:{'+' if sign else ''}.1f} %"


def print_verdicts(out: Console, verdicts: Sequence[Verdict], what: str = "trends") -> None:
    for verdict in verdicts:
        mark = "pass" if verdict.holds else "FAIL"
        out.print(
            f"{mark}  {called(verdict.figure)}: {verdict.sentence}; {verdict.detail}", soft_wrap=True, markup=False
        )
    out.print(f"{sum(v.holds for v in verdicts)} of {len(verdicts)} {what} hold")


def called(figure: int | str) -> str:
    """A figure by its number, anything else by its name."""
    return f"figure {figure}" if str(figure).isdecimal() else str(figure)
