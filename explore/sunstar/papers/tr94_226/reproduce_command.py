# SPDX-License-Identifier: MIT
"""sunstar reproduce tr94-226"""

from collections.abc import Collection, Iterator
from dataclasses import asdict
from functools import partial
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from sunstar.errors import UsageError
from sunstar.files import make_folder, write_json, write_table
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
from sunstar.progress import in_parallel_with_progress
from sunstar.run import Point, run
from sunstar.study.command import (
    ConfigOption,
    JobsOption,
    ResultsOption,
    SeedOption,
    SetOption,
    TrialsOption,
    answer_errors,
    files_and_time,
    results_folder,
    settings_from,
)
from sunstar.study.comparison import Summary, comparison, published, summarise
from sunstar.study.experiments import print_verdicts, verified, write_verdicts
from sunstar.study.measuring import Conditions, in_words, measure
from sunstar.study.statements import Standing, Verdict
from sunstar.study.tables import Printed, console, percent, print_table, throughput

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
    I/O with presort; prints the error of each and their means, and whether what the report says of the tables holds
    (not with --only, which leaves rows out). Writes results/tr94-226.json, .csv and .vcd, and the verdicts. Exit code 1
    if a statement is NEW: if it fails without being a known shortfall.

    Example: sunstar reproduce tr94-226 --records all --only contiguous --only tc
    """
    out = console()
    known = all_rows((8, 8192))
    references = published(reference or PUBLISHED, known)
    rows = select(all_rows(records.sizes()), only or [])
    if not rows:
        raise UsageError("no row of the tables is left with these options; see --only and --records")
    conditions = Conditions(trials, seed, settings_from(set_), config)
    verdicts: list[tuple[str, Verdict]] = []
    with files_and_time(out) as files:
        folder = make_folder(results_folder(results))
        wanted = {"tables": {row: settings(row) for row in rows}}
        if not only and 8192 in records.sizes():
            wanted["presort"] = dict(presort())
        found = measure(
            wanted,
            conditions,
            lambda points, names: in_parallel_with_progress(
                out,
                f"TR94-226, {in_words(trials)} each",
                partial(run, jobs=1),
                points,
                names,
                jobs,
            ),
            {"presort": lambda _: PRESORT_TRIALS},
        )
        table = comparison(found["tables"], references, discriminates)
        summary = summarise(table)
        for printed in rows_beside_published(table, records.sizes()):
            print_table(out, printed)
        print_summary(out, summary)
        kept = {"trials": trials, "seed": seed, "settings": conditions.settings, "summary": asdict(summary)}
        files.append(write_json(folder / "tr94-226.json", {**kept, "rows": table.to_dicts()}))
        files.append(write_table(folder / "tr94-226.csv", table.drop("trials")))
        if not only:
            tables = statements.tables(found["tables"], published(PUBLISHED, known))
            verdicts = [("tables", verdict) for verdict in (*tables, verified(found["tables"]))]
            if "presort" in found:
                verdicts += [("presort", verdict) for verdict in statements.presort(found["presort"])]
            print_verdicts(out, verdicts)
            files.append(write_verdicts(folder / "tr94-226-verdicts.json", verdicts))
        if vcd:
            waveforms = folder / "tr94-226.vcd"
            run(Point({**SHORT_RUN, **conditions.settings}, config=config, seed=seed, trials=1), vcd=waveforms)
            files.append(waveforms)
    if any(verdict.standing is Standing.NEW for _, verdict in verdicts):
        raise typer.Exit(1)


def rows_beside_published(table: pl.DataFrame, record_sizes: Collection[int]) -> Iterator[Printed]:
    """A table for each layout and record size: a line a pattern, three columns a method."""
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
