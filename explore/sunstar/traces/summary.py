# SPDX-License-Identifier: MIT
"""What a trace holds, in figures: for people and as JSON."""

from dataclasses import asdict
from typing import Any

import polars as pl

from sunstar.traces.trace import Trace

PREFIXES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def summary(trace: Trace) -> dict[str, Any]:
    table = trace.table
    start, end = (float(table["start_s"][0]), float(max(table["end_s"]))) if len(table) else (0.0, 0.0)
    return {
        "source": trace.source,
        "layer": trace.layer,
        "requests": len(table),
        **{f"{op}s": moved(table.filter(pl.col("op") == op)) for op in ("read", "write")},
        "files": table["file"].n_unique(),
        "ranks": table["rank"].n_unique(),
        "first_start_s": start,
        "last_end_s": end,
        "span_s": end - start,
        "partial": trace.partial,
        "dropped": [asdict(dropped) for dropped in trace.dropped],
        "other_layers": [asdict(layer) for layer in trace.others],
    }


def moved(table: pl.DataFrame) -> dict[str, int]:
    return {"requests": len(table), "bytes": int(table["length"].sum())}


def summary_lines(trace: Trace) -> list[str]:
    said = summary(trace)
    rows = [
        ("trace", said["source"] + (f", layer {trace.layer}" if trace.layer else "")),
        ("requests", str(said["requests"])),
        *((op, f"{said[op]['requests']}, {sized(said[op]['bytes'])}") for op in ("reads", "writes")),
        ("files", str(said["files"])),
        ("ranks", str(said["ranks"])),
        ("time", f"{said['span_s']:.6g} s, from {said['first_start_s']:.6g} s to {said['last_end_s']:.6g} s"),
        ("partial", trace.partial or "no"),
    ]
    if not trace.dropped:
        rows.append(("dropped", "no row"))
    for drop in trace.dropped:
        which = f"row {drop.first}" if drop.rows == 1 else f"{drop.rows} rows, the first is row {drop.first}"
        rows.append(("dropped", f"{which}: {drop.reason}"))
    for layer in trace.others:
        read, written = sized(layer.bytes_read), sized(layer.bytes_written)
        rows.append(("also", f"--layer {layer.name}: {layer.requests} requests, {read} read, {written} written"))
    return [f"{name:10}{text}" for name, text in rows]


def sized(count: int) -> str:
    """A number of bytes, and what it is in larger units."""
    for size, prefix in PREFIXES:
        if count >= size:
            return f"{count} bytes ({count / size:.3g} {prefix})"
    return f"{count} bytes"
