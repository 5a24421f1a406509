# SPDX-License-Identifier: MIT
"""The points of an answer as tables in its folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.commands import relative, warn
from sunstar.files import Outputs, as_json, write_table


def write_points(files: Outputs, folder: Path, points: Sequence[Any], names: Sequence[str]) -> None:
    """Writes points.csv, .parquet and .json. Warns if an earlier call has left other points there."""
    table, path = pl.DataFrame(points, names, orient="row"), folder / "points.json"
    if path.is_file() and path.read_bytes() != as_json(table.to_dicts()).encode():
        other = "the answer for another machine or other options"
        warn(f"{relative(path)} and the files beside it were {other}, and are replaced; --results FOLDER keeps both.")
    for suffix in (".csv", ".parquet", ".json"):
        write_table(files, path.with_suffix(suffix), table)
