# SPDX-License-Identifier: MIT
"""The points: five ways with their options, three ways to ask, patterns, records, layouts, networks and memories."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sunstar.study.cases import DIRECTED, ENWRICH, TRADITIONAL, Cases, Key, Settings, every, transfer
from sunstar.study.models import under_both

WAYS = ("tc", "two-phase", "ddio", "enwrich", "hybrid")
"""Traditional caching, two-phase I/O, disk-directed I/O, ENWRICH, and the hybrid of the first and the third."""

HYBRID: Settings = {"file_system.kind": "hybrid"}
TWO_PHASE: Settings = {"file_system.kind": "two-phase"}
GATHER: Settings = {"file_system.gather": True}
STRIDED: Settings = {"file_system.strided": True}
WRITES_GATHER: Settings = {"file_system.enwrich.gather": True}

CALLERS: Mapping[str, Settings] = {
    "tc": TRADITIONAL,
    "tc-strided": {**TRADITIONAL, **STRIDED},
    "enwrich": ENWRICH,
    "enwrich-gather": {**ENWRICH, **WRITES_GATHER},
    "hybrid": HYBRID,
}
COLLECTIVE: Mapping[str, Settings] = {
    "tc": TRADITIONAL,
    "tc-strided": CALLERS["tc-strided"],
    "two-phase": {**TWO_PHASE, "file_system.share": "contiguous"},
    "two-phase-cyclic": {**TWO_PHASE, "file_system.share": "cyclic"},
    "ddio": DIRECTED,
    "ddio-gather": {**DIRECTED, **GATHER},
    "enwrich": ENWRICH,
    "enwrich-gather": CALLERS["enwrich-gather"],
    "hybrid": HYBRID,
    "hybrid-gather": {**HYBRID, **GATHER},
}
"""The ways to carry out a collective, each with an option."""
CALLS: Mapping[str, Settings] = {**CALLERS, "hybrid-strided": {**HYBRID, **STRIDED}}
"""The ways to carry out calls of single processors. Two-phase and disk-directed I/O know collectives only."""
MIXED: Mapping[str, Settings] = {**CALLERS, "hybrid-gather-strided": {**HYBRID, **GATHER, **STRIDED}}
"""The ways to carry out both at once."""

OPTIONS = {
    "tc": "tc-strided",
    "two-phase": "two-phase-cyclic",
    "ddio": "ddio-gather",
    "enwrich": "enwrich-gather",
    "hybrid": "hybrid-gather",
}
"""The option of each way when it carries out a collective."""

LAYOUTS = ("contiguous", "random-blocks")
RECORDS = (8192, 512, 8)
PATTERNS = ("rn", "rb", "rc", "rbb", "rcc", "wn", "wb", "wc", "wbb", "wcc")
"""They span what matters here: how large the pieces are that go to one CP, and how many CPs share a block."""
MANY_PIECES = ("rc", "rcc", "wc", "wcc")
"""Here a block of small records holds pieces of many CPs, and many of each."""

REPORTED = 200
"""MB/s a link, as in TR94-226."""


@dataclass(frozen=True)
class Memory:
    """What each way may take, in its own terms."""

    cache_buffers: int
    """Of an IOP's cache, for each CP and disk: traditional caching, two-phase I/O, the hybrid."""
    disk_buffers: int
    """Of an IOP, for each disk: disk-directed I/O, ENWRICH, the hybrid."""
    processor: str
    """Of each CP: two-phase I/O and ENWRICH."""
    round: str
    """The buffer of two-phase I/O, which takes four times as much."""


MEDIUM = "medium"
MEMORIES = {
    "small": Memory(1, 1, "64KiB", "16KiB"),
    MEDIUM: Memory(2, 2, "1MiB", "256KiB"),
    "large": Memory(8, 8, "4MiB", "1MiB"),
}


def memory_settings(method: str, memory: Memory) -> Settings:
    cache: Settings = {"file_system.cache.buffers_per_cp_per_disk": memory.cache_buffers}
    disks: Settings = {"file_system.buffers_per_disk": memory.disk_buffers}
    return {
        "tc": cache,
        "two-phase": {**cache, "file_system.buffer_size": memory.round},
        "ddio": disks,
        "enwrich": {**disks, "file_system.enwrich.cache_size": memory.processor},
        "hybrid": {**cache, **disks},
    }[way_of(method)]


def way_of(method: str) -> str:
    """The way that a method is an option of."""
    return next(way for way in WAYS if method == way or method.startswith(f"{way}-"))


def x_of(bandwidth: int, memory: str = MEDIUM) -> str:
    return f"{bandwidth} {memory}"


def condition(x: str) -> tuple[int, str]:
    """MB/s a link, and memory."""
    bandwidth, memory = x.split()
    return int(bandwidth), memory


CONDITIONS = (
    *(x_of(bandwidth) for bandwidth in (2, 20)),
    *(x_of(REPORTED, memory) for memory in MEMORIES),
    x_of(2000),
)

# Collectives ---------------------------------------------------------------------------------------------------------


def settings(key: Key, method: Settings) -> Settings:
    """What every experiment sets at a point."""
    bandwidth, memory = condition(key.x)
    return {
        **method,
        **memory_settings(key.method, MEMORIES[memory]),
        "file_system.layout": key.layout,
        "machine.network.link_bandwidth": f"{bandwidth}MB/s",
    }


def reads_of_enwrich(key: Key) -> bool:
    """ENWRICH gathers what it writes only."""
    return way_of(key.method) == "enwrich" and key.pattern.startswith("r")


def collective_settings(key: Key) -> Settings:
    method = ENWRICH if reads_of_enwrich(key) else COLLECTIVE[key.method]
    return {**settings(key, method), **transfer(key, method)}


def collective(quick: bool) -> Cases:
    """All CPs transfer a file together."""
    if quick:
        few_patterns, few_xs = ("rb", "rcc", "wb", "wcc"), (x_of(2), x_of(REPORTED))
        return every(collective_settings, COLLECTIVE, few_patterns, LAYOUTS, (8192, 512), few_xs)
    return every(collective_settings, COLLECTIVE, PATTERNS, LAYOUTS, RECORDS, CONDITIONS)


def pieces(quick: bool) -> Cases:
    """Blocks of which each CP holds many pieces, which may share a message."""
    sizes, patterns = ((8,), ("rc",)) if quick else ((512, 8), MANY_PIECES)
    xs = (x_of(REPORTED),)
    return every(collective_settings, COLLECTIVE, patterns, LAYOUTS, sizes, xs, lambda key: not reads_of_enwrich(key))


# Calls ---------------------------------------------------------------------------------------------------------------

PROCESSORS = 16
SPREAD = "100ms"
"""CPs that work alone begin at times of their own, so much apart at most."""


Job = dict[str, str | int | bool]


def calls_of(processors: int, pattern: str, record_bytes: int, file_size: str) -> Job:
    """A job of single processors."""
    record = {"pattern": pattern, "record_size": f"{record_bytes}B", "file_size": file_size}
    return {"processors": processors, "calls": True, **record}


def independent(quick: bool) -> Cases:
    """Each CP asks for its own part of a file, alone."""

    def alone(key: Key) -> Settings:
        jobs = [calls_of(PROCESSORS, key.pattern, key.record_bytes, "10MiB")]
        return {
            **settings(key, CALLS[key.method]),
            "workload.start_spread": SPREAD,
            "workload.jobs": json.dumps(jobs),
        }

    patterns = ("rc", "wc") if quick else ("rb", "rc", "rcc", "wb", "wc", "wcc")
    return every(alone, CALLS, patterns, LAYOUTS, (512,) if quick else RECORDS, (x_of(REPORTED),))


# Both at once --------------------------------------------------------------------------------------------------------

BIG, SMALL = 0, 1
"""The numbers of the two jobs: a collective, and calls beside it."""


def mixed(quick: bool) -> Cases:
    """Half of the CPs transfer a file together, while the others ask for small records of another one, each alone."""

    def both(key: Key) -> Settings:
        big, small = key.pattern.split("+")
        half = PROCESSORS // 2
        together: Job = {"processors": half, "pattern": big, "record_size": "8KiB", "file_size": "10MiB"}
        jobs = [together, calls_of(half, small, key.record_bytes, "1MiB")]
        return {**settings(key, MIXED[key.method]), "workload.jobs": json.dumps(jobs)}

    pairs = [f"{big}+{small}" for big in (("rcc",) if quick else ("rb", "rcc", "wb", "wcc")) for small in ("rc", "wc")]
    return every(both, MIXED, pairs, LAYOUTS, (512,), (x_of(REPORTED),))


# The network's two models --------------------------------------------------------------------------------------------

SLOWEST = 2


def models(quick: bool) -> Cases:
    """Points on the slowest network, which is busier than the worm model is good for, under both models."""
    patterns = ("rbb",) if quick else ("rbb", "wb", "wc", "wbb")
    methods = ("tc", "tc-strided", "two-phase", "ddio", "enwrich")
    cases = every(collective_settings, methods, patterns, ("contiguous",), (8192,), (x_of(SLOWEST),))
    return under_both(cases, keep_x=False)
