# SPDX-License-Identifier: MIT
"""Throughput beside published figures, and the differences."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sunstar.errors import FileError
from sunstar.files import read_rows
from sunstar.study.cases import Found, Key


def published(path: Path, known: Collection[Key]) -> dict[Key, float]:
    """Published throughput in MiB/s from a CSV file; `known` are the rows that a paper's tables have."""
    columns: dict[str, type[str] | type[int] | type[float]] = {
        "layout": str,
        "record_bytes": int,
        "pattern": str,
        "method": str,
        "mib_per_s": float,
    }
    found: dict[Key, float] = {}
    for row in read_rows(path, columns):
        value = row.pop("mib_per_s")
        key = Key(**row)
        if key not in known:
            raise FileError(f"{path}, {key}: the tables have no such row")
        if key in found:
            raise FileError(f"{path}, {key}: this row is there twice")
        if not 0 < value < float("inf"):
            raise FileError(f"{path}, {key}: a throughput must be positive")
        found[key] = value
    return found


def comparison(
    found: Found, references: Mapping[Key, float], discriminates: Callable[[Key, float | None], bool]
) -> pl.DataFrame:
    """A line for each point; published_mib_per_s and error are null where nothing is published."""
    lines = []
    for key, result in found.results.items():
        reference = references.get(key)
        lines.append(
            {
                "layout": key.layout,
                "record_bytes": key.record_bytes,
                "pattern": key.pattern,
                "method": key.method,
                "mib_per_s": found.mib(key),
                "coefficient_of_variation": result.coefficient_of_variation,
                "trials": list(result.trials_mib_per_s),
                "published_mib_per_s": reference,
                "error": None if reference is None else found.mib(key) / reference - 1,
                "discriminates": discriminates(key, reference),
                "medium_mib_per_s": result.medium_mib_per_s,
                "messages": result.messages,
                "verified": result.verified,
                "host_s": result.host_s,
            }
        )
    return pl.DataFrame(lines, schema_overrides={"published_mib_per_s": pl.Float64, "error": pl.Float64})


ROW = ("method", "pattern", "layout", "record_bytes")


@dataclass(frozen=True)
class Summary:
    """Errors as fractions of the published values; None where there are no rows."""

    rows: int
    published_rows: int
    mean_absolute_error: float | None
    worst_row: str | None
    worst_error: float | None
    discriminating_rows: int
    discriminating_mean_absolute_error: float | None


def summarise(table: pl.DataFrame) -> Summary:
    compared = [row for row in table.to_dicts() if row["error"] is not None]
    hard = [abs(row["error"]) for row in compared if row["discriminates"]]
    errors = [abs(row["error"]) for row in compared]
    worst = max(compared, key=lambda row: abs(row["error"]), default=None)
    return Summary(
        rows=table.height,
        published_rows=len(compared),
        mean_absolute_error=sum(errors) / len(errors) if errors else None,
        worst_row=None if worst is None else str(Key(*(worst[name] for name in ROW))),
        worst_error=None if worst is None else worst["error"],
        discriminating_rows=len(hard),
        discriminating_mean_absolute_error=sum(hard) / len(hard) if hard else None,
    )
