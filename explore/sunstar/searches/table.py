# SPDX-License-Identifier: MIT
"""The table of configurations: that of a sweep's runs, what the machine costs, the objectives and the constraints."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import orjson
import polars as pl

from sunstar.errors import FileError, RunError
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.runs.run import Run
from sunstar.runs.simulator import SECTIONS
from sunstar.runs.store import Store
from sunstar.searches.prices import COLUMNS, Prices, costs
from sunstar.searches.spec import Limit, Spec
from sunstar.sweeps.columns import figures, parameter, units, with_unit
from sunstar.sweeps.database import literal, quoted
from sunstar.sweeps.points import Row
from sunstar.sweeps.table import runs_table
from sunstar.sweeps.values import Choices

OBJECTIVE, CONSTRAINT, FEASIBLE, FRONT = "objective.", "constraint.", "feasible", "front"
NAME = re.compile(r'"((?:[^"]|"")+)"')
"""A quoted name in an expression."""


class Tables:
    """Makes tables of a search's configurations."""

    def __init__(self, spec: Spec, prices: Prices | None, where: str) -> None:
        self._spec, self._prices, self._where = spec, prices, where
        self._expressions = list(expressions(spec))
        self._met: set[str] = set()
        """Figures that a run has had."""

    def check(self) -> None:
        """Finds out before any run whether DuckDB understands the expressions; says all that is wrong."""
        self._computed(self._completed(pl.DataFrame()))

    def of(self, rows: Sequence[Row], runs: Sequence[Run], store: Store) -> pl.DataFrame:
        """A row for each configuration. Those whose run failed have no objectives, and are not feasible."""
        table = runs_table(rows, runs, store)
        self._met.update(table.columns)
        if any(run.done for run in runs):
            self._look_for_strangers()
        if self._prices is not None:
            found = self._costs(self._prices, runs, store)
            table = table.with_columns(
                pl.Series(name, [found.get(run.identity, {}).get(name) for run in runs], pl.Float64) for name in COLUMNS
            )
        return self._judged(self._computed(self._completed(table)))

    def _costs(self, prices: Prices, runs: Sequence[Run], store: Store) -> dict[str, dict[str, float]]:
        found = {}
        for identity, outcome in store.outcomes(run.identity for run in runs if run.done):
            config = orjson.loads(outcome.document)["config"]
            found[identity] = costs(prices, config, figures(orjson.loads(outcome.figures)), self._where)
        return found

    def _completed(self, table: pl.DataFrame) -> pl.DataFrame:
        """The table with empty columns for what it might have: figures that no run of it has, and for expressions that
        are only looked at, everything."""
        known: dict[str, Any] = {
            **figure_columns(self._spec.platform),
            "run": pl.Int64,
            "exit_code": pl.Int64,
            "message": pl.String,
        }
        parameters = [column_of(path, of) for path, of in self._spec.parameters.items()]
        known |= {column.name: column.dtype for column in parameters}
        if self._prices is not None:
            known |= dict.fromkeys(COLUMNS, pl.Float64)
        known |= {name: pl.Float64 for name in self._strangers() if name not in known}
        missing = [pl.lit(None, kind).alias(name) for name, kind in known.items() if name not in table.columns]
        return table.with_columns(missing) if table.width else pl.DataFrame({name: [] for name in known}, known)

    def _strangers(self) -> Iterator[str]:
        """Figures in the expressions that the simulator does not describe, as those of some workloads."""
        described = figure_columns(self._spec.platform)
        for _, _, expression in self._expressions:
            for name in NAME.findall(expression):
                if name.partition(".")[0] in SECTIONS and name not in described:
                    yield name

    def _look_for_strangers(self) -> None:
        wrong = [name for name in dict.fromkeys(self._strangers()) if name not in self._met]
        if wrong:
            said = []
            for name in wrong:
                near = difflib.get_close_matches(name, self._met, 1)
                said.append(
                    f"{self._where}: no run has the figure {name}" + (f"; did you mean {near[0]}?" if near else "")
                )
            raise FileError("\n".join(said))

    def _computed(self, table: pl.DataFrame) -> pl.DataFrame:
        with TemporaryDirectory(prefix="sunstar-") as folder, closing(duckdb.connect()) as database:
            source, target = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
            table.write_parquet(source)
            database.execute(f"CREATE TABLE runs AS SELECT * FROM read_parquet({literal(source)})")
            wrong = []
            names = set(table.columns)
            for column, place, expression in self._expressions:
                try:
                    sql = formula(self._spec, column, quoted(expression) if expression in names else expression)
                    database.execute(f"CREATE OR REPLACE TABLE runs AS SELECT *, {sql} AS {quoted(column)} FROM runs")
                    names.add(column)
                except duckdb.Error as error:
                    said = str(error).partition("\n\n")[0]  # without the statement that was made of the expression
                    wrong.append(f"{self._where}: {place} is {expression}; DuckDB says: {said}")
            if wrong:
                raise FileError("\n".join(wrong))
            database.execute(f"COPY runs TO {literal(target)} (FORMAT parquet)")
            return pl.read_parquet(target, glob=False)

    def _judged(self, table: pl.DataFrame) -> pl.DataFrame:
        reached = [pl.col(OBJECTIVE + name).is_finite().fill_null(False) for name in self._spec.objectives]
        kept = [pl.col(CONSTRAINT + name) <= 0 for name in self._spec.constraints]
        return table.with_columns(pl.all_horizontal(pl.col("exit_code") == 0, *reached, *kept).alias(FEASIBLE))


def expressions(spec: Spec) -> Iterator[tuple[str, str, str]]:
    """The columns that are computed, in their order: name, place in the specification, expression."""
    for name, expression in spec.derived.items():
        yield name, f"derived.{name}", expression
    for name, objective in spec.objectives.items():
        kind = "maximise" if objective.minimise is None else "minimise"
        yield OBJECTIVE + name, f"objectives.{name}.{kind}", objective.expression
    for name, constraint in spec.constraints.items():
        if isinstance(constraint, Limit):
            yield CONSTRAINT + name, f"constraints.{name}.value", constraint.value
        else:
            yield CONSTRAINT + name, f"constraints.{name}", constraint


def formula(spec: Spec, column: str, expression: str) -> str:
    """The expression as the table has it: an objective as a number, a constraint as by how much it is broken, as a
    share of its limit; 0 if it holds, 1 for a condition that does not."""
    if column.startswith(OBJECTIVE) and column.removeprefix(OBJECTIVE) in spec.objectives:
        return f"CAST(({expression}) AS DOUBLE)"
    constraint = spec.constraints.get(column.removeprefix(CONSTRAINT)) if column.startswith(CONSTRAINT) else None
    if constraint is None:
        return f"({expression})"
    if not isinstance(constraint, Limit):
        return f"CASE WHEN ({expression}) THEN 0.0::DOUBLE ELSE 1.0::DOUBLE END"
    number, misses = f"CAST(({expression}) AS DOUBLE)", ["0.0::DOUBLE"]
    if constraint.at_most is not None:
        misses.append(f"({number} - {constraint.at_most!r}) / {abs(constraint.at_most) or 1.0!r}")
    if constraint.at_least is not None:
        misses.append(f"({constraint.at_least!r} - {number}) / {abs(constraint.at_least) or 1.0!r}")
    return f"CASE WHEN isfinite({number}) THEN greatest({', '.join(misses)}) ELSE 1.0::DOUBLE END"


def column_of(path: str, of: Any) -> pl.Series:  # noqa: ANN401  a range or choices
    """The column of a parameter, with the kinds of value that it may have."""
    return parameter(path, of.choices if isinstance(of, Choices) else [of.at(0.0), of.at(1.0)])


@cache
def figure_columns(platform: str) -> Mapping[str, type[pl.DataType]]:
    """The figures that every result of a platform may have, as columns."""
    done = run_program([str(executable(platform)), "--result-schema"])
    if done.returncode != 0:
        raise RunError(f"{done.stderr}\n(sunstar-{platform} --result-schema ended badly)", done.returncode)
    schema = json.loads(done.stdout)
    unit_of = units(platform)
    leaves = [leaf for section in SECTIONS for leaf in described(schema["properties"][section], section)]
    return {with_unit(path, unit_of.get(path)): kind for path, kind in leaves}


def described(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, type[pl.DataType]]]:
    if "properties" in schema:
        for name, inner in schema["properties"].items():
            yield from described(inner, f"{path}.{name}")
        return
    kinds = schema.get("type")
    kinds = set(kinds if isinstance(kinds, list) else [kinds]) - {"null"}
    if kinds <= {"number", "integer"}:
        yield path, pl.Float64
    elif kinds == {"boolean"}:
        yield path, pl.Boolean
    elif kinds == {"string"}:
        yield path, pl.String
