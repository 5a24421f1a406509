# SPDX-License-Identifier: MIT
"""Two-phase I/O beside disk-directed I/O and traditional caching, on faster and slower networks.

The experiment is ours. TR94-226, section 7.1, compares two-phase with disk-directed I/O by argument only: its authors
did not simulate two-phase I/O. They expected that it is slower than disk-directed I/O, and that it might be faster on
some patterns if the network were much slower than the disks and the permutation smarter. In the statements, "slower"
allows 1.1 %, as those about the report do. Of the two shares of two-phase I/O the better one counts.

The figure of a known shortfall is that of one trial with seed 1.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise, product

import polars as pl

from sunstar.console import Printed
from sunstar.study.cases import Cases, Found, Key, leader, methods_of, points_of
from sunstar.study.experiments import reproduction, study_of
from sunstar.study.statements import Sentences, Verdict
from sunstar.study.views import WORM, beside, other, under_both

say = Sentences("two-phase")

METHODS = methods_of("two-phase")
TWO_PHASE = ("two-phase", "two-phase-cyclic")
REPORTED = 200  # MB/s of a link in the report; the x of a point
AHEAD = 1.011  # A throughput is ahead of another above this ratio, the tolerance of the statements of TR94-226
FAMILIES = {method: "two-phase" if method in TWO_PHASE else method.removesuffix("-gather") for method in METHODS}
"""The file system of each method, without its options."""
MODELS = beside(link="{words[0]} MB/s")
# Patterns span two properties: the size of a CP's pieces, and the number of CPs that share a block. One CP has all (n);
# each has a sixteenth of the file (b), a block or less of each row of a matrix (bb), single records in turn (c, cc).


def records(size: int) -> Callable[[bool], Cases]:
    return partial(points_of, "two-phase", "records", record_sizes=(size,))


def models(_: bool) -> Cases:
    return under_both(points_of("two-phase", "models"), keep_x=True)


def two_phase_over(method: str) -> Callable[[Found, Key], float]:
    """Throughput of two-phase I/O, with the better share, over that of another method at the same point."""

    def over(found: Found, key: Key) -> float:
        best = max(found.mib(key._replace(method=share)) for share in TWO_PHASE)
        return best / found.mib(key._replace(method=method))

    return over


def ratios(found: Found, place: Key, method: str) -> dict[int, float]:
    """The same by network bandwidth in MB/s."""
    keys = found.select(method, pattern=place.pattern, layout=place.layout, record_bytes=place.record_bytes)
    return {int(key.x): two_phase_over(method)(found, key) for key in keys}


def leads(ratio: Mapping[int, float]) -> list[tuple[float | None, float | None]]:
    """The intervals of bandwidth in which a ratio says "ahead"; None where an end was not measured.

    Between two bandwidths the logarithm of the ratio is taken as linear in the logarithm of the bandwidth.
    """
    level = math.log(AHEAD)
    points = [(math.log(x), math.log(value) - level) for x, value in sorted(ratio.items())]
    crossings = [
        math.exp(low + (high - low) * before / (before - after))
        for (low, before), (high, after) in pairwise(points)
        if (before > 0) != (after > 0)
    ]
    intervals = list(pairwise([None, *crossings, None]))  # It is ahead in every other one
    return intervals[0 if points[0][1] > 0 else 1 :: 2]


def in_words(intervals: list[tuple[float | None, float | None]]) -> str:
    def words(low: float | None, high: float | None) -> str:
        if low is None:
            return "everywhere" if high is None else f"below {high:.3g}"
        return f"above {low:.3g}" if high is None else f"{low:.3g} to {high:.3g}"

    return "; ".join(words(*each) for each in intervals) or "nowhere"


def best_of(everything: Mapping[str, Found]) -> Mapping[str, pl.DataFrame]:
    """The map: at each point the best file system, its lead, and the throughput of each one. And the crossovers."""
    points, crossovers = [], []
    for found in everything.values():
        if not all(x.isdecimal() for x in found.xs):
            continue
        for place in dict.fromkeys(key._replace(method="", x="") for key in found.select()):
            where = {field: getattr(place, field) for field in ("pattern", "record_bytes", "layout")}
            for x in found.xs:
                points.append({**where, "link_mb_per_s": int(x), **best(found, place._replace(x=x))})
            for method in ("ddio", "ddio-gather"):
                ahead = leads(ratios(found, place, method))
                of = {**where, "over": method, "two_phase_ahead": bool(ahead)}
                crossovers += [{**of, "from_mb_per_s": a, "to_mb_per_s": b} for a, b in ahead or [(None, None)]]
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


def not_ahead(found: Found, key: Key) -> float:
    return AHEAD - found.ratio(key, "two-phase-cyclic")


def from_flit(found: Found, key: Key) -> float:
    """Throughput under the worm model of the network, as in all but this experiment, over that under the flit model."""
    return found.mib(key) / found.mib(other(key))


def same_order(found: Found) -> Iterator[Verdict]:
    order = {}
    for key in found.select("ddio"):
        if key.x.endswith(WORM):
            worm, flit = (two_phase_over("ddio")(found, each) for each in (key, other(key)))
            same = math.copysign(min(abs(worm - AHEAD), abs(flit - AHEAD)), (worm - AHEAD) * (flit - AHEAD))
            order[f"{key} ({worm:.2f}, flit {flit:.2f})"] = same
    yield say("models-order", order)


def where_ahead(found: Found) -> Iterator[Printed]:
    """Two-phase over disk-directed I/O at two bandwidths, and the bandwidths at which it is ahead."""
    low = min(found.xs, key=int)
    rows = []
    for layout, pattern in product(found.layouts, found.patterns):
        cells = [layout, pattern]
        for method in ("ddio", "ddio-gather"):
            ratio = ratios(found, Key("", pattern, layout, found.record_sizes[0]), method)
            cells += [f"{ratio[int(low)]:.2f}", f"{ratio[REPORTED]:.2f}", in_words(leads(ratio))]
        rows.append(cells)
    columns = [f"{text}{of}" for of in ("", " (g)") for text in (f"at {low}", f"at {REPORTED}", "ahead")]
    title = "two-phase over disk-directed I/O, (g): that gathers; at MB/s, and where two-phase is ahead"
    yield Printed(title, ("layout", "pattern", *columns), rows, 2)


STUDY = study_of("two-phase", globals(), more_tables=best_of)
reproduce_two_phase = reproduction(STUDY)
