# SPDX-License-Identifier: MIT
"""Darshan logs: the requests of the layers MPI-IO and POSIX that its module DXT has recorded."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError
from sunstar.traces.trace import SCHEMA, Layer, Trace, drop

ENABLE = "DXT_ENABLE_IO_TRACE=1"


def read_darshan(path: Path, layer: str | None) -> Trace:
    """The requests of one layer: without a choice, those to MPI-IO or, if there are none, to POSIX."""
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
    child = [sys.executable, "-P", "-m", "sunstar.traces.darshan", str(link), str(folder)]
    done = subprocess.run(child, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    if done.returncode != 0 or errors:
        lines = errors or done.stderr.strip().splitlines() or [f"the reader ended with exit code {done.returncode}"]
        why = (lines[0] if errors else lines[-1]).removeprefix("Error: ").rstrip(".")
        raise FileError(f"cannot read {path}: {why}; it must be a whole log of Darshan 3")
    log: dict[str, Any] = json.loads((folder / "log.json").read_text())
    return log


def missing(said: dict[str, Any], table: pl.DataFrame) -> str | None:
    """The requests missing in the log, by its own flag or by its counters."""
    count = {"reads": int((table["op"] == "read").sum()), "writes": int((table["op"] == "write").sum())}
    counted = said["counted"] or count
    lost = [f"{count[op]} of {counted[op]} {op}" for op in count if count[op] < counted[op]]
    if lost:
        return f"the log holds {' and '.join(lost)}"
    return "DXT ran out of memory" if said["partial"] else None


def summed(name: str, table: pl.DataFrame) -> Layer:
    read, written = (int(table.filter(pl.col("op") == op)["length"].sum()) for op in ("read", "write"))
    return Layer(name, len(table), read, written, table["file"].n_unique())


# The process that reads the log ---------------------------------------------------------------------------------------
#
# The library ends the process over some damaged logs, prints on stderr, and removes the log itself if it believes that
# it failed to write it. Called with the log and a folder; puts LAYER.parquet and log.json there.

LAYERS = {"mpi-io": ("DXT_MPIIO", "MPI-IO", "MPIIO"), "posix": ("DXT_POSIX", "POSIX", "POSIX")}
"""By layer: the module with its requests, that with its counters, and how the names of these begin."""


def requests(report: Any, module: str) -> pl.DataFrame:  # noqa: ANN401  the library names no type
    report.mod_read_all_dxt_records(module, dtype="numpy")
    rows = [
        (
            record["rank"], op, report.name_records.get(record["id"], str(record["id"])), segment["offset"],
            segment["length"], segment["start_time"], segment["end_time"],
        )
        for record in report.records[module]
        for op in ("read", "write")
        for segment in record[f"{op}_segments"]
    ]  # fmt: skip
    return pl.DataFrame(rows, SCHEMA, orient="row")


def counted(report: Any, module: str, prefix: str) -> dict[str, int] | None:  # noqa: ANN401
    """Reads and writes by the log's counters, which are complete even where the requests are not."""
    if module not in report.modules:
        return None
    report.mod_read_all_records(module, dtype="pandas")
    counters = report.records[module][0]["counters"]
    kinds = ("INDEP", "COLL", "SPLIT", "NB") if prefix == "MPIIO" else ("",)
    return {
        op: int(sum(counters[f"{prefix}_{kind}_{op}".replace("__", "_").upper()].sum() for kind in kinds))
        for op in ("reads", "writes")
    }


def main(log: str, folder: Path) -> None:
    import darshan

    report = darshan.DarshanReport(log, read_all=False)
    found = {}
    for layer, (module, counters, prefix) in LAYERS.items():
        if module in report.modules:
            requests(report, module).write_parquet(folder / f"{layer}.parquet")
            partial = bool(report.modules[module]["partial_flag"])
            found[layer] = {"partial": partial, "counted": counted(report, counters, prefix)}
    (folder / "log.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
