# SPDX-License-Identifier: MIT
"""What the commands share: options, answers to errors, where results go."""

import functools
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, ParamSpec

import typer
from rich.console import Console

from sunstar.errors import FileError, SunstarError, UsageError
from sunstar.places import project
from sunstar.study.cases import Settings

P = ParamSpec("P")

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Configuration that the runs' own settings override.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Set a parameter of the machine in every run; repeatable."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the first trial.")]
TrialsOption = Annotated[
    int,
    typer.Option(
        "--trials",
        min=1,
        help="Trials of each run, with seeds seed, seed + 1, ...; some runs make more, for a statement.",
    ),
]
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


def settings_from(texts: Iterable[str] | None) -> Settings:
    """Takes --set options apart; the simulator checks their values."""
    settings: Settings = {}
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


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


@contextmanager
def files_and_time(out: Console) -> Iterator[list[Path]]:
    """Gives a list for the files that a command writes, and tells them and its time at the end."""
    start = time.monotonic()
    files: list[Path] = []
    yield files
    out.print(f"written: {', '.join(shown(path) for path in files)}", soft_wrap=True)
    out.print(f"took {time.monotonic() - start:.0f} s")
