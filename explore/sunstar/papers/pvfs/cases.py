# SPDX-License-Identifier: MIT
"""The points of each experiment, one or two instances of the micro-benchmark on six nodes, and their times."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from sunstar.errors import UnmeasuredError
from sunstar.results import MachineResult
from sunstar.study.cases import Along, Cases, Curve, Found, Key, Settings, curves_of, points_of, sized
from sunstar.study.statements import Measure, Measures

KIB, MIB = 1 << 10, 1 << 20
DATA = 24 * MIB  # The bytes of an instance in a pass, and of each file. The paper does not say.

NONE, CACHING, BOUND = "no caching", "caching", "caching, 400 us"
"""BOUND: 400 us at 800 MHz, the paper's upper limit for an access to a block, less the costs that the model derives."""
APART = "no caching, 6 nodes"  # Figure 8: each instance on nodes of its own

READ, WRITE = "read", "write"
ONCE, TWICE, THRICE = "1 pass", "2 passes", "3 passes"
"""A read is measured by its third pass, when the data nodes have had the data in memory for a while: the time of three
passes less that of two. In the second one, processes still differ by their waits for disks in the first."""

LOCALITIES = ("0", "0.5", "1")
"""The share of each instance's requests that repeat earlier ones. The pattern of a point has the number of nodes and
the locality; that of a single instance begins with its operation. The x of two instances is the shared part, in
percent; without the cache their time is one curve, as in the paper: it is measured without sharing."""


def requests(quick: bool) -> Cases:
    """32 writes a process on each of 4 nodes, of any size: then small ones fit into the cache."""
    found: dict[Key, Settings] = {}
    for key, sets in points_of("pvfs", "requests", quick).items():
        amount = f"{32 * 4 * key.record_bytes}B"
        found[key] = {**sets, "workload.bytes": amount, "workload.file_size": amount}
    return found


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


def points(found: Found, *methods: str, **fields: str | int) -> list[Key]:
    """The points of these methods, or of all, whose other fields are as given, each once."""
    return [key._replace(layout="") for key in found.select(*methods, **fields) if key.layout in ("", THRICE)]


def where(key: Key) -> str:
    sharing = f"s = {key.x} %" if key.x else ""
    return ", ".join(part for part in (key.pattern, sharing, sized(key.record_bytes)) if part)


def series(found: Found, *methods: str, **fields: str | int) -> list[Curve]:
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


def ratios(found: Found, keys: Iterable[Key], method: str = NONE) -> Measures:
    return Measures(Measure(against(found, key, method), where(key)) for key in keys)


def growth(found: Found, keys: Sequence[Key], along: Along, method: str = NONE) -> Measures:
    """By how much the gain grows along a field, all others being equal: over the span of each curve."""

    measures = Measures()
    for gains in curves_of(keys, lambda key: gain(found, key, method), along):
        low, high = span(gains, lambda low, high: gains[high] - gains[low], TIE)  # noqa: B023  called at once
        start = where(gains.line._replace(x=str(low)) if along == "x" else gains.line._replace(record_bytes=low))
        end = f"{high} %" if along == "x" else sized(high)
        measures.append(Measure(gains[high] - gains[low], f"{start} to {end}"))
    return measures


def span(curve: Curve, rise: Callable[[int, int], float], tie: float) -> tuple[int, int]:
    """Where a curve that is to rise is judged: at its ends, or at its worst step if that falls by more than a tie."""
    worst = min(pairwise(sorted(curve)), key=lambda step: rise(*step))
    return worst if rise(*worst) < -tie else (curve.first, curve.last)
