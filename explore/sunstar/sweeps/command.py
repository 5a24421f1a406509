# SPDX-License-Identifier: MIT
"""sunstar sweep, sunstar query"""

import csv
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import polars.selectors as cs
import typer
from rich.console import Console

from sunstar import commands, places
from sunstar.commands import JobsOption, JsonOption, ResultsOption, RetryOption, SchedulerOption, SchemaOption
from sunstar.console import Printed, console, meter, print_table
from sunstar.errors import UsageError
from sunstar.files import Outputs
from sunstar.quantities import cell
from sunstar.runs.runner import Local, Runner, Scheduler, Store
from sunstar.runs.simulator import CONFIGURATION, FAILED, Run, check_all
from sunstar.sweeps.spec import Spec
from sunstar.sweeps.sweep import FOLDER, LOST, Planned, Sweep, carry_out, find_sweep, planned, shown, sweeps_in

SHOWN = 5  # The most failed runs that are shown one by one


def sweep(
    spec: Annotated[Path | None, typer.Argument(metavar="SPEC.json")] = None,
    schema: SchemaOption = False,
    check: Annotated[bool, typer.Option("--check")] = False,
    scheduler: SchedulerOption = None,
    resources: Annotated[bool, typer.Option("--resources")] = False,
    requests: Annotated[bool, typer.Option("--requests")] = False,
    retry_failed: RetryOption = False,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json: JsonOption = False,
) -> None:
    if schema:
        typer.echo(json.dumps(Spec.model_json_schema(), indent=2))
        return
    if spec is None:
        raise UsageError("name the specification of the sweep, as in: sunstar sweep explore/examples/disks.json")
    start = time.monotonic()
    out = console(stderr=as_json)
    wanted = planned(spec, jobs, requests)
    if check:
        with meter(out, "checking", len(wanted.plan.distinct())) as ended:
            bad = {**wanted.plan.refused, **check_all(wanted.plan, jobs, ended)}
        tell_check(out, wanted, bad, as_json)
        return
    folder = commands.results_folder(results)
    with Store(folder) as store, Outputs() as files:
        runner = Runner(store, chosen(scheduler, jobs), retry_failed)
        with shown(out, wanted, runner) as on_end:
            runs = carry_out(wanted, runner, folder, files, on_end)
    made = Sweep(folder / FOLDER / wanted.name, folder)
    if resources:
        made.resources()
    if requests:
        made.requests()
    tell(out, wanted, runs, made, time.monotonic() - start, as_json)


def chosen(scheduler: str | None, jobs: int) -> Scheduler:
    if scheduler is None:
        return Local(jobs)
    from sunstar.runs.cluster import Cluster  # here, so that sweeps on this computer start without it

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


def tell(out: Console, wanted: Planned, runs: Sequence[Run], made: Sweep, took_s: float, as_json: bool) -> None:
    failed = [index for index, run in enumerate(runs) if not run.done]
    if as_json:
        counts = {"name": wanted.name, "runs": len(runs), "done": len(runs) - len(failed), "table": str(made.path)}
        found = [as_object(wanted, index, runs[index]) for index in failed]
        typer.echo(json.dumps({**counts, "failed": found}, indent=2))
    else:
        for index in failed[:SHOWN]:
            typer.echo(described(wanted, index, runs[index]), err=True)
        if len(failed) > SHOWN:
            typer.echo(f"... and {len(failed) - SHOWN} more; see the column message of the table", err=True)
        lost = sum(map(bool, made.frame().get_column(LOST, default=pl.Series())))
        loss = f", {lost} lost bytes (column {LOST})" * bool(lost)
        out.print(f"{len(runs) - len(failed)} runs done, {len(failed)} failed{loss}")
        out.print(f"written: {commands.relative(made.path)}", soft_wrap=True)
        out.print(f"took {took_s:.0f} s")
    if failed:
        raise typer.Exit(CONFIGURATION if len(wanted.plan.refused) == len(runs) else FAILED)


def described(wanted: Planned, index: int, run: Run) -> str:
    settings = ", ".join(f"{path}={value}" for path, value in wanted.rows[index].values.items())
    return f"run {index} ({settings}): {run.message}"


def as_object(wanted: Planned, index: int, run: Run) -> dict[str, Any]:
    values = wanted.rows[index].values
    return {"run": index, "parameters": values, "exit_code": run.exit_code, "message": run.message}


def names_of_sweeps() -> list[str]:  # for the completion in a shell
    return [folder.name for folder in sweeps_in(places.results())]


def query(
    question: Annotated[str, typer.Argument(metavar="SQL")],
    sweep: Annotated[str | None, typer.Argument(metavar="[SWEEP]", autocompletion=names_of_sweeps)] = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv")] = False,
    files: Annotated[bool, typer.Option("--files")] = False,
    seconds: Annotated[float | None, typer.Option(min=0)] = None,
    results: ResultsOption = None,
) -> None:
    if as_json and as_csv:
        raise UsageError("--json and --csv both say how to print the answer; leave one out")
    answer = find_sweep(sweep, commands.results_folder(results)).query(question, files, seconds)
    if as_json:
        finite = answer.with_columns(pl.when(cs.float().is_finite()).then(cs.float()))  # JSON knows no others
        typer.echo(json.dumps(finite.to_dicts(), indent=2, default=str))
    elif as_csv:
        rows = csv.writer(sys.stdout, lineterminator="\n")
        rows.writerows([answer.columns, *answer.iter_rows()])
    else:
        out, table = console(), printed(answer)
        if not out.is_terminal:  # a narrow one would leave columns out
            columns = zip(table.headings, *table.rows, strict=True)
            out.width = max(out.width, 1 + sum(3 + max(map(len, each)) for each in columns))
        print_table(out, table)


def printed(frame: pl.DataFrame, title: str = "") -> Printed:
    """An aligned table, with figures on the right: the columns from the first one of numbers on."""
    names = next((index for index, kind in enumerate(frame.dtypes) if kind.is_numeric()), frame.width)
    return Printed(title, frame.columns, [[cell(value) for value in row] for row in frame.iter_rows()], names)
