# SPDX-License-Identifier: MIT
"""The paper's patterns and systems, and the points of each experiment: the paper's figures 4 to 11, and others."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sunstar.files import writing
from sunstar.study.cases import Cases, Found, Key, Settings, every, methods_of, transfer

LAYOUTS = ("random-blocks", "contiguous")
METHODS, OPTIONS = methods_of("enwrich"), methods_of("enwrich", "options")
CACHING, SYSTEMS = ("tc", "enwrich"), ("tc", "enwrich", "ddio")
"""What the paper compares in its sweeps, and in figures 4 and 5."""
ONE_ARRAY = ("wnn", "wnb", "wnc", "wbn", "wbb", "wbc", "wcn", "wcb", "wcc", "wss")
ROUND_ROBIN = ("wrnnbb", "wrnncc", "wrnbbn", "wrbccb")
PARTITION = ("wpnnbb", "wpnncc", "wpnbbn", "wpbccb")
TWO_ARRAYS = ROUND_ROBIN + PARTITION
DILUTED = tuple(pattern for pattern in TWO_ARRAYS if pattern[2:4] == "nn")  # One processor holds half of the data
PATTERNS = ONE_ARRAY + TWO_ARRAYS


def mappings(pattern: str) -> tuple[str, ...]:
    """How the arrays of a pattern are spread: "wrnbbn" is ("nb", "bn"); wss is nc in step."""
    if pattern == "wss":
        return ("nc",)
    return (pattern[2:4], pattern[4:6]) if pattern in TWO_ARRAYS else (pattern[1:],)


def chunks_are_records(pattern: str) -> bool:
    """Whether each write of a processor is one record, because an array is cyclic along its rows."""
    return any(mapping[1] == "c" for mapping in mappings(pattern))


def settings(key: Key) -> Settings:
    """The settings of a point, except x: 64 MiB of data, or 8 MiB where each call writes 8 bytes."""
    small = key.record_bytes == 8 and chunks_are_records(key.pattern)
    return {**transfer(key, METHODS[key.method]), "workload.file_size": "8MiB" if small else "64MiB"}


READ_OF_SYSTEM = r"^/(proc|sys)/|^/dev/urandom$|^namelist\.input$"
"""Files that the traced program only reads: files of its system, and its input."""

TRACE_MACHINE: Settings = {
    "machine.compute_processors": 32,
    "machine.io_processors": 16,
    "machine.disks": 16,
    "machine.network.shape": "7x7",
}
"""The machine of the paper's section 5.3."""
TORUS: Settings = {"machine.network.shape": "6x6"}  # The network on which machines of up to 36 nodes are


@dataclass(frozen=True)
class Choice:
    records: tuple[int, ...] = (8192, 512)
    trace: Path | None = None
    exclude: str = READ_OF_SYSTEM
    folder: Path = Path()  # The folder for a workload that is made here; it must last as long as the runs


def base(layout: str) -> Callable[[Choice], Cases]:
    """Figures 4 and 5: every pattern and record size."""
    return lambda choice: every(settings, SYSTEMS, PATTERNS, (layout,), choice.records)


CACHE_SIZES = {"0.5": "512KiB", "1": "1MiB", "2": "2MiB"}
FEW_ENTRIES = ("wbn", "wcn", "wbb")
MANY_ENTRIES = ("wnc", "wbc", "wcc", "wss")  # The paper makes this distinction in figure 6
CACHE_PATTERNS = (*FEW_ENTRIES, "wnb", "wcb", *MANY_ENTRIES, "wrnncc", "wrnbbn", "wpnnbb", "wpbccb")


def cache_size(_: Choice) -> Cases:
    """The x of a point is the size in MiB; traditional caching has none."""

    def sized(key: Key) -> Settings:
        return {**settings(key), **({"file_system.enwrich.cache_size": CACHE_SIZES[key.x]} if key.x else {})}

    def has_meaning(key: Key) -> bool:
        return (key.method == "tc") == (key.x == "")

    return every(sized, CACHING, CACHE_PATTERNS, ("contiguous",), (8192,), ("", *CACHE_SIZES), has_meaning)


SWEPT_PATTERNS = ("wbb", "wcn", "wrnncc", "wpnncc")
"""Patterns of one array, of two in turn, of two partitions; of those that it chose, the paper names only wpnncc."""


def sweep_of(
    xs: Iterable[int], layout: str, set_x: Callable[[int], Settings], where: Callable[[Key], bool] = lambda _: True
) -> Callable[[Choice], Cases]:
    def swept(key: Key) -> Settings:
        return {**settings(key), **TORUS, **set_x(int(key.x))}

    return lambda _: every(swept, CACHING, SWEPT_PATTERNS, (layout,), (8192,), xs, where)


processors = sweep_of(
    (1, 2, 4, 8, 16, 32),
    "contiguous",
    lambda n: {"machine.compute_processors": n, "machine.network.shape": "7x7"},
    lambda key: key.x != "1" or not key.pattern.startswith("wp"),
)
"""Figure 7. A partition needs two processors."""
io_processors = sweep_of((1, 2, 4, 8, 16), "contiguous", lambda n: {"machine.io_processors": n})


def disks(layout: str) -> Callable[[Choice], Cases]:
    return sweep_of((8, 16, 24, 32, 40), layout, lambda n: {"machine.io_processors": 8, "machine.disks": n})


def replay(trace: Path, exclude: str, pacing: str) -> Settings:
    return {
        "workload.kind": "trace",
        "workload.trace": str(trace.resolve()),
        "workload.exclude": exclude,
        "workload.pacing": pacing,
    }


PACINGS = ("back-to-back", "think-times")


def traced(choice: Choice) -> Cases:
    """Figure 11; nothing without a trace."""
    trace = choice.trace
    if trace is None:
        return {}

    def settings(key: Key) -> Settings:
        return {**METHODS[key.method], **TRACE_MACHINE, **replay(trace, choice.exclude, key.x)}

    return every(settings, CACHING, ("trace",), ("contiguous",), xs=PACINGS)


def scheduler(_: Choice) -> Cases:
    patterns = ("wnb", "wbn", "wbb", "wcn", "wcc", "wrnbbn", "wpbccb")
    return every(settings, ("tc", "tc-sstf", "tc-cscan", "enwrich"), patterns, LAYOUTS, (8192,))


OPTION_WORKLOADS = {
    "wnn": Key("enwrich", "wnn", "contiguous", 8192),
    "wbn": Key("enwrich", "wbn", "contiguous", 8192),
    "wbn random": Key("enwrich", "wbn", "random-blocks", 8192),
    "wcc 512 B": Key("enwrich", "wcc", "contiguous", 512),
    "wcc 8 B": Key("enwrich", "wcc", "contiguous", 8),
}
COMPUTING = "computing"  # A program that computes between its writes: computing() makes it


def options(choice: Choice) -> Cases:
    found: dict[Key, Settings] = {}
    programs = {COMPUTING: replay(make_computing(choice.folder / "computing.csv"), "", "think-times")}
    if choice.trace is not None:
        programs["trace"] = {**TRACE_MACHINE, **replay(choice.trace, choice.exclude, "think-times")}
    for option, own in OPTIONS.items():
        for name, key in OPTION_WORKLOADS.items():
            point = {**settings(key), **own}
            if key.record_bytes == 8:
                point["workload.file_size"] = "2MiB"
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
        for key, sets in every(settings, CACHING, (pattern,), LAYOUTS, (record_bytes,)).items()
    }


def flushes(found: Found, key: Key, reason: str | None = None) -> float:
    """The flushes of all caches or, with a reason, how often a processor asked for a flush for that reason."""
    return found.statistic(key, f"enwrich.{reason}_flushes" if reason else "enwrich.flushes")


def fetched_blocks(found: Found, key: Key) -> float:
    """Blocks that flushes had to read because the caches did not hold all of them."""
    return found.statistic(key, "enwrich.fetched_blocks")
