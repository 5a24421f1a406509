# SPDX-License-Identifier: MIT
"""sunstar sensitivity tr94-226"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

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
    results_folder,
    settings_from,
    shown,
)
from sunstar.errors import UsageError
from sunstar.output import make_folder, whole
from sunstar.progress import sweep_with_progress
from sunstar.run import Point, effective_config
from sunstar.tr94_226.reproduction import comparison, summarise
from sunstar.tr94_226.rows import all_rows, published, select
from sunstar.tr94_226.sensitivity import calibrated, markdown, variants

CalibratedOption = Annotated[
    Path | None,
    typer.Option("--calibrated", metavar="FILE.json", help="Which parameters; the package's own list if left out."),
]


@answer_errors
def sensitivity_tr94_226(
    parameters: CalibratedOption = None,
    reference: ReferenceOption = None,
    records: RecordsOption = Records.ALL,
    only: OnlyOption = None,
    trials: TrialsOption = 1,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    config: ConfigOption = None,
    set_: SetOption = None,
    results: ResultsOption = None,
) -> None:
    """The error against TR94-226's published rows with each calibrated parameter at -50 % and at +50 %.

    Prints a Markdown table and writes it to results/tr94-226-sensitivity.md. It runs all published rows twice for each
    parameter; 8-byte records take most of the time, --records 8192 leaves them out.

    Example: sunstar sensitivity tr94-226 --records 8192 --only contiguous
    """
    messages = Console(stderr=True, highlight=False)
    figures = published(reference)
    rows = [row for row in select(all_rows(records.sizes()), only or []) if row in figures]
    if not rows:
        raise UsageError("no published row is left with these options; see --only and --records")
    folder = make_folder(results_folder(results))
    base = Point(settings_from(set_), config=config, seed=seed, trials=trials)
    effective = effective_config(base)
    changed = variants(effective, calibrated(parameters))
    points = [
        v.apply(Point({**row.settings(), **base.settings}, config=config, seed=seed, trials=trials))
        for v in changed
        for row in rows
    ]
    names = [f"{v.path or 'as calibrated'} x {v.factor}" for v in changed for _ in rows]
    outcome = sweep_with_progress(messages, "sensitivity", points, names, jobs)
    summaries = [
        (v, summarise(comparison(rows, outcome[i * len(rows) : (i + 1) * len(rows)], figures)))
        for i, v in enumerate(changed)
    ]
    text = markdown(effective, summaries)
    path = folder / "tr94-226-sensitivity.md"
    with whole(path) as temporary:
        temporary.write_text(text)
    typer.echo(text)
    messages.print(f"written: {shown(path)}", soft_wrap=True)
