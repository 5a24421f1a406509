# SPDX-License-Identifier: MIT
"""How much each calibrated parameter matters: the error of the reproduction with it at -50 % and at +50 %."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sunstar.console import percent
from sunstar.errors import FileError, UsageError
from sunstar.files import write_text
from sunstar.papers.tr94_226.cases import (
    PUBLISHED,
    Summary,
    all_rows,
    comparison,
    published,
    select,
    settings,
    summarise,
)
from sunstar.papers.tr94_226.reproduce_command import OnlyOption, Records, RecordsOption, ReferenceOption
from sunstar.runs.simulator import Point, Setting, effective_config
from sunstar.study.cases import Found
from sunstar.study.command import Call, command
from sunstar.study.experiments import with_progress

CALIBRATED = Path(__file__).parent / "data" / "calibrated.json"
FACTORS = (0.5, 1.5)


def calibrated(path: Path = CALIBRATED) -> list[str]:
    """Paths of the calibrated parameters, from this package or another file of the same form."""
    try:
        paths = json.loads(path.read_text())["paths"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f'{path} must hold {{"paths": ["machine.costs.interrupt", ...]}}: {error!r}') from error
    if not isinstance(paths, list) or not all(isinstance(p, str) for p in paths):
        raise FileError(f'{path}: "paths" must be a list of strings')
    return paths


def value_at(config: Mapping[str, Any], path: str) -> Setting:
    """The value that a configuration holds at a path."""
    value: Any = config
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            raise FileError(f"the configuration has no {path}; correct the list of calibrated parameters")
        value = value[name]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FileError(f"{path} is {json.dumps(value)}, which is not a quantity that can be varied")
    return value


def scaled(value: Setting, factor: float) -> Setting:
    """A number, or a quantity with its unit, times a factor. A whole number stays whole."""
    if isinstance(value, int):
        return round(value * factor)
    if isinstance(value, float):
        return value * factor
    match = re.fullmatch(r"([0-9.]+(?:e[+-]?[0-9]+)?)\s*(\D.*)", str(value))
    if match is None:
        raise FileError(f'"{value}" is not a quantity that can be varied')
    return f"{float(match[1]) * factor:.12g}{match[2]}"


@dataclass(frozen=True)
class Variant:
    """The calibrated machine (no path) or one with one parameter changed."""

    path: str | None
    factor: float
    value: Setting | None

    def apply(self, point: Point) -> Point:
        if self.path is None or self.value is None:
            return point
        return replace(point, settings={**point.settings, self.path: self.value})


def variants(config: Mapping[str, Any], paths: Sequence[str]) -> list[Variant]:
    """The machine as calibrated, then each parameter at each factor. Zero cannot be scaled, so it is left out."""
    result = [Variant(None, 1.0, None)]
    for path in paths:
        value = value_at(config, path)
        result += [Variant(path, f, scaled(value, f)) for f in FACTORS if scaled(value, f) != value]
    return result


def markdown(config: Mapping[str, Any], summaries: Sequence[tuple[Variant, Summary]]) -> str:
    """The table for the documentation."""

    def figures(summary: Summary | None) -> list[str]:
        if summary is None:
            return ["-", "-", "-"]
        errors = (summary.mean_absolute_error, summary.discriminating_mean_absolute_error)
        return [*map(percent, errors), percent(None if summary.worst_error is None else abs(summary.worst_error))]

    by_key = {(v.path, v.factor): s for v, s in summaries}
    base = by_key[None, 1.0]
    lines = [
        "Errors as mean over all rows / mean over the rows that discriminate / worst row.",
        "",
        "| parameter | value | at -50 % | at +50 % |",
        "|---|---|---|---|",
        f"| (as calibrated) | | {' / '.join(figures(base))} | |",
    ]
    for path in dict.fromkeys(v.path for v, _ in summaries if v.path):
        low, high = (" / ".join(figures(by_key.get((path, f)))) for f in FACTORS)
        lines.append(f"| `{path}` | {value_at(config, path)} | {low} | {high} |")
    return "\n".join([*lines, ""])


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
