# SPDX-License-Identifier: MIT
"""The map: the best way at each point, which others are as good, and which of them needs the least memory.

Throughput counts until the last byte is on the medium, so that it ends at the same moment for every way. By its own
account, disk-directed I/O and ENWRICH end earlier, when the drives have reported the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from sunstar.papers.five_ways.cases import CALLS, COLLECTIVE, MIXED, WAYS, condition, way_of
from sunstar.results import Figures
from sunstar.study.cases import Found, Key
from sunstar.study.leaders import Leader, best_of_families, leader
from sunstar.study.tables import throughput

if TYPE_CHECKING:
    import polars as pl

TIE = 1.05
"""Throughputs are tied up to this ratio."""

SHORT = {"tc": "tc", "two-phase": "2p", "ddio": "dd", "enwrich": "en", "hybrid": "hy"}
METHODS = tuple(dict.fromkeys((*COLLECTIVE, *CALLS, *MIXED)))


def speed(found: Found, key: Key) -> float:
    return found[key].medium_mib_per_s


def over(found: Found, key: Key, method: str) -> float:
    """Throughput over that of another method at the same point."""
    return speed(found, key) / speed(found, key._replace(method=method))


def memory(found: Found, key: Key) -> float:
    """Bytes that the file system takes on a CP and on an IOP, together."""
    taken = found[key].memory
    total: float = taken.compute_processor + taken.io_processor
    return total


def job_of(found: Found, key: Key, number: int) -> Figures | None:
    job: Figures | None = getattr(found[key].result, f"job{number}")
    return job


def slowdown(found: Found, key: Key, number: int) -> float:
    """How many times as long a job takes beside the other one as alone; NaN if that was not compared."""
    job = job_of(found, key, number)
    times: float | None = job.slowdown if job else None
    return nan if times is None else times


class Best(NamedTuple):
    """What the map says about a point."""

    speeds: Mapping[str, float]
    """Of each method."""
    leader: Leader
    tied: tuple[str, ...]
    """The methods within TIE of the fastest one, itself included."""
    thrifty: str
    """The one of these that takes the least memory."""

    @property
    def ways(self) -> list[str]:
        """The ways of the tied methods."""
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
    """Every point, without a method."""
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
    import polars as pl

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
