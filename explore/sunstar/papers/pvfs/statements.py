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
from sunstar.study.cases import Curve, Found, Key, sized
from sunstar.study.statements import Sentences, Verdict, average

say = Sentences("pvfs")
SMALL = 8 * cases.KIB  # The largest of the "very small" requests of section 4.2.2


def pattern(operation: str, locality: float) -> str:
    return cases.Load(0, operation, locality=locality).pattern


def of_two(nodes: int, locality: float) -> str:
    return cases.Load(0, nodes=nodes, locality=locality, sharing=0).pattern


def shared(found: Found, name: str) -> list[Key]:
    """The points of two instances that share something and have a cache."""
    return [key for key in cases.points(found, cases.CACHING, pattern=name) if int(key.x) > 0]


def overhead(found: Found) -> Iterator[Verdict]:
    """Figure 4."""
    read, write = pattern(cases.READ, 0), pattern(cases.WRITE, 0)
    yield say("reads-cost", cases.ratios(found, cases.points(found, cases.CACHING, pattern=read)))
    yield say("bound-costs", cases.ratios(found, cases.points(found, cases.BOUND, pattern=read)))
    for version, clause in ((cases.CACHING, ""), (cases.BOUND, ", at the bound, too")):
        yield say("writes-faster", cases.ratios(found, cases.points(found, version, pattern=write)), clause=clause)
    low, *_, high = sorted(cases.points(found, cases.CACHING, pattern=write), key=lambda key: key.record_bytes)
    sizes = f"{write}, {sized(high.record_bytes)} over {sized(low.record_bytes)}"
    yield say("writes-small", {sizes: cases.gain(found, high) / cases.gain(found, low)})


def locality(found: Found) -> Iterator[Verdict]:
    """Figure 5."""
    patterns = {operation: pattern(operation, 1) for operation in (cases.READ, cases.WRITE)}
    for operation, name in patterns.items():
        large = [key for key in cases.points(found, cases.CACHING, pattern=name) if key.record_bytes > SMALL]
        yield say("prominent", cases.ratios(found, large), operation=operation)
    for version, clause in ((cases.CACHING, ""), (cases.BOUND, ", at the bound of 400 us")):
        for operation, name in patterns.items():
            keys = cases.points(found, version, pattern=name)
            yield say("gains-grow", cases.growth(found, keys, "record_bytes"), operation=operation, clause=clause)
            most = cases.gain(found, max(keys, key=lambda key: key.record_bytes))
            gains = {cases.where(key): cases.gain(found, key) / most for key in keys if key.record_bytes <= SMALL}
            yield say("small-gain", gains, operation=operation, clause=clause)


def sharing(nodes: int) -> Callable[[Found], Iterator[Verdict]]:
    """Figures 6 and 7."""

    def judge(found: Found) -> Iterator[Verdict]:
        names = [of_two(nodes, each) for each in cases.LOCALITIES]
        yield say("ahead", {cases.where(key): 1 - cases.against(found, key) for key in shared(found, names[0])})
        for name in names:
            yield say(
                "sharing-grows", cases.growth(found, cases.points(found, cases.CACHING, pattern=name), "x"), name=name
            )
        for low, high in pairwise(names):
            keys = cases.points(found, cases.CACHING, pattern=low)
            grown = {
                cases.where(key): cases.gain(found, key._replace(pattern=high)) - cases.gain(found, key) for key in keys
            }
            yield say("locality-grows", grown, low=low, high=high)
        yield from falling(found, nodes)

    return judge


def falling(found: Found, nodes: int) -> Iterator[Verdict]:
    for methods, clause in (((cases.NONE, cases.APART), "without the cache"), ((cases.CACHING,), "with the cache")):
        falls = {}
        for name in (of_two(nodes, locality) for locality in cases.LOCALITIES):
            (none,) = cases.series(found, cases.NONE, pattern=name)
            for curve in cases.series(found, *methods, pattern=name):

                def fall(low: int, high: int, curve: Curve = curve, none: Curve = none) -> float:
                    return (curve[low] - curve[high]) / none[low]

                low, high = cases.span(curve, fall, 0.05)
                place = cases.where(curve.line._replace(record_bytes=high))
                falls[f"{place}, {curve.line.method}"] = -fall(low, high)
        yield say("times-fall", falls, clause=clause)


def fewer_nodes(found: Found) -> Iterator[Verdict]:
    """Figure 7 beside figure 6."""
    yield from sharing(2)(found)
    means = {nodes: {each: mean_gain(found, of_two(nodes, each)) for each in cases.LOCALITIES} for nodes in (4, 2)}
    yield say("more-nodes", {f"l = {each:g}": means[4][each] - means[2][each] for each in cases.LOCALITIES})


def mean_gain(found: Found, name: str, method: str = cases.NONE) -> float:
    return average(cases.gain(found, key, method) for key in shared(found, name))


def parallelism(found: Found) -> Iterator[Verdict]:
    """Figure 8."""
    names = [of_two(3, each) for each in cases.LOCALITIES]
    none, half, full = names
    yield say(
        "three-nodes",
        {cases.where(key): 1 - cases.against(found, key) for name in names for key in shared(found, name)},
    )
    yield say("by-far", {none: mean_gain(found, none)})
    yield say("behind-six", cases.ratios(found, shared(found, none), cases.APART))
    yield say("closer", {half: mean_gain(found, half, cases.APART) - mean_gain(found, none, cases.APART)})
    yield say("ahead-of-six", cases.ratios(found, shared(found, full), cases.APART))
    for name in names:
        yield say(
            "sharing-more",
            cases.growth(found, cases.points(found, cases.CACHING, pattern=name), "x", cases.APART),
            name=name,
        )
    yield from falling(found, 3)
