# SPDX-License-Identifier: MIT
"""Darshan logs: the requests that its module DXT has recorded or, for want of them, that agree with its counters."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError
from sunstar.files import read_text, taking_apart
from sunstar.traces.drawn import KINDS, draw
from sunstar.traces.trace import SCHEMA, Layer, Trace, drop, in_order


def read_darshan(path: Path, layer: str | None, seed: int | None = None) -> Trace:
    """The requests of one layer: without a choice, those to MPI-IO or, if there are none, to POSIX. A log without
    requests has them drawn from its counters, as any log if there is a seed."""
    with tempfile.TemporaryDirectory() as folder:
        log = unpacked(path, Path(folder))
        tables, counts = (
            {
                name: pl.read_parquet(Path(folder) / f"{name}{suffix}.parquet")
                for name, said in log["layers"].items()
                if said[what]
            }
            for what, suffix in (("requests", ""), ("counters", ".counters"))
        )
    if seed is not None or not any((table["offset"] >= 0).any() for table in tables.values()):
        return drawn(path, layer, {name: table for name, table in counts.items() if len(table)}, log["processes"], seed)
    said = log["layers"]
    return of_layer(
        path, layer, tables, {name: missing(said[name], of, counts.get(name)) for name, of in tables.items()}
    )


MOST = 20_000_000


def drawn(path: Path, layer: str | None, counts: Mapping[str, pl.DataFrame], processes: int, seed: int | None) -> Trace:
    """A trace that agrees with the counters of a layer."""
    if not counts:
        raise FileError(
            f"{path} has no requests with offsets, nor counters of reads or writes; there is nothing to replay"
        )
    if layer and layer not in counts:
        raise UsageError(f"--layer {layer}: {path} has counters of {' and '.join(counts)} only")
    chosen = layer or next(name for name in LAYERS if name in counts)
    records = counts[chosen]
    if chosen == "mpi-io" and "posix" in counts:  # The jumps of its library's calls are taken for its own
        records = records.join(counts["posix"], on=["file", "rank"], how="left", suffix="_posix", maintain_order="left")
        for op in ("READS", "WRITES"):
            split = pl.col(f"{op}_posix") - pl.col(f"CONSEC_{op}")
            jumps = pl.col(f"SEQ_{op}") - pl.col(f"CONSEC_{op}")
            fits = (split <= pl.col(op)) & (pl.col(op) > 0) & (split > 0)
            whole = pl.when(fits).then(pl.col(op) - split)
            records = records.with_columns(whole.alias(f"CONSEC_{op}"), (whole + jumps).alias(f"SEQ_{op}"))
        same = pl.all_horizontal(pl.col(name) == pl.col(f"{name}_posix") for name in KINDS["operations"])
        records = records.with_columns(pl.when(same).then("FILE_NOT_ALIGNED").alias("FILE_NOT_ALIGNED"))
    seed = 1 if seed is None else seed
    if (count := int((records["READS"] + records["WRITES"]).sum())) > MOST:
        raise FileError(f"{path} counts {count} requests of {chosen}; at most {MOST} are drawn")
    with taking_apart(f"{path}: its counters of {chosen} contradict one another"):
        requests, agreed = draw(records, counts[chosen], processes, seed)
    met = {kind: int(agreed[kind].sum()) for kind in agreed.columns}
    all_met = [kind for kind, count in met.items() if count == len(records)]
    rest = [f"{kind} (of {count} of {len(records)})" for kind, count in met.items() if count < len(records)]
    notes = {
        "drawn": f"order and offsets are invented (seed {seed}); the log's counters of {chosen} constrain them",
        "agrees": f"for each of {len(records)} files and ranks: {', '.join(all_met)}",
        **({"in part": ", ".join(rest)} if rest else {}),
    }
    return Trace(in_order(requests), path.name, chosen, notes=notes)


def of_layer(
    path: Path, layer: str | None, tables: Mapping[str, pl.DataFrame], partial: Mapping[str, str | None]
) -> Trace:
    """The requests of one of the layers. Some may have no offsets, as those of MPI-IO by DXT of Darshan 3.1."""
    whole = {name: drop(table.with_row_index("row", 1), REASONS) for name, table in tables.items() if len(table)}
    held = {name: table for name, (table, _) in whole.items() if len(table)}
    if not whole:
        raise FileError(f"{path} holds no request")
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
    casts = (pl.col(column).cast(kind, strict=False) for column, kind in SCHEMA.items())
    typed = requests.select("line", "module", *casts)
    if len(wrong := typed.filter(pl.any_horizontal(pl.all().is_null()))):
        raise FileError(f"{path}: {wrong['line'][0].strip()[:60]!r} is no request as darshan-dxt-parser prints them")
    tables = {
        name: typed.filter(module=of.removeprefix("DXT_")).drop("line", "module") for name, (of, *_) in LAYERS.items()
    }
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


def missing(said: dict[str, Any], table: pl.DataFrame, counters: pl.DataFrame | None) -> str | None:
    """The requests missing in the log, by its own flag or by its counters."""
    count = {"reads": int((table["op"] == "read").sum()), "writes": int((table["op"] == "write").sum())}
    counted = count if counters is None else {op: int(counters[op.upper()].sum()) for op in count}
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

LAYERS = {
    "mpi-io": ("DXT_MPIIO", "MPI-IO", "MPIIO"),
    "posix": ("DXT_POSIX", "POSIX", "POSIX"),
    "stdio": ("", "STDIO", "STDIO"),
}
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


def counters(report: Any, module: str, prefix: str) -> pl.DataFrame:  # noqa: ANN401
    """The counters of each file and rank, or -1 for all ranks. They are complete even if the requests are not."""
    report.mod_read_all_records(module, dtype="pandas")
    whole, times = (pl.from_pandas(report.records[module][0][of]) for of in ("counters", "fcounters"))
    named = whole.with_columns(pl.exclude("id").cast(pl.Int64)).hstack(times.drop("id", "rank"))
    named = named.rename(lambda name: name.removeprefix(f"{prefix}_").replace("_AGG_", "_"))
    if prefix == "MPIIO":
        kinds = ("INDEP", "COLL", "SPLIT", "NB")
        named = named.with_columns(
            pl.sum_horizontal(f"{kind}_{op}" for kind in kinds).alias(op) for op in ("READS", "WRITES")
        )
    files = pl.Series("file", [report.name_records.get(id, str(id)) for id in named["id"]], dtype=pl.String)
    return named.with_columns(files).filter(pl.col("READS") + pl.col("WRITES") > 0)


def main(log: str, folder: Path) -> None:
    import darshan

    report = darshan.DarshanReport(log, read_all=False)
    found: dict[str, Any] = {"processes": int(report.metadata["job"]["nprocs"]), "layers": {}}
    for layer, (module, counts, prefix) in LAYERS.items():
        said = {"requests": module in report.modules, "counters": counts in report.modules, "partial": False}
        if said["requests"]:
            requests(report, module).write_parquet(folder / f"{layer}.parquet")
            said["partial"] = bool(report.modules[module]["partial_flag"])
        if said["counters"]:
            counters(report, counts, prefix).write_parquet(folder / f"{layer}.counters.parquet")
        found["layers"][layer] = said
    (folder / "log.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
