# SPDX-License-Identifier: MIT
"""How busy each resource of a machine was, window by window: what a timeline or a wave file says."""

import gzip
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from sunstar.errors import FileError
from sunstar.machine.picture import Picture
from sunstar.waves.file import Wave, WaveFile

Span = tuple[float, float]
WAVES = (".vcd", ".fst")
WORK = {"seek": {"seek"}, "rotation": {"rotation"}, "transfer": {"read", "write"}}
"""What a drive alone does, by the words of its phase."""
RESTING = {"idle", "free", "nobody", "none", "read_ahead"}
SHOWN_BY = {"cpu": ("state",), "scsi": ("owner", "phase"), "disk": ("phase",), "port": ("output",)}
"""By shape: the signals beside a resource that say whether it is busy; those of a link bear its own name."""


@dataclass(frozen=True)
class Film:
    """The shares of the boxes of a picture in each of so many equal windows."""

    start_s: float
    """When the first resource is busy: a file may be of a part of the run."""
    end_s: float
    shares: Sequence[Sequence[float | None]]
    """By window and box; None of what the file does not show."""


def film_of(path: Path, picture: Picture, windows: int) -> Film:
    """Reads a timeline (.json, .json.gz) or a wave file."""
    spans = from_waves(path, picture) if path.suffix in WAVES else from_timeline(path, picture)
    if not spans:
        raise FileError(f"{path} shows no resource of this machine; is it of another one?")
    end = max((end for each in spans.values() for _, end in each), default=0.0)
    if end <= 0:
        raise FileError(f"{path} shows nothing: all resources are idle")
    start = min(start for each in spans.values() for start, _ in each)
    busy = {name: busy_shares(each, start, end, windows) for name, each in spans.items()}
    frames = [
        [None if box.name not in busy else round(float(busy[box.name][i]), 3) for box in picture.boxes]
        for i in range(windows)
    ]
    return Film(start, end, frames)


def busy_shares(spans: Iterable[Span], begin: float, end: float, windows: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The share of each window that is covered by at least one span."""
    covered = np.zeros(windows)
    width = (end - begin) / windows
    for start, stop in union((start - begin, stop - begin) for start, stop in spans):
        first, last = int(start / width), min(int(stop / width), windows - 1)
        if first >= windows:
            continue
        if first == last:
            covered[first] += stop - start
            continue
        covered[first] += (first + 1) * width - start
        covered[first + 1 : last] += width
        covered[last] += stop - last * width
    return np.clip(covered / width, 0.0, 1.0)


def union(spans: Iterable[Span]) -> Iterator[Span]:
    """The same time in spans that do not touch."""
    begin, end = 0.0, -1.0
    for start, stop in sorted(spans):
        if start > end:
            if end > begin:
                yield begin, end
            begin, end = start, stop
        else:
            end = max(end, stop)
    if end > begin:
        yield begin, end


def from_timeline(path: Path, picture: Picture) -> dict[str, list[Span]]:
    """By resource: when it was busy, in seconds. A track's group and name say whose it is: "bus: who has it" and
    "disk0: commands" of a bus, and of a node the interrupt handlers and the times when a thread runs, which are the
    spans that bear the track's own name."""
    boxes = {box.name for box in picture.boxes if box.shape != "frame"}
    groups: dict[int, str] = {}
    tracks: dict[tuple[int, int], str] = {}
    found: dict[str, list[Span]] = defaultdict(list)
    events = events_of(path)
    for event in events:
        if event.get("ph") == "M" and event.get("name") == "process_name":
            groups[event["pid"]] = event["args"]["name"]
        elif event.get("ph") == "M" and event.get("name") == "thread_name":
            tracks[event["pid"], event["tid"]] = event["args"]["name"]
    for event in events:
        if event.get("ph") != "X":
            continue
        group, track = groups.get(event["pid"], ""), tracks.get((event["pid"], event["tid"]), "")
        resource = resource_of(group, track, event["name"], boxes)
        if resource:
            start = event["ts"] / 1e6
            found[resource].append((start, start + event.get("dur", 0) / 1e6))
    return found


def resource_of(group: str, track: str, span: str, boxes: set[str]) -> str | None:
    part, _, what = track.partition(": ")
    if f"{group}.{part}" in boxes and what != "heads":
        return f"{group}.{part}"
    runs = track == "interrupts" or re.sub(r" \d+$", "", track) == span
    processor = f"{group}.cpu"
    return processor if runs and processor in boxes else None


def events_of(path: Path) -> list[dict[str, Any]]:
    try:
        content = path.read_bytes()
        document = orjson.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
        events = document["traceEvents"]
    except (KeyError, TypeError) as error:
        raise FileError(f"{path} is no timeline: it has no traceEvents") from error
    except (OSError, EOFError, orjson.JSONDecodeError) as error:
        raise FileError(f"cannot read {path} as a timeline: {error}") from error
    return [event for event in events if isinstance(event, dict)]


def from_waves(path: Path, picture: Picture) -> dict[str, list[Span]]:
    """The same from signals. A drive that only reads ahead serves nobody."""
    file = WaveFile(path)
    if not file.end:
        raise FileError(f"{path} holds no change of any signal; was its window after the end of the run?")
    found: dict[str, list[Span]] = {}
    for box in picture.boxes:
        drive, _, work = box.name.rpartition(".")
        if box.shape == "work" and work in WORK and f"{drive}.phase" in file:
            found[box.name] = spans_of(file, f"{drive}.phase", partial(is_one_of, WORK[work]))
            continue
        signal = next((name for name in signals_of(box.name, box.shape) if name in file), None)
        if signal is None:
            continue
        found[box.name] = spans_of(file, signal, is_busy)
    return found


def spans_of(file: WaveFile, signal: str, busy: Callable[[Wave, int], bool]) -> list[Span]:
    wave = file.wave(signal)
    ends = [*wave.times[1:], file.end]
    return [
        (start / 1e12, end / 1e12)
        for start, end, value in zip(wave.times, ends, wave.values, strict=True)
        if busy(wave, value)
    ]


def is_one_of(words: set[str], wave: Wave, value: int) -> bool:
    return wave.word(value) in words


def is_busy(wave: Wave, value: int) -> bool:
    if wave.words:
        return wave.word(value) not in RESTING
    return value > min(0, *wave.values[:1])  # what a number begins with, -1 or 0, says that there is none


def program_of(path: Path) -> str | None:
    """The program that a wave file says it is of, as calls name it."""
    lines = WaveFile(path).comment if path.suffix in WAVES else []
    return lines[0].split()[0].removeprefix("sunstar-") if lines else None


def signals_of(resource: str, shape: str) -> list[str]:
    """What may show the resource: names of signals, the best first."""
    if shape == "frame":
        return []
    beside = [f"{resource}.{name}" for name in SHOWN_BY.get(shape, ())]
    return [*beside, resource, f"{resource}_flit", f"{resource}.sending"]
