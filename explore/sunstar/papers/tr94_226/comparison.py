# SPDX-License-Identifier: MIT
"""Throughput beside the report's tables, and the differences."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sunstar.errors import FileError
from sunstar.files import Column, read_rows
from sunstar.papers.tr94_226.cases import discriminates
from sunstar.study.cases import Found, Key


def published(path: Path, known: Collection[Key]) -> dict[Key, float]:
    """Published throughput in MiB/s from a CSV file; `known` are the rows that a paper's tables have."""
    columns: dict[str, Column] = {
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


Row = dict[str, Any]


def comparison(found: Found, references: Mapping[Key, float]) -> list[Row]:
    """A row for each point; published_mib_per_s and error are None where nothing is published."""
    rows = []
    for key, result in found.results.items():
        reference = references.get(key)
        rows.append(
            {
                **{name: getattr(key, name) for name in ("layout", "record_bytes", "pattern", "method")},
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
    return rows


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


def summarise(rows: Sequence[Row]) -> Summary:
    compared = [row for row in rows if row["error"] is not None]
    hard = [row for row in compared if row["discriminates"]]
    worst = max(compared, key=lambda row: abs(row["error"]), default=None)
    key = worst and Key(worst["method"], worst["pattern"], worst["layout"], worst["record_bytes"])
    return Summary(
        rows=len(rows),
        published_rows=len(compared),
        mean_absolute_error=mean_error(compared),
        worst_row=None if key is None else str(key),
        worst_error=None if worst is None else worst["error"],
        discriminating_rows=len(hard),
        discriminating_mean_absolute_error=mean_error(hard),
    )


def mean_error(rows: Sequence[Row]) -> float | None:
    return sum(abs(row["error"]) for row in rows) / len(rows) if rows else None
