# SPDX-License-Identifier: MIT
"""Options that commands share, their exit codes, and the place of results."""

from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from sunstar import places
from sunstar.errors import FileError, MissingExecutableError, RunError, SchedulerError, SunstarError, UsageError

JobsOption = Annotated[int, typer.Option(min=0)]
ResultsOption = Annotated[Path | None, typer.Option(metavar="FOLDER")]
JsonOption = Annotated[bool, typer.Option("--json")]
SchemaOption = Annotated[bool, typer.Option("--schema")]
SchedulerOption = Annotated[str | None, typer.Option(metavar="tcp://HOST:PORT")]
RetryOption = Annotated[bool, typer.Option("--retry-failed")]


def warn(sentence: str) -> None:
    """Warns of something possible but hardly meant."""
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


def imported(place: str) -> Any:  # noqa: ANN401  any object there
    """The object at a place MODULE:NAME of this package."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"sunstar.{module}"), name)


def results_folder(folder: Path | None) -> Path:
    if folder == Path("-"):
        raise UsageError("--results is -, the standard output; it must be a folder, because results are several files")
    return folder or places.results()


def relative(path: Path) -> str:
    """The path relative to the working directory, if it is below it."""
    place, here = path.resolve(), Path.cwd()
    return str(place.relative_to(here) if place.is_relative_to(here) else path)


def written(paths: Iterable[Path]) -> str:
    """Names written files; more than three with the same suffix in a folder are named by their common pattern."""
    patterns = {path: path.with_name(f"*{path.suffix}") for path in paths}
    count = Counter(patterns.values())
    named = (pattern if count[pattern] > 3 else path for path, pattern in patterns.items())
    return f"written: {', '.join(dict.fromkeys(relative(path) for path in named))}"
