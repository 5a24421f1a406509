# SPDX-License-Identifier: MIT
"""What the map says in words, each as a sentence and a check. The statements are ours.

TR94-226 predicts (section 6 and "Future work") that short records gain if a message carries several of them, by gather
and scatter of disk-directed I/O or by strided requests of traditional caching, and (section 7.1) that one file system
could do both for collectives and for calls.

A statement is left out where none of its points was measured. The figure of a known shortfall is that of one trial with
seed 1.
"""

from collections.abc import Callable, Iterable, Iterator

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
from sunstar.study import statements
from sunstar.study.cases import Found, Key
from sunstar.study.models import WORM, other
from sunstar.study.statements import Measure, Shortfall, Verdict

FAST = 20
"""MB/s a link. Slower networks are busier than the worm model is good for."""
CONTIGUOUS, RANDOM = "contiguous", "random-blocks"
SHORT, BLOCK = 8, 8192

Check = Callable[[str, float, Iterable[Measure], Shortfall | None], Verdict]


class IfMeasured:
    """A check that gives its verdict only if something was measured."""

    def __init__(self, check: Check) -> None:
        self.check = check

    def __call__(
        self, sentence: str, limit: float, measures: Iterable[Measure], known: Shortfall | None = None
    ) -> Iterator[Verdict]:
        taken = list(measures)
        if taken:
            yield self.check(sentence, limit, taken, known)


at_least, at_most = IfMeasured(statements.at_least), IfMeasured(statements.at_most)


def share(found: Found, place: Key, way: str) -> Measure:
    """The throughput of a way over that of the best."""
    of = best(found, place).of_ways()
    return Measure(of[way] / max(of.values()), f"{place} {way}")


def ahead(found: Found, place: Key, way: str) -> Measure:
    """The throughput of a way over that of the best other one."""
    of = best(found, place).of_ways()
    return Measure(of[way] / max(value for name, value in of.items() if name != way), f"{place} {way}")


def against(found: Found, key: Key, method: str) -> Measure:
    return Measure(over(found, key, method), f"{key}, over {method}")


PIECE_BY_PIECE = Shortfall(
    0.5138,
    "an IOP works out each piece of a block; under strided calls the CPs do that, all at once; and rn as above",
    only=tuple(f"{CONTIGUOUS} {pattern} {SHORT} B" for pattern in (*MANY_PIECES, "rn")),
)
ONE_READER = Shortfall(
    0.9385,
    "one CP's link carries all; the more IOPs send to it at once, the worse they share it",
    only=(f"{CONTIGUOUS} rn",),
)


def collective(found: Found) -> Iterator[Verdict]:
    """The statements about collectives."""
    fast = [place for place in places(found) if condition(place.x)[0] >= FAST]
    yield from at_least(
        f"disk-directed I/O with the better option is within 5 % of the best way, with records of 512 bytes and more "
        f"on networks of {FAST} MB/s and more",
        1 / TIE,
        (share(found, place, "ddio") for place in fast if place.record_bytes > SHORT),
        ONE_READER,
    )
    yield from at_least(
        f"and with records of {SHORT} bytes",
        1 / TIE,
        (share(found, place, "ddio") for place in fast if place.record_bytes == SHORT),
        PIECE_BY_PIECE,
    )
    yield from at_least(
        "on random blocks it is so with every network, record and memory",
        1 / TIE,
        (share(found, place, "ddio") for place in places(found) if place.layout == RANDOM),
    )
    yield from at_most(
        f"there, with records of 512 bytes and more on networks of {FAST} MB/s and more, neither caching nor two-phase "
        "I/O reaches 75 % of the best",
        0.75,
        (
            share(found, place, way)
            for place in fast
            if place.layout == RANDOM and place.record_bytes > SHORT
            for way in ("tc", "two-phase")
        ),
    )
    yield from at_most(
        f"neither two-phase I/O nor ENWRICH leads by more than 5 % on networks of {FAST} MB/s and more",
        TIE,
        (ahead(found, place, way) for place in fast for way in ("two-phase", "enwrich")),
    )
    yield from at_least(
        f"the hybrid is within 2 % of disk-directed I/O with the same option, on networks of {FAST} MB/s and more",
        0.98,
        (
            against(found, key, key.method.replace("hybrid", "ddio"))
            for key in found.select("hybrid", "hybrid-gather")
            if condition(key.x)[0] >= FAST
        ),
    )
    yield from at_least(
        "one buffer a disk suffices for disk-directed I/O and records of 512 bytes and more (within 1 % of eight)",
        0.99,
        (
            Measure(speed(found, key) / speed(found, key._replace(x=key.x.replace("small", "large"))), str(key))
            for key in found.select("ddio", "ddio-gather")
            if key.x.endswith("small") and key.record_bytes > SHORT
        ),
    )


def pieces(found: Found) -> Iterator[Verdict]:
    """The statements about several pieces in one message."""
    contiguous, random = (found.select(record_bytes=SHORT, layout=layout) for layout in (CONTIGUOUS, RANDOM))

    def gains(keys: Iterable[Key], way: str) -> Iterator[Measure]:
        return (against(found, key, way) for key in keys if key.method == OPTIONS[way])

    yield from at_least(
        f"gathering speeds up disk-directed I/O with {SHORT}-byte records on the contiguous layout (by a fifth)",
        1.2,
        gains(contiguous, "ddio"),
    )
    yield from at_most("not on random blocks, where the disks are the limit (5 %)", TIE, gains(random, "ddio"))
    yield from at_least(
        f"strided calls speed up caching with {SHORT}-byte records on the contiguous layout (tenfold)",
        10,
        gains(contiguous, "tc"),
    )
    yield from at_least("and on random blocks (by 1.7)", 1.7, gains(random, "tc"))
    yield from at_least(
        "strided calls are not behind disk-directed I/O that gathers, on the contiguous layout",
        1,
        (against(found, key, "ddio-gather") for key in contiguous if key.method == "tc-strided"),
    )
    yield from at_most(
        "on random blocks they reach at most 75 % of it",
        0.75,
        (against(found, key, "ddio-gather") for key in random if key.method == "tc-strided"),
    )
    yield from at_least(
        f"with {SHORT}-byte records there are 60 times fewer messages",
        60,
        (
            Measure(found[key].messages / found[key._replace(method=OPTIONS[key.method])].messages, str(key))
            for key in found.select("tc", "ddio", "hybrid", record_bytes=SHORT)
        ),
    )
    yield from at_least(
        "strided calls are nowhere slower than plain ones (5 %)",
        1 / TIE,
        (against(found, key, "tc") for key in found.select("tc-strided")),
        Shortfall(
            0.7153,
            "a CP that asks for all its chunks runs ahead of the others, so that blocks leave the cache half written",
            only=("contiguous wcc 512 B",),
        ),
    )


def independent(found: Found) -> Iterator[Verdict]:
    """The statements about calls of processors that work alone."""
    yield from at_least(
        "calls of the hybrid are within 1 % of traditional caching",
        0.99,
        (
            against(found, key, key.method.replace("hybrid", "tc"))
            for key in found.select()
            if way_of(key.method) == "hybrid"
        ),
    )
    yield from at_least(
        "ENWRICH is ahead where records of 512 bytes and more are written to random blocks (by 1.35)",
        1.35,
        (
            ahead(found, place, "enwrich")
            for place in places(found)
            if place.layout == RANDOM and place.pattern.startswith("w") and place.record_bytes > SHORT
        ),
    )
    yield from at_least(
        "and within 10 % of the best where they are written to contiguous ones",
        0.9,
        (
            share(found, place, "enwrich")
            for place in places(found)
            if place.layout == CONTIGUOUS and place.pattern.startswith("w") and place.record_bytes > SHORT
        ),
    )
    yield from at_most(
        "where pieces shorter than a block are read, it reaches at most a tenth of the best",
        0.1,
        (
            share(found, place, "enwrich")
            for place in places(found)
            if place.pattern in MANY_PIECES and place.pattern.startswith("r") and place.record_bytes < BLOCK
        ),
    )
    yield from at_least(
        f"for {SHORT}-byte records in turn, strided calls of caching are the best",
        1,
        (
            share(found, place, "tc")
            for place in places(found)
            if place.pattern in MANY_PIECES and place.record_bytes == SHORT
        ),
    )


def mixed(found: Found) -> Iterator[Verdict]:
    """The statements about a collective and calls at once."""
    yield from at_least(
        "the hybrid with the better option is within 5 % of the best for every pair of jobs",
        1 / TIE,
        (share(found, place, "hybrid") for place in places(found)),
    )
    yield from at_least(
        "and ahead of caching (by 1.3)",
        1.3,
        (
            Measure(of["hybrid"] / of["tc"], f"{place} hybrid, over tc")
            for place in places(found)
            for of in [best(found, place).of_ways()]
        ),
    )
    yield from at_most(
        "without strided calls, its calls take at most 2.1 times as long beside a collective as alone",
        2.1,
        (Measure(slowdown(found, key, SMALL), str(key)) for key in found.select("hybrid")),
    )


def models(found: Found) -> Iterator[Verdict]:
    """The statement about the worm model of the network, by which all but this experiment is simulated."""
    for place in places(found):
        if place.x == WORM:
            first = best(found, place).leader.first
            yield from at_least(
                f"on {place.pattern}, the best way under the worm model is within 5 % of the best under the flit model",
                1 / TIE,
                [share(found, other(place), way_of(first))],
            )
