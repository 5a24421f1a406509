# SPDX-License-Identifier: MIT
"""How much each calibrated parameter matters: the error of the reproduction with it at -50 % and at +50 %."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sunstar.console import percent
from sunstar.errors import FileError, UsageError
from sunstar.files import write_text
from sunstar.papers.tr94_226.cases import (
    PUBLISHED,
    Row,
    all_rows,
    comparison,
    published,
    select,
    settings,
    summarise,
)
from sunstar.papers.tr94_226.reproduce_command import OnlyOption, Records, RecordsOption, ReferenceOption
from sunstar.runs.simulator import Point, Setting, effective_config
from sunstar.study.cases import Found, Settings
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


class Variant(NamedTuple):
    """A parameter at a factor, and its value there; the calibrated machine has no parameter."""

    path: str
    factor: float
    settings: Settings

    def apply(self, point: Point) -> Point:
        return replace(point, settings={**point.settings, **self.settings})


def variants(config: Mapping[str, Any], paths: Sequence[str]) -> list[Variant]:
    """The machine as calibrated, then each parameter at each factor. Zero cannot be scaled, so it is left out."""
    result = [Variant("", 1.0, {})]
    for path in paths:
        value = value_at(config, path)
        result += [Variant(path, f, {path: scaled(value, f)}) for f in FACTORS if scaled(value, f) != value]
    return result


def markdown(config: Mapping[str, Any], summaries: Sequence[tuple[Variant, Row]]) -> str:
    """The table for the documentation."""

    def figures(path: str, factor: float) -> str:
        summary = by_key.get((path, factor), {})
        names = ("mean_absolute_error", "discriminating_mean_absolute_error", "worst_error")
        return " / ".join(percent(abs(error)) if (error := summary.get(name)) is not None else "-" for name in names)

    by_key = {(v.path, v.factor): s for v, s in summaries}
    lines = [
        "Errors as mean over all rows / mean over the rows that discriminate / worst row.",
        "",
        "| parameter | value | at -50 % | at +50 % |",
        "|---|---|---|---|",
        f"| (as calibrated) | | {figures('', 1.0)} | |",
    ]
    for path in dict.fromkeys(v.path for v, _ in summaries if v.path):
        low, high = (figures(path, f) for f in FACTORS)
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
