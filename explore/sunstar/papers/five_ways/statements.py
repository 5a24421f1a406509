# SPDX-License-Identifier: MIT
"""What the map says in words, each as a sentence and a check. The statements are ours.

TR94-226 predicts (section 6 and "Future work") that short records gain if a message carries several of them, by gather
and scatter of disk-directed I/O or by strided requests of traditional caching, and (section 7.1) that one file system
could do both for collectives and for calls.

A statement is left out where none of its points was measured. The figure of a known shortfall is that of one trial with
seed 1.
"""

from collections.abc import Iterable, Iterator

from sunstar.papers.five_ways.cases import (
    MANY_PIECES,
    OPTIONS,
    SMALL,
    TIE,
    best,
    condition,
    over,
    places,
    slowdown,
    speed,
    way_of,
)
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Measure, Measures, Verdict, each
from sunstar.study.views import WORM, other

FAST = 20
"""MB/s a link. Slower networks are busier than the worm model is good for."""
CONTIGUOUS, RANDOM = "contiguous", "random-blocks"
SHORT, BLOCK = 8, 8192


class IfMeasured:
    """Figures whose statements are left out where none was measured."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        self.measures = Measures(measures)

    def at_most(self, limit: float, sentence: str) -> Iterator[Verdict]:
        if self.measures:
            yield self.measures.at_most(limit, sentence)

    def at_least(self, limit: float, sentence: str) -> Iterator[Verdict]:
        if self.measures:
            yield self.measures.at_least(limit, sentence)


def shares(found: Found, points: Iterable[Key], *ways: str) -> IfMeasured:
    """The throughput of ways over that of the best."""
    return IfMeasured(
        Measure(of[way] / max(of.values()), f"{place} {way}")
        for place in points
        for of in [best(found, place).of_ways()]
        for way in ways
    )


def ahead(found: Found, points: Iterable[Key], *ways: str) -> IfMeasured:
    """The throughput of ways over that of the best other one."""
    return IfMeasured(
        Measure(of[way] / max(value for name, value in of.items() if name != way), f"{place} {way}")
        for place in points
        for of in [best(found, place).of_ways()]
        for way in ways
    )


def against(found: Found, pairs: Iterable[tuple[Key, str]]) -> IfMeasured:
    """The throughput at points over that of another method there."""
    return IfMeasured(Measure(over(found, key, method), f"{key}, over {method}") for key, method in pairs)


def collective(found: Found) -> Iterator[Verdict]:
    """The statements about collectives."""
    fast = [place for place in places(found) if condition(place.x)[0] >= FAST]
    fast_long = [place for place in fast if place.record_bytes > SHORT]
    fast_short = [place for place in fast if place.record_bytes == SHORT]
    yield from shares(found, fast_long, "ddio").at_least(
        1 / TIE,
        f"disk-directed I/O with the better option is within 5 % of the best way, with records of 512 bytes and more "
        f"on networks of {FAST} MB/s and more",
    )
    yield from shares(found, fast_short, "ddio").at_least(1 / TIE, f"and with records of {SHORT} bytes")
    yield from shares(found, (place for place in places(found) if place.layout == RANDOM), "ddio").at_least(
        1 / TIE, "on random blocks it is so with every network, record and memory"
    )
    yield from shares(found, (place for place in fast_long if place.layout == RANDOM), "tc", "two-phase").at_most(
        0.75,
        f"there, with records of 512 bytes and more on networks of {FAST} MB/s and more, neither caching nor two-phase "
        "I/O reaches 75 % of the best",
    )
    yield from ahead(found, fast, "two-phase", "enwrich").at_most(
        TIE, f"neither two-phase I/O nor ENWRICH leads by more than 5 % on networks of {FAST} MB/s and more"
    )
    hybrids = [key for key in found.select("hybrid", "hybrid-gather") if condition(key.x)[0] >= FAST]
    yield from against(found, ((key, key.method.replace("hybrid", "ddio")) for key in hybrids)).at_least(
        0.98, f"the hybrid is within 2 % of disk-directed I/O with the same option, on networks of {FAST} MB/s and more"
    )

    def of_large(key: Key) -> float:
        return speed(found, key) / speed(found, key._replace(x=key.x.replace("small", "large")))

    directed = found.select("ddio", "ddio-gather")
    small = [key for key in directed if key.x.endswith("small") and key.record_bytes > SHORT]
    yield from IfMeasured(each(small, of_large)).at_least(
        0.99, "one buffer a disk suffices for disk-directed I/O and records of 512 bytes and more (within 1 % of eight)"
    )


def pieces(found: Found) -> Iterator[Verdict]:
    """The statements about several pieces in one message."""
    contiguous, random = (found.select(record_bytes=SHORT, layout=layout) for layout in (CONTIGUOUS, RANDOM))

    def gains(keys: Iterable[Key], way: str, over: str = "") -> IfMeasured:
        return against(found, ((key, over or way) for key in keys if key.method == OPTIONS[way]))

    yield from gains(contiguous, "ddio").at_least(
        1.2, f"gathering speeds up disk-directed I/O with {SHORT}-byte records on the contiguous layout (by a fifth)"
    )
    yield from gains(random, "ddio").at_most(TIE, "not on random blocks, where the disks are the limit (5 %)")
    yield from gains(contiguous, "tc").at_least(
        10, f"strided calls speed up caching with {SHORT}-byte records on the contiguous layout (tenfold)"
    )
    yield from gains(random, "tc").at_least(1.7, "and on random blocks (by 1.7)")
    yield from gains(contiguous, "tc", "ddio-gather").at_least(
        1, "strided calls are not behind disk-directed I/O that gathers, on the contiguous layout"
    )
    yield from gains(random, "tc", "ddio-gather").at_most(0.75, "on random blocks they reach at most 75 % of it")

    def fewer(key: Key) -> float:
        return found[key].messages / found[key._replace(method=OPTIONS[key.method])].messages

    yield from IfMeasured(each(found.select("tc", "ddio", "hybrid", record_bytes=SHORT), fewer)).at_least(
        60, f"with {SHORT}-byte records there are 60 times fewer messages"
    )
    yield from against(found, ((key, "tc") for key in found.select("tc-strided"))).at_least(
        1 / TIE, "strided calls are nowhere slower than plain ones (5 %)"
    )


def independent(found: Found) -> Iterator[Verdict]:
    """The statements about calls of processors that work alone."""
    hybrids = [key for key in found.select() if way_of(key.method) == "hybrid"]
    yield from against(found, ((key, key.method.replace("hybrid", "tc")) for key in hybrids)).at_least(
        0.99, "calls of the hybrid are within 1 % of traditional caching"
    )
    long_writes = [place for place in places(found) if place.pattern.startswith("w") and place.record_bytes > SHORT]
    yield from ahead(found, (place for place in long_writes if place.layout == RANDOM), "enwrich").at_least(
        1.35, "ENWRICH is ahead where records of 512 bytes and more are written to random blocks (by 1.35)"
    )
    yield from shares(found, (place for place in long_writes if place.layout == CONTIGUOUS), "enwrich").at_least(
        0.9, "and within 10 % of the best where they are written to contiguous ones"
    )
    in_turn = [place for place in places(found) if place.pattern in MANY_PIECES]
    short_reads = [place for place in in_turn if place.pattern.startswith("r") and place.record_bytes < BLOCK]
    yield from shares(found, short_reads, "enwrich").at_most(
        0.1, "where pieces shorter than a block are read, it reaches at most a tenth of the best"
    )
    yield from shares(found, (place for place in in_turn if place.record_bytes == SHORT), "tc").at_least(
        1, f"for {SHORT}-byte records in turn, strided calls of caching are the best"
    )


def mixed(found: Found) -> Iterator[Verdict]:
    """The statements about a collective and calls at once."""
    yield from shares(found, places(found), "hybrid").at_least(
        1 / TIE, "the hybrid with the better option is within 5 % of the best for every pair of jobs"
    )
    ways = {place: best(found, place).of_ways() for place in places(found)}
    yield from IfMeasured(
        Measure(of["hybrid"] / of["tc"], f"{place} hybrid, over tc") for place, of in ways.items()
    ).at_least(1.3, "and ahead of caching (by 1.3)")
    yield from IfMeasured(each(found.select("hybrid"), lambda key: slowdown(found, key, SMALL))).at_most(
        2.1, "without strided calls, its calls take at most 2.1 times as long beside a collective as alone"
    )


def models(found: Found) -> Iterator[Verdict]:
    """The statement about the worm model of the network, by which all but this experiment is simulated."""
    for place in places(found):
        if place.x == WORM:
            first = way_of(best(found, place).leader.first)
            yield from shares(found, [other(place)], first).at_least(
                1 / TIE,
                f"on {place.pattern}, the best way under the worm model is within 5 % of the best under the flit model",
            )
