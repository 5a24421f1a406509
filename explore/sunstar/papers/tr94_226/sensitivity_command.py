# SPDX-License-Identifier: MIT
"""sunstar sensitivity tr94-226"""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sunstar.errors import UsageError
from sunstar.files import make_folder, whole
from sunstar.papers.tr94_226.cases import PUBLISHED, all_rows, discriminates, select, settings
from sunstar.papers.tr94_226.options import OnlyOption, Records, RecordsOption, ReferenceOption
from sunstar.papers.tr94_226.sensitivity import CALIBRATED, calibrated, markdown, variants
from sunstar.progress import in_parallel_with_progress
from sunstar.run import Point, effective_config, run
from sunstar.study.cases import Found
from sunstar.study.command import (
    ConfigOption,
    JobsOption,
    ResultsOption,
    SeedOption,
    SetOption,
    TrialsOption,
    answer_errors,
    results_folder,
    settings_from,
    shown,
)
from sunstar.study.comparison import comparison, published, summarise
from sunstar.study.tables import console

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
    messages = console(stderr=True)
    references = published(reference or PUBLISHED, all_rows((8, 8192)))
    rows = [row for row in select(all_rows(records.sizes()), only or []) if row in references]
    if not rows:
        raise UsageError("no published row is left with these options; see --only and --records")
    folder = make_folder(results_folder(results))
    base = Point(settings_from(set_), config=config, seed=seed, trials=trials)
    effective = effective_config(base)
    changed = variants(effective, calibrated(parameters or CALIBRATED))
    points = [
        variant.apply(Point({**settings(row), **base.settings}, config=config, seed=seed, trials=trials))
        for variant in changed
        for row in rows
    ]
    names = [f"{variant.path or 'as calibrated'} x {variant.factor}" for variant in changed for _ in rows]
    outcome = iter(in_parallel_with_progress(messages, "sensitivity", partial(run, jobs=1), points, names, jobs))
    summaries = []
    for variant in changed:
        found = Found({row: next(outcome) for row in rows})
        summaries.append((variant, summarise(comparison(found, references, discriminates))))
    text = markdown(effective, summaries)
    path = folder / "tr94-226-sensitivity.md"
    with whole(path) as temporary:
        temporary.write_text(text)
    typer.echo(text)
    messages.print(f"written: {shown(path)}", soft_wrap=True)
