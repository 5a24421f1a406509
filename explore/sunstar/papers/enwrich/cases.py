# SPDX-License-Identifier: MIT
"""The paper's patterns and systems, and the points of each experiment: the paper's figures 4 to 11, and others."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sunstar.files import writing
from sunstar.study.cases import Cases, Found, Key, Settings, methods_of, points_of, transfer
from sunstar.study.statements import data_of

METHODS, OPTIONS = methods_of("enwrich"), methods_of("enwrich", "options")
points = partial(points_of, "enwrich")
"""64 MiB of data, or 8 MiB where each call writes 8 bytes, since an array is cyclic along its rows. The x of a point of
figure 6 is the size of a cache in MiB; traditional caching has none."""
TWO_ARRAYS = ("wrnnbb", "wrnncc", "wrnbbn", "wrbccb", "wpnnbb", "wpnncc", "wpnbbn", "wpbccb")
"""In turn (wr), or each in a partition of its own (wp). Of those with nn, one processor holds half of the data."""

READ_OF_SYSTEM = r"^/(proc|sys)/|^/dev/urandom$|^namelist\.input$"
"""Files that the traced program only reads: files of its system, and its input."""


@dataclass(frozen=True)
class Choice:
    records: tuple[int, ...] = (8192, 512)
    trace: Path | None = None
    exclude: str = READ_OF_SYSTEM
    folder: Path = Path()  # The folder for a workload that is made here; it must last as long as the runs


def base(layout: str) -> Callable[[Choice], Cases]:
    """Figures 4 and 5: every pattern and record size."""
    return lambda choice: points("base", layouts=(layout,), record_sizes=choice.records)


FEW_ENTRIES = ("wbn", "wcn", "wbb")
MANY_ENTRIES = ("wnc", "wbc", "wcc", "wss")  # The paper makes this distinction in figure 6


def listed(experiment: str, *layouts: str) -> Callable[[Choice], Cases]:
    return lambda _: points(experiment, layouts=layouts) if layouts else points(experiment)


def replay(trace: Path, exclude: str, pacing: str) -> Settings:
    return {
        "workload.kind": "trace",
        "workload.trace": str(trace.resolve()),
        "workload.exclude": exclude,
        "workload.pacing": pacing,
    }


def traced(choice: Choice) -> Cases:
    """Figure 11; nothing without a trace."""
    if choice.trace is None:
        return {}
    return {key: {**sets, **replay(choice.trace, choice.exclude, key.x)} for key, sets in points("11").items()}


OPTION_WORKLOADS = {
    "wnn": Key("enwrich", "wnn", "contiguous", 8192),
    "wbn": Key("enwrich", "wbn", "contiguous", 8192),
    "wbn random": Key("enwrich", "wbn", "random-blocks", 8192),
    "wcc 512 B": Key("enwrich", "wcc", "contiguous", 512),
    "wcc 8 B": Key("enwrich", "wcc", "contiguous", 8),
}
COMPUTING = "computing"  # The trace of make_computing()


def options(choice: Choice) -> Cases:
    found: dict[Key, Settings] = {}
    programs = {COMPUTING: replay(make_computing(choice.folder / "computing.csv"), "", "think-times")}
    if choice.trace is not None:
        machine = data_of("points/enwrich")["11"]["settings"][0]
        programs["trace"] = {**machine, **replay(choice.trace, choice.exclude, "think-times")}
    for option, own in OPTIONS.items():
        for name, key in OPTION_WORKLOADS.items():
            size = "2MiB" if key.record_bytes == 8 else "64MiB"
            point = {**transfer(key, METHODS["enwrich"]), "workload.file_size": size, **own}
            found[key._replace(pattern=name, x=option)] = point
        for name, program in programs.items():
            key = Key("enwrich", name, "contiguous", 0, option)
            found[key] = {**METHODS["enwrich"], **program, **own}
    return found


def make_computing(path: Path) -> Path:
    """Writes a trace of 16 ranks that write 64 MiB to one file, 8 KiB at a time in turns, and compute for 4 ms before
    each write: 2 s in total, as long as the disks need."""
    ranks, calls, block, think_us = 16, 512, 8192, 4000
    with writing(path), path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["rank", "op", "file", "offset", "length", "start_s", "end_s"])
        for call in range(calls):
            at = f"{(call + 1) * think_us / 1e6:.6f}"
            for rank in range(ranks):
                lines.writerow([rank, "write", "out", (call * ranks + rank) * block, block, at, at])
    return path


def latency(_: Choice) -> Cases:
    wanted = (("wbb", 8192), ("wcc", 8192), ("wcc", 512), ("wss", 512), ("wrnncc", 512))
    return {
        key: sets
        for pattern, record_bytes in wanted
        for key, sets in points("latency", patterns=(pattern,), record_sizes=(record_bytes,)).items()
    }


def flushes(found: Found, key: Key, reason: str | None = None) -> float:
    """The flushes of all caches or, with a reason, how often a processor asked for a flush for that reason."""
    return found[key].statistic(f"enwrich.{reason}_flushes" if reason else "enwrich.flushes")
