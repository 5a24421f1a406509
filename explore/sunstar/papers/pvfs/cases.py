# SPDX-License-Identifier: MIT
"""The points of each experiment, one or two instances of the micro-benchmark on six nodes with 1200 KiB of cache, and
their times."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, product
from types import MappingProxyType
from typing import NamedTuple, Unpack

from sunstar.errors import UnmeasuredError
from sunstar.results import MachineResult
from sunstar.runs.simulator import Setting
from sunstar.study.cases import Along, Cases, Curve, Fields, Found, Key, Settings, curves_of, methods_of, sized
from sunstar.study.statements import Measure, Measures

KIB, MIB = 1 << 10, 1 << 20
DATA = 24 * MIB  # The bytes of an instance in a pass, and of each file. The paper does not say.

NONE, CACHING, BOUND = "no caching", "caching", "caching, 400 us"
APART = "no caching, 6 nodes"  # Figure 8: each instance on nodes of its own
VERSIONS = methods_of("pvfs", "versions")
"""BOUND: 400 us at 800 MHz, the most that the paper says an access to a block costs, less what the model derives."""

READ, WRITE = "read", "write"
ONCE, TWICE, THRICE = "1 pass", "2 passes", "3 passes"
"""A read is measured by its third pass, when the data nodes have had the data in memory for a while: the time of three
passes less that of two. In the second one, processes still differ by what they waited for disks in the first."""
PASSES = {ONCE: 1, TWICE: 2, THRICE: 3}

LOCALITIES = (0.0, 0.5, 1.0)


class Load(NamedTuple):
    request: int
    operation: str = READ
    nodes: int = 4
    locality: float = 0.0
    sharing: int | None = None  # In percent, of two instances; None for one instance

    @property
    def pattern(self) -> str:
        """The load without its request size and sharing: a panel of a figure."""
        start = f"{self.operation}, " if self.sharing is None else ""
        return f"{start}p = {self.nodes}, l = {self.locality:g}"

    def settings(self) -> Settings:
        sets: Settings = {
            "workload.kind": "sharing",
            "workload.file_size": f"{DATA}B",
            "workload.bytes": f"{DATA}B",
            "workload.nodes": self.nodes,
            "workload.request_size": f"{self.request}B",
            "workload.operation": self.operation,
            "workload.locality": self.locality,
        }
        if self.sharing is not None:
            sets |= {"workload.instances": 2, "workload.sharing": self.sharing / 100}
        return sets


class Point(NamedTuple):
    key: Key
    load: Load
    own: Mapping[str, Setting] = MappingProxyType({})


def measured(points: Iterable[Point], passes: Sequence[str] = (TWICE, THRICE)) -> Cases:
    """The runs that points need: those of so many passes for a read, one for a write."""

    def made(point: Point, number: int) -> Settings:
        several: Settings = {"workload.iterations": number, "workload.bytes": f"{number * DATA}B"} if number > 1 else {}
        return {**point.load.settings(), **several, **VERSIONS[point.key.method], **point.own}

    return {
        point.key._replace(layout=each): made(point, PASSES.get(each, 1))
        for point in points
        for each in (("",) if point.load.operation == WRITE else passes)
    }


def at(version: str, load: Load, x: str = "") -> Key:
    return Key(version, load.pattern, "", load.request, x)


def alone(locality: float) -> Callable[[bool], Cases]:
    """Figures 4 and 5: one instance on four nodes."""

    def cases(quick: bool) -> Cases:
        sizes = (2, 4, 8, 64, 256, 1024) if quick else (1 << i for i in range(1, 11))
        return measured(
            Point(at(version, load), load)
            for operation, size in product((READ, WRITE), sizes)
            for load in [Load(size * KIB, operation, locality=locality)]
            for version in (NONE, CACHING, BOUND)
        )

    return cases


def sizes_together(quick: bool) -> list[int]:
    return [n * KIB for n in ((4, 64, 256) if quick else (1 << i for i in range(1, 10)))]


def together(nodes: int, *without: str) -> Callable[[bool], Cases]:
    """Figures 6 to 8: two instances read on the same nodes; `without` are the versions that do not cache. As in the
    paper, their time is one curve: it is measured without sharing."""

    def cases(quick: bool) -> Cases:
        degrees = (0, 50, 100) if quick else (0, 25, 50, 75, 100)
        return measured(
            Point(at(version, load, str(sharing)), load)
            for locality, request in product(LOCALITIES, sizes_together(quick))
            for version, sharing in [*((each, 0) for each in without), *((CACHING, s) for s in degrees)]
            for load in [Load(request, nodes=nodes, locality=locality, sharing=sharing)]
        )

    return cases


def figure_7(quick: bool) -> Cases:
    """And the points of figure 6, with which it is compared."""
    return {**together(2, NONE)(quick), **together(4, NONE)(quick)}


SMALL, MIDDLE = 4 * KIB, 64 * KIB
READ_NEW, READ_AGAIN = Load(MIDDLE), Load(MIDDLE, locality=1.0)
WRITE_SMALL, WRITE_MIDDLE = Load(SMALL, WRITE), Load(MIDDLE, WRITE)
SHARED = [Load(MIDDLE, nodes=3, sharing=s) for s in (50, 100)]


OPTIONS = {
    "data": (WRITE_SMALL, WRITE_MIDDLE),
    "iods": (READ_NEW, READ_AGAIN, WRITE_SMALL),
    "starts": (READ_NEW, READ_AGAIN),
    "stripe": (READ_NEW, WRITE_SMALL, WRITE_MIDDLE),
    "flush": (WRITE_SMALL, WRITE_MIDDLE, Load(MIDDLE, WRITE, locality=1.0)),
    "networks": (READ_NEW, Load(SMALL, locality=1.0), WRITE_SMALL, *SHARED),
}
"""The loads by what is chosen: how much data; which nodes have iods; files that are a few stripes longer, so that the
processes' parts of a file begin at different iods; the size of a stripe; the period of the flusher; the network."""


def options(kind: str) -> Callable[[bool], Cases]:
    """The same loads with one option after the other; the x of a point is the option."""
    return lambda _: measured(
        Point(at(version, load, name)._replace(pattern=title(load)), load, own)
        for name, own in methods_of("pvfs", kind).items()
        for load in OPTIONS[kind]
        for version in ((NONE, CACHING, APART) if kind == "networks" else (NONE, CACHING))
        if version != APART or load.sharing is not None
    )


def title(load: Load) -> str:
    sharing = "" if load.sharing is None else f", s = {load.sharing} %"
    return f"{load.pattern}{sharing}"


def amount_of(bytes_: int) -> Settings:
    return {"workload.bytes": f"{bytes_}B", "workload.file_size": f"{bytes_}B"}


REQUESTS = 32


def requests(quick: bool) -> Cases:
    """A fixed number of writes, whatever their size: then small ones fit into the cache."""
    return measured(
        Point(at(version, load), load, amount_of(REQUESTS * request * load.nodes))
        for request in sizes_together(quick)
        for load in [Load(request, WRITE)]
        for version in (NONE, CACHING)
    )


def cold(quick: bool) -> Cases:
    """Two instances on four nodes: the first pass, with data on disk only, beside the third one."""
    points = (
        Point(at(version, load, str(sharing)), load)
        for request, sharing in product(sizes_together(quick), (0, 50, 100))
        for load in [Load(request, sharing=sharing)]
        for version in (NONE, CACHING)
    )
    return measured(points, tuple(PASSES))


TIE = 0.02  # A gain that changes by no more neither grows nor falls


def application(result: MachineResult) -> float:
    found: float | None = result.result.application_s
    if found is None:
        raise UnmeasuredError(f"{result.platform} did not time its applications")
    return found


def seconds(found: Found, key: Key) -> float:
    """The time of a point: that of the third pass if it was measured."""
    thrice = key._replace(layout=THRICE)
    if thrice not in found.results:
        return application(found[key])
    return application(found[thrice]) - application(found[key._replace(layout=TWICE)])


def first_pass(found: Found, key: Key) -> float:
    return application(found[key._replace(layout=ONCE)])


def is_point(_: Found, key: Key) -> bool:
    """Whether this run stands for its point, which may need several."""
    return key.layout in ("", THRICE)


def points(found: Found, *methods: str, **fields: Unpack[Fields]) -> list[Key]:
    """The points of these methods, or of all, whose other fields are as given: each once, whatever runs it needs."""
    return [key._replace(layout="") for key in found.select(*methods, **fields) if is_point(found, key)]


def where(key: Key) -> str:
    sharing = f"s = {key.x} %" if key.x else ""
    return ", ".join(part for part in (key.pattern, sharing, sized(key.record_bytes)) if part)


def series(found: Found, *methods: str, **fields: Unpack[Fields]) -> list[Curve]:
    """The seconds of these methods, or of all, by request size."""
    return curves_of(points(found, *methods, **fields), lambda key: seconds(found, key), "record_bytes")


def against(found: Found, key: Key, method: str = NONE) -> float:
    """Time over that of another version with the same load. Two instances without caching are one curve for all
    degrees of sharing."""
    (other,) = points(found, method, pattern=key.pattern, record_bytes=key.record_bytes)
    return seconds(found, key) / seconds(found, other)


def gain(found: Found, key: Key, method: str = NONE) -> float:
    """The share of the other version's time that is saved."""
    return 1 - against(found, key, method)


def ratios(found: Found, keys: Sequence[Key], method: str = NONE) -> Measures:
    return Measures(Measure(against(found, key, method), where(key)) for key in keys)


def growth(found: Found, keys: Sequence[Key], along: Along, method: str = NONE) -> Measures:
    """By how much the gain grows along a field, all others being equal: over the span of each curve."""

    def point(line: Key, value: int) -> Key:
        return line._replace(x=str(value)) if along == "x" else line._replace(record_bytes=value)

    measures = Measures()
    for gains in curves_of(keys, lambda key: gain(found, key, method), along):
        low, high = span(gains, lambda low, high: gains[high] - gains[low], TIE)  # noqa: B023  called at once
        place = f"{where(point(gains.line, low))} to {reached(point(gains.line, high), along)}"
        measures.append(Measure(gains[high] - gains[low], place))
    return measures


def span(curve: Curve, rise: Callable[[int, int], float], tie: float) -> tuple[int, int]:
    """Where a curve that is to rise is judged: at its ends, or at those of its worst step, if that falls by more than a
    tie."""
    worst = min(pairwise(sorted(curve)), key=lambda step: rise(*step))
    return worst if rise(*worst) < -tie else (curve.first, curve.last)


def reached(key: Key, along: Along) -> str:
    return f"{key.x} %" if along == "x" else sized(key.record_bytes)
