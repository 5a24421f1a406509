# SPDX-License-Identifier: MIT
"""sunstar sweep"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sunstar.commands import JobsOption, ResultsOption, RetryOption, relative, results_folder, told_in_sentences
from sunstar.errors import UsageError
from sunstar.files import Outputs
from sunstar.meter import meter
from sunstar.runs.checking import check_all
from sunstar.runs.plan import CONFIGURATION
from sunstar.runs.run import Run
from sunstar.runs.runner import Runner
from sunstar.runs.scheduler import Local, Scheduler
from sunstar.runs.store import Store
from sunstar.study.tables import console
from sunstar.sweeps.points import rows_of
from sunstar.sweeps.reading import read_spec
from sunstar.sweeps.spec import Spec
from sunstar.sweeps.sweep import FOLDER, RUNS, Planned, Sweep, carry_out, planned

SIMULATION = 4
"""The exit code if a run failed."""
SHOWN = 5
"""So many failed runs are shown one by one."""

SpecArgument = Annotated[Path | None, typer.Argument(metavar="SPEC.json", help="The specification of the sweep.")]
SchemaOption = Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of specifications, and exit.")]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Build the machine of every point, name all that are wrong, and run nothing.")
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="tcp://HOST:PORT", help="Run on the workers of this Dask scheduler."),
]
ResourcesOption = Annotated[bool, typer.Option("--resources", help="Also write the table of every resource's figures.")]
RequestsOption = Annotated[
    bool, typer.Option("--requests", help="Also keep every request of each run, and write the table of them.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print what became of the sweep as JSON.")]


def sweep(
    spec: SpecArgument = None,
    schema: SchemaOption = False,
    check: CheckOption = False,
    scheduler: SchedulerOption = None,
    resources: ResourcesOption = False,
    requests: RequestsOption = False,
    retry_failed: RetryOption = False,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one simulator at many points, and keep every run.

    SPEC.json names the simulator and what varies. Writes results/sweeps/NAME/runs.parquet, a row for each run, which
    sunstar query reads. Finished runs stay in results/runs.sqlite: after an interruption, or in another sweep, the same
    run is not made again. A run that fails does not stop the others. Exit code 3 if the specification or, with --check,
    a point is wrong, 4 if a run failed.

    Example: sunstar sweep explore/examples/disks.json
    """
    with told_in_sentences():
        if schema:
            typer.echo(json.dumps(Spec.model_json_schema(), indent=2))
            return
        if spec is None:
            raise UsageError("name the specification of the sweep, as in: sunstar sweep explore/examples/disks.json")
        start = time.monotonic()
        out = console(stderr=as_json)
        read = read_spec(spec)
        wanted = planned(read, spec.stem, str(spec), rows_of(read, spec.resolve().parent, requests), jobs)
        if check:
            tell_check(out, wanted, {**wanted.plan.refused, **check_all(out, wanted.plan, jobs)}, as_json)
            return
        folder = results_folder(results)
        with Store(folder) as store, Outputs() as files:
            runner = Runner(store, chosen(scheduler, jobs), retry_failed)
            before = len(runner.known(wanted.plan)) - len(wanted.plan.refused)
            total = len(wanted.rows) - before - len(wanted.plan.refused)
            out.print(f"{wanted.name}: {len(wanted.rows)} runs, of which {before} were finished before", soft_wrap=True)
            with meter(out, wanted.name, total) as ended:
                runs = carry_out(wanted, runner, folder, files, lambda _, run: ended(run.done))
            files.commit()
        if resources:
            Sweep(folder / FOLDER / wanted.name, folder).resources()
        if requests:
            Sweep(folder / FOLDER / wanted.name, folder).requests()
        tell(out, wanted, runs, folder, time.monotonic() - start, as_json)


def chosen(scheduler: str | None, jobs: int) -> Scheduler:
    if scheduler is None:
        return Local(jobs)
    # Here, so that sweeps on this computer start without it.
    from sunstar.runs.cluster import Cluster

    return Cluster(scheduler)


def tell_check(out: Console, wanted: Planned, bad: Mapping[int, Run], as_json: bool) -> None:
    if as_json:
        found = [as_object(wanted, index, bad[index]) for index in sorted(bad)]
        typer.echo(json.dumps({"points": len(wanted.rows), "bad": found}, indent=2))
    else:
        for index in sorted(bad):
            typer.echo(described(wanted, index, bad[index]), err=True)
        out.print(f"{len(wanted.rows) - len(bad)} of {len(wanted.rows)} points are in order")
    if bad:
        raise typer.Exit(CONFIGURATION)


def tell(out: Console, wanted: Planned, runs: Sequence[Run], folder: Path, took_s: float, as_json: bool) -> None:
    failed = [index for index, run in enumerate(runs) if not run.done]
    table = folder / FOLDER / wanted.name / RUNS
    if as_json:
        counts = {"name": wanted.name, "runs": len(runs), "done": len(runs) - len(failed), "table": str(table)}
        found = [as_object(wanted, index, runs[index]) for index in failed]
        typer.echo(json.dumps({**counts, "failed": found}, indent=2))
    else:
        for index in failed[:SHOWN]:
            typer.echo(described(wanted, index, runs[index]), err=True)
        if len(failed) > SHOWN:
            typer.echo(f"... and {len(failed) - SHOWN} more; see the column message of the table", err=True)
        out.print(f"{len(runs) - len(failed)} runs done, {len(failed)} failed")
        out.print(f"written: {relative(table)}", soft_wrap=True)
        out.print(f"took {took_s:.0f} s")
    if failed:
        raise typer.Exit(CONFIGURATION if len(wanted.plan.refused) == len(runs) else SIMULATION)


def described(wanted: Planned, index: int, run: Run) -> str:
    settings = ", ".join(f"{path}={value}" for path, value in wanted.rows[index].values.items())
    return f"run {index} ({settings}): {run.message}"


def as_object(wanted: Planned, index: int, run: Run) -> dict[str, Any]:
    values = wanted.rows[index].values
    return {"run": index, "parameters": values, "exit_code": run.exit_code, "message": run.message}
