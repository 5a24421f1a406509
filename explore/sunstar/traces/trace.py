# SPDX-License-Identifier: MIT
"""A trace: the requests of an application to its files, in the form that Sunstar writes and its workload reads."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from sunstar.files import Outputs

SCHEMA: dict[str, type[pl.DataType]] = {"rank": pl.Int64, "op": pl.String, "file": pl.String}
SCHEMA |= {"offset": pl.Int64, "length": pl.Int64, "start_s": pl.Float64, "end_s": pl.Float64}
"""`op` is read or write, `offset` and `length` are bytes, the times seconds of the trace's own clock."""

BOUNDS = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
"""The greatest length of each class of sizes but the last; those of Darshan, so that its reports compare."""

KEY = "sunstar.trace"  # A Parquet file's place for the notes in the comments before a CSV file's header


@dataclass(frozen=True)
class Dropped:
    """Rows of the source that are no requests of the trace."""

    reason: str
    rows: int
    first: int  # The number of the first of them, from 1


@dataclass(frozen=True)
class Layer:
    """The requests that a log holds of a layer that was not chosen."""

    name: str
    requests: int
    bytes_read: int
    bytes_written: int
    files: int


@dataclass(frozen=True)
class Trace:
    table: pl.DataFrame  # With the columns of SCHEMA, in order of start time, then rank
    source: str  # The file that it was read from, or first read from
    layer: str | None = None
    partial: str | None = None  # The missing part, if the source tells
    dropped: tuple[Dropped, ...] = ()
    others: tuple[Layer, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)  # What else a reader must know, said first


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    return table.select(list(SCHEMA)).sort("start_s", "rank", maintain_order=True)


def drop(rows: pl.DataFrame, reasons: Mapping[str, pl.Expr]) -> tuple[pl.DataFrame, tuple[Dropped, ...]]:
    """The rows without a reason to drop them, and why the others are dropped, each for its first reason."""
    dropped = []
    for reason, holds in reasons.items():
        out = rows.filter(holds)
        if len(out):
            dropped.append(Dropped(reason, len(out), int(out["row"][0])))
            rows = rows.filter(~holds)
    return in_order(rows), tuple(dropped)


def write_trace(files: Outputs, path: Path, trace: Trace) -> None:
    """Writes a trace as CSV or Parquet, by the suffix of the path, with notes beside the requests."""
    said = {**trace.notes, "source": trace.source, "layer": trace.layer, "partial": trace.partial}
    notes = {name: " ".join(text.split()) for name, text in said.items() if text}
    with files.file(path) as temporary:
        if path.suffix == ".parquet":
            trace.table.write_parquet(temporary, metadata={KEY: json.dumps(notes)})
            return
        with temporary.open("w") as file:
            file.writelines(f"# {name}: {text}\n" for name, text in notes.items())
            trace.table.write_csv(file)
