# SPDX-License-Identifier: MIT
"""The tables of a sweep, of runs, of resources and of requests, and SQL over them, with DuckDB."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

import orjson
import polars as pl

from sunstar.errors import FileError, UsageError
from sunstar.quantities import quantity
from sunstar.results import figures, units, with_unit
from sunstar.runs.simulator import Run, indices_of
from sunstar.runs.store import Store
from sunstar.sweeps.spec import Row


def parameter(path: str, values: Sequence[Any]) -> pl.Series:
    """A column of a sweep's parameter. Quantities become numbers in their base unit; lists and objects become JSON."""
    quantities = [quantity(value) for value in values]
    bases = {found.base for found in quantities if found}
    known = all(found is not None or value is None for found, value in zip(quantities, values, strict=True))
    if not (known and len(bases) == 1):
        return column(path, values)
    [unit] = bases
    numbers = pl.Series(with_unit(path, unit), [found and found.value for found in quantities], pl.Float64)
    return numbers.cast(pl.Int64) if unit == "B" and (numbers == numbers.floor()).all() else numbers


def column(name: str, values: Sequence[Any]) -> pl.Series:
    """Values as they are: numbers as numbers, if all are; JSON if they are of several kinds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pl.Series(name, values, pl.Float64 if float in kinds else pl.Int64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    text = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pl.Series(name, text, pl.String)


def figure_columns(measured: Sequence[Mapping[str, Any]], units: Mapping[str, str]) -> list[pl.Series]:
    """The columns of figures by path, in the order in which they first come; null where a run has not measured one."""
    paths = dict.fromkeys(path for each in measured for path in each)
    return [column(with_unit(path, units.get(path)), [each.get(path) for each in measured]) for path in paths]


def runs_table(rows: Sequence[Row], runs: Sequence[Run], store: Store) -> pl.DataFrame:
    """The run's number, its parameters, how it ended, and all figures of its result; null if it failed."""
    known = store.figures(run.identity for run in runs if run.done)
    found = {identity: figures(orjson.loads(text)) for identity, text in known}
    measured: list[dict[str, Any]] = [found.get(run.identity, {}) for run in runs]
    paths = dict.fromkeys(path for row in rows for path in row.values)
    return pl.DataFrame(
        [
            column("run", range(len(rows))),
            *(parameter(path, [row.values.get(path) for row in rows]) for path in paths),
            column("exit_code", [run.exit_code for run in runs]),
            column("message", [run.message for run in runs]),
            column("identity", [run.identity for run in runs]),
            *figure_columns(measured, units(rows[0].point.platform) if rows else {}),
        ]
    )


ALLOW_FILES = "only with --files may a question read and write files"
RESOURCES = {
    "run": pl.Int64,
    "resource": pl.Categorical,
    "statistic": pl.Categorical,
    "value": pl.Float64,
    "unit": pl.Categorical,
    "description": pl.Categorical,
}


def resources_table(identities: Sequence[str], store: Store) -> pl.DataFrame:
    """Every statistic of every run: `reads` of the resource machine.iop0_scsi0.disk0, and so on."""
    numbers = indices_of(identities)
    distinct, batch = list(numbers), 200  # Runs whose statistics are in memory at a time
    parts = [pl.DataFrame(schema=RESOURCES)]
    for start in range(0, len(distinct), batch):
        rows = [
            (number, *name.rpartition(".")[::2], each["value"], each["unit"], each["description"])
            for identity, outcome in store.outcomes(distinct[start : start + batch])
            if outcome.done
            for name, each in orjson.loads(outcome.document)["statistics"].items()
            for number in numbers[identity]
        ]
        parts.append(pl.DataFrame(rows, schema=RESOURCES, orient="row"))
    return pl.concat(parts).sort("run", maintain_order=True)


def requests_table(identities: Sequence[str], store: Store) -> pl.DataFrame:
    """Every request of every run that has kept them: the columns of the platform's records, after the run."""
    numbers = indices_of(identities)
    parts = [pl.DataFrame(schema={"run": pl.Int64})]
    for identity, outcome in store.outcomes(numbers):
        if outcome.records is not None:
            kept = pl.read_csv(outcome.records, infer_schema_length=None)
            parts += [kept.select(pl.lit(number, pl.Int64).alias("run"), pl.all()) for number in numbers[identity]]
    return pl.concat(parts, how="diagonal_relaxed").sort("run", maintain_order=True)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def tables_named(question: str) -> set[str]:
    """The tables that a question asks."""
    import duckdb

    with closing(duckdb.connect()) as database:
        try:
            return database.get_table_names(question)
        except duckdb.Error:  # for instance, JOIN ... USING looks for its columns, and no table is there yet
            return set(re.findall(r"(?i)(?:\bfrom|\bjoin|,)\s+\"?(\w+)", question))


def ask(question: str, tables: Mapping[str, Path], files: bool = False, seconds: float | None = None) -> pl.DataFrame:
    """The answer to a question about these Parquet files; `files` and `seconds` are as for Sweep.query()."""
    import duckdb  # here, so that sweeps start without it

    with closing(duckdb.connect()) as database:
        for name, path in tables.items():
            try:
                database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({literal(path)})")
            except duckdb.Error as error:
                raise FileError(f"cannot read {path} as a Parquet table; call its sweep again") from error
        if not files:
            database.execute(f"SET allowed_paths = [{', '.join(map(literal, tables.values()))}]")
            database.execute("SET enable_external_access = false")
            database.execute("SET lock_configuration = true")
        limit = Timer(seconds or 0, database.interrupt)
        try:
            kinds = {each.type for each in duckdb.extract_statements(question)}
            if not kinds:
                raise UsageError('the question is empty; ask, for instance, "SELECT * FROM runs"')
            if not files and duckdb.StatementType.COPY in kinds:
                raise UsageError(f"the question cannot be answered: COPY writes a file; {ALLOW_FILES}")
            if seconds is not None:
                limit.start()
            answer = database.execute(question)
            names: list[str] = []
            for name, *_ in answer.description or []:
                names.append(f"{name}_{names.count(name) + 1}" if name in names else name)
            rows = answer.fetchall()
        except duckdb.PermissionException as error:
            said = str(error).partition("\n\n")[0]
            raise UsageError(f"the question cannot be answered: {said}; {ALLOW_FILES}") from error
        except duckdb.InterruptException as error:
            raise UsageError(f"the question was not answered within {seconds:g} s") from error
        except duckdb.Error as error:
            raise UsageError(f"the question cannot be answered: {error}{unquoted(question, tables)}") from error
        finally:
            limit.cancel()
    columns = list(zip(*rows, strict=True)) or [() for _ in names]
    return pl.DataFrame([pl.Series(name, list(of), strict=False) for name, of in zip(names, columns, strict=True)])


def unquoted(question: str, tables: Mapping[str, Path]) -> str:
    """A hint if the question names a column without the quotes that it needs."""
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", question)
    columns = (name for path in tables.values() for name in pl.read_parquet_schema(path) if not name.isidentifier())
    found = [name for name in columns if re.search(rf"(?<![\w.]){re.escape(name.partition(' [')[0])}\b", bare)]
    hint = "\nNames with dots or units need double quotes, and in a shell the whole question single ones: "
    return hint + quoted(max(found, key=len)) if found else ""


Computed = tuple[str, str, str, str]  # A column's name, its place in the specification, the expression there, its SQL


def with_columns(table: pl.DataFrame, computed: Iterable[Computed], where: str) -> pl.DataFrame:
    """The table with further columns, each computed from those before it; a FileError names all mistakes."""
    import duckdb  # here, as above

    with TemporaryDirectory(prefix="sunstar-") as folder, closing(duckdb.connect()) as database:
        source, target = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        table.write_parquet(source)
        database.execute(f"CREATE TABLE runs AS SELECT * FROM read_parquet({literal(source)})")
        database.execute(f"SET allowed_directories = [{literal(Path(folder))}]")
        database.execute("SET enable_external_access = false")
        wrong = []
        for name, place, expression, sql in computed:
            try:
                database.execute(f"CREATE OR REPLACE TABLE runs AS SELECT *, {sql} AS {quoted(name)} FROM runs")
            except duckdb.Error as error:
                said = str(error).partition("\n\n")[0]  # without the statement that was made of the expression
                wrong.append(f"{where}: {place} is {expression}; DuckDB says: {said}")
        if wrong:
            raise FileError("\n".join(wrong))
        database.execute(f"COPY runs TO {literal(target)} (FORMAT parquet)")
        return pl.read_parquet(target, glob=False)


def pareto_front(losses: Sequence[tuple[float, ...]]) -> list[int]:
    """The indices of points that no other dominates, the best in the first objective first; equal ones count once."""
    found: list[int] = []
    # Sorted: a dominating point precedes those it dominates.
    for index in sorted(range(len(losses)), key=lambda index: (losses[index], index)):
        if not any(all(a <= b for a, b in zip(losses[best], losses[index], strict=True)) for best in found):
            found.append(index)
    return found
