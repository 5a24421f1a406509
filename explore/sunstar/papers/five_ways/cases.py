# SPDX-License-Identifier: MIT
"""The points: five ways with their options, three ways to ask, patterns, records, layouts, networks and memories; and
the map: the best way at each point, the others that are as good, and the one that needs the least memory."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sunstar.console import throughput
from sunstar.study.cases import Cases, Found, Key, Leader, best_of_families, leader, methods_of, points_of
from sunstar.study.views import under_both

LISTED: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("ways.json").read_text())
"""Traditional caching, two-phase I/O, disk-directed I/O, ENWRICH, and the hybrid of the first and the third: the name
of each, a short one, the option when it carries out a collective, and on the map its colour and, where it may be as
good as the recommended way, its initial. Disk-directed I/O always takes less memory."""
WAYS = tuple(LISTED)
OPTIONS = {way: of["option"] for way, of in LISTED.items()}
GROUPS = ("collective", "calls", "mixed")
METHODS = tuple(dict.fromkeys(method for group in GROUPS for method in methods_of("five-ways", group)))
"""The ways to carry out a collective, each with an option; calls of single processors, which two-phase and
disk-directed I/O do not take; and both at once."""
points = partial(points_of, "five-ways")
"""The x of a point is MB/s a link, and memory. Patterns span two properties: the size of a CP's pieces, and the number
of CPs that share a block. Memory is the buffers of an IOP's cache for each CP and disk (traditional caching, two-phase
I/O, the hybrid), those of an IOP for each disk (disk-directed I/O, ENWRICH, the hybrid), ENWRICH's memory of each CP,
and the buffer of two-phase I/O, which takes four times as much. ENWRICH gathers what it writes only. CPs that work
alone begin at times of their own, 100 ms apart at most."""

REPORTED = 200  # MB/s a link, as in TR94-226


MEDIUM = "medium"
MEMORIES = ("small", MEDIUM, "large")


def way_of(method: str) -> str:
    """The way that a method is an option of."""
    return next(way for way in WAYS if method == way or method.startswith(f"{way}-"))


def x_of(bandwidth: int, memory: str = MEDIUM) -> str:
    return f"{bandwidth} {memory}"


def condition(x: str) -> tuple[int, str]:
    """MB/s a link, and memory."""
    bandwidth, memory = x.split()
    return int(bandwidth), memory


def models(quick: bool) -> Cases:
    """Points on the slowest network, too busy for the worm model, under both models."""
    return under_both(points("models", quick), keep_x=False)


TIE = 1.05  # Throughputs are tied up to this ratio


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
    # Of two options with equal memory, the faster one.
    thrifty = min(tied, key=lambda method: (memory(found, keys[method]), -speeds[method]))
    return Best(speeds, first, tied, thrifty)


def short(method: str) -> str:
    """A name for narrow tables; + is the way's option, so that "dd+" is disk-directed I/O that gathers."""
    way = way_of(method)
    return LISTED[way]["short"] + ("+" if method != way else "")


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
                    **{field: getattr(place, field) for field in ("pattern", "record_bytes", "layout")},
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
