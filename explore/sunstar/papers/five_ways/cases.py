# SPDX-License-Identifier: MIT
"""The points: five ways with their options, three ways to ask, patterns, records, layouts, networks and memories; and
the map: the best way at each point, which others are as good, and which of them needs the least memory."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import polars as pl

from sunstar.console import throughput
from sunstar.results import Figures
from sunstar.study.cases import (
    Cases,
    Found,
    Key,
    Leader,
    Settings,
    best_of_families,
    every,
    leader,
    methods_of,
    transfer,
)
from sunstar.study.views import under_both

WAYS = ("tc", "two-phase", "ddio", "enwrich", "hybrid")
"""Traditional caching, two-phase I/O, disk-directed I/O, ENWRICH, and the hybrid of the first and the third."""

COLLECTIVE, CALLS, MIXED = (methods_of("five-ways", group) for group in ("collective", "calls", "mixed"))
"""The ways to carry out a collective, each with an option; calls of single processors, of which two-phase and
disk-directed I/O know nothing; and both at once."""

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
MANY_PIECES = ("rc", "rcc", "wc", "wcc")  # Here a block of small records holds pieces of many CPs, and many of each

REPORTED = 200  # MB/s a link, as in TR94-226


@dataclass(frozen=True)
class Memory:
    cache_buffers: int  # Of an IOP's cache, for each CP and disk: traditional caching, two-phase I/O, the hybrid
    disk_buffers: int  # Of an IOP, for each disk: disk-directed I/O, ENWRICH, the hybrid
    processor: str  # Of each CP: two-phase I/O and ENWRICH
    round: str  # The buffer of two-phase I/O, which takes four times as much


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


CONDITIONS = (*(x_of(bandwidth) for bandwidth in (2, 20)), *(x_of(REPORTED, memory) for memory in MEMORIES), x_of(2000))


def settings(key: Key, method: Settings) -> Settings:
    """The settings that all experiments share at a point."""
    bandwidth, memory = condition(key.x)
    return {
        **method,
        **memory_settings(key.method, MEMORIES[memory]),
        "file_system.layout": key.layout,
        "machine.network.link_bandwidth": f"{bandwidth}MB/s",
    }


def reads_of_enwrich(key: Key) -> bool:
    return way_of(key.method) == "enwrich" and key.pattern.startswith("r")


def collective_settings(key: Key) -> Settings:
    method = (
        COLLECTIVE["enwrich"] if reads_of_enwrich(key) else COLLECTIVE[key.method]
    )  # it gathers what it writes only
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


PROCESSORS = 16
SPREAD = "100ms"  # CPs that work alone begin at times of their own, so much apart at most


Job = dict[str, str | int | bool]


def calls_of(processors: int, pattern: str, record_bytes: int, file_size: str) -> Job:
    record = {"pattern": pattern, "record_size": f"{record_bytes}B", "file_size": file_size}
    return {"processors": processors, "calls": True, **record}


def independent(quick: bool) -> Cases:
    """Each CP asks for its own part of a file, alone."""

    def alone(key: Key) -> Settings:
        jobs = [calls_of(PROCESSORS, key.pattern, key.record_bytes, "10MiB")]
        return {**settings(key, CALLS[key.method]), "workload.start_spread": SPREAD, "workload.jobs": json.dumps(jobs)}

    patterns = ("rc", "wc") if quick else ("rb", "rc", "rcc", "wb", "wc", "wcc")
    return every(alone, CALLS, patterns, LAYOUTS, (512,) if quick else RECORDS, (x_of(REPORTED),))


BIG, SMALL = 0, 1  # The numbers of the two jobs: a collective, and calls beside it


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


def models(quick: bool) -> Cases:
    """Points on the slowest network, which is busier than the worm model is good for, under both models."""
    patterns = ("rbb",) if quick else ("rbb", "wb", "wc", "wbb")
    methods = ("tc", "tc-strided", "two-phase", "ddio", "enwrich")
    cases = every(collective_settings, methods, patterns, ("contiguous",), (8192,), (x_of(2),))
    return under_both(cases, keep_x=False)


TIE = 1.05  # Throughputs are tied up to this ratio

SHORT = {"tc": "tc", "two-phase": "2p", "ddio": "dd", "enwrich": "en", "hybrid": "hy"}
METHODS = tuple(dict.fromkeys((*COLLECTIVE, *CALLS, *MIXED)))


def speed(found: Found, key: Key) -> float:
    """Throughput until the last byte is on the medium, so that it ends at the same moment for every way. By its own
    account, disk-directed I/O and ENWRICH end earlier, when the drives have reported the data."""
    return found[key].medium_mib_per_s


def over(found: Found, key: Key, method: str) -> float:
    """Throughput over that of another method at the same point."""
    return speed(found, key) / speed(found, key._replace(method=method))


def memory(found: Found, key: Key) -> float:
    """Bytes that the file system takes on a CP and on an IOP, together."""
    return float(found[key].memory.compute_processor + found[key].memory.io_processor)


def job_of(found: Found, key: Key, number: int) -> Figures | None:
    job: Figures | None = getattr(found[key].result, f"job{number}")
    return job


def slowdown(found: Found, key: Key, number: int) -> float:
    """How many times as long a job takes beside the other one as alone; NaN if that was not compared."""
    job = job_of(found, key, number)
    times: float | None = job.slowdown if job else None
    return nan if times is None else times


class Best(NamedTuple):
    speeds: Mapping[str, float]  # Of each method
    leader: Leader
    tied: tuple[str, ...]  # The methods within TIE of the fastest one, itself included
    thrifty: str  # The one of these that takes the least memory

    @property
    def ways(self) -> list[str]:
        return [way for way in WAYS if any(way_of(method) == way for method in self.tied)]

    @property
    def rivals(self) -> list[str]:
        """The tied ways beside the recommended one. The hybrid's collectives are disk-directed I/O, so where that is
        recommended, the hybrid is no rival; it never takes less memory."""
        kin = {way_of(self.thrifty), *(("hybrid",) if way_of(self.thrifty) == "ddio" else ())}
        return [way for way in self.ways if way not in kin]

    def of_ways(self) -> dict[str, float]:
        """The throughput of each way with its better option."""
        return {way: self.speeds[method] for way, method in best_of_families(self.speeds, way_of).items()}


def places(found: Found) -> Iterator[Key]:
    return iter(dict.fromkeys(key._replace(method="") for key in found.select()))


def best(found: Found, place: Key) -> Best:
    keys = {method: place._replace(method=method) for method in found.methods}
    speeds = {method: speed(found, key) for method, key in keys.items() if key in found.results}
    first = leader(speeds, way_of)
    tied = tuple(method for method in speeds if speeds[method] * TIE >= speeds[first.first])
    # Of two options that take the same, the faster one.
    thrifty = min(tied, key=lambda method: (memory(found, keys[method]), -speeds[method]))
    return Best(speeds, first, tied, thrifty)


def short(method: str) -> str:
    """A name for narrow tables; + is the way's option, so that "dd+" is disk-directed I/O that gathers."""
    way = way_of(method)
    return SHORT[way] + ("+" if method != way else "")


def in_brief(what: Best) -> str:
    """The best throughput, the recommended method, and = if another way is as good."""
    return f"{throughput(what.speeds[what.leader.first])} {short(what.thrifty):<3} {'=' if what.rivals else ' '}"


def map_of(everything: Mapping[str, Found]) -> Mapping[str, pl.DataFrame]:
    """A line for each point of each experiment that compares ways."""
    lines = []
    for name, found in everything.items():
        if name in ("pieces", "models"):  # points of the collectives
            continue
        for place in places(found):
            what = best(found, place)
            bandwidth, memory_class = condition(place.x)
            recommended = found[place._replace(method=what.thrifty)].memory
            first, second, lead = what.leader
            lines.append(
                {
                    "asks": name,
                    "pattern": place.pattern,
                    "record_bytes": place.record_bytes,
                    "layout": place.layout,
                    "link_mb_per_s": bandwidth,
                    "memory": memory_class,
                    "best": way_of(first),
                    "best_method": first,
                    "mib_per_s": what.speeds[first],
                    "next": way_of(second),
                    "next_method": second,
                    "lead": lead,
                    "within_5_percent": " ".join(what.tied),
                    "recommended": way_of(what.thrifty),
                    "recommended_method": what.thrifty,
                    "compute_processor_memory_bytes": recommended.compute_processor,
                    "io_processor_memory_bytes": recommended.io_processor,
                    **{f"{method.replace('-', '_')}_mib_per_s": what.speeds.get(method) for method in METHODS},
                }
            )
    return {"map": pl.DataFrame(lines, infer_schema_length=None)} if lines else {}
