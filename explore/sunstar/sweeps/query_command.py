# SPDX-License-Identifier: MIT
"""sunstar query"""

import csv
import json
import sys
from typing import Annotated, Any

import polars as pl
import typer

from sunstar import places
from sunstar.commands import ResultsOption, results_folder, told_in_sentences
from sunstar.errors import UsageError
from sunstar.study.tables import Printed, console, print_table
from sunstar.sweeps.sweep import find_sweep, sweeps_in

QuestionArgument = Annotated[str, typer.Argument(metavar="SQL", help='As in "SELECT * FROM runs".')]


def names_of_sweeps() -> list[str]:
    """For the completion in a shell."""
    return [folder.name for folder in sweeps_in(places.results())]


SweepArgument = Annotated[
    str | None,
    typer.Argument(metavar="[SWEEP]", help="Its name; the newest if left out.", autocompletion=names_of_sweeps),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the answer as JSON, a list of objects.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print the answer as CSV.")]


def query(
    question: QuestionArgument,
    sweep: SweepArgument = None,
    as_json: JsonOption = False,
    as_csv: CsvOption = False,
    results: ResultsOption = None,
) -> None:
    """Ask a sweep's tables in SQL (DuckDB).

    The table `runs` has a row for each run: its parameters, how it ended, its figures. The table `resources` has a row
    for each statistic of each resource of each run, and `requests` one for each request, if the sweep was called with
    --requests. Names with dots or units need double quotes. DESCRIBE runs lists
    the columns.

    Example: sunstar query 'SELECT run, "result.throughput.mib_per_s" FROM runs ORDER BY 2 DESC LIMIT 3' disks
    """
    with told_in_sentences():
        if as_json and as_csv:
            raise UsageError("--json and --csv both say how to print the answer; leave one out")
        answer = find_sweep(sweep, results_folder(results)).query(question)
        if as_json:
            typer.echo(json.dumps(answer.to_dicts(), indent=2, default=str))
        elif as_csv:
            rows = csv.writer(sys.stdout, lineterminator="\n")
            rows.writerows([answer.columns, *answer.iter_rows()])
        else:
            print_answer(answer)


def print_answer(answer: pl.DataFrame) -> None:
    """An aligned table; figures stand on the right and have at most five significant digits."""
    figures = [kind.is_numeric() for kind in answer.dtypes]
    names = figures.index(True) if True in figures else len(figures)
    print_table(console(), Printed("", answer.columns, [[cell(v) for v in row] for row in answer.iter_rows()], names))


def cell(value: Any) -> str:  # noqa: ANN401  whatever a column holds
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
