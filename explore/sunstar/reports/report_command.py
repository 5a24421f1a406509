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
    names: Annotated[list[str], typer.Argument(metavar="RESULTS...")],
    output: Annotated[Path, typer.Option(metavar="FILE.html")] = Path("report.html"),
    x: Annotated[str | None, typer.Option(metavar="COLUMN")] = None,
    y: Annotated[list[str] | None, typer.Option(metavar="COLUMN")] = None,
    pareto: Annotated[str | None, typer.Option(metavar="COLUMN:max,COLUMN:min")] = None,
    where: Annotated[str | None, typer.Option(metavar="SQL")] = None,
    figures: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    format_: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS))] = "png",
    called: Annotated[list[str] | None, typer.Option("--name", metavar="NAME")] = None,
    details: Annotated[int, typer.Option(min=1)] = 24,
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
