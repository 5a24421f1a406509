# SPDX-License-Identifier: MIT
"""The points: five ways with their options, three ways to ask, patterns, records, layouts, networks and memories."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from sunstar.study.cases import Cases, Key, Settings

WAYS = ("tc", "two-phase", "ddio", "enwrich", "hybrid")
"""Traditional caching, two-phase I/O, disk-directed I/O, ENWRICH, and the hybrid of the first and the third."""

KIND = "file_system.kind"
TC: Settings = {KIND: "traditional-caching"}
HYBRID: Settings = {KIND: "hybrid"}
ENWRICH: Settings = {KIND: "enwrich"}
GATHER: Settings = {"file_system.gather": True}
STRIDED: Settings = {"file_system.strided": True}
WRITES_GATHER: Settings = {"file_system.enwrich.gather": True}

COLLECTIVE: Mapping[str, Settings] = {
    "tc": TC,
    "tc-strided": {**TC, **STRIDED},
    "two-phase": {KIND: "two-phase", "file_system.share": "contiguous"},
    "two-phase-cyclic": {KIND: "two-phase", "file_system.share": "cyclic"},
    "ddio": {KIND: "disk-directed"},
    "ddio-gather": {KIND: "disk-directed", **GATHER},
    "enwrich": ENWRICH,
    "enwrich-gather": {**ENWRICH, **WRITES_GATHER},
    "hybrid": HYBRID,
    "hybrid-gather": {**HYBRID, **GATHER},
}
"""The ways to carry out a collective, each with an option."""

CALLS: Mapping[str, Settings] = {
    "tc": TC,
    "tc-strided": {**TC, **STRIDED},
    "enwrich": ENWRICH,
    "enwrich-gather": {**ENWRICH, **WRITES_GATHER},
    "hybrid": HYBRID,
    "hybrid-strided": {**HYBRID, **STRIDED},
}
"""The ways to carry out calls of single processors. Two-phase and disk-directed I/O know collectives only."""

MIXED: Mapping[str, Settings] = {
    **{method: CALLS[method] for method in ("tc", "tc-strided", "enwrich", "enwrich-gather")},
    "hybrid": HYBRID,
    "hybrid-gather-strided": {**HYBRID, **GATHER, **STRIDED},
}
"""The ways to carry out both at once."""

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
FEW_CONDITIONS = (x_of(2), x_of(REPORTED))


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    quick: bool = False
    """Fewer points."""


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


def collective_settings(key: Key) -> Settings:
    method = COLLECTIVE[key.method]
    if way_of(key.method) == "enwrich" and key.pattern.startswith("r"):
        method = ENWRICH  # it gathers what it writes
    return {
        **settings(key, method),
        "workload.pattern": key.pattern,
        "workload.record_size": f"{key.record_bytes}B",
    }


def collectives(
    records: tuple[int, ...], patterns: tuple[str, ...], layouts: tuple[str, ...], xs: tuple[str, ...]
) -> Cases:
    """Every such point."""
    return {
        key: collective_settings(key)
        for record_bytes in records
        for layout in layouts
        for pattern in patterns
        for method in COLLECTIVE
        for x in xs
        for key in [Key(method, pattern, layout, record_bytes, x)]
    }


def collective(choice: Choice) -> Cases:
    """All CPs transfer a file together."""
    if choice.quick:
        return collectives((8192, 512), ("rb", "rcc", "wb", "wcc"), LAYOUTS, FEW_CONDITIONS)
    return collectives(RECORDS, PATTERNS, LAYOUTS, CONDITIONS)


def pieces(choice: Choice) -> Cases:
    """Blocks of which each CP holds many pieces, which may share a message. ENWRICH gathers what it writes."""
    few = choice.quick
    cases = collectives((8,) if few else (512, 8), ("rc",) if few else MANY_PIECES, LAYOUTS, (x_of(REPORTED),))
    return {
        key: sets
        for key, sets in cases.items()
        if not (way_of(key.method) == "enwrich" and key.pattern.startswith("r"))
    }


# Calls ---------------------------------------------------------------------------------------------------------------

PROCESSORS = 16
SPREAD = "100ms"
"""CPs that work alone begin at times of their own, so much apart at most."""
CALL_PATTERNS = ("rb", "rc", "rcc", "wb", "wc", "wcc")
FEW_CALL_PATTERNS = ("rc", "wc")


def jobs(*each: Mapping[str, str | int | bool]) -> str:
    return json.dumps(each)


def independent(choice: Choice) -> Cases:
    """Each CP asks for its own part of a file, alone."""
    return {
        key: {
            **settings(key, CALLS[method]),
            "workload.start_spread": SPREAD,
            "workload.jobs": jobs(
                {
                    "processors": PROCESSORS,
                    "calls": True,
                    "pattern": pattern,
                    "record_size": f"{record_bytes}B",
                    "file_size": "10MiB",
                }
            ),
        }
        for record_bytes in ((512,) if choice.quick else RECORDS)
        for layout in LAYOUTS
        for pattern in (FEW_CALL_PATTERNS if choice.quick else CALL_PATTERNS)
        for method in CALLS
        for key in [Key(method, pattern, layout, record_bytes, x_of(REPORTED))]
    }


# Both at once --------------------------------------------------------------------------------------------------------

BIG, SMALL = 0, 1
"""The numbers of the two jobs: a collective, and calls beside it."""
BIG_PATTERNS = ("rb", "rcc", "wb", "wcc")
SMALL_PATTERNS = ("rc", "wc")
SMALL_RECORDS = 512


def pair(big: str, small: str) -> str:
    return f"{big}+{small}"


def mixed(choice: Choice) -> Cases:
    """Half of the CPs transfer a file together, while the others ask for small records of another one, each alone."""
    return {
        key: {
            **settings(key, MIXED[method]),
            "workload.jobs": jobs(
                {"processors": PROCESSORS // 2, "pattern": big, "record_size": "8KiB", "file_size": "10MiB"},
                {
                    "processors": PROCESSORS // 2,
                    "calls": True,
                    "pattern": small,
                    "record_size": f"{SMALL_RECORDS}B",
                    "file_size": "1MiB",
                },
            ),
        }
        for layout in LAYOUTS
        for big in (("rcc",) if choice.quick else BIG_PATTERNS)
        for small in SMALL_PATTERNS
        for method in MIXED
        for key in [Key(method, pair(big, small), layout, SMALL_RECORDS, x_of(REPORTED))]
    }


# The network's two models --------------------------------------------------------------------------------------------

SLOWEST = 2
WORM, FLIT = "worm", "flit"
DOUBTED = ("rbb", "wb", "wc", "wbb")
DOUBTED_METHODS = ("tc", "tc-strided", "two-phase", "ddio", "enwrich")


def models(choice: Choice) -> Cases:
    """Points on the slowest network, which is busier than the worm model is good for, under both models."""
    xs = (x_of(SLOWEST),)
    cases = collectives((8192,), DOUBTED[:1] if choice.quick else DOUBTED, ("contiguous",), xs)
    return {
        key._replace(x=model): {**sets, "machine.network.model": model}
        for key, sets in cases.items()
        if key.method in DOUBTED_METHODS
        for model in (WORM, FLIT)
    }
