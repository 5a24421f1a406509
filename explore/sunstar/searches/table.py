# SPDX-License-Identifier: MIT
"""The table of configurations: that of a sweep's runs, what the machine costs, the objectives, the constraints, and the
Pareto front."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import orjson
import polars as pl

from sunstar.errors import FileError, meant
from sunstar.results import SECTIONS, described, figures, with_unit
from sunstar.runs.simulator import Run
from sunstar.runs.store import Store
from sunstar.searches.prices import COLUMNS, Prices, costs
from sunstar.searches.spec import Limit, Spec
from sunstar.sweeps.spec import Choices, Range, Row
from sunstar.sweeps.tables import Computed, parameter, pareto_front, quoted, runs_table, with_columns

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
        """Checks before any run that DuckDB understands the expressions; names everything that is wrong."""
        self._computed(self._completed(pl.DataFrame()))

    def of(self, rows: Sequence[Row], runs: Sequence[Run], store: Store) -> pl.DataFrame:
        """A row for each configuration. Those whose run failed have no objectives, and are not feasible."""
        table = runs_table(rows, runs, store)
        self._met.update(table.columns)
        if any(run.done for run in runs):
            self._look_for_strangers()
        if self._prices is not None:
            found = {}
            for identity, outcome in store.outcomes(run.identity for run in runs if run.done):
                config, measured = orjson.loads(outcome.document)["config"], figures(orjson.loads(outcome.figures))
                found[identity] = costs(self._prices, config, measured, self._where)
            table = table.with_columns(
                pl.Series(name, [found.get(run.identity, {}).get(name) for run in runs], pl.Float64) for name in COLUMNS
            )
        computed = self._computed(self._completed(table))
        reached = [pl.col(OBJECTIVE + name).is_finite().fill_null(False) for name in self._spec.objectives]
        kept = [pl.col(CONSTRAINT + name) <= 0 for name in self._spec.constraints]
        return computed.with_columns(pl.all_horizontal(pl.col("exit_code") == 0, *reached, *kept).alias(FEASIBLE))

    def _completed(self, table: pl.DataFrame) -> pl.DataFrame:
        """The table with empty columns for figures that none of its runs has; an empty table gets every column that an
        expression may name."""
        own = {"run": pl.Int64, "exit_code": pl.Int64, "message": pl.String}
        known: dict[str, pl.DataType | type[pl.DataType]] = {**figure_columns(self._spec.platform), **own}
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
        wrong = []
        for name in dict.fromkeys(self._strangers()):
            if name not in self._met:
                wrong.append(f"{self._where}: no run has the figure {name}{meant(name, self._met)}")
        if wrong:
            raise FileError("\n".join(wrong))

    def _computed(self, table: pl.DataFrame) -> pl.DataFrame:
        names = set(table.columns)
        computed: list[Computed] = []
        for column, place, expression in self._expressions:
            sql = formula(self._spec, column, quoted(expression) if expression in names else expression)
            computed.append((column, place, expression, sql))
            names.add(column)
        return with_columns(table, computed, self._where)


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


def column_of(path: str, of: Range | Choices) -> pl.Series:
    """The column of a parameter, with the kinds of value that it may have."""
    return parameter(path, of.choices if isinstance(of, Choices) else [of.at(0.0), of.at(1.0)])


@cache
def figure_columns(program: str) -> Mapping[str, type[pl.DataType]]:
    """The figures that every result of a simulator may have, as columns."""
    found: dict[str, type[pl.DataType]] = {}
    for path, schema in described(program).items():
        kinds = schema.get("type")
        kinds = set(kinds if isinstance(kinds, list) else [kinds]) - {"null"}
        name = with_unit(path, schema.get("unit"))
        if kinds <= {"number", "integer"}:
            found[name] = pl.Float64
        elif kinds <= {"boolean"} or kinds <= {"string"}:
            found[name] = pl.Boolean if "boolean" in kinds else pl.String
    return found


def with_front(spec: Spec, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the place of each configuration on the Pareto front; null for the others."""
    feasible = table.filter(FEASIBLE)
    signs = [-1.0 if objective.maximise else 1.0 for objective in spec.objectives.values()]
    columns = [(feasible[OBJECTIVE + name] * sign).to_list() for name, sign in zip(spec.objectives, signs, strict=True)]
    numbers = feasible["run"].to_list()
    place = {numbers[index]: place for place, index in enumerate(pareto_front(list(zip(*columns, strict=True))))}
    return table.with_columns(pl.Series(FRONT, [place.get(run) for run in table["run"]], pl.Int64))
