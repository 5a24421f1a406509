# SPDX-License-Identifier: MIT
"""The common part of the commands of studies: options, conditions, a call and its work."""

import functools
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, cast

import typer
from rich.console import Console

from sunstar.commands import JobsOption, ResultsOption, RetryOption, results_folder, written
from sunstar.console import console
from sunstar.files import Outputs, make_folder
from sunstar.runs.runner import Local, Runner, Store
from sunstar.runs.simulator import Point, Value, settings_of
from sunstar.study.statements import Verdict

P = ParamSpec("P")

ConfigOption = Annotated[Path | None, typer.Option("--config", metavar="FILE")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE")]
SeedOption = Annotated[int, typer.Option("--seed", min=0)]
TrialsOption = Annotated[int, typer.Option("--trials", min=1)]
DocumentOption = Annotated[Path | None, typer.Option(metavar="FILE.json")]


@dataclass(frozen=True)
class Conditions:
    trials: int = 1
    seed: int = 1
    settings: Mapping[str, Value] = field(default_factory=dict)  # These override the settings of cases
    config: Path | None = None  # The settings of cases override this
    platform: str = "torus"

    def point(self, settings: Mapping[str, Value], least_trials: int = 1, platform: str | None = None) -> Point:
        """A case's settings as a run, with more trials or on another platform if the case needs them."""
        trials = max(self.trials, least_trials)
        return Point({**settings, **self.settings}, self.config, platform or self.platform, self.seed, trials)


@dataclass(frozen=True)
class Call:
    """One call of a command: the values of the options that all commands have, and the files that it writes."""

    conditions: Conditions
    jobs: int
    results: Path
    out: Console
    files: Outputs = field(default_factory=Outputs)  # The files that the command writes
    retry_failed: bool = False
    verdicts: list[Verdict] = field(default_factory=list)  # The verdicts on the statements that the command has checked

    def folder(self, name: str = "") -> Path:
        """The folder for results, or one below it; checks that it can be written to."""
        return make_folder(self.results / name)

    @contextmanager
    def runner(self) -> Iterator[Runner]:
        """Gets finished runs from the store, and makes the others."""
        with Store(self.results) as store:
            yield Runner(store, Local(self.jobs), self.retry_failed)


@dataclass(frozen=True)
class Work:
    """The work of a command, for callers that carry out several."""

    work: Callable[..., bool]
    trials: int

    def carry_out(self, call: Call, **values: object) -> bool:
        """Does the work, with defaults for other options, and keeps its files. Returns whether a statement is NEW."""
        with call.files:
            return self.work(call, **{each.name: each.default for each in self.options()} | values)

    def options(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.work).parameters.values())[1:]


def work_of(made: Callable[..., None]) -> Work:
    """The work behind a command that command() has made."""
    return cast(Work, made.work)  # type: ignore[attr-defined]


def command(
    *, trials: int, machine: bool = True, stderr: bool = False
) -> Callable[[Callable[Concatenate[Call, P], bool]], Callable[..., None]]:
    """Makes a command of a function, which returns whether a statement is NEW.

    The command gets options for trials (left out: `trials`), seed, jobs and results; with `machine` also --config and
    --set. At the end it prints the written files and its duration, with `stderr` on stderr. Exit code 1 only means that
    a statement is NEW.
    """
    options: dict[str, tuple[Any, Any]] = {
        "trials": (TrialsOption, trials),
        "seed": (SeedOption, 1),
        "jobs": (JobsOption, 0),
        "retry_failed": (RetryOption, False),
        **({"config": (ConfigOption, None), "set_": (SetOption, None)} if machine else {}),
        "results": (ResultsOption, None),
    }

    def decorate(function: Callable[Concatenate[Call, P], bool]) -> Callable[..., None]:
        work = Work(function, trials)

        @functools.wraps(function)
        def wrapped(**values: Any) -> None:  # noqa: ANN401  the options' values
            start = time.monotonic()
            common = {name: values.pop(name) for name in options}
            settings = settings_of(common.get("set_") or [])
            conditions = Conditions(common["trials"], common["seed"], settings, common.get("config"))
            folder, out, retry = results_folder(common["results"]), console(stderr), common["retry_failed"]
            call = Call(conditions, common["jobs"], folder, out, retry_failed=retry)
            new = work.carry_out(call, **values)
            call.out.print(written(call.files.paths()), soft_wrap=True)
            call.out.print(f"took {time.monotonic() - start:.0f} s")
            if new:
                raise typer.Exit(1)

        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [parameter.replace(kind=keyword) for parameter in work.options()] + [
            inspect.Parameter(name, keyword, default=default, annotation=annotation)
            for name, (annotation, default) in options.items()
        ]
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        wrapped.work = work  # type: ignore[attr-defined]
        return wrapped

    return decorate
