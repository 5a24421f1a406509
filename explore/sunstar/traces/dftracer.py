# SPDX-License-Identifier: MIT
"""DFTracer traces (plain or packed by gzip): an event in JSON a line, a file for each process.

Files have hashes for names, which events `FH` resolve. Calls without an offset of their own move the position of their
file descriptor or stream, so positions are followed from `open` on. Times are whole microseconds.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError
from sunstar.files import OTHER_FORM, open_unpacked, without_mark
from sunstar.traces.trace import SCHEMA, Dropped, Trace, in_order

POSITIONED = {"pread", "pread64", "pwrite", "pwrite64"}
AT_POSITION = {"read", "write", "readv", "writev", "fread", "fwrite"}
OPENS = {"open", "open64", "openat", "creat", "creat64", "fopen", "fopen64", "fdopen"}
SEEKS = {"lseek", "lseek64", "fseek"}
APPEND = 0o2000

KINDS = {1: "X", 2: "C", 3: "A", 4: "M"}
"""The letters that the numbers of the present format replaced. `X` is a call, and `A`, once `C`, sums several up."""

Event = dict[str, Any]
Process = tuple[str, int]


@dataclass
class Events:
    names: dict[str, str] = field(default_factory=dict)
    ranks: dict[Process, int] = field(default_factory=dict)
    calls: list[tuple[int, Event]] = field(default_factory=list)  # Of POSIX and of streams, each with its number
    partial: str | None = None
    sums: list[int] = field(default_factory=list)  # Lines that each stand for several calls


def read_dftracer(paths: Sequence[Path]) -> Trace:
    events = Events()
    for path in paths:
        gather(path, events)
    return of_calls(paths, events, "DFTracer")


def of_calls(paths: Sequence[Path], events: Events, tracer: str) -> Trace:
    requests = Requests(events)
    for number, event in sorted(events.calls, key=lambda call: call[1]["ts"]):
        try:
            requests.follow(number, event)
        except OTHER_FORM as error:
            raise FileError(
                f"{', '.join(map(str, paths))}: call {number}, {event['name']!r}, has arguments of another form than "
                f"{tracer}'s ({error})"
            ) from error
    if not requests.rows:
        dropped = "; ".join(f"{drop.rows} calls: {drop.reason}" for drop in requests.reasons()) or "no read, no write"
        raise FileError(f"{', '.join(map(str, paths))}: there is no request ({dropped}); there must be at least one")
    table = pl.DataFrame(requests.rows, schema=SCHEMA, orient="row")
    source = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    return Trace(in_order(table), source, None, events.partial, requests.reasons())


SUMS = (
    "it sums up calls; the application must run without aggregation (DFTRACER_ENABLE_AGGREGATION=0) to record each call"
)


def gather(path: Path, events: Events) -> None:
    for line_number, text in lines(path, events):
        text = text.strip().rstrip(b",")
        if text in (b"", b"[", b"]"):
            continue
        try:
            event = json.loads(text)
            event["args"] = arguments = dict(event.get("args", {}))
            kind = KINDS.get(event.get("ph"), event.get("ph"))
            if kind == "M" and event["name"] == "FH":
                events.names[str(arguments["value"])] = arguments["name"]
            elif kind == "M" and event["name"] == "PR" and arguments["name"] == "rank":
                events.ranks[process(event)] = int(arguments["value"])
            elif event.get("cat") in ("POSIX", "STDIO") and kind in ("A", "C"):
                events.sums.append(line_number)
            elif event.get("cat") in ("POSIX", "STDIO") and kind in ("X", None):
                event["pid"], event["ts"], event["dur"] = (int(event[key]) for key in ("pid", "ts", "dur"))
                events.calls.append((len(events.calls) + 1, event))
        except OTHER_FORM as error:
            raise FileError(
                f"{path}, line {line_number}: {text[:40].decode(errors='replace')!r} is no event of DFTracer; "
                "it must be a JSON object with name, cat, pid, ts and dur"
            ) from error


def lines(path: Path, events: Events) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a file. One that breaks off gives the lines before."""
    try:
        with open_unpacked(path) as file:
            for number, line in enumerate(file, start=1):
                line = without_mark(path, line) if number == 1 else line
                if line.endswith(b"\n") or line.strip() == b"]" or line.rstrip().endswith(b"}"):
                    yield number, line
                else:
                    events.partial = f"{path.name} ends in the middle of line {number}"
    except EOFError:
        events.partial = f"the gzip data of {path.name} ends early"
    except (OSError, zlib.error) as error:
        raise FileError(f"cannot read {path}: {error}; it must be a trace of DFTracer") from error


def process(event: Event) -> Process:
    return str(event["args"].get("hhash", "")), int(event["pid"])


class Requests:
    """Follows the calls of all processes, in order of time, and notes their reads and writes."""

    def __init__(self, events: Events) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._events = events
        processes = sorted({process(event) for _, event in events.calls})
        known = all(one in events.ranks for one in processes)
        self._rank = events.ranks if known else {one: rank for rank, one in enumerate(processes)}
        self._first = min((event["ts"] for _, event in events.calls), default=0)
        self._positions: dict[Hashable, int | None] = {}
        self._ends: defaultdict[str, int] = defaultdict(int)
        self._dropped: dict[str, list[int]] = {}

    def reasons(self) -> tuple[Dropped, ...]:
        found = {**self._dropped, SUMS: self._events.sums}
        return tuple(Dropped(reason, len(calls), calls[0]) for reason, calls in found.items() if calls)

    def follow(self, number: int, event: Event) -> None:
        arguments, name, layer = event["args"], event["name"], event["cat"]
        file = self._events.names.get(str(arguments.get("fhash")), str(arguments.get("fhash", arguments.get("fname"))))
        key = (process(event), layer, arguments.get("fd", file))
        if name in OPENS:
            flags, mode = arguments.get("flags", 0), str(arguments.get("mode", ""))
            appends = (isinstance(flags, int) and flags & APPEND) or (layer == "STDIO" and "a" in mode)
            for called in (arguments.get("ret"), file):
                self._positions[process(event), layer, called] = self._ends[file] if appends else 0
        elif name in SEEKS and name != "fseek" and "ret" in arguments:
            self._positions[key] = int(arguments["ret"])
        elif name in SEEKS and "offset" in arguments:
            bases = {0: 0, 1: self._positions.get(key), 2: self._ends[file]}
            base = bases.get(arguments.get("whence", 0))
            self._positions[key] = None if base is None else base + int(arguments["offset"])
        elif name in POSITIONED | AT_POSITION and (why := self._request(event, key, file)):
            self._dropped.setdefault(why, []).append(number)

    def _request(self, event: Event, key: Hashable, file: str) -> str | None:
        """Notes a request, or says why it is none."""
        arguments, name = event["args"], event["name"]
        if "ret" not in arguments:
            return "its size is not recorded; the application must run with DFTRACER_INC_METADATA=1"
        length = int(arguments["ret"]) * (int(arguments.get("size", 1)) if event["cat"] == "STDIO" else 1)
        if length < 0:
            return "it failed"
        found = arguments.get("offset") if name in POSITIONED else self._positions.get(key)
        if found is None:
            return "its offset is not recorded, nor where its file was opened"
        offset = int(found)
        if offset < 0:
            return "its offset is below 0"
        if offset + length >= 1 << 63:
            return "it ends after the largest file"
        if name in AT_POSITION:
            self._positions[key] = offset + length
        op = "read" if "read" in name else "write"
        if op == "write":
            self._ends[file] = max(self._ends[file], offset + length)
        start = event["ts"] - self._first
        times = (start / 1e6, (start + event["dur"]) / 1e6)
        self.rows.append((self._rank[process(event)], op, file, offset, length, *times))
        return None
