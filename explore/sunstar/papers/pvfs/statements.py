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

from sunstar.papers.pvfs.cases import (
    APART,
    BOUND,
    CACHING,
    KIB,
    LOCALITIES,
    NONE,
    READ,
    TIE,
    WRITE,
    Load,
    against,
    gain,
    growth,
    points,
    ratios,
    series,
    size,
    span,
    where,
)
from sunstar.study.cases import Curve, Found, Key
from sunstar.study.statements import Measure, Measures, Verdict, average, share, single

SMALL = 8 * KIB
"""The largest of the "very small" requests of section 4.2.2."""


def pattern(operation: str, locality: float) -> str:
    return Load(0, operation, locality=locality).pattern


def of_two(nodes: int, locality: float) -> str:
    return Load(0, nodes=nodes, locality=locality, sharing=0).pattern


def shared(found: Found, name: str) -> list[Key]:
    """The points of two instances that share something and have a cache."""
    return [key for key in points(found, CACHING, pattern=name) if int(key.x) > 0]


# One instance (figures 4 and 5) --------------------------------------------------------------------------------------


def overhead(found: Found) -> Iterator[Verdict]:
    """Figure 4."""
    read, write = pattern(READ, 0), pattern(WRITE, 0)
    yield ratios(found, points(found, CACHING, pattern=read)).at_most(
        1.1, "without locality, reads with the cache take hardly longer (10 % at most)"
    )
    yield ratios(found, points(found, BOUND, pattern=read)).at_most(
        1.1, "so they do if each access to a block costs 400 us, the most that the paper says"
    )
    for version, clause in ((CACHING, ""), (BOUND, ", at the bound, too")):
        written = points(found, version, pattern=write)
        yield ratios(found, written).at_most(1.0, f"writes are faster with the cache{clause}")
    low, *_, high = sorted(points(found, CACHING, pattern=write), key=lambda key: key.record_bytes)
    sizes = f"{write}, {size(high.record_bytes)} over {size(low.record_bytes)}"
    yield single(gain(found, high) / gain(found, low), sizes).at_most(
        0.5, "much more so with small requests (the gain of the largest is half that of the smallest at most)"
    )


def locality(found: Found) -> Iterator[Verdict]:
    """Figure 5."""
    patterns = {operation: pattern(operation, 1) for operation in (READ, WRITE)}
    for operation, name in patterns.items():
        large = [key for key in points(found, CACHING, pattern=name) if key.record_bytes > SMALL]
        yield ratios(found, large).at_most(
            0.5,
            f"with full locality, the gains of {operation}s are very prominent with requests of more than 8 KB (half "
            "the time or more)",
        )
    for version, clause in ((CACHING, ""), (BOUND, ", at the bound of 400 us")):
        for operation, name in patterns.items():
            keys = points(found, version, pattern=name)
            yield growth(found, keys, "record_bytes").at_least(
                0, f"the gains of {operation}s grow with the request size{clause}", tie=TIE
            )
            most = gain(found, max(keys, key=lambda key: key.record_bytes))
            small = [key for key in keys if key.record_bytes <= SMALL]
            yield Measures(Measure(gain(found, key) / most, where(key)) for key in small).at_most(
                0.5, f"requests of 8 KB and less gain little in {operation}s{clause} (half of what the largest gain)"
            )


# Two instances (figures 6 to 8) --------------------------------------------------------------------------------------


def sharing(nodes: int) -> Callable[[Found], Iterator[Verdict]]:
    """Figures 6 and 7."""

    def judge(found: Found) -> Iterator[Verdict]:
        names = [of_two(nodes, each) for each in LOCALITIES]
        yield share(
            "even without locality the cache is ahead with nearly all degrees of sharing above zero",
            0.9,
            {where(key): 1 - against(found, key) for key in shared(found, names[0])},
        )
        for name in names:
            yield growth(found, points(found, CACHING, pattern=name), "x").at_least(
                0, f"gains grow with the degree of sharing ({name})", tie=TIE
            )
        for low, high in pairwise(names):
            yield Measures(
                Measure(gain(found, key._replace(pattern=high)) - gain(found, key), where(key))
                for key in points(found, CACHING, pattern=low)
            ).at_least(0, f"gains grow from {low} to {high}", tie=TIE)
        yield from falling(found, nodes)

    return judge


def falling(found: Found, nodes: int) -> Iterator[Verdict]:
    for methods, clause in (((NONE, APART), "without the cache"), ((CACHING,), "with the cache")):
        falls = Measures()
        for name in (of_two(nodes, locality) for locality in LOCALITIES):
            (none,) = series(found, NONE, pattern=name)
            for curve in series(found, *methods, pattern=name):

                def fall(low: int, high: int, curve: Curve = curve, none: Curve = none) -> float:
                    return (curve[low] - curve[high]) / none[low]

                low, high = span(curve, fall, 0.05)
                place = where(curve.line._replace(record_bytes=high))
                falls.append(Measure(-fall(low, high), f"{place}, {curve.line.method}"))
        yield falls.at_most(0, f"all times {clause} fall as the requests grow", tie=0.05)


def fewer_nodes(found: Found) -> Iterator[Verdict]:
    """Figure 7 beside figure 6."""
    yield from sharing(2)(found)
    yield Measures(
        Measure(mean_gain(found, of_two(4, each)) - mean_gain(found, of_two(2, each)), f"l = {each:g}")
        for each in LOCALITIES
    ).at_least(
        0.0, "gains are larger with p = 4 than with p = 2 (the mean gain of all that share, less that with p = 2)"
    )


def mean_gain(found: Found, name: str, method: str = NONE) -> float:
    return average(gain(found, key, method) for key in shared(found, name))


def parallelism(found: Found) -> Iterator[Verdict]:
    """Figure 8."""
    names = [of_two(3, each) for each in LOCALITIES]
    none, half, full = names
    yield share(
        "three nodes with the cache are ahead of three without it",
        1.0,
        {where(key): 1 - against(found, key) for name in names for key in shared(found, name)},
    )
    yield single(mean_gain(found, none), none).at_least(
        0.2, "even without locality by far (a gain of a fifth in the mean)"
    )
    yield ratios(found, shared(found, none), APART).at_least(
        1.0, "without locality they are behind six nodes without it"
    )
    yield single(mean_gain(found, half, APART) - mean_gain(found, none, APART), half).at_least(
        0.0, "with locality they come closer (the mean gain, less that without locality)"
    )
    yield ratios(found, shared(found, full), APART).at_most(
        1.0, "with full locality they are ahead of six nodes without it"
    )
    for name in names:
        yield growth(found, points(found, CACHING, pattern=name), "x", APART).at_least(
            0, f"the more so the more is shared ({name})", tie=TIE
        )
    yield from falling(found, 3)
