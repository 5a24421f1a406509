# SPDX-License-Identifier: MIT
"""The common part of comparisons with measured systems: their runs, and the table, .json and .csv of their findings."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from string import Formatter
from typing import Any

import polars as pl

from sunstar.console import Printed, listed_in, percent, print_table
from sunstar.files import write_json, write_table
from sunstar.runs.runner import Form, documents_of
from sunstar.runs.simulator import Point
from sunstar.study.command import Call
from sunstar.study.experiments import in_words, run_with_progress

Row = dict[str, Any]
TABLES = json.loads((Path(__file__).parent / "data" / "tables.json").read_text())
"""The printed tables, by name: the title, the number of columns of names, and by heading the template of a cell."""


class Cell(Formatter):
    """A template in which {name!p} is a share in percent, and {name!d} a difference in percent, with its sign."""

    def convert_field(self, value: Any, conversion: Any) -> Any:  # noqa: ANN401  as in the class above
        if conversion in ("p", "d"):
            return percent(value, sign=conversion == "d")
        return super().convert_field(value, conversion)

    def of(self, template: str, none: str, row: Row) -> str:
        """The cell of a row; `none` stands for a value that is null or missing."""
        named = (name for _, name, _, _ in self.parse(template) if name)
        return none if any(row.get(name) is None for name in named) else self.vformat(template, (), row)


def table(name: str, rows: Sequence[Row], **words: str) -> Printed:
    """The rows as the table of this name, whose title has these words."""
    of = TABLES[name]
    columns = {heading: partial(Cell().of, form, of.get("none", "-")) for heading, form in of["columns"].items()}
    return listed_in(of["title"].format(**words), rows, columns, of["names"])


def results_of(
    call: Call, what: str, form: type[Form], names: Sequence[str], points: Sequence[Point]
) -> tuple[list[Form], list[bytes]]:
    """The results of points, and the records of points that keep them."""
    with call.runner() as runner:
        title = f"{what}, {in_words(call.conditions.trials)} each"
        runs = run_with_progress(call, title, runner, points, names)
        return documents_of(form, runs, runner.store), [runner.records(run) for run in runs if run.point.records]


def keep(call: Call, name: str, rows: Sequence[Row], **summary: Sequence[Row]) -> None:
    """Prints the rows, or a summary of them; writes both and the conditions to NAME.json, the rows to NAME.csv."""
    print_table(call.out, table(name, next(iter(summary.values()), rows)))
    of = call.conditions
    found = {"trials": of.trials, "seed": of.seed, "settings": of.settings, **summary, "rows": rows}
    write_json(call.files, call.results / f"{name}.json", found)
    write_table(call.files, call.results / f"{name}.csv", pl.DataFrame(rows, infer_schema_length=None))
