# SPDX-License-Identifier: MIT
"""sunstar reproduce tr94-226"""

import time
from dataclasses import asdict
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from sunstar.cli.common import (
    ConfigOption,
    JobsOption,
    OnlyOption,
    Records,
    RecordsOption,
    ReferenceOption,
    ResultsOption,
    SeedOption,
    SetOption,
    TrialsOption,
    answer_errors,
    console,
    percent,
    results_folder,
    settings_from,
    shown,
    throughput,
)
from sunstar.errors import UsageError
from sunstar.output import make_folder, write_json, write_table
from sunstar.progress import sweep_with_progress
from sunstar.run import Point, run
from sunstar.tr94_226.reproduction import Summary, comparison, summarise
from sunstar.tr94_226.rows import LAYOUTS, METHODS, all_rows, published, select

VcdOption = Annotated[bool, typer.Option("--vcd/--no-vcd", help="Also write the waveforms of a short run.")]
SHORT_RUN = {"file_system.kind": "disk-directed", "workload.pattern": "rb", "workload.file_size": "1MiB"}


@answer_errors
def reproduce_tr94_226(
    reference: ReferenceOption = None,
    records: RecordsOption = Records.LARGE,
    only: OnlyOption = None,
    trials: TrialsOption = 5,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    config: ConfigOption = None,
    set_: SetOption = None,
    results: ResultsOption = None,
    vcd: VcdOption = True,
) -> None:
    """Throughput of 16 CPs, 16 IOPs and 16 disks beside Tables 3 and 4 of TR94-226.

    Evaluates every pattern on both layouts under traditional caching (tc), disk-directed I/O (ddio) and disk-directed
    I/O with presort; prints the error of each and their means, and writes results/tr94-226.json, .csv and .vcd.

    Example: sunstar reproduce tr94-226 --records all --only contiguous --only tc
    """
    start = time.monotonic()
    out = console()
    figures = published(reference)
    rows = select(all_rows(records.sizes()), only or [])
    if not rows:
        raise UsageError("no row of the tables is left with these options; see --only and --records")
    base = settings_from(set_)
    points = [Point({**row.settings(), **base}, config=config, seed=seed, trials=trials) for row in rows]
    folder = make_folder(results_folder(results))

    outcome = sweep_with_progress(out, f"TR94-226, {trials} trials each", points, [str(row) for row in rows], jobs)
    table = comparison(rows, outcome, figures)
    summary = summarise(table)
    for layout in LAYOUTS:
        for record_bytes in sorted(records.sizes(), reverse=True):
            print_rows(out, table, layout, record_bytes)
    print_summary(out, summary)

    written = [
        write_json(
            folder / "tr94-226.json",
            {"trials": trials, "seed": seed, "settings": base, "summary": asdict(summary), "rows": table.to_dicts()},
        ),
        write_table(folder / "tr94-226.csv", table.drop("trials")),
    ]
    if vcd:
        waveforms = folder / "tr94-226.vcd"
        run(Point({**SHORT_RUN, **base}, config=config, seed=seed, trials=1), vcd=waveforms)
        written.append(waveforms)
    out.print(f"written: {', '.join(shown(path) for path in written)}", soft_wrap=True)
    out.print(f"took {time.monotonic() - start:.0f} s")


def print_rows(out: Console, table: pl.DataFrame, layout: str, record_bytes: int) -> None:
    """A table of one layout and record size: a line a pattern, three columns a method."""
    part = table.filter((pl.col("layout") == layout) & (pl.col("record_bytes") == record_bytes))
    if part.is_empty():
        return
    methods = [method for method in METHODS if method in part["method"]]
    shown_table = Table(title=f"{layout}, {record_bytes}-byte records: MiB/s", title_justify="left")
    shown_table.add_column("pattern")
    for method in methods:
        for heading in (method, "published", "error"):
            shown_table.add_column(heading, justify="right")
    for pattern in part["pattern"].unique(maintain_order=True):
        cells = [pattern]
        for method in methods:
            found = part.filter((pl.col("pattern") == pattern) & (pl.col("method") == method)).to_dicts()
            row = found[0] if found else {}
            cells += [throughput(row.get("mib_per_s")), throughput(row.get("published_mib_per_s"))]
            cells += [percent(row.get("error"), sign=True)]
        shown_table.add_row(*cells)
    out.print(shown_table)


def print_summary(out: Console, summary: Summary) -> None:
    out.print(f"rows: {summary.rows}, of which published: {summary.published_rows}")
    if summary.published_rows:
        out.print(f"mean absolute error: {percent(summary.mean_absolute_error)}")
        out.print(f"worst row: {summary.worst_row}, {percent(summary.worst_error, sign=True)}")
    if summary.discriminating_rows:
        mean = percent(summary.discriminating_mean_absolute_error)
        out.print(f"mean absolute error of the {summary.discriminating_rows} rows that discriminate: {mean}")
