# SPDX-License-Identifier: MIT
"""Where one file system is ahead of another: ratios by network bandwidth, crossovers, and the map of the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from sunstar.papers.two_phase.cases import METHODS, TWO_PHASE
from sunstar.study.cases import Found, Key
from sunstar.study.leaders import leader

if TYPE_CHECKING:
    import polars as pl

AHEAD = 1.011
"""A throughput is ahead of another from this ratio on; the statements of TR94-226 allow for as much."""

FAMILIES = {method: "two-phase" if method in TWO_PHASE else method.removesuffix("-gather") for method in METHODS}
"""The file system of each method, whatever its options."""


def two_phase_over(found: Found, key: Key, method: str) -> float:
    """Throughput of two-phase I/O, with the better share, over that of another method at the same point."""
    best = max(found.mib(key._replace(method=share)) for share in TWO_PHASE)
    return best / found.mib(key._replace(method=method))


def ratios(found: Found, pattern: str, layout: str, record_bytes: int, method: str) -> dict[int, float]:
    """The same by network bandwidth in MB/s."""
    keys = found.select(method, pattern=pattern, layout=layout, record_bytes=record_bytes)
    return {int(key.x): two_phase_over(found, key, method) for key in keys}


def leads(ratio: Mapping[int, float]) -> list[tuple[float | None, float | None]]:
    """The intervals of bandwidth in which a ratio says "ahead"; None where an end was not measured.

    Between two bandwidths the logarithm of the ratio is taken as linear in the logarithm of the bandwidth.
    """
    level = math.log(AHEAD)
    points = [(math.log(x), math.log(value) - level) for x, value in sorted(ratio.items())]
    found: list[tuple[float | None, float | None]] = []
    start: float | None = None
    ahead = points[0][1] > 0
    for (low, before), (high, after) in pairwise(points):
        if (before > 0) != (after > 0):
            crossing = math.exp(low + (high - low) * before / (before - after))
            if before > 0:
                found.append((start, crossing))
            start, ahead = crossing, after > 0
    if ahead:
        found.append((start, None))
    return found


def in_words(intervals: list[tuple[float | None, float | None]]) -> str:
    def words(low: float | None, high: float | None) -> str:
        if low is None and high is None:
            return "everywhere"
        if low is None:
            return f"below {high:.3g}"
        return f"above {low:.3g}" if high is None else f"{low:.3g} to {high:.3g}"

    return "; ".join(words(*each) for each in intervals) or "nowhere"


def places(found: Found) -> Iterator[tuple[str, str, int]]:
    """Every pattern, layout and record size."""
    return iter(dict.fromkeys((key.pattern, key.layout, key.record_bytes) for key in found.select()))


def best_of(everything: Mapping[str, Found]) -> Mapping[str, pl.DataFrame]:
    """The map: the best file system at each pattern, record size, layout and network, how far it leads, and what each
    one reaches. And the crossovers."""
    import polars as pl

    points, crossovers = [], []
    for found in everything.values():
        if not all(x.isdecimal() for x in found.xs):
            continue
        for pattern, layout, record_bytes in places(found):
            where = {"pattern": pattern, "record_bytes": record_bytes, "layout": layout}
            for x in found.xs:
                points.append(
                    {**where, "link_mb_per_s": int(x), **best(found, Key("", pattern, layout, record_bytes, x))}
                )
            for method in ("ddio", "ddio-gather"):
                ahead = leads(ratios(found, pattern, layout, record_bytes, method))
                ends: list[tuple[float | None, float | None]] = ahead or [(None, None)]
                crossovers += [
                    {**where, "over": method, "two_phase_ahead": bool(ahead), "from_mb_per_s": low, "to_mb_per_s": high}
                    for low, high in ends
                ]
    if not points:
        return {}
    bounds = {"from_mb_per_s": pl.Float64, "to_mb_per_s": pl.Float64}
    return {"map": pl.DataFrame(points), "crossovers": pl.DataFrame(crossovers, schema_overrides=bounds)}


def best(found: Found, key: Key) -> dict[str, str | float]:
    """The best file system at a point, the next one, and whether the lead is more than scatter."""
    of = {method: found.mib(key._replace(method=method)) for method in METHODS}
    first, second, lead = leader(of, lambda method: FAMILIES[method])
    return {
        "best": FAMILIES[first],
        "best_method": first,
        "mib_per_s": of[first],
        "second": FAMILIES[second],
        "second_method": second,
        "lead": lead,
        "clear": lead > AHEAD,
        **{f"{method.replace('-', '_')}_mib_per_s": value for method, value in of.items()},
    }
