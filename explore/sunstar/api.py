# SPDX-License-Identifier: MIT
"""The Python interface: one run, many runs, a sweep, a search."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

import polars as pl

from sunstar import places
from sunstar.console import console
from sunstar.errors import RunError
from sunstar.files import Outputs
from sunstar.results import DiskResult, Document, MachineResult, NetworkResult, read
from sunstar.runs.runner import Local, Runner, Scheduler, Store
from sunstar.runs.simulator import Point, Value, plan
from sunstar.sweeps.spec import base
from sunstar.sweeps.sweep import FOLDER, Sweep, carry_out, planned, shown

Settings = Mapping[str, Value]
Spec = Path | str | Mapping[str, Any]


class Options(TypedDict, total=False):
    config: Path | str | Mapping[str, Any]  # A file, or the object that would be in it
    seed: int
    trials: int
    explain: bool  # Whether the result also says why the run took so long (--explain)
    results: Path  # The folder of results, with the store of finished runs


@overload
def run(
    platform: Literal["torus", "sp2", "cluster"], settings: Settings | None = None, **options: Unpack[Options]
) -> MachineResult: ...
@overload
def run(
    platform: Literal["network"], settings: Settings | None = None, **options: Unpack[Options]
) -> NetworkResult: ...
@overload
def run(platform: Literal["disk"], settings: Settings | None = None, **options: Unpack[Options]) -> DiskResult: ...
@overload
def run(platform: str, settings: Settings | None = None, **options: Unpack[Options]) -> Document: ...
def run(platform: str, settings: Settings | None = None, **options: Unpack[Options]) -> Document:
    """The result of one run, from the store or by running it; a RunError with the simulator's sentence if it fails."""
    seed, trials, explain = options.get("seed"), options.get("trials"), options.get("explain", False)
    given = options.get("config", {})
    file, sections = base(dict(given) if isinstance(given, Mapping) else str(given), Path())
    point = Point({**sections, **(settings or {})}, file, platform, seed, trials, explained=explain)
    with Store(options.get("results") or places.results()) as store:
        made = Runner(store).one(point)
        if not made.done:
            raise made.error()
        outcome = store.outcome(made.identity)
    assert outcome is not None  # the run has just been stored
    return read(outcome.document)


class Work(TypedDict, total=False):
    jobs: int  # Runs at the same time; 0: one for each processor
    scheduler: Scheduler | None  # This computer if left out
    retry_failed: bool  # Whether to repeat failed runs
    results: Path | None  # The folder of results, with the store of finished runs


@contextmanager
def runner_of(**work: Unpack[Work]) -> Iterator[Runner]:
    with Store(work.get("results") or places.results()) as store:
        yield Runner(store, work.get("scheduler") or Local(work.get("jobs", 0)), work.get("retry_failed", False))


def run_all(points: Sequence[Point], **work: Unpack[Work]) -> list[Document | RunError]:
    """The result of each point, or the error of its run; a run that fails does not stop the others."""
    with runner_of(**work) as runner:
        runs = runner.all(plan(points, work.get("jobs", 0)), lambda _, __: None)
        outcomes = runner.store.outcomes(run.identity for run in runs if run.done)
        found = {identity: read(outcome.document) for identity, outcome in outcomes}
    return [found[run.identity] if run.done else run.error() for run in runs]


def sweep(spec: Spec, *, requests: bool = False, quiet: bool = False, **work: Unpack[Work]) -> Sweep:
    """Carries out a sweep. Its specification is a file, or an object with a name whose paths of files are relative to
    the working directory. With `requests`, each run keeps its own, for Sweep.requests(). Unless `quiet`, it reports
    earlier finished runs, its progress and failures on the standard error output."""
    wanted = planned(spec, work.get("jobs", 0), requests)
    place = work.get("results") or places.results()
    out = console(stderr=True)
    out.quiet = quiet
    with runner_of(**work) as runner, Outputs() as files, shown(out, wanted, runner) as on_end:
        runs = carry_out(wanted, runner, place, files, on_end)
    failed = [run.message for run in runs if not run.done]
    if failed:
        out.print(f"{wanted.name}: {len(failed)} of {len(runs)} runs failed; the first: {failed[0]}", soft_wrap=True)
    return Sweep(place / FOLDER / wanted.name, place)


def optimise(spec: Spec, **work: Unpack[Work]) -> pl.DataFrame:
    """Carries out a search, or goes on with one, and returns the table of configurations: `feasible` and `front` (the
    place on the Pareto front) mark the good ones. The specification is as for sweep()."""
    # Here, so that other programs start without Optuna.
    from sunstar.searches import search

    asked = search.wanted(spec)
    place = work.get("results") or places.results()
    with runner_of(**work) as runner, Outputs() as files:
        found = search.search(asked, runner, place, work.get("jobs", 0), lambda _: None, lambda _: None)
        search.write(files, place, asked, found)
    return found.table
