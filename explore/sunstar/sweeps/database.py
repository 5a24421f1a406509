# SPDX-License-Identifier: MIT
"""Ask a sweep's tables in SQL, with DuckDB."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import polars as pl

from sunstar.errors import FileError, UsageError


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def ask(question: str, tables: Mapping[str, Path]) -> pl.DataFrame:
    """The answer to a question about Parquet files, by the names of their tables."""
    with closing(duckdb.connect()) as database:
        for name, path in tables.items():
            try:
                database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({literal(path)})")
            except duckdb.Error as error:
                raise FileError(f"cannot read {path} as a Parquet table; call its sweep again") from error
        try:
            answer = database.execute(question)
            names = [described[0] for described in answer.description or []]
            rows = answer.fetchall()
        except duckdb.Error as error:
            raise UsageError(f"the question cannot be answered: {error}") from error
    columns = list(zip(*rows, strict=True)) or [() for _ in names]
    return pl.DataFrame(
        [pl.Series(name, list(cells), strict=False) for name, cells in zip(names, columns, strict=True)]
    )


def add_columns(source: Path, target: Path, derived: Mapping[str, str], where: str) -> None:
    """Copies a Parquet file with further columns, each an expression over those before it. `where` names the
    specification, for what is wrong with one."""
    with closing(duckdb.connect()) as database:
        database.execute(f"CREATE TABLE runs AS SELECT * FROM read_parquet({literal(source)})")
        for name, expression in derived.items():
            try:
                database.execute(
                    f"CREATE OR REPLACE TABLE runs AS SELECT *, ({expression}) AS {quoted(name)} FROM runs"
                )
            except duckdb.Error as error:
                raise FileError(f"{where}: derived.{name} is {expression}; DuckDB says: {error}") from error
        database.execute(f"COPY runs TO {literal(target)} (FORMAT parquet, COMPRESSION zstd)")
