# SPDX-License-Identifier: MIT
"""What the paper says about its experiments (sections 5.1 to 5.3 and 6), each as a sentence and a check.

We set the bounds from the paper's words: a single figure is met within 5 %, "nearly every" is nine in ten, "most" is
more than half, "a large majority" two thirds, "comfortably" and "markedly" a tenth. The paper's MB and MB/s are 2^20
bytes, as its disks' 2.34 MB/s show; here they are written MiB and MiB/s.

How many flushes there are follows from the sizes of caches and data, whatever the model does: tests count them, and no
statement does.

The figure of a known shortfall is that of five trials with seed 1.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from sunstar.papers.enwrich.cases import DILUTED, FEW_ENTRIES, MANY_ENTRIES, PACINGS, TWO_ARRAYS, flushes
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, average, each

say = Sentences("enwrich")


def large(found: Found, *methods: str) -> list[Key]:
    """The points with 8192-byte and 512-byte records."""
    return [key for key in found.select(*methods) if key.record_bytes > 8]


def of(keys: Iterable[Key], patterns: Iterable[str]) -> list[Key]:
    return [key for key in keys if key.pattern in patterns]


def named(found: Found, key: Key) -> str:
    return f"{key.pattern} {key.record_bytes} B ({found.mib(key):.1f})"


def within(value: float, low: float, high: float) -> float:
    """The margin of a value that is to lie between two others."""
    return min(value - low, high - value)


def both_layouts(found: Found) -> Iterator[Verdict]:
    """What figures 4 and 5 have in common."""
    every, big = found.select("enwrich"), large(found, "enwrich")
    small = found.select("enwrich", record_bytes=8)
    yield say("upper-bound", found.over(every, "ddio"))
    yield say("never-worse", found.over([key for key in every if key.pattern != "wnn"], "tc"))
    if big:
        yield say(f"half-{big[0].layout}", found.over(of(big, DILUTED), "tc"))
        yield say("two-arrays", found.over(of(big, TWO_ARRAYS), "tc"))
    if small:
        yield say("small-records", {key.pattern: found.ratio(key, "tc") - 0.95 for key in small})


def figure_4(found: Found) -> Iterator[Verdict]:
    keys, caching = [key for key in large(found, "enwrich") if key.pattern != "wnn"], large(found, "tc")
    if {8192, 512} <= set(found.record_sizes):
        yield say("7-to-8", {named(found, key): within(found.mib(key), 6.95, 8.05) for key in keys})
    if keys:
        yield say("caching-at-best", each(caching, found.mib).largest())
        yield say("ahead", found.over(keys, "tc"))
        yield say("wnn", found.over(of(caching, ("wnn",)), "enwrich"))
    yield from both_layouts(found)


def figure_5(found: Found) -> Iterator[Verdict]:
    keys, caching = [key for key in large(found, "enwrich") if key.pattern != "wnn"], large(found, "tc")
    if {8192, 512} <= set(found.record_sizes):
        yield say("around-30", {named(found, key): within(found.mib(key), 27, 1.05 * 34.1) for key in keys})
        yield say("caching-9-to-10", {named(found, key): within(found.mib(key), 8.5, 10.5) for key in caching})
    if keys:
        for name, those in (("ENWRICH", keys), ("traditional caching", caching)):
            yield say("favourable", each(those, found.mib).largest(), name=name)
        yield say("wnn-markedly", found.over(of(caching, ("wnn",)), "enwrich"))
        yield say("wbn", found.over(of(keys, ("wbn",)), "tc"))
        one, two = (
            average(found.mib(key) for key in caching if (key.pattern in TWO_ARRAYS) == two_arrays)
            for two_arrays in (False, True)
        )
        yield say("caching-two-arrays", {f"{two:.1f} over {one:.1f} MiB/s": two / one})
    yield from both_layouts(found)
    if found.select("enwrich", record_bytes=8):
        yield say("in-one-case", Measures([found.over(found.select("enwrich"), "tc").largest()]))


def gains(found: Found, pattern: str) -> tuple[float, float]:
    """The gain of a 1 MiB cache over one of 0.5 MiB, and of a 2 MiB cache over one of 1 MiB, as fractions."""
    small, middle, big = (found.mib(found.one("enwrich", pattern=pattern, x=x)) for x in ("0.5", "1", "2"))
    return middle / small - 1, big / middle - 1


def figure_6(found: Found) -> Iterator[Verdict]:
    gained = {pattern: gains(found, pattern) for pattern in found.patterns}
    diminishing = {f"{p} ({100 * a:+.1f} %, then {100 * b:+.1f} %)": (p, a - b) for p, (a, b) in gained.items()}
    yield say(
        "cache-better",
        {
            key.pattern: found.mib(key) / found.mib(found.one("tc", pattern=key.pattern)) - 1.1
            for key in found.select("enwrich", x="0.5")
        },
    )
    yield say("cache-larger", each(gained, lambda pattern: min(gained[pattern]), "gain"))
    yield say("cache-first-step", {name: less for name, (_, less) in diminishing.items()})
    yield say(
        "cache-diminish", {name: less for name, (pattern, less) in diminishing.items() if pattern in MANY_ENTRIES}
    )
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
    yield say("iops-one", each(curves, lambda pattern: abs(curves[pattern][1] / caching[pattern][1] - 1), "apart"))
    yield say("iops-scale", steps(found, "enwrich"))

    def growth(curve: dict[int, float]) -> float:
        return curve[16] / curve[1]

    yield say(
        "iops-improve",
        each(curves, lambda pattern: growth(curves[pattern]) / growth(caching[pattern]), "gain over gain"),
    )


def scaling_with_disks(found: Found) -> Iterator[Verdict]:
    """Figures 9 and 10."""
    for method, name in (("enwrich", "ENWRICH"), ("tc", "traditional caching")):
        yield say("disks-grow", steps(found, method), name=name)
    yield say("disks-ahead", found.over(found.select("enwrich", x="40"), "tc"))
    growth = {pattern: curve[40] / curve[8] for pattern, curve in found.curves("enwrich").items()}
    diluted = growth.pop("wpnncc")
    yield say(
        "disks-diluted", {f"{diluted:.2f} times over {pattern}'s": diluted / value for pattern, value in growth.items()}
    )


def figure_11(found: Found) -> Iterator[Verdict]:
    for pacing in PACINGS:
        keys = found.select("enwrich", x=pacing)
        yield say("trace-ahead", found.over(keys, "tc"), pacing=pacing)
        flushed = each(keys, lambda key: flushes(found, key, "directory"), "for full directories")
        yield say("trace-directories", flushed, pacing=pacing)


def scheduler(found: Found) -> Iterator[Verdict]:
    scattered = found.select("tc-sstf", "tc-cscan", layout="random-blocks")
    means = [
        average(found.ratio(key, "tc") for key in scattered if key.method == method)
        for method in ("tc-sstf", "tc-cscan")
    ]
    yield say("scheduler", {"over first-come-first-served": max(means)})
    yield say("scheduler-below", found.over(found.select("tc-sstf", "tc-cscan"), "enwrich"))


def latency(found: Found) -> Iterator[Verdict]:
    def time(key: Key, percentile: str) -> float:
        return float(found[key].latency[f"{percentile}_s"])

    for name in ("p50", "p90"):
        ratios = {str(key): time(key, name) / time(key._replace(method="tc"), name) for key in found.select("enwrich")}
        yield say("latency", ratios, percentile=name)


def options(found: Found) -> Iterator[Verdict]:
    """The paper only expects these; the bounds are that each helps where it should."""

    def gain(option: str, *patterns: str) -> Measures:
        def over_none(pattern: str) -> float:
            return found.mib(found.one(pattern=pattern, x=option)) / found.mib(found.one(pattern=pattern, x="none"))

        return each(patterns, over_none, f"{option} over none")

    yield say("shared", gain("shared", "wcc 8 B"))
    yield say("buffers", gain("fetched, 16 buffers", "wbn", "wbn random"))
    yield say("background", gain("background, 50 %", "computing"))
