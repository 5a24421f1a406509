# SPDX-License-Identifier: MIT
"""sunstar trace import, sunstar trace show: statistics of the requests of a trace: their sizes, how they follow one
another, and the bytes of each rank over time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import polars as pl
import typer
from rich.console import Console

from sunstar.commands import JsonOption
from sunstar.console import Printed, console, percent, print_table
from sunstar.drawing import picture
from sunstar.errors import UsageError, check_choice, check_suffix
from sunstar.files import Outputs, as_json, write_table, write_text
from sunstar.quantities import engineering
from sunstar.traces import block as block_formats
from sunstar.traces.block import EVENTS, Asked, Blocks, as_calls, read_blocks
from sunstar.traces.darshan import LAYERS
from sunstar.traces.reading import NAMES, UNITS, read_trace
from sunstar.traces.trace import BOUNDS, Trace, write_trace

CLASSES = ("0-100", "100-1K", "1K-10K", "10K-100K", "100K-1M", "1M-4M", "4M-10M", "10M-100M", "100M-1G", "1G+")
MARKS = np.array([".", "r", "w", "b"])


def sizes(table: pl.DataFrame) -> pl.DataFrame:
    """Reads, writes and bytes of all classes from the smallest to the largest one with a request."""
    lengths, read = table["length"].to_numpy(), (table["op"] == "read").to_numpy()
    places = np.searchsorted(BOUNDS, lengths)
    moved = np.zeros(len(CLASSES), np.int64)
    np.add.at(moved, places, lengths)
    reads, writes = (np.bincount(places[chosen], minlength=len(moved)) for chosen in (read, ~read))
    found = pl.DataFrame({"name": CLASSES, "reads": reads, "writes": writes, "bytes": moved})
    return found.head(int(places.max()) + 1 if len(places) else 0)


def regularities(table: pl.DataFrame, together: bool = False) -> pl.DataFrame:
    """How the requests to each file with each operation follow one another, rank by rank, in order of start time; most
    bytes first. `consecutive` is the share of the requests that begin where the previous one ends, each rank's first
    left out, null if there is no other; `strided` the share that have the previous one's length and distance, but are
    not consecutive. Rows are by file and operation or, of all files `together`, by operation."""
    stream = ["file", "op", "rank"]
    step = pl.col("offset") - pl.col("offset").shift().over(stream)
    consecutive = pl.col("offset") == (pl.col("offset") + pl.col("length")).shift().over(stream)
    same = (pl.col("length") == pl.col("length").shift().over(stream)) & (step == step.shift().over(stream))
    strided = (same & ~consecutive).fill_null(False)
    followers = pl.col("consecutive").count()
    evenly = pl.when(followers > 0).then(pl.col("strided").sum() / followers)
    moved, ranks = pl.col("length").sum(), pl.col("rank").n_unique()
    file = pl.lit(f"all {table['file'].n_unique()} files") if together else pl.col("file")
    return (
        table.with_columns(consecutive=consecutive, strided=strided)
        .group_by(file.alias("file"), "op", maintain_order=True)
        .agg(requests=pl.len(), bytes=moved, ranks=ranks, consecutive=pl.col("consecutive").mean(), strided=evenly)
        .sort("bytes", descending=True, maintain_order=True)
    )


def spreads(table: pl.DataFrame) -> pl.DataFrame:
    """How evenly requests and bytes are spread over the ranks with requests, and which rank has most."""
    read, write = pl.col("op") == "read", pl.col("op") == "write"
    moved = {"bytes read": pl.col("length").filter(read), "bytes written": pl.col("length").filter(write)}
    amounts = {"reads": read, "writes": write, **moved}
    amount, rank = pl.col("amount"), pl.col("rank")
    return (
        table.group_by("rank")
        .agg(of.sum().cast(pl.Int64).alias(what) for what, of in amounts.items())
        .sort("rank")
        .unpivot(index="rank", variable_name="what", value_name="amount")
        .group_by("what", maintain_order=True)
        .agg(least=amount.min(), median=amount.median(), most=amount.max(), most_rank=rank.get(amount.arg_max()))
    )


def timeline(table: pl.DataFrame, rows: int, columns: int) -> pl.DataFrame:
    """When ranks read and write: neighbouring ranks, from `first` to `last`, in at most `rows` groups, and a mark for
    each of `columns` equal parts of the trace's time: r, w, b for both, and a point for neither."""
    ranks: Sequence[int] = table["rank"].unique().sort().to_list()
    together = -(-len(ranks) // rows)
    start, end = table["start_s"].to_numpy(), table["end_s"].to_numpy()
    width = (end.max() - start.min()) / columns or 1.0
    first, last = (np.minimum(((of - start.min()) / width).astype(np.int64), columns - 1) for of in (start, end))
    drawn = []
    for group in (ranks[i : i + together] for i in range(0, len(ranks), together)):
        mine = table["rank"].is_between(group[0], group[-1]).to_numpy()
        marks = np.zeros(columns, np.int64)
        for op, bit in (("read", 1), ("write", 2)):
            chosen = mine & (table["op"] == op).to_numpy()
            change = np.zeros(columns + 1, np.int64)
            np.add.at(change, first[chosen], 1)
            np.add.at(change, last[chosen] + 1, -1)
            marks += bit * (change.cumsum()[:columns] > 0)
        drawn.append((group[0], group[-1], "".join(MARKS[marks])))
    return pl.DataFrame(drawn, schema=["first", "last", "marks"], orient="row")


COLOURS = {"read": "#1f77b4", "write": "#d62728"}
TIME = "time from the first request (s)"


def draw_still(files: Outputs, path: Path, trace: Trace) -> None:
    with picture(files, path, 10, 5) as canvas:
        axes = canvas.subplots()
        for op, colour in COLOURS.items():
            requests = trace.table.filter(pl.col("op") == op)
            axes.hlines(requests["rank"], requests["start_s"], requests["end_s"], colour, label=op, linewidth=2)
        axes.set(xlabel=TIME, ylabel="rank", title=trace.source)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def draw_page(files: Outputs, path: Path, trace: Trace) -> None:
    import plotly.graph_objects as go  # here, so that other commands start without it

    from sunstar.reports.page import plotted

    figure = go.Figure()
    for op, colour in COLOURS.items():
        requests = trace.table.filter(pl.col("op") == op)
        # A gap after each line.
        times = np.stack([requests["start_s"], requests["end_s"], np.full(len(requests), np.nan)], axis=1).ravel()
        ranks = np.repeat(requests["rank"].to_numpy(), 3)
        marker = {"color": colour, "size": 5}
        figure.add_trace(go.Scattergl(x=times, y=ranks, mode="lines+markers", name=op, marker=marker))
    layout = {of: {"title": {"text": text}} for of, text in (("xaxis", TIME), ("yaxis", "rank"))}
    plots = [{"data": orjson.loads(figure.to_json())["data"], "layout": {**layout, "showlegend": True}}]
    body = '<figure><div class="plot" id="plot-0"></div></figure>'
    write_text(files, path, plotted("trace show", trace.source, "When each rank reads and writes.", body, plots))


ROWS = 16  # The most rows of the timeline, and files of the table, that are printed
PARTS = 80

Files = Annotated[list[Path], typer.Argument(metavar="FILE...")]
LayerOption = Annotated[str | None, typer.Option(metavar="|".join(LAYERS))]
UnitOption = Annotated[str | None, typer.Option(metavar="|".join(UNITS))]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=COLUMN",
        help=f"The column of a table that holds {', '.join(NAMES[:-1])} or {NAMES[-1]} under another name; repeatable.",
    ),
]
SeedOption = Annotated[int | None, typer.Option(min=0)]
FORMS = f"The format of block traces, if it is not recognised: {', '.join(block_formats.NAMES)}."
FormatOption = Annotated[str | None, typer.Option("--format", metavar="NAME", help=FORMS)]
SPEC = f"Where lines of block traces hold {', '.join(block_formats.FIELDS)}: {block_formats.SHOWN}."
ColumnsOption = Annotated[str | None, typer.Option(metavar="FIELD=COLUMN:UNIT,...", help=SPEC)]
PatternOption = Annotated[str | None, typer.Option(metavar="REGEX")]
EventsOption = Annotated[str | None, typer.Option(metavar="|".join(EVENTS))]
VolumeOption = Annotated[str | None, typer.Option(metavar="SIZE")]
DeviceOption = Annotated[str | None, typer.Option(metavar="NAME")]


def trace_import(
    files: Files,
    output: Annotated[Path, typer.Option(metavar="TRACE")],
    layer: LayerOption = None,
    time_unit: UnitOption = None,
    column: ColumnOption = None,
    seed: SeedOption = None,
    form: FormatOption = None,
    columns: ColumnsOption = None,
    pattern: PatternOption = None,
    events: EventsOption = None,
    volume: VolumeOption = None,
    device: DeviceOption = None,
    json: JsonOption = False,
) -> None:
    check_suffix(output, (".csv", ".parquet"))
    trace = read(files, layer, time_unit, column, seed, Asked(form, columns, pattern, events, volume, device))
    with Outputs(files) as outputs:
        if isinstance(trace, Blocks):
            write_table(outputs, output, trace.table)
        else:
            write_trace(outputs, output, trace)
    if json:
        typer.echo(as_json({**summary(trace), "written": str(output)}), nl=False)
    else:
        print_lines([*summary_lines(trace), f"written: {output}"])


def trace_show(
    files: Files,
    output: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    layer: LayerOption = None,
    time_unit: UnitOption = None,
    column: ColumnOption = None,
    seed: SeedOption = None,
    form: FormatOption = None,
    columns: ColumnsOption = None,
    pattern: PatternOption = None,
    events: EventsOption = None,
    volume: VolumeOption = None,
    device: DeviceOption = None,
    json: JsonOption = False,
) -> None:
    if output:
        check_suffix(output, (".png", ".html"))
    found = read(files, layer, time_unit, column, seed, Asked(form, columns, pattern, events, volume, device))
    trace = Trace(as_calls(found.table), files[0].name) if isinstance(found, Blocks) else found
    with Outputs(files) as outputs:
        if output:
            from_first = trace.table.with_columns(pl.col("start_s", "end_s") - pl.col("start_s").min())
            draw = draw_still if output.suffix == ".png" else draw_page
            draw(outputs, output, replace(trace, table=from_first))
    if json:
        table = trace.table
        shapes = {"sizes": sizes(table), "regularity": regularities(table), "ranks_moved": spreads(table)}
        shapes["timeline"] = timeline(table, table["rank"].n_unique(), PARTS)
        typer.echo(as_json({**summary(found), **{name: of.to_dicts() for name, of in shapes.items()}}), nl=False)
        return
    print_lines(summary_lines(found))
    print_shapes(console(), trace.table)
    if output:
        print_lines([f"\nwritten: {output}"])


def read(
    files: list[Path],
    layer: str | None,
    time_unit: str | None,
    columns: Iterable[str] | None,
    seed: int | None,
    asked: Asked,
) -> Trace | Blocks:
    if not (layer or time_unit or columns or seed is not None):
        if blocks := read_blocks(files, asked):
            return blocks
    elif asked != Asked():
        raise UsageError(
            "--layer, --time-unit, --column and --seed are for traces of applications, the others for block traces"
        )
    check_choice("--layer", layer, LAYERS)
    check_choice("--time-unit", time_unit, UNITS)
    named = {}
    for text in columns or []:
        name, _, column = text.partition("=")
        if name not in NAMES or not column:
            raise UsageError(f"--column {text}: it must be NAME=COLUMN, with {', '.join(NAMES)} as names")
        named[name] = column
    return read_trace(files, layer, time_unit, named, seed)


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        console().print(line, soft_wrap=True)


def summary(trace: Trace | Blocks) -> dict[str, Any]:
    if isinstance(trace, Blocks):
        return trace.said
    table = trace.table
    start, end = (float(table["start_s"][0]), float(max(table["end_s"]))) if len(table) else (0.0, 0.0)
    lengths = {f"{op}s": table.filter(pl.col("op") == op)["length"] for op in ("read", "write")}
    return {
        **trace.notes,
        "source": trace.source,
        "layer": trace.layer,
        "requests": len(table),
        **{name: {"requests": len(of), "bytes": int(of.sum())} for name, of in lengths.items()},
        "files": table["file"].n_unique(),
        "ranks": table["rank"].n_unique(),
        "first_start_s": start,
        "last_end_s": end,
        "span_s": end - start,
        "partial": trace.partial,
        "dropped": [asdict(dropped) for dropped in trace.dropped],
        "other_layers": [asdict(layer) for layer in trace.others],
    }


def summary_lines(trace: Trace | Blocks) -> list[str]:
    said = summary(trace)
    moved = [(op, f"{said[op]['requests']}, {sized(said[op]['bytes'])}") for op in ("reads", "writes")]
    if isinstance(trace, Blocks):
        rows = block_rows(said, moved)
    else:
        rows = [
            *trace.notes.items(),
            ("trace", said["source"] + (f", layer {trace.layer}" if trace.layer else "")),
            ("requests", str(said["requests"])),
            *moved,
            ("files", str(said["files"])),
            ("ranks", str(said["ranks"])),
            ("time", f"{said['span_s']:.6g} s, from {said['first_start_s']:.6g} s to {said['last_end_s']:.6g} s"),
            ("partial", trace.partial or "no"),
        ]
    row = "line" if isinstance(trace, Blocks) else "row"
    for drop in said["dropped"]:
        several = "" if drop["rows"] == 1 else f"{drop['rows']} {row}s, the first is "
        rows.append(("dropped", f"{several}{row} {drop['first']}: {drop['reason']}"))
    if not said["dropped"]:
        rows.append(("dropped", "no row"))
    for layer in said.get("other_layers", []):
        read, written = sized(layer["bytes_read"]), sized(layer["bytes_written"])
        rows.append(("also", f"--layer {layer['name']}: {layer['requests']} requests, {read} read, {written} written"))
    return [f"{name:10}{text}" for name, text in rows]


def block_rows(said: Mapping[str, Any], moved: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    devices = [f"{name} ({count})" for name, count in said["devices"].items()]
    more = f" and {len(devices) - ROWS} more" if len(devices) > ROWS else ""
    rate = said["requests_per_s"]
    rows = [
        ("format", f"{said['format']}, because {said['because']}"),
        ("requests", str(said["requests"])),
        *moved,
        ("devices", ", ".join(devices[:ROWS]) + more),
        ("time", f"{said['span_s']:.9g} s" + (f", {rate:.6g} requests/s" if rate else "")),
        ("LBN", f"up to {said['largest_lbn']}"),
        ("sorted", f"{said['out_of_order']} out of order"),
        ("rounded", f"{said['rounded_to_sectors']} outward, to whole sectors"),
    ]
    if "response" in said:
        rows.append(("response", f"{said['response']['mean_ms']:.6g} ms on average of {said['response']['known']}"))
    return [*rows, ("moved", f"{said['moved']} onto the volume")] if "moved" in said else rows


def sized(count: int) -> str:
    """A number of bytes, also in larger units."""
    return f"{count} bytes" + (f" ({engineering(count, 'B', 3)})" if count >= 1024 else "")


def print_shapes(out: Console, table: pl.DataFrame) -> None:
    title = "sizes of requests (bytes; K, M, G are powers of 1024)"
    rows = [list(map(str, row)) for row in sizes(table).rows()]
    print_table(out, Printed(title, ["size", "reads", "writes", "bytes"], rows))
    files = regularities(table)
    together = regularities(table, together=True).rows() if table["file"].n_unique() > 1 else []
    headings = ["file", "op", "requests", "bytes", "ranks", "consecutive", "strided"]
    title = "requests of each rank to a file: share that begins where the one before ended, or in even strides"
    rows = [
        [file if len(file) <= 40 else "..." + file[-37:], op, *map(str, counts), percent(consecutive), percent(strided)]
        for file, op, *counts, consecutive, strided in [*together, *files.head(ROWS).rows()]
    ]
    print_table(out, Printed(title, headings, rows, names=2))
    if len(files) > ROWS:
        out.print(f"and {len(files) - ROWS} more with fewer bytes (--json has them all)")
    shares = spreads(table).rows()
    rows = [[what, str(least), f"{half:.10g}", str(most), str(rank)] for what, least, half, most, rank in shares]
    print_table(out, Printed("a rank's share", ["of", "least", "median", "most", "by rank"], rows))
    span = float(max(table["end_s"])) - float(table["start_s"][0])
    out.print("\ntimeline by rank: r reads, w writes, b both", style="italic", soft_wrap=True)
    for first, last, marks in timeline(table, ROWS, PARTS).rows():
        out.print(f"{first if first == last else f'{first}-{last}':>13} {marks}", soft_wrap=True)
    out.print(f"{'':13} 0 s{f'{span:.6g} s':>{PARTS - 3}}", soft_wrap=True)
