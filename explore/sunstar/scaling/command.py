# SPDX-License-Identifier: MIT
"""sunstar scaling"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from sunstar.commands import relative
from sunstar.console import meter, print_table
from sunstar.errors import FileError, UsageError, check_suffix
from sunstar.files import make_folder, write_table, write_text
from sunstar.quantities import size_in_bytes
from sunstar.reports.curves import draw_curves
from sunstar.runs.simulator import indices_of, plan
from sunstar.scaling.design import FILE_SYSTEMS, SMALLEST, WRITING, Curve, Design
from sunstar.scaling.found import Sample, Scaled, reason_of, rows, sample_of
from sunstar.scaling.page import drawings, page, summary
from sunstar.study.cases import Settings
from sunstar.study.command import Call, command
from sunstar.study.experiments import in_words

MOST, QUICK_MOST = 16384, 256
FILE, QUICK_FILE = "128MiB", "16MiB"  # With 128 MiB, each of 16,384 processors has a block of 8 KiB


@command(trials=1)
def scaling(
    call: Call,
    most: Annotated[
        int | None,
        typer.Option(
            min=2 * SMALLEST,
            show_default=f"{MOST}; with --quick {QUICK_MOST}",
            help=f"The most compute processors; the sizes are {SMALLEST}, {2 * SMALLEST}, ... up to this.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer processors, and less data for strong scaling.")] = False,
    output: Annotated[Path, typer.Option(metavar="PAGE.html", help="The page to write.")] = Path("scaling.html"),
    file_system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            show_default=f"{', '.join(FILE_SYSTEMS)}; {WRITING}, too, if the pattern writes",
            help="This file system; repeatable.",
        ),
    ] = None,
    pattern: Annotated[str, typer.Option(help="How the processors share the file.")] = "rb",
    per_processor: Annotated[
        str, typer.Option(metavar="SIZE", help="Weak scaling: data for each compute processor.")
    ] = "64KiB",
    ratio: Annotated[
        int,
        typer.Option(
            min=1, max=SMALLEST, help="Weak scaling: compute processors for each I/O processor and its drive."
        ),
    ] = 16,
    file: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            show_default=f"{FILE}; with --quick {QUICK_FILE}",
            help="Strong scaling: the size of the file.",
        ),
    ] = None,
    io_processors: Annotated[int, typer.Option(min=1, help="Strong scaling: I/O processors, each with a drive.")] = 64,
    dimensions: Annotated[int, typer.Option(min=1, max=3, help="Of the torus.")] = 2,
    least_gain: Annotated[
        float,
        typer.Option(min=0, max=1, help="A curve stops where no further doubling gains this part of what it could."),
    ] = 0.5,
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write each drawing as a .png of its own.")
    ] = None,
) -> bool:
    check_suffix(output, (".html", ".htm"))
    possible = [*FILE_SYSTEMS, *([WRITING] if pattern.startswith("w") else [])]
    kinds = file_system or possible
    for kind in kinds:
        if kind not in possible:
            raise UsageError(f"--file-system {kind}: with pattern {pattern} it must be one of {', '.join(possible)}")
    design = Design(
        most or (QUICK_MOST if quick else MOST),
        size_of("--per-processor", per_processor),
        ratio,
        file or (QUICK_FILE if quick else FILE),
        io_processors,
        dimensions,
        pattern,
        tuple(dict.fromkeys(kinds)),
    )
    size_of("--file", design.file_size)
    call.files.temporary(output)  # fails before any run if it cannot be written
    points = list(design.points())
    for path in call.conditions.settings:
        if any(f"{each}.".startswith(f"{path}.") for each in points[0][2]):
            raise UsageError(f"--set {path}: the command sets that itself; see its options with --help")
    found = measured(call, design, points, least_gain)
    print_table(call.out, summary(found, least_gain))
    if left := sum(len(each.missing) for each in found):
        call.out.print(f"{left} of {len(points)} runs are on no curve; the page says why", soft_wrap=True)
    conditions = (
        f"sunstar-torus, pattern {pattern}, a torus of {dimensions} dimension{'s' * (dimensions > 1)}, "
        f"{in_words(call.conditions.trials)} each. Host time is processor time of a trial, host memory the most that a "
        "process of the simulator took, both of runs with --explain."
    )
    write_text(call.files, output, page(design, found, least_gain, conditions))
    for suffix in (".csv", ".parquet"):
        write_table(call.files, call.folder("scaling") / f"points{suffix}", pl.DataFrame(rows(found)))
    if figures:
        for (growth, layout), curves in drawings(found).items():
            for each in curves:
                name = f"{growth}-{layout}-{each.y.partition(' (')[0].replace(' ', '-')}.png"
                draw_curves(call.files, make_folder(figures, "") / name, each)
    return False


def size_of(option: str, text: str) -> int:
    try:
        found = size_in_bytes(text)
    except FileError as error:
        raise UsageError(f"{option} {text}: {error}") from error
    if found == 0:
        raise UsageError(f"{option} {text}: it must be more than 0 bytes")
    return found


def measured(
    call: Call, design: Design, points: Sequence[tuple[Curve, int, Settings]], least_gain: float
) -> list[Scaled]:
    """The curves of these points. A mistake that concerns the smallest machines, too, is an error at once."""
    wanted = plan([replace(call.conditions.point(sets), explained=True) for _, _, sets in points], call.jobs)
    for index, run in wanted.refused.items():
        if points[index][1] == SMALLEST:
            raise run.error()
    samples: dict[Curve, dict[int, Sample]] = {each: {} for each in design.curves()}
    missing: dict[Curve, dict[int, str]] = {each: {} for each in design.curves()}
    with call.runner() as runner:
        before = len(runner.known(wanted)) - len(wanted.refused)
        total = len(points) - before - len(wanted.refused)
        again = f", {before} finished before: {relative(runner.store.path)}" if before else ""
        call.out.print(f"scaling: {len(points)} runs{again}", soft_wrap=True)
        with meter(call.out, "scaling", total) as ended:
            runs = runner.all(wanted, lambda _, run: ended(run.done))
        for run, (curve, size, _) in zip(runs, points, strict=True):
            if reason := reason_of(run):
                missing[curve][size] = reason
        indices = indices_of("" if reason_of(run) else run.identity for run in runs)
        for identity, outcome in runner.store.outcomes(indices):  # one at a time: those of large machines are large
            for index in indices[identity]:
                curve, size, _ = points[index]
                samples[curve][size] = sample_of(outcome, design.io_part(curve, size), str(runs[index].point))
    if not indices:
        raise runs[0].error() if not runs[0].done else UsageError(f"every size is {reason_of(runs[0])}")
    return [Scaled(each, samples[each], missing[each], least_gain) for each in design.curves()]
