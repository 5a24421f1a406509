# SPDX-License-Identifier: MIT
"""Reads a trace of any format, by its contents: logs of Darshan, DFTracer and Recorder, and tables with named columns,
as CSV, plain or packed by gzip, or Parquet."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError
from sunstar.files import DECIMAL_COMMA, WHOLE, open_unpacked, read_table, reading, taking_apart, without_mark
from sunstar.traces.darshan import read_darshan, read_dxt
from sunstar.traces.dftracer import read_dftracer
from sunstar.traces.recorder import LINE, read_recorder, texts
from sunstar.traces.trace import KEY, Dropped, Trace, drop

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
NAMES = ("rank", "op", "file", "offset", "length", "start", "end")
OTHERS = "a trace may also be Parquet, or a log of Darshan, DFTracer or Recorder"
RECORDER = {"function": "op", "size": "length", "file_id": "file"}
"""Columns by which the output of recorder2csv is known, and what they hold."""

READERS = {
    "darshan": re.compile(rb".{8}(75d\0{5}|\0{5}d57)", re.DOTALL),
    "dxt": re.compile(rb"# (darshan log version|DXT, )"),
    "dftracer": re.compile(rb"\s*[\[{]"),
    "recorder": re.compile(LINE.encode()),
}
"""How the contents of each log begin."""


def format_of(path: Path) -> str:
    """The format by the contents or, for a damaged file, by its name."""
    with reading(path, "; it must be a trace, plain or packed by gzip"):
        try:
            with open_unpacked(path) as file:
                head = file.read(4096)
        except EOFError:
            head = b""
    for name, begins in READERS.items():
        if begins.match(head if name == "darshan" else without_mark(path, head)):
            return name
    known = {".darshan": "darshan", ".pfw": "dftracer", ".pfw.gz": "dftracer"}
    return next((name for end, name in known.items() if path.name.endswith(end)), "table")


def read_trace(
    paths: Sequence[Path],
    layer: str | None = None,
    time_unit: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    seed: int | None = None,
) -> Trace:
    """The requests of the files. For a table, the user gives missing facts: the unit of its times, and its own names of
    a trace's columns. With a seed, those of a Darshan log are drawn from its counters."""
    paths = [file for path in paths for file in (texts(path) if path.is_dir() else [path])]
    formats = {format_of(path) for path in paths}
    if layer and not formats <= {"darshan", "dxt"}:
        raise UsageError(f"--layer {layer}: only Darshan logs have layers")
    if seed is not None and formats != {"darshan"}:
        raise UsageError(f"--seed {seed}: only from the counters of a Darshan log are requests drawn")
    if (time_unit or columns) and formats != {"table"}:
        raise UsageError("--time-unit and --column are for CSV and Parquet files; logs give their own units and names")
    if formats == {"dftracer"}:
        return read_dftracer(paths)
    if formats == {"recorder"}:
        return read_recorder(paths)
    if len(paths) > 1:
        raise UsageError("several files make one trace only if all are DFTracer's (.pfw, .pfw.gz) or all Recorder's")
    if formats == {"table"}:
        return read_rows(paths[0], time_unit, columns)
    return read_dxt(paths[0], layer) if formats == {"dxt"} else read_darshan(paths[0], layer, seed)


def read_rows(path: Path, time_unit: str | None, columns: Mapping[str, str]) -> Trace:
    """The requests of a table."""
    with path.open("rb") as file:
        parquet = file.read(4) == b"PAR1"
    table, said = read_parquet(path) if parquet else read_csv(path)
    if RECORDER.keys() <= set(table.columns):
        columns, time_unit = {**{name: column for column, name in RECORDER.items()}, **columns}, time_unit or "s"
    found = dict(columns)
    units: dict[str, str] = {}
    for name in NAMES:
        if name in ("start", "end"):
            found[name], units[name] = time_column(path, table, name, columns.get(name), time_unit)
        elif (column := found.setdefault(name, name)) not in table.columns:
            raise no_column(path, table, column, name)
    if time_unit and not any(unit_of(found[name]) is None for name in units):
        raise UsageError(
            f"--time-unit {time_unit}: the columns {found['start']} and {found['end']} of {path} give the unit"
        )
    for column in (found[name] for name in NAMES if name not in ("op", "file")):
        text = table[column].cast(pl.String)
        if len(wrong := text.filter(text.str.contains(DECIMAL_COMMA))):
            raise FileError(f"{path}: {column} is {wrong[0]!r}; it must be a number with a decimal point, not a comma")
    kept, dropped = checked(table.select(pl.col(column).alias(name) for name, column in found.items()), units)
    if not len(kept):
        reasons = "; ".join(f"in {drop.rows} rows {drop.reason}" for drop in dropped) or "it has no row"
        raise FileError(f"{path} holds no request ({reasons}); it must hold at least one")
    notes = {name: text for name, text in said.items() if name not in ("source", "layer", "partial")}
    source, layer, partial = said.get("source", path.name), said.get("layer"), said.get("partial")
    return Trace(kept, source, layer, partial, dropped, notes=notes)


def no_column(path: Path, table: pl.DataFrame, column: str, name: str) -> FileError:
    known = ", ".join(table.columns)
    return FileError(
        f"{path} has no column {column}, but {known}; if another one holds it, say --column {name}=COLUMN; "
        "if it is a trace of blocks, describe its lines by --columns or --pattern"
    )


def unit_of(column: str) -> str | None:
    last = column.rpartition("_")[2]
    return last if last in UNITS else None


def time_column(path: Path, table: pl.DataFrame, name: str, called: str | None, usual: str | None) -> tuple[str, str]:
    """The column of a time, which may be `called` otherwise, and its unit, which is the `usual` one if it has none."""
    known = [called] if called else [*(f"{name}_{unit}" for unit in UNITS), name]
    column = next((column for column in known if column in table.columns), None)
    if column is None:
        raise no_column(path, table, " or ".join(known), name)
    unit = unit_of(column) or usual
    if unit is None:
        raise UsageError(f"{path} does not give the unit of its column {column}; say --time-unit {', '.join(UNITS)}")
    return column, unit


def read_parquet(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    try:
        said = pl.read_parquet_metadata(path).get(KEY, "{}")
        table = pl.read_parquet(path, glob=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise FileError(f"cannot read {path}: {first_line(error)}; it must be a whole Parquet file") from error
    nested = [name for name, kind in table.schema.items() if kind.is_nested()]
    with taking_apart(f"{path} has notes that are no JSON"):
        return table.drop(nested), dict(json.loads(said))


def read_csv(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """All columns as text, and the notes in the comments before the header."""
    table = read_table(path)
    form: dict[str, Any] = {"separator": table.separator, "comment_prefix": "#", "new_columns": table.names}
    try:
        found = pl.read_csv(table.text.encode(), infer_schema=False, **form)
    except pl.exceptions.PolarsError as error:
        for _ in table.rows():  # names a row that is too long
            pass
        raise FileError(f"{path} is no CSV file with a line of column names: {first_line(error)}; {OTHERS}") from error
    found = found.filter(~pl.all_horizontal(pl.all().is_null()))  # Empty lines
    if found[found.columns[-1]].null_count():
        for _ in table.rows():  # the last field is empty, or missing
            pass
    return found, table.notes


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def checked(table: pl.DataFrame, units: Mapping[str, str]) -> tuple[pl.DataFrame, tuple[Dropped, ...]]:
    def text(name: str) -> pl.Expr:
        return pl.col(name).cast(pl.String).str.strip_chars()

    def times(name: str) -> pl.Expr:
        return (text(name).cast(pl.Float64, strict=False) * UNITS[units[name]]).alias(f"{name}_s")

    lower = text("op").str.to_lowercase()
    read = lower.is_in(["r", "read"]) | (lower.str.contains("read") & ~lower.str.contains("readlink|readdir"))
    write = lower.is_in(["w", "write"]) | lower.str.contains("write")
    rows = table.with_row_index("row", 1).select(
        "row",
        *(
            text(name).str.replace(WHOLE, "$1").cast(pl.Int64, strict=False).alias(name)
            for name in ("rank", "offset", "length")
        ),
        pl.when(write).then(pl.lit("write")).when(read).then(pl.lit("read")).alias("op"),
        text("file").alias("file"),
        times("start"),
        times("end"),
    )
    reasons = {
        "op is neither a read nor a write": pl.col("op").is_null(),
        "file is empty": pl.col("file").fill_null("") == "",
        **{f"{name} is no whole number": pl.col(name).is_null() for name in ("rank", "offset", "length")},
        **{f"{name} is below 0": pl.col(name) < 0 for name in ("rank", "offset", "length")},
        **{f"{name} is no time": ~pl.col(f"{name}_s").is_finite().fill_null(False) for name in units},
        "start is below 0": pl.col("start_s") < 0,
        "end is before start": pl.col("end_s") < pl.col("start_s"),
    }
    return drop(rows, reasons)
