# SPDX-License-Identifier: MIT
"""Read tables, with a sentence for each fault in them; write files whole or not at all."""

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError

Column = type[str] | type[int] | type[float]


def read_rows(path: Path, columns: Mapping[str, Column]) -> list[dict[str, Any]]:
    """The rows of a CSV file that has at least these columns, each value with its column's type. Lines that begin with
    # are comments."""
    try:
        with path.open(newline="") as file:
            numbered = [(number, line) for number, line in enumerate(file, start=1) if not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    reader = csv.DictReader(line for _, line in numbered)
    missing = [name for name in columns if name not in (reader.fieldnames or [])]
    if missing:
        raise FileError(f"{path} has no column {', '.join(missing)}")
    rows = []
    for row in reader:
        where = f"{path}, line {numbered[reader.line_num - 1][0]}"
        rows.append({name: value_of(where, name, row[name], kind) for name, kind in columns.items()})
    if not rows:
        raise FileError(f"{path} has no row below its line of column names")
    return rows


def value_of(where: str, name: str, text: str | None, kind: Column) -> str | int | float:
    if text is None:
        raise FileError(f"{where}: {name} is missing")
    try:
        return kind(text)
    except ValueError as error:
        wanted = "a whole number" if kind is int else "a number"
        raise FileError(f"{where}: {name} is {text!r}; it must be {wanted}") from error


def make_folder(folder: Path) -> Path:
    """Makes the folder for results, and checks before any work whether it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise FileError(
            f"cannot write to the folder {folder}: {error.strerror}; name another with --results"
        ) from error


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Gives a temporary path with the same suffix in the same folder, which becomes `path` if nothing is raised."""
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> Path:
    with whole(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2) + "\n")
    return path


def write_table(path: Path, table: pl.DataFrame) -> Path:
    """Writes a table as CSV, Parquet or JSON, by the suffix of the path."""
    writers: dict[str, Callable[[Path], object]] = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".json": lambda temporary: temporary.write_text(json.dumps(table.to_dicts(), indent=2) + "\n"),
    }
    if path.suffix not in writers:
        raise UsageError(f"{path} must hold a table, so its name must end in {', '.join(writers)}")
    with whole(path) as temporary:
        writers[path.suffix](temporary)
    return path
