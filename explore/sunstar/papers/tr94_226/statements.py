# SPDX-License-Identifier: MIT
"""What the report says about its Tables 3 and 4 and, in section 6.1, about its figures 6 to 12: each a sentence and a
check.

The report gives the figures only as drawings; we set the bounds, which stand in the sentences. The report's MB of file
sizes are MiB here.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, permutations, product

from sunstar.errors import UnmeasuredError
from sunstar.papers.tr94_226.cases import CPS, LAYOUTS, SWEEPS, copies
from sunstar.study.cases import Curve, Found, Key
from sunstar.study.statements import Measure, Verdict, at_least, at_most, share

BUS_MIB_PER_S = 10e6 / (1 << 20)
"""Peak of a SCSI bus, 10 MB/s."""

# Tables 3 and 4 ----------------------------------------------------------------------------------------------------


def tables(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    """The statements about all rows of the record sizes that were measured."""
    if 8192 in found.record_sizes:
        yield from large_records(found, published)
    if 8 in found.record_sizes:
        yield at_least(
            "8-byte records never make disk-directed I/O slower than traditional caching (by more than 1.1 %)",
            0.989,
            (
                Measure(found.ratio(key, "tc"), f"{key} over tc")
                for key in found.select("ddio", "ddio-presort", record_bytes=8)
            ),
        )


def large_records(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    for layout, (operation, name) in product(LAYOUTS, (("r", "reads"), ("w", "writes"))):
        # ra delivers a copy to each CP.
        values = {
            key: found.mib(key)
            for key in found.select("ddio-presort", layout=layout, record_bytes=8192)
            if key.pattern[0] == operation and key.pattern != "ra"
        }
        yield at_most(
            f"throughput of disk-directed {name} does not depend on the pattern ({layout}: within 1 %)",
            1.01,
            (Measure(max(values.values()) / value, f"the most over {key}") for key, value in values.items()),
        )
    # Where disk-directed I/O is behind in the report's own tables, it may be behind here.
    excepted = {
        key
        for key in published
        if (caching := key._replace(method="tc")) in published and published[key] < 0.989 * published[caching]
    }
    yield at_least(
        "disk-directed I/O is never slower than traditional caching by more than 1.1 % where the tables do not say so",
        0.989,
        (
            Measure(found.ratio(key, "tc"), f"{key} over tc")
            for key in found.select("ddio", "ddio-presort", record_bytes=8192)
            if key not in excepted
        ),
    )
    ratios = {
        key.pattern: found.mib(key) / found.mib(key._replace(layout="random-blocks"))
        for key in found.select("ddio-presort", layout="contiguous", record_bytes=8192)
    }
    yield share(
        "the contiguous layout is about five times as fast as random blocks under disk-directed I/O (4.5 to 5.5)",
        1,
        {f"{pattern} ({ratio:.2f})": 4.5 < ratio < 5.5 for pattern, ratio in ratios.items()},
    )


def presort(found: Found) -> Iterator[Verdict]:
    """The statements about the gain by presorting, of 20 trials."""
    gains = {key.pattern: found.ratio(key, "ddio") for key in found.select("ddio-presort")}
    yield share(
        "presorting gains 41 to 50 % on random blocks (40 to 51)",
        1,
        {f"{pattern} ({100 * (gain - 1):+.1f} %)": 1.40 < gain < 1.51 for pattern, gain in gains.items()},
    )


# Figures 6 to 12 ---------------------------------------------------------------------------------------------------

Curves = Mapping[Key, Curve]
"""Throughput in MiB/s by line and x; for `ra`, that of each copy."""


def a_copy(figure: int, found: Found, key: Key) -> float:
    """Throughput in MiB/s; the report divides that of `ra` by the number of CPs."""
    return found.mib(key) / copies(SWEEPS[figure].set_x(int(key.x)), key)


def curves(figure: int, found: Found) -> Curves:
    values: dict[Key, dict[int, float]] = {}
    for key in found.results:
        values.setdefault(key._replace(x=""), {})[int(key.x)] = a_copy(figure, found, key)
    return {line: Curve(str(line), points) for line, points in values.items()}


def of_method(curves: Curves, method: str) -> dict[Key, Curve]:
    return {line: curve for line, curve in curves.items() if line.method == method}


def of(curves: Curves, method: str, pattern: str) -> Curve:
    """The curve of a method and pattern."""
    for line, curve in curves.items():
        if (line.method, line.pattern) == (method, pattern):
            return curve
    raise UnmeasuredError(f"{pattern} {method} was not measured")


def fall(figure: int, lines: Curves) -> Iterator[Measure]:
    """The factor by which throughput falls from one x to the next."""
    for line, curve in lines.items():
        for low, high in pairwise(sorted(curve)):
            yield Measure(curve[low] / curve[high], f"{SWEEPS[figure].label(line)}, {low} over {high}")


def figure_6(found: Curves) -> Iterator[Verdict]:
    rc, rb, directed_rb = of(found, "tc", "rc"), of(found, "tc", "rb"), of(found, "ddio-presort", "rb")
    yield at_most(
        "disk-directed I/O is unaffected by the number of CPs (within 5 %)",
        1.05,
        (
            Measure(max(curve.values()) / min(curve.values()), f"{SWEEPS[6].label(line)}, most over least")
            for line, curve in of_method(found, "ddio-presort").items()
        ),
    )
    # One CP alone is left out: CYCLIC gives it the whole file as one chunk.
    yield at_most(
        "with fewer CPs than IOPs, rc under traditional caching cannot use all disks (up to a quarter: below 90 %)",
        0.9,
        (Measure(rc[n] / rc[CPS], f"{n} CPs over {CPS}") for n in (2, 4)),
    )
    yield at_most(
        "multiple localities hurt rb under traditional caching (16 CPs: below half of disk-directed I/O)",
        0.5,
        [Measure(rb[CPS] / directed_rb[CPS], "rb, tc over ddio-presort")],
    )
    yield at_most(
        "traditional caching is nowhere faster than disk-directed I/O (by more than 1.1 %)",
        1.011,
        (
            Measure(value / of(found, "ddio-presort", line.pattern)[n], f"{line.pattern}, CPs: {n}")
            for line, curve in of_method(found, "tc").items()
            for n, value in curve.items()
        ),
    )


def figure_7(found: Curves) -> Iterator[Verdict]:
    rb, directed_rb = of(found, "tc", "rb"), of(found, "ddio-presort", "rb")
    yield at_most(
        "throughput falls with fewer IOPs, or stays (within 3 %), but for rb under traditional caching",
        1.03,
        fall(7, {line: curve for line, curve in found.items() if curve is not rb}),
    )
    yield at_most(
        "disk-directed I/O loses most with over two disks a bus: less from 16 to 8 IOPs than at later halvings",
        1.0,
        (
            Measure(
                (c[16] / c[8]) / (c[8] / c[1]) ** (1 / 3), f"{SWEEPS[7].label(e)}, first loss over mean of the later"
            )
            for e, c in of_method(found, "ddio-presort").items()
        ),
    )
    yield below_the_peak(7, found, "the buses' peak of 10 MB/s (9.54 MiB/s) each", "IOPs", lambda n: n)
    yield at_most(
        "traditional caching always has difficulty with rb (below 90 % of disk-directed I/O)",
        0.9,
        (Measure(value / directed_rb[n], f"IOPs: {n}, tc over ddio-presort") for n, value in rb.items()),
    )


def below_the_peak(figure: int, found: Curves, peak: str, x: str, buses: Callable[[int], int]) -> Verdict:
    return at_most(
        f"throughput never passes {peak}",
        1.0,
        (
            Measure(value / (buses(n) * BUS_MIB_PER_S), f"{SWEEPS[figure].label(line)}, {x}: {n}, of the peak")
            for line, curve in found.items()
            for n, value in curve.items()
        ),
    )


def disks_on_one_iop(figure: int) -> Callable[[Curves], Iterator[Verdict]]:
    def check(found: Curves) -> Iterator[Verdict]:
        directed = of_method(found, "ddio-presort")
        most = max(SWEEPS[figure].xs)
        yield at_most(
            "throughput of disk-directed I/O grows with the disks, or stays (within 6 %: it may congest the bus)",
            1.06,
            fall(figure, directed),
        )
        yield below_the_peak(figure, found, "the bus's peak of 10 MB/s (9.54 MiB/s)", "disks", lambda _: 1)
        yield at_most(
            f"disk-directed I/O approaches the bus's peak (lacks at most a quarter with {most} disks)",
            0.25,
            (
                Measure(1 - curve[most] / BUS_MIB_PER_S, f"{SWEEPS[figure].label(line)}, lacking")
                for line, curve in directed.items()
            ),
        )

    return check


def file_size(figure: int, slower: float) -> Callable[[Curves], Iterator[Verdict]]:
    """Figures 10 and 11; `slower`: the most that rb under traditional caching reaches on 10 MiB, as a share of 100
    MiB."""

    def check(found: Curves) -> Iterator[Verdict]:
        rb = of(found, "tc", "rb")
        label = SWEEPS[figure].label
        yield at_most(
            "throughput is highest with files of 100 MiB or more (10 MiB exceeds it by at most 1 %)",
            1.01,
            (
                Measure(curve[10] / max(v for n, v in curve.items() if n > 10), f"{label(line)}, 10 MiB over larger")
                for line, curve in found.items()
            ),
        )
        yield at_most(
            f"rb under traditional caching is slower on 10 MiB than on 100 MiB (below {100 * slower:.0f} %)",
            slower,
            [Measure(rb[10] / rb[100], "10 MiB over 100 MiB")],
        )
        yield at_most(
            "file size changes no other order: who leads on 10 MiB is not behind on larger ones (both by over 5 %)",
            1.05,
            overtaking(label, {line: curve for line, curve in found.items() if curve is not rb}),
        )

    return check


def overtaking(label: Callable[[Key], str], lines: Mapping[Key, Curve]) -> Iterator[Measure]:
    """For each pair of lines: the factor by which one leads on 10 MiB, or the other on larger files if that is
    smaller."""
    for (one, leading), (other, following) in permutations(lines.items(), 2):
        for n, value in leading.items():
            if n > 10 and n in following:
                turn = min(leading[10] / following[10], following[n] / value)
                yield Measure(turn, f"{label(one)} ahead on 10 MiB and behind {label(other)} on {n} MiB")


def figure_12(found: Curves) -> Iterator[Verdict]:
    contiguous, scattered = (
        next(curve for line, curve in found.items() if line.layout == layout) for layout in LAYOUTS
    )
    yield at_most("larger records are never slower (within 2 %)", 1.02, fall(12, found))
    yield at_most(
        "8-byte records limit throughput by their overhead (below 60 % of 8192-byte records)",
        0.6,
        (Measure(curve[8] / curve[8192], SWEEPS[12].label(line)) for line, curve in found.items()),
    )
    yield at_most(
        "8192-byte records meet the disks' limit on random blocks (below a quarter of the contiguous layout)",
        0.25,
        [Measure(scattered[8192] / contiguous[8192], "random-blocks over contiguous")],
    )


FIGURES: dict[int, Callable[[Curves], Iterator[Verdict]]] = {
    6: figure_6,
    7: figure_7,
    8: disks_on_one_iop(8),
    9: disks_on_one_iop(9),
    # A sixth of the disks' reads of 10 MiB are mistaken prefetches, a fiftieth of those of 100 MiB. A contiguous file
    # of 10 MiB pays part of that back: it lies within two cylinders of each disk, the larger one within ten.
    10: file_size(10, slower=0.95),
    11: file_size(11, slower=0.9),
    12: figure_12,
}


def of_figure(number: int) -> Callable[[Found], Iterator[Verdict]]:
    """The statements about a figure."""
    return lambda found: FIGURES[number](curves(number, found))
