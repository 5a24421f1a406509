# SPDX-License-Identifier: MIT
"""Darshan logs: the requests that its module DXT has recorded, of the layers MPI-IO and POSIX."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError
from sunstar.traces.trace import Layer, Trace, drop

ENABLE = "DXT_ENABLE_IO_TRACE=1"


def read_darshan(path: Path, layer: str | None) -> Trace:
    """The requests of one layer: without a choice, what the application asked of MPI-IO, or POSIX if it did not."""
    with tempfile.TemporaryDirectory() as folder:
        log = unpacked(path, Path(folder))
        tables = {name: pl.read_parquet(Path(folder) / f"{name}.parquet") for name in log}
    held = {name: table for name, table in tables.items() if len(table)}
    if not held:
        raise FileError(
            f"{path} holds no requests, only counters; the application must run with {ENABLE} in its environment"
        )
    if layer and layer not in held:
        raise UsageError(f"--layer {layer}: {path} holds requests of {' and '.join(held)} only")
    chosen = layer or next(iter(held))
    table, dropped = drop(
        held[chosen].with_row_index("row", 1),
        {
            "offset or length is below 0": (pl.col("offset") < 0) | (pl.col("length") < 0),
            "end is before start": pl.col("end_s") < pl.col("start_s"),
        },
    )
    if not len(table):
        raise FileError(f"{path} holds no request of {chosen} with an offset, a length and times")
    others = tuple(summed(name, other) for name, other in held.items() if name != chosen)
    return Trace(table, path.name, chosen, missing(log[chosen], held[chosen]), dropped, others)


def unpacked(path: Path, folder: Path) -> dict[str, Any]:
    """Lets a process of its own put the log's requests into the folder; returns what it says about each layer."""
    link = folder / "log.darshan"  # if the library removes the log, it removes this
    link.symlink_to(path.resolve())
    child = [sys.executable, "-P", "-m", "sunstar.traces.darshan_child", str(link), str(folder)]
    done = subprocess.run(child, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    if done.returncode != 0 or errors:
        lines = errors or done.stderr.strip().splitlines() or [f"the reader ended with exit code {done.returncode}"]
        why = (lines[0] if errors else lines[-1]).removeprefix("Error: ").rstrip(".")
        raise FileError(f"cannot read {path}: {why}; it must be a whole log of Darshan 3")
    log: dict[str, Any] = json.loads((folder / "log.json").read_text())
    return log


def missing(said: dict[str, Any], table: pl.DataFrame) -> str | None:
    """What the log says to have left out of its requests, or its counters show."""
    count = {"reads": int((table["op"] == "read").sum()), "writes": int((table["op"] == "write").sum())}
    counted = said["counted"] or count
    lost = [f"{count[op]} of {counted[op]} {op}" for op in count if count[op] < counted[op]]
    if lost:
        return f"the log holds {' and '.join(lost)}"
    return "DXT ran out of memory" if said["partial"] else None


def summed(name: str, table: pl.DataFrame) -> Layer:
    read, written = (int(table.filter(pl.col("op") == op)["length"].sum()) for op in ("read", "write"))
    return Layer(name, len(table), read, written, table["file"].n_unique())
