# SPDX-License-Identifier: MIT
"""The points of each experiment: the paper's figures 4 to 11, and others."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sunstar.files import writing
from sunstar.papers.enwrich.cases import LAYOUTS, METHODS, PATTERNS, settings
from sunstar.study.cases import Cases, Key, Settings

READ_OF_SYSTEM = r"^/(proc|sys)/|^/dev/urandom$|^namelist\.input$"
"""Files that the traced program only reads: files of its system, and its input."""

TRACE_MACHINE: Settings = {
    "machine.compute_processors": 32,
    "machine.io_processors": 16,
    "machine.disks": 16,
    "machine.network.shape": "7x7",
}
"""The machine of the paper's section 5.3."""
TORUS: Settings = {"machine.network.shape": "6x6"}
"""The network on which machines of up to 36 nodes are."""


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    records: tuple[int, ...] = (8192, 512)
    trace: Path | None = None
    exclude: str = READ_OF_SYSTEM
    folder: Path = Path()
    """The folder for a workload that is made here; it must last as long as the runs."""


def base(choice: Choice, layout: str) -> Cases:
    """Figures 4 and 5: every pattern and record size."""
    keys = [
        Key(method, pattern, layout, record_bytes)
        for record_bytes in choice.records
        for pattern in PATTERNS
        for method in ("tc", "enwrich", "ddio")
    ]
    return {key: settings(key) for key in keys}


CACHE_SIZES = {"0.5": "512KiB", "1": "1MiB", "2": "2MiB"}
FEW_ENTRIES = ("wbn", "wcn", "wbb")
MANY_ENTRIES = ("wnc", "wbc", "wcc", "wss")
"""The paper makes this distinction in figure 6."""
CACHE_PATTERNS = (*FEW_ENTRIES, "wnb", "wcb", *MANY_ENTRIES, "wrnncc", "wrnbbn", "wpnnbb", "wpbccb")


def cache_size(_: Choice) -> Cases:
    found: dict[Key, Settings] = {}
    for pattern in CACHE_PATTERNS:
        for x, size in CACHE_SIZES.items():
            key = Key("enwrich", pattern, "contiguous", 8192, x)
            found[key] = {**settings(key), "file_system.enwrich.cache_size": size}
        caching = Key("tc", pattern, "contiguous", 8192)
        found[caching] = settings(caching)
    return found


SWEPT_PATTERNS = ("wbb", "wcn", "wrnncc", "wpnncc")
"""Patterns of one array, of two in turn, of two partitions; of those that it chose, the paper names only wpnncc."""


def sweep_of(xs: Iterable[int], layout: str, set_x: Callable[[int], Settings]) -> Cases:
    return {
        key: {**settings(key), **TORUS, **set_x(x)}
        for method in ("tc", "enwrich")
        for pattern in SWEPT_PATTERNS
        for x in xs
        if not (pattern.startswith("wp") and set_x(x).get("machine.compute_processors") == 1)
        for key in [Key(method, pattern, layout, 8192, str(x))]
    }


def processors(_: Choice) -> Cases:
    """Figure 7. A partition needs two processors."""
    return sweep_of(
        (1, 2, 4, 8, 16, 32),
        "contiguous",
        lambda n: {"machine.compute_processors": n, "machine.network.shape": "7x7"},
    )


def io_processors(_: Choice) -> Cases:
    return sweep_of((1, 2, 4, 8, 16), "contiguous", lambda n: {"machine.io_processors": n})


def disks(layout: str) -> Callable[[Choice], Cases]:
    return lambda _: sweep_of((8, 16, 24, 32, 40), layout, lambda n: {"machine.io_processors": 8, "machine.disks": n})


def trace_settings(trace: Path, exclude: str, pacing: str) -> Settings:
    return {
        "workload.kind": "trace",
        "workload.trace": str(trace.resolve()),
        "workload.exclude": exclude,
        "workload.pacing": pacing,
    }


PACINGS = ("back-to-back", "think-times")


def traced(choice: Choice) -> Cases:
    """Figure 11; nothing without a trace."""
    if choice.trace is None:
        return {}
    return {
        Key(method, "trace", "contiguous", 0, pacing): {
            **METHODS[method],
            **TRACE_MACHINE,
            **trace_settings(choice.trace, choice.exclude, pacing),
        }
        for method in ("tc", "enwrich")
        for pacing in PACINGS
    }


def scheduler(_: Choice) -> Cases:
    keys = [
        Key(method, pattern, layout, 8192)
        for layout in LAYOUTS
        for pattern in ("wnb", "wbn", "wbb", "wcn", "wcc", "wrnbbn", "wpbccb")
        for method in ("tc", "tc-sstf", "tc-cscan", "enwrich")
    ]
    return {key: settings(key) for key in keys}


OPTIONS: dict[str, Settings] = {
    "none": {},
    "background": {"background": True},
    "background, 75 %": {"background": True, "flush_threshold": 0.75},
    "background, 50 %": {"background": True, "flush_threshold": 0.5},
    "background, 25 %": {"background": True, "flush_threshold": 0.25},
    "timeout 1 s": {"flush_timeout": "1s"},
    "timeout 0.2 s": {"flush_timeout": "200ms"},
    "timeout 0.2 s, background": {"flush_timeout": "200ms", "background": True},
    "shared": {"division": "shared"},
    "early directories": {"early_directories": True},
    "gather": {"gather": True},
    "shared, gather": {"division": "shared", "gather": True},
    "4 buffers": {"buffers_per_disk": 4},
    "16 buffers": {"buffers_per_disk": 16},
    "fetched": {"done_when": "fetched"},
    "fetched, 4 buffers": {"done_when": "fetched", "buffers_per_disk": 4},
    "fetched, 16 buffers": {"done_when": "fetched", "buffers_per_disk": 16},
    "shared, fetched, 16 buffers": {"division": "shared", "done_when": "fetched", "buffers_per_disk": 16},
}
"""The settings of each option, under file_system.enwrich; buffers_per_disk is under file_system."""

OPTION_WORKLOADS = {
    "wnn": Key("enwrich", "wnn", "contiguous", 8192),
    "wbn": Key("enwrich", "wbn", "contiguous", 8192),
    "wbn random": Key("enwrich", "wbn", "random-blocks", 8192),
    "wcc 512 B": Key("enwrich", "wcc", "contiguous", 512),
    "wcc 8 B": Key("enwrich", "wcc", "contiguous", 8),
}
COMPUTING = "computing"
"""A program that computes between its writes: computing() makes it."""


def option_settings(option: str) -> Settings:
    return {
        f"file_system.{'' if name == 'buffers_per_disk' else 'enwrich.'}{name}": value
        for name, value in OPTIONS[option].items()
    }


def options(choice: Choice) -> Cases:
    found: dict[Key, Settings] = {}
    computing = make_computing(choice.folder / "computing.csv")
    for option in OPTIONS:
        for name, key in OPTION_WORKLOADS.items():
            point = {**settings(key), **option_settings(option)}
            if key.record_bytes == 8:
                point["workload.file_size"] = "2MiB"
            found[key._replace(pattern=name, x=option)] = point
        found[Key("enwrich", COMPUTING, "contiguous", 0, option)] = {
            **METHODS["enwrich"],
            **trace_settings(computing, "", "think-times"),
            **option_settings(option),
        }
        if choice.trace is not None:
            found[Key("enwrich", "trace", "contiguous", 0, option)] = {
                **METHODS["enwrich"],
                **TRACE_MACHINE,
                **trace_settings(choice.trace, choice.exclude, "think-times"),
                **option_settings(option),
            }
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
    found: dict[Key, Settings] = {}
    for method in ("tc", "enwrich"):
        for layout in LAYOUTS:
            for pattern, record_bytes in (("wbb", 8192), ("wcc", 8192), ("wcc", 512), ("wss", 512), ("wrnncc", 512)):
                key = Key(method, pattern, layout, record_bytes)
                found[key] = settings(key)
    return found
