# SPDX-License-Identifier: MIT
"""sunstar advise"""

import re
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from sunstar.advising.candidates import candidates, machine_in
from sunstar.advising.judging import Ranking
from sunstar.advising.text import tell, told
from sunstar.advising.trying import Laboratory, base_of
from sunstar.advising.trying import advise as advice_of
from sunstar.commands import JobsOption, JsonOption, ResultsOption, results_folder, written
from sunstar.console import console
from sunstar.errors import UsageError
from sunstar.files import Outputs, as_json, write_text
from sunstar.machine.command import ConfigArgument, PlatformOption, SetOption, find
from sunstar.runs.store import Store
from sunstar.searches.spec import Prices
from sunstar.sweeps.reading import read_strictly

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def advise(
    config: ConfigArgument,
    platform: PlatformOption = None,
    settings: SetOption = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="A parameter or section that must stay as it is; repeatable."),
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="A price list, as for sunstar optimise.")
    ] = None,
    time: Annotated[str, typer.Option(metavar="TIME", help="How long it may take, as in 30s, 5m or 1h.")] = "5m",
    seeds: Annotated[int, typer.Option(min=2, max=100, help="The most seeds for a change.")] = 7,
    least_gain: Annotated[
        float, typer.Option(min=0.001, max=10, help="The least gain of a change that costs nothing; 0.05 is 5 %.")
    ] = 0.05,
    rows: Annotated[int, typer.Option(min=1, help="The most changes that are shown.")] = 10,
    page_: Annotated[Path | None, typer.Option("--page", metavar="FILE.html", help="Also write a page of it.")] = None,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json_: JsonOption = False,
) -> None:
    if page_ and page_.suffix not in (".html", ".htm"):
        raise UsageError(f"--page {page_}: its name must end in .html or .htm")
    seconds = seconds_in(time)
    asked = find(config, platform, settings or [], None)
    price_list = read_strictly(Prices, prices) if prices else None
    out = console(stderr=as_json_)
    first = int(asked.config["run"]["seed"])
    with tempfile.TemporaryDirectory() as folder, Outputs() as files, Store(results_folder(results)) as store:
        if page_:
            files.temporary(page_)  # fails before any run if it cannot be written
        machine = machine_in(asked.program, asked.config, Path(folder))
        lab = Laboratory(machine, store, jobs, seconds, out, price_list)
        found = candidates(machine, keep or ())
        advice = advice_of(lab, base_of(lab, first), found, range(first, first + seeds), Ranking(least_gain))
        if page_:
            from sunstar.advising.page import page  # here, because it takes a second

            write_text(files, page_, page(advice, config, rows))
    if as_json_:
        typer.echo(as_json(told(advice)), nl=False)
    else:
        tell(out, advice, rows)
        if price_list and price_list.source:
            out.print(f"Prices: {price_list.source}", soft_wrap=True)
        if page_:
            out.print(written([page_]), soft_wrap=True)


def seconds_in(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip())
    if not found or found[2] not in UNITS or float(found[1]) == 0:
        raise UsageError(f"--time {text}: it must be a number with one of {', '.join(filter(None, UNITS))}, as in 5m")
    return float(found[1]) * UNITS[found[2]]
