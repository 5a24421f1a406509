# SPDX-License-Identifier: MIT
"""What the paper says about its measurements (section 4.2), each as a sentence and a check.

The paper draws curves and gives no numbers. We set the bounds from its words: "not very significant" is 10 % at most,
"very prominent" and "far ahead" a half, "nearly all" is 90 % of the cases. A gain is the share of the time without
caching that the cache saves. A curve grows if it does so from one end to the other and no step of it falls. A gain that
changes by at most 0.02, or a time that changes by at most 5 % of that without caching, neither grows nor falls: if that
is the worst case, the statement is undecided.

The paper says that a block costs less than 400 us; that its statements hold at this bound, too, is our question.

The figure of a known shortfall is the worst one of --quick and of the full runs.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

from sunstar.papers.pvfs import cases
from sunstar.papers.pvfs.cases import APART, BOUND, CACHING, LOCALITIES, NONE, READ, WRITE, gain, points, ratios, where
from sunstar.study.cases import Curve, Found, Key, sized
from sunstar.study.statements import Sentences, Verdict, average

say = Sentences("pvfs")
SMALL = 8 * cases.KIB  # The largest of the "very small" requests of section 4.2.2


def of_two(nodes: int) -> list[str]:
    """The patterns of two instances on this number of nodes, by locality."""
    return [f"p = {nodes}, l = {locality}" for locality in LOCALITIES]


def shared(found: Found, name: str) -> list[Key]:
    """The points of two instances that share something and have a cache."""
    return [key for key in points(found, CACHING, pattern=name) if int(key.x) > 0]


def gain_of_small_writes(found: Found) -> Iterator[Verdict]:
    """Figure 4."""
    write = f"{WRITE}, p = 4, l = 0"
    low, *_, high = sorted(points(found, CACHING, pattern=write), key=lambda key: key.record_bytes)
    sizes = f"{write}, {sized(high.record_bytes)} over {sized(low.record_bytes)}"
    yield say("writes-small", {sizes: gain(found, high) / gain(found, low)})


def locality(found: Found) -> Iterator[Verdict]:
    """Figure 5."""
    patterns = {operation: f"{operation}, p = 4, l = 1" for operation in (READ, WRITE)}
    for version, clause in ((CACHING, ""), (BOUND, ", at the bound of 400 us")):
        for operation, name in patterns.items():
            keys = points(found, version, pattern=name)
            yield say("gains-grow", cases.growth(found, keys, "record_bytes"), operation=operation, clause=clause)
            most = gain(found, max(keys, key=lambda key: key.record_bytes))
            gains = {where(key): gain(found, key) / most for key in keys if key.record_bytes <= SMALL}
            yield say("small-gain", gains, operation=operation, clause=clause)


def sharing(nodes: int) -> Callable[[Found], Iterator[Verdict]]:
    """Figures 6 and 7."""

    def judge(found: Found) -> Iterator[Verdict]:
        names = of_two(nodes)
        for name in names:
            yield say("sharing-grows", cases.growth(found, points(found, CACHING, pattern=name), "x"), name=name)
        for low, high in pairwise(names):
            keys = points(found, CACHING, pattern=low)
            grown = {where(key): gain(found, key._replace(pattern=high)) - gain(found, key) for key in keys}
            yield say("locality-grows", grown, low=low, high=high)
        yield from falling(found, nodes)

    return judge


def falling(found: Found, nodes: int) -> Iterator[Verdict]:
    for methods, clause in (((NONE, APART), "without the cache"), ((CACHING,), "with the cache")):
        falls = {}
        for name in of_two(nodes):
            (none,) = cases.series(found, NONE, pattern=name)
            for curve in cases.series(found, *methods, pattern=name):

                def fall(low: int, high: int, curve: Curve = curve, none: Curve = none) -> float:
                    return (curve[low] - curve[high]) / none[low]

                low, high = cases.span(curve, fall, 0.05)
                falls[f"{where(curve.line._replace(record_bytes=high))}, {curve.line.method}"] = -fall(low, high)
        yield say("times-fall", falls, clause=clause)


def fewer_nodes(found: Found) -> Iterator[Verdict]:
    """Figure 7 beside figure 6."""
    four, two = ([mean_gain(found, name) for name in of_two(nodes)] for nodes in (4, 2))
    yield say("more-nodes", {f"l = {at}": a - b for at, a, b in zip(LOCALITIES, four, two, strict=True)})


def mean_gain(found: Found, name: str, method: str = NONE) -> float:
    return average(gain(found, key, method) for key in shared(found, name))


def parallelism(found: Found) -> Iterator[Verdict]:
    """Figure 8."""
    names = none, half, full = of_two(3)
    yield say("by-far", {none: mean_gain(found, none)})
    yield say("behind-six", ratios(found, shared(found, none), APART))
    yield say("closer", {half: mean_gain(found, half, APART) - mean_gain(found, none, APART)})
    yield say("ahead-of-six", ratios(found, shared(found, full), APART))
    for name in names:
        yield say("sharing-more", cases.growth(found, points(found, CACHING, pattern=name), "x", APART), name=name)
    yield from falling(found, 3)
