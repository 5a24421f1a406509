# SPDX-License-Identifier: MIT
"""What the map says in words, each as a sentence and a check. The statements are ours.

TR94-226 predicts (section 6 and "Future work") that short records gain if a message carries several of them, by gather
and scatter of disk-directed I/O or by strided requests of traditional caching, and (section 7.1) that one file system
could do both for collectives and for calls.

A statement is left out where none of its points was measured. The figure of a known shortfall is that of one trial with
seed 1.
"""

from collections.abc import Iterable, Iterator

from sunstar.papers.five_ways import cases
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each
from sunstar.study.views import WORM, other

SAY = Sentences("five-ways")
FAST = 20  # MB/s a link. Slower networks are busier than the worm model is good for.
CONTIGUOUS, RANDOM = "contiguous", "random-blocks"
SHORT, BLOCK = 8, 8192


def say(name: str, figures: Measures, /, **words: object) -> Iterator[Verdict]:
    """The statement, unless none of its figures was measured."""
    if figures:
        yield SAY(name, figures, **words)


def shares(found: Found, points: Iterable[Key], *ways: str) -> Measures:
    """The throughput of ways over that of the best."""
    return Measures(
        Measure(of[way] / max(of.values()), f"{place} {way}")
        for place in points
        for of in [cases.best(found, place).of_ways()]
        for way in ways
    )


def ahead(found: Found, points: Iterable[Key], *ways: str) -> Measures:
    """The throughput of ways over that of the best other one."""
    return Measures(
        Measure(of[way] / max(value for name, value in of.items() if name != way), f"{place} {way}")
        for place in points
        for of in [cases.best(found, place).of_ways()]
        for way in ways
    )


def against(found: Found, pairs: Iterable[tuple[Key, str]]) -> Measures:
    """The throughput at points over that of another method there."""
    return Measures(Measure(cases.over(found, key, method), f"{key}, over {method}") for key, method in pairs)


def collective(found: Found) -> Iterator[Verdict]:
    fast = [place for place in cases.places(found) if cases.condition(place.x)[0] >= FAST]
    fast_long = [place for place in fast if place.record_bytes > SHORT]
    fast_short = [place for place in fast if place.record_bytes == SHORT]
    yield from say("collective", shares(found, fast_long, "ddio"))
    yield from say("collective-short", shares(found, fast_short, "ddio"))
    yield from say(
        "collective-random", shares(found, (place for place in cases.places(found) if place.layout == RANDOM), "ddio")
    )
    yield from say(
        "random-others", shares(found, (place for place in fast_long if place.layout == RANDOM), "tc", "two-phase")
    )
    yield from say("none-leads", ahead(found, fast, "two-phase", "enwrich"))
    hybrids = [key for key in found.select("hybrid", "hybrid-gather") if cases.condition(key.x)[0] >= FAST]
    yield from say("hybrid", against(found, ((key, key.method.replace("hybrid", "ddio")) for key in hybrids)))

    def of_large(key: Key) -> float:
        return cases.speed(found, key) / cases.speed(found, key._replace(x=key.x.replace("small", "large")))

    directed = found.select("ddio", "ddio-gather")
    small = [key for key in directed if key.x.endswith("small") and key.record_bytes > SHORT]
    yield from say("one-buffer", each(small, of_large))


def pieces(found: Found) -> Iterator[Verdict]:
    contiguous, random = (found.select(record_bytes=SHORT, layout=layout) for layout in (CONTIGUOUS, RANDOM))

    def gains(keys: Iterable[Key], way: str, rival: str = "") -> Measures:
        return against(found, ((key, rival or way) for key in keys if key.method == cases.OPTIONS[way]))

    yield from say("gather", gains(contiguous, "ddio"))
    yield from say("gather-random", gains(random, "ddio"))
    yield from say("strided", gains(contiguous, "tc"))
    yield from say("strided-random", gains(random, "tc"))
    yield from say("strided-gather", gains(contiguous, "tc", "ddio-gather"))
    yield from say("strided-gather-random", gains(random, "tc", "ddio-gather"))

    def fewer(key: Key) -> float:
        return found[key].messages / found[key._replace(method=cases.OPTIONS[key.method])].messages

    yield from say("fewer-messages", each(found.select("tc", "ddio", "hybrid", record_bytes=SHORT), fewer))
    yield from say("strided-plain", against(found, ((key, "tc") for key in found.select("tc-strided"))))


def independent(found: Found) -> Iterator[Verdict]:
    hybrids = [key for key in found.select() if cases.way_of(key.method) == "hybrid"]
    yield from say("hybrid-calls", against(found, ((key, key.method.replace("hybrid", "tc")) for key in hybrids)))
    long_writes = [
        place for place in cases.places(found) if place.pattern.startswith("w") and place.record_bytes > SHORT
    ]
    yield from say(
        "enwrich-writes", ahead(found, (place for place in long_writes if place.layout == RANDOM), "enwrich")
    )
    yield from say(
        "enwrich-contiguous", shares(found, (place for place in long_writes if place.layout == CONTIGUOUS), "enwrich")
    )
    in_turn = [place for place in cases.places(found) if place.pattern in cases.MANY_PIECES]
    short_reads = [place for place in in_turn if place.pattern.startswith("r") and place.record_bytes < BLOCK]
    yield from say("enwrich-reads", shares(found, short_reads, "enwrich"))
    yield from say("strided-short", shares(found, (place for place in in_turn if place.record_bytes == SHORT), "tc"))


def mixed(found: Found) -> Iterator[Verdict]:
    yield from say("mixed-hybrid", shares(found, cases.places(found), "hybrid"))
    ways = {place: cases.best(found, place).of_ways() for place in cases.places(found)}
    yield from say(
        "mixed-caching",
        Measures(Measure(of["hybrid"] / of["tc"], f"{place} hybrid, over tc") for place, of in ways.items()),
    )
    yield from say("mixed-slowdown", each(found.select("hybrid"), lambda key: cases.slowdown(found, key, cases.SMALL)))


def models(found: Found) -> Iterator[Verdict]:
    """The statement about the worm model of the network, by which all but this experiment is simulated."""
    for place in cases.places(found):
        if place.x == WORM:
            first = cases.way_of(cases.best(found, place).leader.first)
            yield from say("models", shares(found, [other(place)], first), pattern=place.pattern)
