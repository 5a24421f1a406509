# SPDX-License-Identifier: MIT
"""sunstar sensitivity tr94-226"""

from pathlib import Path
from typing import Annotated

import typer

from sunstar.errors import UsageError
from sunstar.files import write_text
from sunstar.papers.tr94_226.cases import PUBLISHED, all_rows, select, settings
from sunstar.papers.tr94_226.comparison import comparison, published, summarise
from sunstar.papers.tr94_226.options import OnlyOption, Records, RecordsOption, ReferenceOption
from sunstar.papers.tr94_226.sensitivity import CALIBRATED, calibrated, markdown, variants
from sunstar.runs.plan import effective_config
from sunstar.study.cases import Found
from sunstar.study.command import Call, command
from sunstar.study.experiments import with_progress

CalibratedOption = Annotated[
    Path | None,
    typer.Option("--calibrated", metavar="FILE.json", help="Parameters to vary; the package's own list if left out."),
]


@command(trials=1, stderr=True)
def sensitivity_tr94_226(
    call: Call,
    parameters: CalibratedOption = None,
    reference: ReferenceOption = None,
    records: RecordsOption = Records.ALL,
    only: OnlyOption = None,
) -> bool:
    """Vary each calibrated parameter by -50 % and +50 %, and compare with TR94-226's published rows.

    Prints a Markdown table and writes it to results/tr94-226-sensitivity.md. The command runs all published rows twice
    for each parameter. 8-byte records take most of the time; --records 8192 leaves them out.

    Example: sunstar sensitivity tr94-226 --records 8192 --only contiguous
    """
    references = published(reference or PUBLISHED, all_rows((8, 8192)))
    rows = [row for row in select(all_rows(records.sizes()), only or []) if row in references]
    if not rows:
        raise UsageError("no published row is left with these options; see --only and --records")
    folder = call.folder()
    effective = effective_config(call.conditions.point({}))
    changed = variants(effective, calibrated(parameters or CALIBRATED))
    points = [variant.apply(call.conditions.point(settings(row))) for variant in changed for row in rows]
    names = [f"{variant.path or 'as calibrated'} x {variant.factor}" for variant in changed for _ in rows]
    outcome = iter(with_progress(call, "sensitivity")(points, names))
    summaries = []
    for variant in changed:
        found = Found({row: next(outcome) for row in rows})
        summaries.append((variant, summarise(comparison(found, references))))
    text = markdown(effective, summaries)
    write_text(call.files, folder / "tr94-226-sensitivity.md", text)
    typer.echo(text)
    return False
