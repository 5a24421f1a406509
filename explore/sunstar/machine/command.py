# SPDX-License-Identifier: MIT
"""sunstar show"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from sunstar import pages
from sunstar.commands import warn, written
from sunstar.configurations import bases_of, changes, shortened
from sunstar.console import console
from sunstar.errors import FileError, RunError, UsageError, check_choice, check_suffix
from sunstar.explaining import explanation_of
from sunstar.files import Outputs, is_packed, read_bytes, taking_apart, write_text
from sunstar.machine.picture import MOST_TILES, Picture, draw_machine, drawing_of, picture_of
from sunstar.machine.playing import Film, film_of, program_of
from sunstar.over_time import OverTime, as_svg
from sunstar.results import Document, read_file
from sunstar.runs.simulator import Point, effective_config, settings_of

HERE = Path(__file__).parent
PLATFORMS = ("torus", "sp2", "cluster", "network", "disk")
PAGES = (".html", ".htm")

ConfigArgument = Annotated[
    str,
    typer.Argument(
        metavar="CONFIG", help=f"A configuration, a result file, or {', '.join(PLATFORMS)} for a machine's defaults."
    ),
]
PlatformOption = Annotated[
    str | None,
    typer.Option(
        metavar="|".join(PLATFORMS), help="The configuration's program; by default the first of these that accepts it."
    ),
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Set a parameter; may be repeated.")
]


@dataclass(frozen=True)
class Machine:
    program: str
    config: Mapping[str, Any]
    result: Document | None

    @property
    def over_time(self) -> OverTime | None:
        return self.result.over_time if self.result else None

    def picture(self, most: float = MOST_TILES) -> Picture:
        result = self.result
        with taking_apart(f"its configuration or statistics are not what sunstar-{self.program} writes"):
            measured = (result.statistics, result.statistics_s) if result else ({}, None)
            found = picture_of(self.config, *measured, most)
        if found is None:
            raise FileError(f"sunstar-{self.program} has no machine that can be drawn")
        return found


def show(
    config: ConfigArgument,
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="The drawing: .html, or .svg, .png, .pdf for a still one.")
    ] = Path("machine.html"),
    platform: PlatformOption = None,
    settings: SetOption = None,
    result: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Colour it by the utilisation in this result.")
    ] = None,
    timeline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play it: a file of --timeline or --vcd, plain or packed by gzip."),
    ] = None,
    windows: Annotated[int, typer.Option(min=2, max=2000, help="Windows of time to play.")] = 200,
    each: Annotated[
        bool, typer.Option("--each", help=f"Draw each node of more than {MOST_TILES}, too, on a page to zoom into.")
    ] = False,
) -> None:
    check_suffix(output, (*PAGES, ".svg", ".png", ".pdf"))
    if timeline and output.suffix not in PAGES:
        raise UsageError(f"--timeline: only a page plays, so --output {output} must end in .html")
    machine = find(config, platform, settings or [], result, timeline)
    picture = machine.picture(math.inf if each else MOST_TILES)
    film = film_of(timeline, picture, windows) if timeline else None
    for sentence in film.warnings if film else ():
        warn(sentence)
    name = f"sunstar-{machine.program}: {picture.what}"
    with Outputs() as files:
        if output.suffix in PAGES:
            write_text(files, output, page(name, config, machine, picture, film))
        else:
            draw_machine(files, output, picture, name, machine.over_time)
    console().print(written(files.paths()), soft_wrap=True)


def find(
    config: str, platform: str | None, settings: list[str], result: Path | None, timeline: Path | None = None
) -> Machine:
    """The machine of a configuration or a result file. The other files may name its program."""
    check_choice("--platform", platform, PLATFORMS)
    read = read_file(result) if result else None
    recorded = program_of(timeline) if timeline else None
    path = Path(config)
    if config in PLATFORMS and not path.is_file():
        machine = Machine(config, effective_config(Point(settings_of(settings), platform=config)), read)
    elif not path.is_file():
        raise FileError(
            f"there is no file {config}, and it is none of {', '.join(PLATFORMS)}; a preset is named with a program, "
            f"as in torus --set base={config if path.name == config else 'NAME'}"
        )
    elif (measured := is_result(path)) and (settings or platform):
        raise UsageError(
            f"{config} is a result: --set and --platform cannot change what has run; give its configuration"
        )
    elif measured:
        own = read_file(path)
        machine = Machine(own.program, own.config, read or own)
    elif is_packed(path):
        raise FileError(f"{config} is a configuration packed by gzip; unpack it with: gunzip < {config} > FILE.json")
    else:
        known = platform or (read.program if read else recorded)
        machine = of_config(path, (known,) if known else PLATFORMS, settings, read)
    if recorded and recorded != machine.program:
        raise FileError(f"--timeline {timeline} is of sunstar-{recorded}, but {config} of sunstar-{machine.program}")
    if read:
        check_same(config, machine, result, read)
    return machine


def check_same(config: str, machine: Machine, path: Path | None, read: Document) -> None:
    if read.program != machine.program:
        raise FileError(f"--result {path} is of sunstar-{read.program}, but {config} of sunstar-{machine.program}")
    for change in changes({"machine": read.config.get("machine")}, {"machine": machine.config.get("machine")}):
        raise FileError(
            f"--result {path} is of another machine than {config}: {change.path} is {shortened(change.a, 60)} there "
            f"and {shortened(change.b, 60)} here"
        )


def of_config(path: Path, platforms: tuple[str, ...], settings: list[str], read: Document | None) -> Machine:
    """The machine of a configuration. Of several platforms, its base, a preset, names the right one, which is the
    cluster if the preset is of a cluster; without a base, it is the first that accepts it."""
    refusals = []
    for platform in platforms:
        try:
            found = effective_config(Point(settings_of(settings), platform=platform, config=path.absolute()))
        except RunError as error:
            refusals.append(error)
        else:
            if len(platforms) > 1 and (base := found.get("base")):
                *_, preset = bases_of(base)
                platform = preset if preset in PLATFORMS else "cluster"
            return Machine(platform, found, read)
    raise refusals[0]


def is_result(path: Path) -> bool:
    with suppress(orjson.JSONDecodeError):
        document = orjson.loads(read_bytes(path))
        return isinstance(document, dict) and "platform" in document and "result" in document
    return False


def page(name: str, config: str, machine: Machine, picture: Picture, film: Film | None) -> str:
    text = f"{config}: the share of time for which each resource was busy" if machine.result else config
    if film:
        text = f"{config}: how busy each resource was, in {len(film.shares)} windows"
    data = {
        "name": name,
        "drawing": drawing_of(picture),
        "shares": [None if box.value is None else round(box.value, 4) for box in picture.boxes],
        "more": [box.more for box in picture.boxes],
        "film": {"start_s": film.start_s, "end_s": film.end_s, "shares": film.shares} if film else None,
    }
    body = (HERE / "page.html").read_text().strip()
    if machine.result and machine.result.explain:
        why = escape(explanation_of(machine.result, config).text)
        body += f"\n<section><h2>Why it took so long</h2>\n<pre class='wide'>{why}</pre></section>"
    if machine.over_time:
        body += f"\n<section><h2>Over time</h2>\n<figure>{as_svg(machine.over_time)}</figure></section>"
    return pages.page("show", "machine", name, text, body, data, HERE / "page.js", library="")
