# SPDX-License-Identifier: MIT
"""What the report says about its Tables 3 and 4 and, in section 6.1, about its figures 6 to 12: each a sentence and a
check.

The report gives the figures only as drawings, of which we set the bounds. The report's MB are MiB here.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations, product

from sunstar.errors import UnmeasuredError
from sunstar.papers.tr94_226.cases import CPS, LAYOUTS, SWEEPS, copies
from sunstar.study.cases import Curve, Found, Key, curves_of, of_each, variation
from sunstar.study.statements import Measure, Measures, Verdict, about, each, share, single

BUS_MIB_PER_S = 10e6 / (1 << 20)
"""Peak of a SCSI bus, 10 MB/s."""

# Tables 3 and 4 ----------------------------------------------------------------------------------------------------


Rows = Mapping[Key, float]
"""Throughput in MiB/s; for `ra`, that of each copy, as in the report's text and drawings."""
CONTIGUOUS, RANDOM = LAYOUTS
ROUNDED = 0.05
"""MiB/s: what a printed figure's one decimal leaves open."""
PEAK = 37.5
"""MiB/s that the report's 16 disks transfer at most."""


def tables(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    """What the tables print, and what the text says of them, of the record sizes that were measured. Where the text
    names the extreme of a table, both are needed."""
    yield from as_printed(found, published)
    whole = set(found.record_sizes) == {8, 8192}
    for layout in LAYOUTS:
        keys = [key for key in found.select(layout=layout) if whole or key.record_bytes == 8192]
        if keys:
            rows = {key: found.mib(key) / copies({}, key) for key in keys}
            yield from (on_random_blocks if layout == RANDOM else on_contiguous)(rows, whole)
            most = 0.11 if layout == RANDOM else 0.12
            yield each(keys, lambda key: variation(found[key].trials_mib_per_s)).at_most(
                most, f"the largest coefficient of variation is {most} ({layout})", published=True
            )
    if 8192 in found.record_sizes:
        yield from large_records(found, published)
    if 8 in found.record_sizes:
        yield found.over(found.select("ddio", "ddio-presort", record_bytes=8), "tc").at_least(
            0.989,
            "8-byte records never make disk-directed I/O slower than traditional caching by more than 1.1 %",
            published=True,
        )


def as_printed(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    """The rows themselves, which the report prints with one decimal."""
    for layout, record_bytes in product(found.layouts, found.record_sizes):
        rows = [key for key in found.select(layout=layout, record_bytes=record_bytes) if key in published]
        if rows:
            yield share(
                f"each printed row is met ({layout}, {record_bytes} bytes; ours: within 5 % and half a unit of the one "
                "decimal)",
                1,
                {
                    f"{key.pattern} {key.method} ({100 * (found.mib(key) / published[key] - 1):+.0f} %)": 0.05
                    + ROUNDED / published[key]
                    - abs(found.mib(key) / published[key] - 1)
                    for key in rows
                },
            )


def ratios(rows: Rows, method: str, over: str) -> Measures:
    """Throughput of a method over that of another one."""
    keys = [key for key in rows if key.method == method]
    return Measures(Measure(rows[key] / rows[key._replace(method=over)], str(key)) for key in keys)


def near(rows: Rows, operation: str, value: float) -> dict[str, float]:
    """By how much disk-directed reads or writes with presort are inside 5 % of a value."""
    of = {key: mib for key, mib in rows.items() if key.method == "ddio-presort" and key.pattern[0] == operation}
    return {f"{key.pattern} {key.record_bytes} B ({mib:.1f})": 0.05 - abs(mib / value - 1) for key, mib in of.items()}


def on_random_blocks(rows: Rows, whole: bool) -> Iterator[Verdict]:
    """What the text says of Table 3."""
    yield share(
        "disk-directed reads with presort consistently reach 6.2 MB/s (ours: within 5 %)", 1, near(rows, "r", 6.2)
    )
    yield share("and writes 7.4 to 7.5 (ours: within 5 % of 7.45)", 1, near(rows, "w", 7.45))
    caching = {key: mib for key, mib in rows.items() if key.method == "tc"}
    yield each(caching, caching.__getitem__).at_most(
        5 + ROUNDED, "traditional caching is never faster than 5 MB/s (at one decimal)", published=True
    )
    if whole:
        small = [key for key in caching if key.record_bytes == 8 and key.pattern.endswith("c")]
        slowest = min(small, key=caching.__getitem__)
        others = min(mib for key, mib in caching.items() if key not in small)
        yield single(others / caching[slowest], f"the slowest other, over {slowest}").at_least(
            1.0, "the slowest cases have small chunks"
        )
        yield about("they are as slow as 0.7 MB/s", 0.7, Measure(caching[slowest], str(slowest)), within=ROUNDED / 0.7)
        for method, clause, most in (("ddio-presort", "with", 10.6), ("ddio", "without", 7.1)):
            yield about(
                f"disk-directed I/O {clause} presort is up to {most} times as fast as traditional caching",
                most,
                ratios(rows, method, "tc").largest(),
                unit="times",
            )
    unsorted = ratios(rows, "ddio", "tc")
    faster = {measure.where: measure.value - 1 for measure in unsorted}
    yield share("disk-directed I/O without presort is still faster in most cases", 0.51, faster)


def on_contiguous(rows: Rows, whole: bool) -> Iterator[Verdict]:
    """What the text says of Table 4."""
    yield share(
        "in most cases disk-directed reads move about 32.8 MB/s (ours: within 5 %)", 0.51, near(rows, "r", 32.8)
    )
    yield share("and writes 34.8 MB/s (ours: within 5 %)", 0.51, near(rows, "w", 34.8))
    best = max((key for key in rows if key.method == "ddio-presort"), key=rows.__getitem__)
    yield about(
        "disk-directed I/O obtains up to 93 % of the disks' peak",
        93,
        Measure(100 * rows[best] / PEAK, str(best)),
        unit="%",
    )
    slow = [key for key in rows if key.method == "ddio-presort" and (key.record_bytes, key.pattern[-1]) != (8, "c")]
    yield each(slow, lambda key: rows[key] / PEAK).at_least(
        0.8, "only moving individual 8-byte records keeps disk-directed I/O from getting close to the peak"
    )
    behind = ratios({key: mib for key, mib in rows.items() if key.pattern != "wn"}, "ddio-presort", "tc")
    yield behind.at_least(1.0, "traditional caching is unable to match disk-directed I/O except for wn")
    if whole:
        largest = ratios(rows, "ddio-presort", "tc").largest()
        yield about("traditional caching is as much as 18.2 times slower", 18.2, largest, unit="times")


def large_records(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    for layout, (operation, name) in product(LAYOUTS, (("r", "reads"), ("w", "writes"))):
        # ra delivers a copy to each CP.
        values = {
            key: found.mib(key)
            for key in found.select("ddio-presort", layout=layout, record_bytes=8192)
            if key.pattern[0] == operation and key.pattern != "ra"
        }
        most = max(values.values(), default=0.0)
        yield Measures(Measure(most / value, f"the most over {key}") for key, value in values.items()).at_most(
            1.01, f"throughput of disk-directed {name} does not depend on the pattern ({layout}: within 1 %)"
        )
    # Where disk-directed I/O is behind in the report's own tables, it may be behind here.
    excepted = {
        key
        for key in published
        if (caching := key._replace(method="tc")) in published and published[key] < 0.989 * published[caching]
    }
    directed = [key for key in found.select("ddio", "ddio-presort", record_bytes=8192) if key not in excepted]
    yield found.over(directed, "tc").at_least(
        0.989,
        "disk-directed I/O is never slower than traditional caching by more than 1.1 % where the tables do not say so",
        published=True,
    )
    times = {
        key.pattern: found.mib(key) / found.mib(key._replace(layout="random-blocks"))
        for key in found.select("ddio-presort", layout="contiguous", record_bytes=8192)
    }
    yield share(
        "the contiguous layout is about five times as fast as random blocks under disk-directed I/O (ours: 4.5 to 5.5)",
        1,
        {f"{pattern} ({ratio:.2f})": 0.5 - abs(ratio - 5) for pattern, ratio in times.items()},
    )


def presort(found: Found) -> Iterator[Verdict]:
    """The statements about the gain by presorting, of 20 trials."""
    gains = {key.pattern: found.ratio(key, "ddio") for key in found.select("ddio-presort")}
    yield share(
        "presorting gains 41 to 50 % on random blocks (ours: 40 to 51)",
        1,
        {f"{pattern} ({100 * (gain - 1):+.1f} %)": 0.055 - abs(gain - 1.455) for pattern, gain in gains.items()},
    )


# Figures 6 to 12 ---------------------------------------------------------------------------------------------------


def a_copy(figure: int, found: Found, key: Key) -> float:
    """Throughput in MiB/s; the report divides that of `ra` by the number of CPs."""
    return found.mib(key) / copies(SWEEPS[figure].set_x(int(key.x)), key)


Curves = Sequence[Curve]


def curves(figure: int, found: Found) -> Curves:
    """The lines of a figure: throughput in MiB/s by x; for `ra`, that of each copy."""
    return curves_of(found.results, lambda key: a_copy(figure, found, key), "x", SWEEPS[figure].label)


def of(found: Curves, method: str, pattern: str) -> Curve:
    """The curve of a method and pattern."""
    for curve in found:
        if (curve.line.method, curve.line.pattern) == (method, pattern):
            return curve
    raise UnmeasuredError(f"{pattern} {method} was not measured")


def of_method(found: Curves, method: str) -> Curves:
    return [curve for curve in found if curve.line.method == method]


def fall(found: Curves) -> Measures:
    """The factor by which throughput falls from one x to the next."""
    return Measures(
        Measure(curve[low] / curve[high], f"{curve.name}, {low} over {high}")
        for curve in found
        for low, high in pairwise(sorted(curve))
    )


def figure_6(found: Curves) -> Iterator[Verdict]:
    rc, rb, directed_rb = of(found, "tc", "rc"), of(found, "tc", "rb"), of(found, "ddio-presort", "rb")
    directed = of_method(found, "ddio-presort")
    yield of_each(directed, lambda curve: curve.peak / min(curve.values()), "most over least").at_most(
        1.05, "disk-directed I/O is unaffected by the number of CPs (within 5 %)"
    )
    # One CP alone is left out: CYCLIC gives it the whole file as one chunk.
    yield Measures(Measure(rc[n] / rc[CPS], f"{n} CPs over {CPS}") for n in (2, 4)).at_most(
        0.9, "with fewer CPs than IOPs, rc under traditional caching cannot use all disks (up to a quarter: below 90 %)"
    )
    yield single(rb[CPS] / directed_rb[CPS], "rb, tc over ddio-presort").at_most(
        0.5, "multiple localities hurt rb under traditional caching (16 CPs: below half of disk-directed I/O)"
    )
    yield Measures(
        Measure(value / of(found, "ddio-presort", curve.line.pattern)[n], f"{curve.line.pattern}, CPs: {n}")
        for curve in of_method(found, "tc")
        for n, value in curve.items()
    ).at_most(
        1.011, "traditional caching is nowhere faster than disk-directed I/O (by more than 1.1 %)", published=True
    )


def figure_7(found: Curves) -> Iterator[Verdict]:
    rb, directed_rb = of(found, "tc", "rb"), of(found, "ddio-presort", "rb")
    yield fall([curve for curve in found if curve is not rb]).at_most(
        1.03, "throughput falls with fewer IOPs, or stays (within 3 %), but for rb under traditional caching"
    )

    def first_loss(curve: Curve) -> float:
        return (curve[16] / curve[8]) / math.pow(curve[8] / curve[1], 1 / 3)

    yield of_each(of_method(found, "ddio-presort"), first_loss, "first loss over mean of the later").at_most(
        1.0, "disk-directed I/O loses most with over two disks a bus: less from 16 to 8 IOPs than at later halvings"
    )
    yield Measures(
        Measure(value / directed_rb[n], f"IOPs: {n}, tc over ddio-presort") for n, value in rb.items()
    ).at_most(0.9, "traditional caching always has difficulty with rb (below 90 % of disk-directed I/O)")


def disks_on_one_iop(found: Curves) -> Iterator[Verdict]:
    """Figures 8 and 9."""
    directed, most = of_method(found, "ddio-presort"), found[0].last
    yield fall(directed).at_most(
        1.06, "throughput of disk-directed I/O grows with the disks, or stays (within 6 %: it may congest the bus)"
    )
    yield of_each(directed, lambda curve: 1 - curve[most] / BUS_MIB_PER_S, "lacking").at_most(
        0.25, f"disk-directed I/O approaches the bus's peak (lacks at most a quarter with {most} disks)"
    )


SLOWER = {"contiguous": 0.95, "random-blocks": 0.9}
"""By layout: the most that rb under traditional caching reaches on 10 MiB, as a share of 100 MiB.

A sixth of the disks' reads of 10 MiB are mistaken prefetches, a fiftieth of those of 100 MiB. A contiguous file of 10
MiB pays part of that back: it lies within two cylinders of each disk, the larger one within ten."""


def file_size(found: Curves) -> Iterator[Verdict]:
    """Figures 10 and 11."""
    rb = of(found, "tc", "rb")
    slower = SLOWER[rb.line.layout]

    def of_larger(curve: Curve) -> float:
        return curve[10] / max(value for n, value in curve.items() if n > 10)

    yield of_each(found, of_larger, "10 MiB over larger").at_most(
        1.01, "throughput is highest with files of 100 MiB or more (10 MiB exceeds it by at most 1 %)"
    )
    yield single(rb[10] / rb[100], "10 MiB over 100 MiB").at_most(
        slower, f"rb under traditional caching is slower on 10 MiB than on 100 MiB (below {100 * slower:.0f} %)"
    )
    yield overtaking([curve for curve in found if curve is not rb]).at_most(
        1.05, "file size changes no other order: who leads on 10 MiB is not behind on larger ones (both by over 5 %)"
    )


def overtaking(found: Curves) -> Measures:
    """For each pair of lines: the factor by which one leads on 10 MiB, or the other on larger files if that is
    smaller."""
    return Measures(
        Measure(
            min(leading[10] / following[10], following[n] / value),
            f"{leading.name} ahead on 10 MiB and behind {following.name} on {n} MiB",
        )
        for leading, following in permutations(found, 2)
        for n, value in leading.items()
        if n > 10 and n in following
    )


def figure_12(found: Curves) -> Iterator[Verdict]:
    contiguous, scattered = (next(curve for curve in found if curve.line.layout == layout) for layout in LAYOUTS)
    yield fall(found).at_most(1.02, "larger records are never slower (within 2 %)")
    yield of_each(found, lambda curve: curve[8] / curve[8192]).at_most(
        0.6, "8-byte records limit throughput by their overhead (below 60 % of 8192-byte records)"
    )
    yield single(scattered[8192] / contiguous[8192], "random-blocks over contiguous").at_most(
        0.25, "8192-byte records meet the disks' limit on random blocks (below a quarter of the contiguous layout)"
    )


FIGURES = {
    6: figure_6,
    7: figure_7,
    8: disks_on_one_iop,
    9: disks_on_one_iop,
    10: file_size,
    11: file_size,
    12: figure_12,
}


def of_figure(number: int) -> Callable[[Found], Iterator[Verdict]]:
    """The statements about a figure."""
    return lambda found: FIGURES[number](curves(number, found))
