# SPDX-License-Identifier: MIT
"""The rows of the report's Tables 3 and 4, and what is published of them."""

import csv
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from sunstar.errors import FileError, UsageError
from sunstar.places import data
from sunstar.run import Setting

LAYOUTS = ("contiguous", "random-blocks")
METHODS: dict[str, dict[str, Setting]] = {
    "tc": {"file_system.kind": "traditional-caching"},
    "ddio": {"file_system.kind": "disk-directed", "file_system.presort": False},
    "ddio-presort": {"file_system.kind": "disk-directed", "file_system.presort": True},
}
PATTERNS = (
    *("ra", "rn", "rb", "rc", "rnb", "rbb", "rcb", "rbc", "rcc", "rcn"),
    *("wn", "wb", "wc", "wnb", "wbb", "wcb", "wbc", "wcc", "wcn"),
)
ANY_RECORD = ("ra", "rn", "wn")
"""Patterns that do not depend on the record size; the tables list them with 8192 bytes."""


@dataclass(frozen=True, order=True)
class Row:
    """One number of the tables."""

    layout: str
    record_bytes: int
    pattern: str
    method: str

    def __str__(self) -> str:
        return f"{self.layout} {self.pattern} {self.record_bytes} B {self.method}"

    def settings(self) -> dict[str, Setting]:
        """What makes this row of the machine's defaults."""
        return {
            **METHODS[self.method],
            "file_system.layout": self.layout,
            "workload.pattern": self.pattern,
            "workload.record_size": f"{self.record_bytes}B",
        }


def all_rows(record_sizes: Collection[int]) -> list[Row]:
    """Every row of the tables with these record sizes, in their order; published or not."""
    return [
        Row(layout, record_bytes, pattern, method)
        for layout in LAYOUTS
        for record_bytes in (8192, 8)
        if record_bytes in record_sizes
        for pattern in PATTERNS
        if record_bytes == 8192 or pattern not in ANY_RECORD
        for method in METHODS
        if layout == "random-blocks" or method != "ddio"  # a contiguous file is sorted as it is
    ]


def select(rows: Iterable[Row], only: Collection[str]) -> list[Row]:
    """The rows that have one of the names in `only`, for each kind of name (layout, pattern, method) among them."""
    kinds = {"layout": set(LAYOUTS), "pattern": set(PATTERNS), "method": set(METHODS)}
    for name in only:
        if not any(name in names for names in kinds.values()):
            allowed = "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in kinds.items())
            raise UsageError(f"--only {name}: it must be a {allowed}")
    asked = {kind: names & set(only) for kind, names in kinds.items()}
    return [row for row in rows if all(not names or getattr(row, kind) in names for kind, names in asked.items())]


def published(path: Path | None = None) -> dict[Row, float]:
    """Published throughput in MiB/s, from this package or from a CSV file with the same columns."""
    path = path or data("tr94_226.csv")
    columns = ["layout", "record_bytes", "pattern", "method", "mib_per_s"]
    known = set(all_rows((8, 8192)))
    rows: dict[Row, float] = {}
    try:
        with path.open(newline="") as file:
            reader = csv.DictReader(line for line in file if not line.startswith("#"))
            if reader.fieldnames != columns:
                raise FileError(f"{path} has the columns {reader.fieldnames}; they must be {columns}")
            for line in reader:
                where = f"{path}, {','.join(str(value) for value in line.values())}"
                try:
                    row = Row(line["layout"], int(line["record_bytes"]), line["pattern"], line["method"])
                    value = float(line["mib_per_s"])
                except (TypeError, ValueError) as error:
                    raise FileError(f"{where}: record_bytes and mib_per_s must be numbers") from error
                if row not in known:
                    raise FileError(f"{where}: the tables have no such row")
                if row in rows:
                    raise FileError(f"{where}: this row is there twice")
                if not 0 < value < float("inf"):
                    raise FileError(f"{where}: a throughput must be positive")
                rows[row] = value
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    return rows
