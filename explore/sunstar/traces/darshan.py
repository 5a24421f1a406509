# SPDX-License-Identifier: MIT
"""Darshan logs: the requests of the layers MPI-IO and POSIX that its module DXT has recorded."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError
from sunstar.files import read_text
from sunstar.traces.trace import SCHEMA, Layer, Trace, drop

ENABLE = "DXT_ENABLE_IO_TRACE=1"


def read_darshan(path: Path, layer: str | None) -> Trace:
    """The requests of one layer: without a choice, those to MPI-IO or, if there are none, to POSIX."""
    with tempfile.TemporaryDirectory() as folder:
        log = unpacked(path, Path(folder))
        tables = {name: pl.read_parquet(Path(folder) / f"{name}.parquet") for name in log}
    return of_layer(path, layer, tables, {name: missing(said, tables[name]) for name, said in log.items()})


def of_layer(
    path: Path, layer: str | None, tables: Mapping[str, pl.DataFrame], partial: Mapping[str, str | None]
) -> Trace:
    """The requests of one of the layers. Some may have no offsets, as those of MPI-IO by DXT of Darshan 3.1."""
    whole = {name: drop(table.with_row_index("row", 1), REASONS) for name, table in tables.items() if len(table)}
    held = {name: table for name, (table, _) in whole.items() if len(table)}
    if not whole:
        raise FileError(
            f"{path} holds no requests, only counters; the application must run with {ENABLE} in its environment"
        )
    lost = [name for name in whole if name not in held]
    useless = {name: f"its {len(tables[name])} requests of {name} have no offsets" for name in lost}
    if not held or layer in useless:
        ways = f"; --layer {' or '.join(held)} has them" if held else ""
        raise FileError(f"{path} cannot be replayed: {' and '.join(useless.values())}{ways}")
    if layer and layer not in held:
        raise UsageError(f"--layer {layer}: {path} holds requests of {' and '.join(held)} only")
    chosen = layer or next(iter(held))
    table, dropped = whole[chosen]
    others = tuple(summed(name, other) for name, other in held.items() if name != chosen)
    notes = {} if layer or not useless else {"note": f"{' and '.join(useless.values())}; these are those of {chosen}"}
    return Trace(table, path.name, chosen, partial[chosen], dropped, others, notes)


REASONS = {
    "offset or length is below 0": (pl.col("offset") < 0) | (pl.col("length") < 0),
    "end is before start": pl.col("end_s") < pl.col("start_s"),
}
TEXT = r"^\s*X_(POSIX|MPIIO)\s+(\d+)\s+(read|write)\s+\d+\s+(-?\d+)\s+(-?\d+)\s+([\d.]+)\s+([\d.]+)(?:\s|$)"


def read_dxt(path: Path, layer: str | None) -> Trace:
    """The same from the text that darshan-dxt-parser prints."""
    text = read_text(path)
    lines = pl.DataFrame({"line": text.splitlines()}).with_columns(
        file=pl.col("line").str.extract(r"^# DXT, file_id: \d+, file_name: (.*)").forward_fill()
    )
    fields = ["module", "rank", "op", "offset", "length", "start_s", "end_s"]
    groups = pl.col("line").str.extract_groups(TEXT).struct.rename_fields(fields).alias("fields")
    requests = lines.filter(pl.col("line").str.contains(r"^\s*X_")).with_columns(groups).unnest("fields")
    if len(wrong := requests.filter(pl.any_horizontal(pl.col("file", "end_s").is_null()))):
        raise FileError(f"{path}: {wrong['line'][0].strip()[:60]!r} is no request as darshan-dxt-parser prints them")
    typed = requests.select("module", *(pl.col(column).cast(kind) for column, kind in SCHEMA.items()))
    tables = {name: typed.filter(module=of.removeprefix("DXT_")).drop("module") for name, (of, *_) in LAYERS.items()}
    partial = "DXT ran out of memory" if "incomplete data" in text else None
    return of_layer(path, layer, tables, dict.fromkeys(tables, partial))


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
