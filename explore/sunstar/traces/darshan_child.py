# SPDX-License-Identifier: MIT
"""Reads a Darshan log, in a process of its own: the library ends the process over some damaged logs, prints on stderr,
and removes the log itself if it believes that it failed to write it.

Called with the log and a folder; puts LAYER.parquet and log.json there.
"""

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl

LAYERS = {"mpi-io": ("DXT_MPIIO", "MPI-IO", "MPIIO"), "posix": ("DXT_POSIX", "POSIX", "POSIX")}
"""By layer: the module with its requests, that with its counters, and how the names of these begin."""


def requests(report: Any, module: str) -> pl.DataFrame:  # noqa: ANN401  the library names no type
    report.mod_read_all_dxt_records(module, dtype="numpy")
    rows: dict[str, list[Any]] = {name: [] for name in ("rank", "op", "file", "offset", "length", "start_s", "end_s")}
    for record in report.records[module]:
        for op in ("read", "write"):
            segments = record[f"{op}_segments"]
            rows["rank"] += [record["rank"]] * len(segments)
            rows["op"] += [op] * len(segments)
            rows["file"] += [report.name_records.get(record["id"], str(record["id"]))] * len(segments)
            rows["offset"] += [int(segment["offset"]) for segment in segments]
            rows["length"] += [int(segment["length"]) for segment in segments]
            rows["start_s"] += [float(segment["start_time"]) for segment in segments]
            rows["end_s"] += [float(segment["end_time"]) for segment in segments]
    types = {"rank": pl.Int64, "op": pl.String, "file": pl.String, "offset": pl.Int64, "length": pl.Int64}
    return pl.DataFrame(rows, schema={**types, "start_s": pl.Float64, "end_s": pl.Float64})


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
