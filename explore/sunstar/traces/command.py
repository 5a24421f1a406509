# SPDX-License-Identifier: MIT
"""sunstar trace import, sunstar trace show"""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sunstar.commands import told_in_sentences
from sunstar.errors import UsageError
from sunstar.files import Outputs, as_json
from sunstar.study.tables import Printed, console, percent, print_table
from sunstar.traces.pictures import check_picture, draw
from sunstar.traces.reading import read_trace
from sunstar.traces.shapes import Regularity, overall, regularities, sizes, spreads
from sunstar.traces.summary import summary, summary_lines
from sunstar.traces.tables import NAMES, UNITS, TableOptions
from sunstar.traces.timeline import timeline
from sunstar.traces.trace import Trace, check_output, write_trace

LAYERS = ("mpi-io", "posix")
ROWS = 16
"""As many rows of the timeline, and files of the table, are printed at most."""
PARTS = 80

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="A Darshan log with DXT (.darshan), DFTracer's files (.pfw, .pfw.gz), a CSV file (also .gz) or Parquet.",
    ),
]
LayerOption = Annotated[
    str | None,
    typer.Option(
        "--layer",
        metavar="|".join(LAYERS),
        help="Which requests of a Darshan log; by default those of MPI-IO, or of POSIX if there are none.",
    ),
]
UnitOption = Annotated[
    str | None,
    typer.Option("--time-unit", metavar="|".join(UNITS), help="Unit of the times of a table that does not give it."),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME=COLUMN",
        help=f"The column of a table that holds {', '.join(NAMES[:-1])} or {NAMES[-1]} under another name; repeatable.",
    ),
]
TraceOption = Annotated[Path, typer.Option("--output", metavar="TRACE", help="The trace to write: .csv or .parquet.")]
PictureOption = Annotated[
    Path | None,
    typer.Option("--output", metavar="FILE", help="Also draw the timeline: .png, or .html to move about in."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def trace_import(
    files: Files,
    output: TraceOption,
    layer: LayerOption = None,
    time_unit: UnitOption = None,
    column: ColumnOption = None,
    json: JsonOption = False,
) -> None:
    """Make a trace for the workload `trace` from the log of another program.

    Prints what the trace holds, what was dropped, and whether the log is partial.

    Example: sunstar trace import app.darshan --layer posix --output app.csv
    """
    with told_in_sentences():
        check_output(output)
        trace = read(files, layer, time_unit, column)
        with Outputs() as outputs:
            write_trace(outputs, output, trace)
            outputs.commit()
    if json:
        typer.echo(as_json({**summary(trace), "written": str(output)}), nl=False)
        return
    print_lines([*summary_lines(trace), f"written: {output}"])


def trace_show(
    files: Files,
    output: PictureOption = None,
    layer: LayerOption = None,
    time_unit: UnitOption = None,
    column: ColumnOption = None,
    json: JsonOption = False,
) -> None:
    """Show what the requests of a trace are like: sizes, regularity, ranks, a timeline.

    Example: sunstar trace show app.csv --output app.png
    """
    with told_in_sentences():
        if output:
            check_picture(output)
        trace = read(files, layer, time_unit, column)
        with Outputs() as outputs:
            if output:
                draw(outputs, output, trace)
            outputs.commit()
    if json:
        typer.echo(as_json(shown(trace)), nl=False)
        return
    print_lines(summary_lines(trace))
    print_shapes(console(), trace)
    if output:
        print_lines([f"\nwritten: {output}"])


def read(files: list[Path], layer: str | None, time_unit: str | None, columns: Iterable[str] | None) -> Trace:
    for option, value, allowed in (("--layer", layer, LAYERS), ("--time-unit", time_unit, tuple(UNITS))):
        if value is not None and value not in allowed:
            raise UsageError(f"{option} {value}: it must be {', '.join(allowed[:-1])} or {allowed[-1]}")
    named = {}
    for text in columns or []:
        name, _, column = text.partition("=")
        if name not in NAMES or not column:
            raise UsageError(f"--column {text}: it must be NAME=COLUMN, with {', '.join(NAMES)} as names")
        named[name] = column
    return read_trace(files, layer, TableOptions(time_unit, named))


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        console().print(line, soft_wrap=True)


def shown(trace: Trace) -> dict[str, Any]:
    return {
        **summary(trace),
        "sizes": [asdict(size) for size in sizes(trace.table)],
        "regularity": [asdict(of) for of in regularities(trace.table)],
        "ranks_moved": [asdict(spread) for spread in spreads(trace.table)],
        "timeline": [asdict(row) for row in timeline(trace.table, trace.table["rank"].n_unique(), PARTS)],
    }


def print_shapes(out: Console, trace: Trace) -> None:
    table = trace.table
    print_table(
        out,
        Printed(
            "sizes of requests (bytes; K, M, G are powers of 1024)",
            ["size", "reads", "writes", "bytes"],
            [[size.name, *map(str, (size.reads, size.writes, size.bytes))] for size in sizes(table)],
        ),
    )
    files = regularities(table)
    print_table(
        out,
        Printed(
            "requests of each rank to a file: share that begins where the one before ended, or in even strides",
            ["file", "op", "requests", "bytes", "ranks", "consecutive", "strided"],
            [row_of(of) for of in [*(overall(table) if table["file"].n_unique() > 1 else []), *files[:ROWS]]],
            names=2,
        ),
    )
    if len(files) > ROWS:
        out.print(f"and {len(files) - ROWS} more with fewer bytes (--json has them all)")
    print_table(
        out,
        Printed(
            "a rank's share",
            ["of", "least", "median", "most", "by rank"],
            [
                [spread.what, str(spread.least), f"{spread.median:.10g}", str(spread.most), str(spread.most_rank)]
                for spread in spreads(table)
            ],
        ),
    )
    rows = timeline(table, ROWS, PARTS)
    span = float(max(table["end_s"])) - float(table["start_s"][0])
    out.print("\ntimeline by rank: r reads, w writes, b both", style="italic", soft_wrap=True)
    for row in rows:
        out.print(f"{names(row.first, row.last):>13} {row.marks}", soft_wrap=True)
    out.print(f"{'':13} 0 s{f'{span:.6g} s':>{PARTS - 3}}", soft_wrap=True)


def names(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def row_of(of: Regularity) -> list[str]:
    file = of.file if len(of.file) <= 40 else "..." + of.file[-37:]
    return [file, of.op, str(of.requests), str(of.bytes), str(of.ranks), percent(of.consecutive), percent(of.strided)]
