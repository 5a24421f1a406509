# SPDX-License-Identifier: MIT
"""sunstar new drive: a mechanical drive from its data sheet, with no value left to the simulator's defaults."""

import json
import math
import re
import sys
from collections.abc import Mapping
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from sunstar.commands import JsonOption
from sunstar.errors import FileError, UsageError
from sunstar.files import Outputs, as_json, write_text
from sunstar.new.command import DryRunOption, Name, check_name, tell
from sunstar.places import sources
from sunstar.quantities import SI, Quantity, engineering, quantity
from sunstar.runs.simulator import Point, Run, carry_out

ZONES = 8
MARGIN = 1.1  # Of a skew over the time that it covers
SEGMENTS = 8

LISTED: dict[str, Any] = json.loads(Path(__file__).with_name("sheet.json").read_text())
"""What data sheets say, with ranges and the figures that are whole numbers; by kind of drive its figures, and what is
assumed: values that no data sheet has. Those of a disk are in drive.json, where null stands for the sheet's own or
implied values."""
ASKED: dict[str, tuple[str, str, str | None]] = LISTED["asked"]
"""By field: the question, the base unit of the answer (none for a number), and the default."""
Sheet = Mapping[str, float]
"""The figures of a data sheet, by the fields of ASKED, in bytes, seconds and bytes a second. Rates are sustained ones:
with head switches and seeks to the next cylinder."""

POWERS = {prefix: power for power, prefix in SI.items()}
UNITS = {
    "B": "a size with its unit, such as 300GB or 16MiB",
    "B/s": "a bandwidth with its unit, such as 125MB/s",
    "s": "a time with its unit, such as 3.5ms",
    "": "a whole number",
}


def option(field: str) -> str:
    return "--" + field.replace("_", "-")


def figure(field: str, text: str) -> float:
    what, base, _ = ASKED[field]
    if base:
        found = quantity(text)
        value = found.value if found and found.base == base else -1.0
    else:
        number = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kMG]?)", text)
        value = round(float(number[1]) * 10.0 ** POWERS[number[2]], 6) if number else -1.0
    least, most = LISTED["ranges"].get(field, (0, math.inf))
    if value <= 0 or not least <= value <= most or (field in LISTED["whole"] and value != round(value)):
        said = UNITS[base] + (f" from {least} to {most}" if field in LISTED["ranges"] else "")
        raise UsageError(f"{option(field)} is {text!r}; it must be {said}: {what}")
    return value


def may_ask() -> bool:
    return sys.stdin.isatty()


def answer(field: str, default: str | None) -> str:
    """Asks until the answer is possible."""

    def checked(text: str) -> str:
        try:
            figure(field, text)
        except UsageError as error:
            raise typer.BadParameter(str(error)) from error
        return text

    return str(typer.prompt(ASKED[field][0], default=default, value_proc=checked))


def sheet_of(given: dict[str, str | None], kind: str = "drive") -> Sheet:
    """The answers; on a terminal it asks for what is missing."""
    answers: dict[str, str] = {}
    for field in given:
        default = ASKED[field][2]
        preset = answers.get(default, default) if default else None
        text = answer(field, preset) if given[field] is None and may_ask() else given[field] or preset
        if text is not None:
            answers[field] = text
    if missing := [option(field) for field in given if field not in answers]:
        raise UsageError(f"a drive also needs {', '.join(missing)}; sunstar new {kind} --help says what they are")
    sheet = {field: figure(field, text) for field, text in answers.items()}
    ordered = ["shortest_seek", "average_seek", "longest_seek"], ["inner_rate", "outer_rate", "interface_rate"]
    for low, high in chain.from_iterable(map(pairwise, ordered)):
        if low in sheet and sheet[low] > sheet[high]:
            raise UsageError(
                f"{option(low)} {answers[low]} is more than {option(high)} {answers[high]}; the data sheet must mean "
                "something else"
            )
    return sheet


def sectors_per_track(sheet: Sheet, rate: float) -> int:
    """Of a zone whose cylinders pass at that rate: a revolution for each track, and the skews."""
    skews = MARGIN * ((sheet["heads"] - 1) * sheet["head_switch"] + sheet["shortest_seek"]) / sheet["heads"]
    return max(1, round(rate * (60 / sheet["rpm"] + skews) / sheet["sector_size"]))


def seek_curve(sheet: Sheet, cylinders: int) -> dict[str, Any]:
    """The curve through the shortest and the longest seek with the sheet's average seek, the mean over seeks between
    random cylinders."""
    import numpy as np  # here, so that the other commands of `new` start without it

    shortest, average, longest = (sheet[f"{which}_seek"] for which in ("shortest", "average", "longest"))
    third = max(2, cylinders // 3)
    distances = np.arange(1, cylinders, max(1, cylinders // 10_000))

    def through(middle: float) -> tuple[float, float, float, float]:
        root = (middle - shortest) / (math.sqrt(third) - 1)
        slope = (longest - middle) / max(1, cylinders - 1 - third)
        return shortest - root, root, middle - slope * third, slope

    def mean(middle: float) -> float:
        constant, root, beyond, slope = through(middle)
        times = np.where(distances <= third, constant + root * np.sqrt(distances), beyond + slope * distances)
        return float(np.average(times, weights=cylinders - distances))

    low, high = mean(shortest), mean(longest)  # it is a straight line in between
    share = (average - low) / (high - low) if high > low else 0.0
    if not 0 <= share <= 1:
        raise UsageError(
            f"an average seek of {1e3 * average:g} ms does not go with a shortest one of {1e3 * shortest:g} and a "
            f"longest one of {1e3 * longest:g} ms: it must lie between {1e3 * low:.3g} and {1e3 * high:.3g} ms"
        )
    middle = shortest + share * (longest - shortest)
    constant, root, beyond, slope = through(middle)
    if constant < 0:  # The curve may not begin below 0: then the root begins there
        constant, root = 0.0, middle / math.sqrt(third)
    return {
        "short_constant": seconds(constant),
        "short_root": seconds(root),
        "short_limit": third,
        "long_constant": seconds(beyond),
        "long_slope": seconds(slope),
        "beyond_table": "formula",
        "table": [],
    }


def seconds(value: float) -> str:
    return str(Quantity(value, "s"))


def drive(name: str, sheet: Sheet, write_cache: bool, source: str) -> dict[str, Any]:
    """The drive as a configuration has it."""
    heads = int(sheet["heads"])
    outer, inner = (sectors_per_track(sheet, rate) for rate in (sheet["outer_rate"], sheet["inner_rate"]))
    tracks = [round(outer + (inner - outer) * i / (ZONES - 1)) for i in range(ZONES)]
    sector = int(sheet["sector_size"])
    sectors = round(sheet["capacity"] / sector)
    cylinders = math.ceil(sectors / (heads * sum(tracks)))
    if cylinders > 10**6:
        raise UsageError(f"{cylinders} cylinders a zone come out; a drive has at most 1,000,000: check --heads")
    buffer = int(sheet["buffer"]) // sector * sector
    if buffer < SEGMENTS * sector:
        raise UsageError(f"--buffer is '{buffer}B'; it must hold {SEGMENTS} segments of a sector, {SEGMENTS * sector}B")
    burst = f"{min(64 << 10, buffer // SEGMENTS)}B"
    assumed: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
    decoding, [zone] = seconds(sheet["controller"]), assumed["zones"]
    return assumed | {
        "name": name,
        "source": f"{source}; assumed: {LISTED['assumed']['drive']}",
        "heads": heads,
        "sector_size": f"{sector}B",
        "rpm": sheet["rpm"],
        "zones": [zone | {"cylinders": cylinders, "sectors_per_track": count} for count in tracks],
        "track_skew_time": seconds(MARGIN * sheet["head_switch"]),
        "cylinder_skew_time": seconds(MARGIN * sheet["shortest_seek"]),
        "sectors": sectors,
        "seek": seek_curve(sheet, ZONES * cylinders),
        "head_switch": seconds(sheet["head_switch"]),
        "overheads": {part: decoding if of is None else of for part, of in assumed["overheads"].items()},
        "interface": {"data_rate": str(Quantity(sheet["interface_rate"], "B/s"))},
        "buffer_size": f"{buffer}B",
        "segments": SEGMENTS,
        "write_segments": SEGMENTS // 4,
        "read_fence": burst,
        "write_fence": burst,
        "write_buffer": f"{buffer // SEGMENTS}B",
        "immediate_reporting": "always" if write_cache else "off",
    }


def asked(field: str) -> Any:  # noqa: ANN401  what typer makes of it
    return typer.Option(option(field), metavar="FIGURE", help=ASKED[field][0][0].upper() + ASKED[field][0][1:] + ".")


SourceOption = Annotated[str, typer.Option(metavar="TEXT")]
CatalogueOption = Annotated[bool, typer.Option("--catalogue")]
OutputOption = Annotated[Path | None, typer.Option(metavar="FILE.json", show_default=False)]


def place(name: str, folder: str, output: Path | None, catalogue: bool) -> tuple[Path, str]:
    """Where the drive is written, and what names it in a configuration."""
    check_name("drive", Name(name))
    path = output or (sources("sunstar new") / folder if catalogue else Path()) / f"{name}.json"
    if not output and path.exists():
        raise FileError(f"{path} exists already; choose another name, or name it by --output")
    return path, name if catalogue and not output else str(path) if path.is_absolute() else f"./{path}"


def simulated(settings: Mapping[str, Any]) -> Any:  # noqa: ANN401  the section "result"
    outcome = carry_out(point := Point(settings, platform="disk"))
    if not outcome.done:
        raise Run(point, "", outcome.exit_code, outcome.message).error()
    return orjson.loads(outcome.figures)["result"]


def met(field: str, wanted: float, found: float, what: str = "") -> str:
    base = ASKED[field][1]
    texts = [engineering(value, digits=4) if base else f"{value:,.0f}" for value in (wanted, found)]
    shown = [f"{text}{'' if text[-1].isalpha() else ' '}{base or '/s'}" for text in texts]
    return (
        f"{what or field.replace('_', ' ')}: {shown[0]} in the sheet, {shown[1]} simulated, {found / wanted - 1:+.1%}"
    )


def check_disk(made: dict[str, Any], sheet: Sheet) -> list[str]:
    """The sustained rate of the outermost and of the innermost zone, and reads at random places."""
    load = {"workload.read_share": 1, "machine.bus_rate": made["interface"]["data_rate"]}
    size = min(1 << 20, max(1, int(sheet["buffer"]) // SEGMENTS // 2 // 4096) * 4096)
    stream = load | {"workload.sequential_share": 1, "workload.size": f"{size}B", "workload.requests": 1000}
    told = []
    for field, zone in (("outer_rate", made["zones"][0]), ("inner_rate", made["zones"][-1])):
        result = simulated(stream | {"machine.disk": made | {"zones": [zone], "sectors": 0}})
        told.append(met(field, sheet[field], result["throughput"]["mib_per_s"] * 2**20))
    sector = {"workload.size": made["sector_size"], "workload.alignment": made["sector_size"]}
    result = simulated(load | sector | {"machine.disk": made, "workload.requests": 20000})
    wanted = sheet["average_seek"] + 30 / sheet["rpm"] + sheet["controller"]
    what = "average seek, half a revolution, controller"
    return [*told, met("average_seek", wanted, result["response"]["mean_ms"] / 1e3, what)]


def new_drive(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    capacity: Annotated[str | None, asked("capacity")] = None,
    rpm: Annotated[str | None, asked("rpm")] = None,
    heads: Annotated[str | None, asked("heads")] = None,
    outer_rate: Annotated[str | None, asked("outer_rate")] = None,
    inner_rate: Annotated[str | None, asked("inner_rate")] = None,
    shortest_seek: Annotated[str | None, asked("shortest_seek")] = None,
    average_seek: Annotated[str | None, asked("average_seek")] = None,
    longest_seek: Annotated[str | None, asked("longest_seek")] = None,
    head_switch: Annotated[str | None, asked("head_switch")] = None,
    buffer: Annotated[str | None, asked("buffer")] = None,
    interface_rate: Annotated[str | None, asked("interface_rate")] = None,
    controller: Annotated[str | None, asked("controller")] = None,
    sector_size: Annotated[str | None, asked("sector_size")] = None,
    write_cache: Annotated[bool, typer.Option("--write-cache/--no-write-cache")] = True,
    source: SourceOption = "data sheet",
    catalogue: CatalogueOption = False,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Describe a disk by its data sheet; on a terminal, ask for missing values.

    Example: sunstar new drive my-drive
    """
    given = dict(locals())
    path, choice = place(name, "models/disk/drives", output, catalogue)
    sheet = sheet_of({field: given[field] for field in LISTED["drive"]})
    made = drive(name, sheet, write_cache, source)
    if not dry_run:
        with Outputs() as outputs:
            write_text(outputs, path, as_json(made))
    rate = made["interface"]["data_rate"]
    steps = [
        f"sunstar-disk --set machine.disk={choice} --set machine.bus_rate={rate}",
        f"sunstar-torus --set machine.disk={choice} --set machine.bus.data_rate={rate}",
    ]
    told = {
        "written": [str(path)],
        "changed": [],
        "assumed": LISTED["assumed"]["drive"].split(", "),
        "met": check_disk(made, sheet),
    }
    tell(json, told | {"next": steps}, dry_run)
