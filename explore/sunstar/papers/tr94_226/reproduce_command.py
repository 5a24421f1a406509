# SPDX-License-Identifier: MIT
"""sunstar reproduce tr94-226"""

from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from sunstar.errors import UsageError
from sunstar.files import write_json, write_table
from sunstar.papers.tr94_226 import statements
from sunstar.papers.tr94_226.cases import (
    LAYOUTS,
    METHODS,
    PRESORT_TRIALS,
    PUBLISHED,
    all_rows,
    discriminates,
    presort,
    select,
    settings,
)
from sunstar.papers.tr94_226.options import OnlyOption, Records, RecordsOption, ReferenceOption
from sunstar.runs.point import Point
from sunstar.runs.simulator import write_waveforms
from sunstar.study.command import Call, command
from sunstar.study.comparison import Summary, comparison, published, summarise
from sunstar.study.experiments import print_verdicts, verified, with_progress, write_verdicts
from sunstar.study.measuring import measure
from sunstar.study.statements import Standing, Verdict
from sunstar.study.tables import Printed, percent, print_table, throughput

VcdOption = Annotated[bool, typer.Option("--vcd/--no-vcd", help="Also write the waveforms of a short run.")]
SHORT_RUN = {"file_system.kind": "disk-directed", "workload.pattern": "rb", "workload.file_size": "1MiB"}


@command(trials=5)
def reproduce_tr94_226(
    call: Call,
    reference: ReferenceOption = None,
    records: RecordsOption = Records.LARGE,
    only: OnlyOption = None,
    vcd: VcdOption = True,
) -> bool:
    """Compare the throughput of 16 CPs, 16 IOPs and 16 disks with Tables 3 and 4 of TR94-226.

    Runs every pattern on both layouts under traditional caching (tc), disk-directed I/O (ddio) and disk-directed I/O
    with presort. Prints the error of each row and the mean errors. Also checks what the report says about the tables,
    unless --only leaves rows out. Writes results/tr94-226.json, .csv and .vcd, and the verdicts. Exit code 1 if a
    statement is NEW, that is, if it fails without being a known shortfall.

    Example: sunstar reproduce tr94-226 --records all --only contiguous --only tc
    """
    known = all_rows((8, 8192))
    references = published(reference or PUBLISHED, known)
    rows = select(all_rows(records.sizes()), only or [])
    if not rows:
        raise UsageError("no row of the tables is left with these options; see --only and --records")
    folder = call.folder()
    wanted = {"tables": {row: settings(row) for row in rows}}
    if not only and 8192 in records.sizes():
        wanted["presort"] = dict(presort())
    least_trials = {"presort": lambda _: PRESORT_TRIALS}
    found = measure(wanted, call.conditions, with_progress(call, "TR94-226"), least_trials)
    table = comparison(found["tables"], references, discriminates)
    summary = summarise(table)
    for printed in rows_beside_published(table, records.sizes()):
        print_table(call.out, printed)
    print_summary(call.out, summary)
    of = call.conditions
    kept = {"trials": of.trials, "seed": of.seed, "settings": of.settings, "summary": asdict(summary)}
    write_json(call.files, folder / "tr94-226.json", {**kept, "rows": table.to_dicts()})
    write_table(call.files, folder / "tr94-226.csv", table.drop("trials"))
    verdicts: list[tuple[str, Verdict]] = []
    if not only:
        tables = statements.tables(found["tables"], published(PUBLISHED, known))
        verdicts += [("tables", verdict) for verdict in (*tables, verified(found["tables"]))]
        if "presort" in found:
            verdicts += [("presort", verdict) for verdict in statements.presort(found["presort"])]
        print_verdicts(call.out, verdicts)
        call.verdicts.extend(verdict for _, verdict in verdicts)
        write_verdicts(call.files, folder / "tr94-226-verdicts.json", verdicts)
    if vcd:
        waveforms = call.files.temporary(folder / "tr94-226.vcd")
        short = Point({**SHORT_RUN, **of.settings}, config=of.config, seed=of.seed, trials=1)
        write_waveforms(short, waveforms)
    return any(verdict.standing is Standing.NEW for _, verdict in verdicts)


def rows_beside_published(table: pl.DataFrame, record_sizes: Collection[int]) -> Iterator[Printed]:
    """A table for each layout and record size, with a line for each pattern and three columns for each method."""
    for layout in LAYOUTS:
        for record_bytes in sorted(record_sizes, reverse=True):
            part = table.filter((pl.col("layout") == layout) & (pl.col("record_bytes") == record_bytes)).to_dicts()
            if not part:
                continue
            methods = [method for method in METHODS if any(row["method"] == method for row in part)]
            found = {(row["pattern"], row["method"]): row for row in part}
            lines = []
            for pattern in dict.fromkeys(row["pattern"] for row in part):
                cells = [str(pattern)]
                for method in methods:
                    row = found.get((pattern, method), {})
                    cells += [throughput(row.get("mib_per_s")), throughput(row.get("published_mib_per_s"))]
                    cells += [percent(row.get("error"), sign=True)]
                lines.append(cells)
            headings = [heading for method in methods for heading in (method, "published", "error")]
            yield Printed(f"{layout}, {record_bytes}-byte records: MiB/s", ("pattern", *headings), lines)


def print_summary(out: Console, summary: Summary) -> None:
    out.print(f"rows: {summary.rows}, of which published: {summary.published_rows}")
    if summary.published_rows:
        out.print(f"mean absolute error: {percent(summary.mean_absolute_error)}")
        out.print(f"worst row: {summary.worst_row}, {percent(summary.worst_error, sign=True)}")
    if summary.discriminating_rows:
        mean = percent(summary.discriminating_mean_absolute_error)
        out.print(f"mean absolute error of the {summary.discriminating_rows} rows that discriminate: {mean}")
