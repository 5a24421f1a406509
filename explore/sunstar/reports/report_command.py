# SPDX-License-Identifier: MIT
"""sunstar report"""

import re
from pathlib import Path
from typing import Annotated

import typer

from sunstar.commands import ResultsOption, results_folder, written
from sunstar.console import console
from sunstar.drawing import draw_file
from sunstar.errors import check_choice, check_suffix
from sunstar.files import Outputs, make_folder, write_text
from sunstar.machine.picture import draw_machine
from sunstar.reports.curves import curves_of, draw_curves, front, gather, objectives
from sunstar.reports.page import page

FORMATS = ("png", "pdf")


def report(
    names: Annotated[
        list[str],
        typer.Argument(metavar="RESULTS...", help="A sweep's name or folder, a table (.parquet), or result files."),
    ],
    output: Annotated[Path, typer.Option(metavar="FILE.html", help="The page to write.")] = Path("report.html"),
    x: Annotated[str | None, typer.Option(metavar="COLUMN", help="Draw figures against this column.")] = None,
    y: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Draw this figure, as in result.elapsed_s; repeatable.")
    ] = None,
    pareto: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN:max,COLUMN:min", help="Draw the Pareto front of these columns; the first two are the axes."
        ),
    ] = None,
    where: Annotated[
        str | None, typer.Option(metavar="SQL", help="Only runs of a sweep for which this holds, as in 'run < 8'.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write each figure as a file of its own.")
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="The form of these files.")
    ] = "png",
    called: Annotated[
        list[str] | None, typer.Option("--name", metavar="NAME", help="Call a result file so; once for each, in order.")
    ] = None,
    details: Annotated[
        int, typer.Option(min=1, help="The most runs that the page shows with configuration and machine.")
    ] = 24,
    results: ResultsOption = None,
) -> None:
    check_choice("--format", format_, FORMATS)
    check_suffix(output, (".html", ".htm"))
    wanted = objectives(pareto) if pareto else None
    found = gather(names, results_folder(results), details, where, called or ())
    curves, best = curves_of(found, x, y or ()), front(found, wanted) if wanted else None
    with Outputs() as files:
        write_text(files, output, page(found, curves, best))
        if figures:
            folder = make_folder(figures, "")
            for number, each in enumerate(curves, start=1):
                draw_curves(files, folder / f"curves-{number}.{format_}", each)
            if best:
                draw_curves(files, folder / f"pareto.{format_}", best.curves)
            for detail in found.details:
                name = found.name(detail.row)
                end = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") + f".{format_}"
                if detail.picture:
                    draw_machine(files, folder / f"machine-{end}", detail.picture, name)
                if detail.over_time:
                    draw_file(files, folder / f"over-time-{end}", detail.over_time, name)
    console().print(written(files.paths()), soft_wrap=True)
