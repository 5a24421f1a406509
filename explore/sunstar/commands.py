# SPDX-License-Identifier: MIT
"""What all commands share: how they end when something is wrong, and where results go."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from sunstar import places
from sunstar.errors import FileError, MissingExecutableError, RunError, SchedulerError, SunstarError, UsageError

JobsOption = Annotated[int, typer.Option("--jobs", min=0, help="Runs at the same time; 0: as many as processors.")]
ResultsOption = Annotated[
    Path | None,
    typer.Option(
        "--results", metavar="FOLDER", help="Folder for results; by default $SUNSTAR_RESULTS or the project's results/."
    ),
]
RetryOption = Annotated[bool, typer.Option("--retry-failed", help="Run again what failed before.")]


@contextmanager
def told_in_sentences() -> Iterator[None]:
    """Prints an error's sentence, and ends the command with its exit code."""
    try:
        yield
    except SunstarError as error:
        typer.echo(f"sunstar: {error}", err=True)
        raise typer.Exit(exit_code(error)) from error


def warn(sentence: str) -> None:
    """What is possible, but hardly meant."""
    typer.echo(f"Warning: {sentence}", err=True)


def exit_code(error: SunstarError) -> int:
    """The simulators' exit codes: 2 for a mistake in the call, 3 for a configuration, file, executable or cluster that
    cannot be used, 4 for a simulation that failed or did not measure what is needed."""
    if isinstance(error, UsageError):
        return 2
    if isinstance(error, FileError | MissingExecutableError | SchedulerError):
        return 3
    simulators = error.exit_code if isinstance(error, RunError) else 4
    return simulators if simulators in (2, 3) else 4


def results_folder(folder: Path | None) -> Path:
    if folder == Path("-"):
        raise UsageError("--results is -, the standard output; it must be a folder, because results are several files")
    return folder or places.results()


def relative(path: Path) -> str:
    """The path relative to the working directory, if it is below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
