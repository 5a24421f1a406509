# SPDX-License-Identifier: MIT
"""Reads a trace of any format, which the names of its files tell."""

from collections.abc import Sequence
from pathlib import Path

from sunstar.errors import FileError, UsageError
from sunstar.traces.darshan import read_darshan
from sunstar.traces.dftracer import read_dftracer
from sunstar.traces.tables import TableOptions, read_table
from sunstar.traces.trace import Trace

RECORDER = (
    "is a folder, such as Recorder writes; Sunstar reads no Recorder traces: convert it by recorder2csv of the package "
    "recorder-utils, then say --column file=file_id --column op=function --column length=size --time-unit s"
)


def read_trace(paths: Sequence[Path], layer: str | None = None, options: TableOptions | None = None) -> Trace:
    for path in paths:
        if path.is_dir():
            raise FileError(f"{path} {RECORDER}")
        try:
            path.open("rb").close()
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}") from error
    options = options or TableOptions()
    formats = {format_of(path) for path in paths}
    if layer and formats != {"darshan"}:
        raise UsageError(f"--layer {layer}: only Darshan logs have layers")
    if (options.time_unit or options.columns) and formats != {"table"}:
        raise UsageError("--time-unit and --column are for CSV and Parquet files; logs give their own units and names")
    if formats == {"dftracer"}:
        return read_dftracer(paths)
    if len(paths) > 1:
        raise UsageError("several files make one trace only if all are DFTracer's (.pfw, .pfw.gz)")
    return read_darshan(paths[0], layer) if formats == {"darshan"} else read_table(paths[0], options)


def format_of(path: Path) -> str:
    if path.suffix == ".darshan":
        return "darshan"
    return "dftracer" if path.name.endswith((".pfw", ".pfw.gz")) else "table"
