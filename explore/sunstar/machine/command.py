# SPDX-License-Identifier: MIT
"""sunstar show: a machine coloured by a run, or playing a timeline or a wave file, window by window."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import numpy as np
import orjson
import typer

from sunstar import pages
from sunstar.commands import warn, written
from sunstar.configurations import bases_of, changes, shortened
from sunstar.console import console
from sunstar.drawing import OverTime, as_svg
from sunstar.errors import FileError, RunError, UsageError, check_choice, check_suffix
from sunstar.explaining import explanation_of
from sunstar.files import Outputs, is_packed, read_bytes, taking_apart, write_text
from sunstar.machine.picture import MOST_TILES, Picture, draw_machine, drawing_of, picture_of
from sunstar.results import Document, read_file
from sunstar.runs.simulator import Point, effective_config, settings_of
from sunstar.structure import parts_in
from sunstar.waves.picture import WaveFile, form_of

Span = tuple[float, float]
WORK = {"seek": {"seek"}, "rotation": {"rotation"}, "transfer": {"read", "write"}}
"""The stages of a drive alone, by the words of its phase."""
SHOWN_BY = {"cpu": ("state",), "scsi": ("owner", "phase"), "disk": ("phase", "commands"), "port": ("output",)}
"""By shape: the signals beside a resource that say whether it is busy; a link's have its own name."""
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
class Recording:
    """The contents of a timeline or a wave file."""

    spans: Mapping[str, Sequence[Span]]  # By resource: when it was busy, in seconds
    parts: Sequence[str]  # The parts of the machine that it names
    incomplete: str  # Why the file is incomplete, in a sentence; empty if not known to be


@dataclass(frozen=True)
class Film:
    """The shares of the boxes of a picture in each of equal windows."""

    start_s: float  # When the first resource is busy: a file may be of a part of the run
    end_s: float
    shares: Sequence[Sequence[float | None]]  # By window and box; None where the file does not show it
    warnings: Sequence[str]


def film_of(path: Path, picture: Picture, windows: int) -> Film:
    """Reads a timeline or a wave file, plain or packed by gzip; a FileError if it is of another machine."""
    read = from_waves(path, picture) if form_of(path) else from_timeline(path, picture)
    resources = [name for box in picture.boxes for name in box.resources]
    known = dict.fromkeys(part for name in resources for part in parts_in(name))  # in the drawing's order
    unknown = next((name for name in read.parts if name not in known), None)
    if unknown:
        raise FileError(f"{path} is of another machine: it shows {unknown}, which this one does not have")
    if not read.spans:
        raise FileError(f"{path} shows no resource that is drawn; is it of another machine, or of a part of this one?")
    end = max((end for each in read.spans.values() for _, end in each), default=0.0)
    if end <= 0:
        raise FileError(f"{path} shows nothing: all resources are idle")
    start = min(start for each in read.spans.values() for start, _ in each)
    busy = {name: busy_shares(each, start, end, windows) for name, each in read.spans.items()}
    of_boxes = [[busy[name] for name in box.resources if name in busy] for box in picture.boxes]
    frames = [[round(fmean(each[i] for each in of), 3) if of else None for of in of_boxes] for i in range(windows)]
    return Film(start, end, frames, list(warnings_of(path, read, known)))


def warnings_of(path: Path, read: Recording, known: Iterable[str]) -> Iterator[str]:
    if read.incomplete:
        yield f"{path} is incomplete: {read.incomplete}."
    named = set(read.parts)
    links = any(".network." in name for name in named)  # a timeline has no track for them
    missing = [name for name in known if name not in named and (links or ".network." not in name)]
    if missing:
        more = f" and {len(missing) - 1} further parts" if len(missing) > 1 else ""
        yield f"{path} does not show {missing[0]}{more}; is it of a part of this machine, or of another one?"


def busy_shares(spans: Iterable[Span], begin: float, end: float, windows: int) -> list[float]:
    """The share of each window that is covered by at least one span."""
    starts, stops = np.array(sorted(spans)).reshape(-1, 2).T
    covered = np.concatenate([[begin], np.maximum.accumulate(stops)])[:-1]  # by earlier spans, until then
    starts = np.maximum(starts, covered)
    new = np.maximum(stops - starts, 0.0)
    times, sums = np.stack([starts, starts + new], 1).ravel(), np.stack([new.cumsum() - new, new.cumsum()], 1).ravel()
    busy = np.interp(np.linspace(begin, end, windows + 1), [begin, *times], [0.0, *sums])
    found: list[float] = np.clip(np.diff(busy) * windows / (end - begin), 0.0, 1.0).tolist()
    return found


def from_timeline(path: Path, picture: Picture) -> Recording:
    """A track's group and name tell its resource. A bus has a track of its owners ("bus: who has it") and one
    of each drive's commands ("disk0: commands"). A node has a track of interrupt handlers, and spans with the track's
    own name while a thread runs. A drive alone has the track "heads"."""
    boxes = {name for box in picture.boxes if box.shape != "frame" for name in box.resources}
    document = document_of(path)
    groups: dict[int, str] = {}
    tracks: dict[tuple[int, int], str] = {}
    found: dict[str, list[Span]] = defaultdict(list)
    with taking_apart(f"{path} is no timeline as --timeline writes it"):
        for event in document["traceEvents"]:
            if event["ph"] == "M" and event["name"] == "process_name":
                groups[event["pid"]] = event["args"]["name"]
            elif event["ph"] == "M" and event["name"] == "thread_name":
                tracks[event["pid"], event["tid"]] = event["args"]["name"]
        named = [f"{groups.get(pid, '')}.{track.partition(':')[0]}" for (pid, _), track in tracks.items()]
        parts = dict.fromkeys(part for name in [*groups.values(), *named] for part in parts_in(name))
        for event in (event for event in document["traceEvents"] if event["ph"] == "X"):
            group, track = groups.get(event["pid"], ""), tracks.get((event["pid"], event["tid"]), "")
            core = event.get("args", {}).get("core", 0)
            if resource := resource_of(group, track, event["name"], boxes, core):
                start = event["ts"] / 1e6
                found[resource].append((start, start + event.get("dur", 0) / 1e6))
        truncated = str(document.get("otherData", {}).get("truncated", ""))
    shown = {name.rpartition(".")[0] for name in found}
    for name in boxes:  # a core without a span is idle
        if re.fullmatch(r"cpu\d+", name.rpartition(".")[2]) and name.rpartition(".")[0] in shown:
            found.setdefault(name, [])
    return Recording(found, list(parts), truncated.removesuffix("."))


def resource_of(group: str, track: str, span: str, boxes: set[str], core: int) -> str | None:
    part, _, what = track.partition(": ")
    if f"{group}.{part}" in boxes and what != "heads":
        return f"{group}.{part}"
    if track == "heads":
        return next((f"{group}.{work}" for work, words in WORK.items() if span in words), None)
    kind = re.sub(r" \d+$", "", track)
    if kind == "interrupts":
        core = int(track.removeprefix(kind) or 1) - 1
    elif kind != span:
        return None
    return next((name for name in (f"{group}.cpu", f"{group}.cpu{core}") if name in boxes), None)


def document_of(path: Path) -> dict[str, Any]:
    content = read_bytes(path)
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        if content.startswith(b'{"displayTimeUnit"'):
            raise FileError(f"{path} is a timeline that is cut off ({error})") from error
        if content.startswith(b"\xd9\xd9\xf7"):  # CBOR
            raise FileError(f"{path} is a timeline in FTR; a page plays one in JSON") from error
        raise FileError(f"{path} is neither a timeline nor a wave file, as --timeline and --vcd write them") from error
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        raise FileError(f"{path} is no timeline: it has no traceEvents")
    return document


def from_waves(path: Path, picture: Picture) -> Recording:
    """The same from signals. A drive that only reads ahead does not count as busy."""
    file = WaveFile(path)
    found: dict[str, list[Span]] = {}
    for shape, resource in ((box.shape, name) for box in picture.boxes for name in box.resources):
        drive, _, work = resource.rpartition(".")
        if shape == "work" and work in WORK and f"{drive}.phase" in file:
            found[resource] = spans_of(file, f"{drive}.phase", WORK[work])
            continue
        beside = [f"{resource}.{name}" for name in SHOWN_BY.get(shape, ())]
        signals = [*beside, resource, f"{resource}_flit", f"{resource}.sending"]  # the best first
        signal = next((name for name in signals if name in file), None)
        if shape != "frame" and signal is not None:
            found[resource] = spans_of(file, signal)
    parts = dict.fromkeys(part for signal in file.signals for part in parts_in(signal))
    return Recording(found, list(parts), file.incomplete)


def spans_of(file: WaveFile, signal: str, words: set[str] | None = None) -> list[Span]:
    """When the signal has one of these words or, without words, when the part is busy."""
    wave = file.wave(signal)

    def busy(value: int) -> bool:
        said = wave.word(value)
        return said in words if words else not wave.rests(value) and said != "read_ahead"

    ends = [*wave.times[1:], file.end]
    changes = zip(wave.times, ends, wave.values, strict=True)
    return [(start / 1e12, end / 1e12) for start, end, value in changes if busy(value)]


def program_of(path: Path) -> str | None:
    """The program that wrote a wave file, as calls name it."""
    lines = WaveFile(path).comment if form_of(path) else []
    return lines[0].split()[0].removeprefix("sunstar-") if lines else None


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
    output: Annotated[Path, typer.Option(metavar="FILE")] = Path("machine.html"),
    platform: PlatformOption = None,
    settings: SetOption = None,
    result: Annotated[Path | None, typer.Option(metavar="FILE.json")] = None,
    timeline: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    windows: Annotated[int, typer.Option(min=2, max=2000)] = 200,
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
        sentences, _, tables = escape(explanation_of(machine.result, config).text).partition("\n\n")
        sentences = sentences.replace("\n", "<br>")
        body += (
            f"\n<section><h2>Why it took so long</h2>\n<p>{sentences}</p>\n<pre class='wide'>{tables}</pre></section>"
        )
    if machine.over_time:
        body += f"\n<section><h2>Over time</h2>\n<figure>{as_svg(machine.over_time)}</figure></section>"
    return pages.page("show", "machine", name, text, body, data, HERE / "page.js", library="")
