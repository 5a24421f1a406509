# SPDX-License-Identifier: MIT
"""sunstar reproduce tr94-226"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from sunstar.console import Printed, percent, print_table, throughput
from sunstar.errors import UsageError
from sunstar.files import write_json, write_table
from sunstar.papers.tr94_226 import cases, statements
from sunstar.runs.simulator import Point, write_waveforms
from sunstar.study.cases import Cases
from sunstar.study.command import Call, command
from sunstar.study.experiments import judge, measure, tell, with_progress
from sunstar.study.statements import shortfalls_of


class Records(StrEnum):
    LARGE = "8192"
    SMALL = "8"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        return (8, 8192) if self is Records.ALL else (int(self.value),)


SHORT_RUN = {"file_system.kind": "disk-directed", "workload.pattern": "rb", "workload.file_size": "1MiB"}


@command(trials=5)
def reproduce_tr94_226(
    call: Call,
    reference: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Published figures; the package's own if left out.")
    ] = None,
    records: Annotated[Records, typer.Option(help="Record sizes in bytes.")] = Records.LARGE,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this layout, pattern or method; repeatable, to add others."),
    ] = None,
    vcd: Annotated[bool, typer.Option("--vcd/--no-vcd", help="Also write the waveforms of a short run.")] = True,
) -> bool:
    known = cases.all_rows((8, 8192))
    references = cases.published(reference or cases.PUBLISHED, known)
    rows = cases.select(cases.all_rows(records.sizes()), only or [])
    if not rows:
        raise UsageError("no row of the tables is left with these options; see --only and --records")
    folder = call.folder()
    wanted: dict[str, Cases] = {"tables": {row: cases.settings(row) for row in rows}}
    if not only and 8192 in records.sizes():
        wanted["presort"] = cases.points("presort")
    least_trials = {"presort": lambda _: cases.PRESORT_TRIALS}
    found = measure(wanted, call.conditions, with_progress(call, "TR94-226"), least_trials)
    compared = cases.comparison(found["tables"], references)
    summary = cases.summarise(compared)
    for printed in rows_beside_published(compared):
        print_table(call.out, printed)
    print_summary(call.out, summary)
    of = call.conditions
    kept = {"trials": of.trials, "seed": of.seed, "settings": of.settings, "summary": summary}
    write_json(call.files, folder / "tr94-226.json", {**kept, "rows": compared})
    floats = {"published_mib_per_s": pl.Float64, "error": pl.Float64}
    write_table(call.files, folder / "tr94-226.csv", pl.DataFrame(compared, schema_overrides=floats).drop("trials"))
    new = False
    if not only:
        printed_rows = cases.published(cases.PUBLISHED, known)
        known_ = shortfalls_of("tr94-226", "tables")
        judged = {"tables": judge(lambda of: statements.tables(of, printed_rows), found["tables"], known_)}
        if "presort" in found:
            judged["presort"] = judge(statements.presort, found["presort"])
        verdicts = [(name, verdict) for name, several in judged.items() for verdict in several]
        new = tell(call, verdicts, folder / "tr94-226-verdicts.json", sum(len(each.results) for each in found.values()))
    if vcd:
        waveforms = call.files.temporary(folder / "tr94-226.vcd")
        short = Point({**SHORT_RUN, **of.settings}, config=of.config, seed=of.seed, trials=1)
        write_waveforms(short, waveforms)
    return new


def rows_beside_published(rows: Sequence[cases.Row]) -> Iterator[Printed]:
    """A table for each layout and record size, with a line for each pattern and three columns for each method."""
    for layout in cases.LAYOUTS:
        for record_bytes in (8192, 8):
            part = [row for row in rows if (row["layout"], row["record_bytes"]) == (layout, record_bytes)]
            methods = [method for method in cases.METHODS if any(row["method"] == method for row in part)]
            found = {(row["pattern"], row["method"]): row for row in part}
            lines = []
            for pattern in dict.fromkeys(row["pattern"] for row in part):
                cells = [pattern]
                for method in methods:
                    row = found.get((pattern, method), {})
                    cells += [throughput(row.get("mib_per_s")), throughput(row.get("published_mib_per_s"))]
                    cells += [percent(row.get("error"), sign=True)]
                lines.append(cells)
            headings = [heading for method in methods for heading in (method, "published", "error")]
            if lines:
                yield Printed(f"{layout}, {record_bytes}-byte records: MiB/s", ("pattern", *headings), lines)


def print_summary(out: Console, summary: cases.Row) -> None:
    out.print(f"rows: {summary['rows']}, published: {summary['published_rows']}")
    if summary["published_rows"]:
        out.print(f"mean absolute error: {percent(summary['mean_absolute_error'])}")
        out.print(f"worst row: {summary['worst_row']}, {percent(summary['worst_error'], sign=True)}")
    if summary["discriminating_rows"]:
        mean = percent(summary["discriminating_mean_absolute_error"])
        out.print(f"mean absolute error of the {summary['discriminating_rows']} rows that discriminate: {mean}")
