# SPDX-License-Identifier: MIT
"""Write files that are there whole or not at all."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError


def make_folder(folder: Path) -> Path:
    """Makes the folder for results, and finds out before any work whether it can be written to."""
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


def write_json(path: Path, value: Any) -> Path:  # noqa: ANN401  whatever JSON holds
    with whole(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2) + "\n")
    return path


def write_table(path: Path, table: pl.DataFrame) -> Path:
    """As CSV, Parquet or JSON, by the suffix of the path."""
    writers: dict[str, Callable[[Path], Any]] = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".json": lambda temporary: temporary.write_text(json.dumps(table.to_dicts(), indent=2) + "\n"),
    }
    if path.suffix not in writers:
        raise UsageError(f"{path} is to hold a table; its name must end in {', '.join(writers)}")
    with whole(path) as temporary:
        writers[path.suffix](temporary)
    return path
