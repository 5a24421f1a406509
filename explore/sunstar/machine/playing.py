# SPDX-License-Identifier: MIT
"""How busy each resource of a machine was, window by window, from a timeline or a wave file."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import orjson

from sunstar.errors import FileError
from sunstar.files import read_bytes, taking_apart
from sunstar.machine.picture import Picture
from sunstar.structure import parts_in
from sunstar.waves.file import WaveFile, form_of

Span = tuple[float, float]
WORK = {"seek": {"seek"}, "rotation": {"rotation"}, "transfer": {"read", "write"}}
"""The stages of a drive alone, by the words of its phase."""
SHOWN_BY = {"cpu": ("state",), "scsi": ("owner", "phase"), "disk": ("phase", "commands"), "port": ("output",)}
"""By shape: the signals beside a resource that say whether it is busy; a link's have its own name."""


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
