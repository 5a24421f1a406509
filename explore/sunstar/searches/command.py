# SPDX-License-Identifier: MIT
"""sunstar optimise"""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from sunstar.commands import JobsOption, JsonOption, ResultsOption, RetryOption, relative, results_folder
from sunstar.console import console, meter, print_table
from sunstar.errors import UsageError
from sunstar.files import Outputs
from sunstar.runs.runner import Runner
from sunstar.runs.simulator import CONFIGURATION, FAILED
from sunstar.runs.store import Store
from sunstar.searches.search import (
    CONSTRAINT,
    EXCLUDED,
    FEASIBLE,
    FOLDER,
    OBJECTIVE,
    Judged,
    Wanted,
    search,
    wanted,
    write,
)
from sunstar.searches.spec import Prices, Spec
from sunstar.sweeps.command import SchedulerOption, SchemaOption, chosen, printed

SHOWN = 20  # The most configurations of the front that are printed
LATE = 0.75  # Share of a search after which an improvement says that it is not at its end


def optimise(
    spec: Annotated[Path | None, typer.Argument(metavar="SPEC.json", help="The specification of the search.")] = None,
    schema: SchemaOption = False,
    prices_schema: Annotated[
        bool, typer.Option("--prices-schema", help="Print the JSON Schema of price lists, and exit.")
    ] = False,
    scheduler: SchedulerOption = None,
    retry_failed: RetryOption = False,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json: JsonOption = False,
) -> None:
    for asked, model in ((schema, Spec), (prices_schema, Prices)):
        if asked:
            typer.echo(json.dumps(model.model_json_schema(), indent=2))
            return
    if spec is None:
        raise UsageError(
            "name the specification of the search, as in: sunstar optimise explore/examples/cheap_disks.json"
        )
    start = time.monotonic()
    out = console(stderr=as_json)
    asked_for = wanted(spec)
    folder = results_folder(results)
    total = asked_for.spec.search.configurations
    with Store(folder) as store, Outputs() as files:
        with meter(out, asked_for.name, total) as ended:

            def on_start(told: int) -> None:
                out.print(f"{asked_for.name}: {told} of {total} configurations were tried before", soft_wrap=True)
                for _ in range(told):
                    ended(True)

            runner = Runner(store, chosen(scheduler, jobs), retry_failed)
            found = search(asked_for, runner, folder, jobs, on_start, ended)
        write(files, folder / FOLDER / asked_for.name, asked_for, found)
    tell(out, asked_for, found, files.paths(), time.monotonic() - start, as_json)


def tell(out: Console, wanted: Wanted, found: Judged, written: list[Path], took_s: float, as_json: bool) -> None:
    done, excluded = (sum(run.exit_code == code for run in found.runs) for code in (0, EXCLUDED))
    failed, feasible = len(found.runs) - done - excluded, int(found.table[FEASIBLE].sum())
    if as_json:
        front = [
            {
                "run": row["run"],
                "parameters": found.rows[row["run"]].values,
                "objectives": {name: row[OBJECTIVE + name] for name in wanted.spec.objectives},
                "identity": row["identity"],
            }
            for row in found.best.iter_rows(named=True)
        ]
        counts = {"configurations": len(found.runs), "done": done, "failed": failed, "excluded": excluded}
        told = {"name": wanted.name, **counts, "feasible": feasible, "front": front, "files": list(map(str, written))}
        typer.echo(json.dumps(told, indent=2))
    else:
        print_front(out, wanted.spec, found)
        if wanted.prices and wanted.prices.source:
            out.print(f"prices: {wanted.prices.source}", soft_wrap=True)
        left = f", {excluded} not made, as their parameters break a constraint" if excluded else ""
        kept = f"{feasible} configurations keep all constraints"
        out.print(f"{done} runs done, {failed} failed{left}; {kept}", soft_wrap=True)
        if found.best.height:
            out.print(longer(found), soft_wrap=True)
        if not done and failed:
            typer.echo(next(run.message for run in found.runs if run.exit_code != EXCLUDED), err=True)
        out.print(f"written: {', '.join(map(relative, written))}", soft_wrap=True)
        out.print(f"took {took_s:.0f} s")
    if not done and failed:
        refused = all(run.exit_code in (CONFIGURATION, EXCLUDED) for run in found.runs)
        raise typer.Exit(CONFIGURATION if refused else FAILED)


def print_front(out: Console, spec: Spec, found: Judged) -> None:
    best = found.best
    if not best.height:
        out.print(nearest(spec, found.table), soft_wrap=True)
        return
    parameters = [name for name in best.columns if name.partition(" [")[0] in spec.parameters]
    headings = [*short(parameters), *spec.objectives]
    names = [*parameters, *(OBJECTIVE + name for name in spec.objectives)]
    aims = " and ".join(f"{'most' if of.maximise else 'least'} {name}" for name, of in spec.objectives.items())
    what = f"Pareto front: {best.height}" if len(spec.objectives) > 1 else "the best"
    title = f"{what} of {found.table.height} configurations tried, by {aims}"
    if spec.constraints:
        title += f"; {'all keep' if best.height > 1 else 'it keeps'} {', '.join(spec.constraints)}"
    print_table(out, replace(printed(best.select(names).head(SHOWN), title), headings=headings))
    if best.height > SHOWN:
        out.print(f"... and {best.height - SHOWN} more; see front.csv")


def longer(found: Judged) -> str:
    """Whether a longer search would help: the last Pareto-optimal configuration was found late."""
    last, tried = max(found.best["run"].to_list()) + 1, found.table.height
    if last > LATE * tried:
        return f"configuration {last} of {tried} was the last to improve on the others: a longer search may find better"
    return f"no configuration after {last} of {tried} has improved on the others: a longer search would hardly help"


def nearest(spec: Spec, table: pl.DataFrame) -> str:
    """A sentence for when no configuration is feasible."""
    broken = [CONSTRAINT + name for name in spec.constraints]
    done = table.filter(pl.col("exit_code").is_in([0, EXCLUDED]))
    if not (broken and done.height):
        return "no configuration is feasible"
    row = done.sort(pl.sum_horizontal(broken)).row(0, named=True)
    said = ", ".join(f"{name.removeprefix(CONSTRAINT)} by {100 * row[name]:.3g} %" for name in broken if row[name] > 0)
    near = f"configuration {row['run']} is nearest and misses {said or 'an objective'}"
    return f"no configuration keeps all constraints; {near}"


def short(columns: Sequence[str]) -> list[str]:
    """The last words of the columns' paths, enough to tell them apart."""
    paths = [column.split(".") for column in columns]
    ends = [[path[-words:] for words in range(1, len(path) + 1)] for path in paths]
    return [
        ".".join(next((end for end in of if sum(path[-len(end) :] == end for path in paths) == 1), of[-1]))
        for of in ends
    ]
