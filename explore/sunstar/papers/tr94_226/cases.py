# SPDX-License-Identifier: MIT
"""The rows of the report's Tables 3 and 4 beside the published values, and the lines of its figures 6 to 12."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sunstar.errors import FileError, UsageError
from sunstar.files import Column, read_rows
from sunstar.study.cases import Found, Key, Settings, methods_of, points_of, transfer

PUBLISHED = Path(__file__).parent / "data" / "published.csv"  # The throughput in the report's tables, in MiB/s

LAYOUTS = ("contiguous", "random-blocks")
METHODS = methods_of("tr94-226")
PATTERNS = (
    *("ra", "rn", "rb", "rc", "rnb", "rbb", "rcb", "rbc", "rcc", "rcn"),
    *("wn", "wb", "wc", "wnb", "wbb", "wcb", "wbc", "wcc", "wcn"),
)
points = partial(points_of, "tr94-226")
"""Patterns that do not depend on the record size have 8192 bytes there; a contiguous file is already sorted."""
CPS = 16


def settings(key: Key) -> Settings:
    """The settings of a point, except x."""
    return transfer(key, METHODS[key.method])


def all_rows(record_sizes: Collection[int]) -> list[Key]:
    """Every row of the tables with these record sizes, in their order; published or not."""
    return [key for key in points("tables") if key.record_bytes in record_sizes]


def select(rows: Iterable[Key], only: Collection[str]) -> list[Key]:
    """The rows that match `only`: for each kind of name in it (layout, pattern, method), one of its names."""
    kinds = {"layout": set(LAYOUTS), "pattern": set(PATTERNS), "method": set(METHODS)}
    for name in only:
        if not any(name in names for names in kinds.values()):
            allowed = "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in kinds.items())
            raise UsageError(f"--only {name}: it must be a {allowed}")
    asked = {kind: names & set(only) for kind, names in kinds.items()}
    return [row for row in rows if all(not names or getattr(row, kind) in names for kind, names in asked.items())]


SLOW_MIB_PER_S = 12.0
"""Rows of contiguous traditional caching that are published below this throughput discriminate between models."""


def discriminates(row: Key, reference: float | None) -> bool:
    """Whether a row depends on the software's mechanisms more than on the disks: contiguous traditional caching below
    12 MiB/s, and all 8-byte rows whose last letter is c."""
    if reference is None:
        return False
    slow = row.layout == "contiguous" and row.method == "tc" and reference < SLOW_MIB_PER_S
    return slow or (row.record_bytes == 8 and row.pattern.endswith("c"))


PRESORT_TRIALS = 20
"""The gain by presorting has a standard deviation of 3 to 4 points in one trial, and of 0.8 in the mean of 20."""


def published(path: Path, known: Collection[Key]) -> dict[Key, float]:
    """Published throughput in MiB/s from a CSV file; `known` are the rows that a paper's tables have."""
    columns: dict[str, Column] = {"layout": str, "record_bytes": int, "pattern": str, "method": str, "mib_per_s": float}
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
                **{name: getattr(result, name) for name in ("medium_mib_per_s", "messages", "verified", "host_s")},
            }
        )
    return rows


def summarise(rows: Sequence[Row]) -> Row:
    """Errors as fractions of the published values; None where there are no rows."""
    compared = [row for row in rows if row["error"] is not None]
    hard = [row for row in compared if row["discriminates"]]
    worst = max(compared, key=lambda row: abs(row["error"]), default=None)
    key = worst and Key(worst["method"], worst["pattern"], worst["layout"], worst["record_bytes"])
    return {
        "rows": len(rows),
        "published_rows": len(compared),
        "mean_absolute_error": mean_error(compared),
        "worst_row": key and str(key),
        "worst_error": worst and worst["error"],
        "discriminating_rows": len(hard),
        "discriminating_mean_absolute_error": mean_error(hard),
    }


def mean_error(rows: Sequence[Row]) -> float | None:
    return sum(abs(row["error"]) for row in rows) / len(rows) if rows else None
