# SPDX-License-Identifier: MIT
"""What the paper says about its experiments (sections 5.1 to 5.3 and 6), each as a sentence and a check.

We set the bounds from the paper's words: a single figure is met within 5 %, "nearly every" is nine in ten, "most" is
more than half, "a large majority" two thirds, "comfortably" and "markedly" a tenth. The paper's MB and MB/s are 2^20
bytes, as its disks' 2.34 MB/s show; here they are written MiB and MiB/s.

The number of flushes follows from the sizes of caches and data alone: tests count them, and no statement does.

The figure of a known shortfall is that of five trials with seed 1.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from sunstar.papers.enwrich.cases import FEW_ENTRIES, MANY_ENTRIES, TWO_ARRAYS
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, average, each

say = Sentences("enwrich")


def large(found: Found, method: str) -> list[Key]:
    """The points with 8192-byte and 512-byte records."""
    return [key for key in found.select(method) if key.record_bytes > 8]


def within(found: Found, keys: Iterable[Key], low: float, high: float) -> dict[str, float]:
    """The margins of throughput that should lie between two values."""
    of = {key: found.mib(key) for key in keys}
    return {f"{key.pattern} {key.record_bytes} B ({mib:.1f})": min(mib - low, high - mib) for key, mib in of.items()}


def figure_4(found: Found) -> Iterator[Verdict]:
    if {8192, 512} <= set(found.record_sizes):
        keys = [key for key in large(found, "enwrich") if key.pattern != "wnn"]
        yield say("7-to-8", within(found, keys, 6.95, 8.05))


def figure_5(found: Found) -> Iterator[Verdict]:
    if {8192, 512} <= set(found.record_sizes):
        keys = [key for key in large(found, "enwrich") if key.pattern != "wnn"]
        yield say("around-30", within(found, keys, 27, 1.05 * 34.1))
        yield say("caching-9-to-10", within(found, large(found, "tc"), 8.5, 10.5))


def caching_on_two_arrays(found: Found) -> Iterator[Verdict]:
    if caching := large(found, "tc"):
        one, two = (
            average(found.mib(key) for key in caching if (key.pattern in TWO_ARRAYS) == two_arrays)
            for two_arrays in (False, True)
        )
        yield say("caching-two-arrays", {f"{two:.1f} over {one:.1f} MiB/s": two / one})


def in_one_case(found: Found) -> Iterator[Verdict]:
    if found.select("enwrich", record_bytes=8):
        yield say("in-one-case", Measures([found.over(found.select("enwrich"), "tc").largest()]))


def gains(found: Found, pattern: str) -> tuple[float, float]:
    """The gain of a 1 MiB cache over one of 0.5 MiB, and of a 2 MiB cache over one of 1 MiB, as fractions."""
    small, middle, big = (found.mib(found.one("enwrich", pattern=pattern, x=x)) for x in ("0.5", "1", "2"))
    return middle / small - 1, big / middle - 1


def figure_6(found: Found) -> Iterator[Verdict]:
    gained = {pattern: gains(found, pattern) for pattern in found.patterns}
    diminishing = {f"{p} ({100 * a:+.1f} %, then {100 * b:+.1f} %)": (p, a - b) for p, (a, b) in gained.items()}
    caching = {key.pattern: found.mib(key) for key in found.select("tc")}
    better = {key.pattern: found.mib(key) / caching[key.pattern] - 1.1 for key in found.select("enwrich", x="0.5")}
    yield say("cache-better", better)
    yield say("cache-larger", each(gained, lambda pattern: min(gained[pattern]), "gain"))
    yield say("cache-first-step", {name: less for name, (_, less) in diminishing.items()})
    of_many = {name: less for name, (pattern, less) in diminishing.items() if pattern in MANY_ENTRIES}
    yield say("cache-diminish", of_many)
    many, few = (average(gained[pattern][1] for pattern in group) for group in (MANY_ENTRIES, FEW_ENTRIES))
    yield say("cache-many", {"difference": 100 * (many - few)})


def steps(found: Found, method: str, least: int = 0) -> Measures:
    """The ratio of throughput at each x to that at the x before."""
    return Measures(
        Measure(curve[high] / curve[low], f"{method} {pattern}, {high} over {low}")
        for pattern, curve in found.curves(method).items()
        for low, high in pairwise(sorted(x for x in curve if x >= least))
    )


def figure_7(found: Found) -> Iterator[Verdict]:
    curves, caching = found.curves("enwrich"), found.curves("tc")
    # A partition needs two CPs.
    fall = {p: values[2] / values[1] for p, values in curves.items() if not p.startswith("wp")}
    yield say("cps-fall", {f"{p} ({value:.2f})": 1 - value for p, value in fall.items()})
    yield say("cps-scale", steps(found, "enwrich", least=2))
    yield say("cps-32", each(curves, lambda pattern: curves[pattern][32] / curves[pattern][2], "32 over 2"))
    yield say("cps-caching", {f"{p}, 32 over {min(c)}": c[32] / c[min(c)] for p, c in caching.items()})


def figure_8(found: Found) -> Iterator[Verdict]:
    curves, caching = found.curves("enwrich"), found.curves("tc")
    yield say("iops-scale", steps(found, "enwrich"))
    growth, of_caching = ({p: curve[16] / curve[1] for p, curve in of.items()} for of in (curves, caching))
    yield say("iops-improve", each(curves, lambda pattern: growth[pattern] / of_caching[pattern], "gain over gain"))


def disks_grow(found: Found) -> Iterator[Verdict]:
    for method, name in (("enwrich", "ENWRICH"), ("tc", "traditional caching")):
        yield say("disks-grow", steps(found, method), name=name)


def diluted(found: Found) -> Iterator[Verdict]:
    growth = {pattern: curve[40] / curve[8] for pattern, curve in found.curves("enwrich").items()}
    own = growth.pop("wpnncc")
    yield say("disks-diluted", {f"{own:.2f} times over {p}'s": own / value for p, value in growth.items()})


def scheduler(found: Found) -> Iterator[Verdict]:
    scattered = {method: found.select(method, layout="random-blocks") for method in ("tc-sstf", "tc-cscan")}
    best = max(average(found.ratio(key, "tc") for key in keys) for keys in scattered.values())
    yield say("scheduler", {"over first-come-first-served": best})
