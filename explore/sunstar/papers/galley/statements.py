# SPDX-License-Identifier: MIT
"""What the paper says about its measurements (sections 6.1.1, 6.3 and 6.4), each as a sentence and a check.

The paper draws curves and gives few numbers. Where it gives none, we set the bounds from its words: a curve "grows" if
no point lies more than 5 % below one of smaller records, "plateau" allows 10 % for the last doubling of the records,
"significantly" is a fifth, "dramatically" is half as much again (or two thirds of), "in most cases" and "generally" are
two thirds of them, "in many cases" a third, "nearly" and "peak" are 90 %.

The figure of a known shortfall is the worst one of a trial with seed 1, of --quick and of the full runs that its reason
names.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from sunstar.papers.galley import cases
from sunstar.papers.galley.cases import BLOCK, BROADCAST, INTERLEAVED, KIB, LARGEST, MANY, PARTITIONED, at, over, series
from sunstar.study.cases import Curve, Found, Key
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each

say = Sentences("galley")


def tcp(found: Found) -> Iterator[Verdict]:
    """Figure 5."""
    (pair,) = series(found, cases.PAIR)
    peaks = {int(curve.line.x): curve.peak for curve in series(found, cases.TCP)}
    most = max(peaks)
    growth = [
        (n, Measure(peaks[n] / peaks[fewer], f"{n} sources, over {fewer}")) for fewer, n in pairwise(sorted(peaks))
    ]
    yield say("tcp-pair", Measure(pair.peak, "one pair"))
    yield say("tcp-grows", Measures(measure for n, measure in growth if n <= MANY))
    yield say("tcp-most", Measures(measure for n, measure in growth if n > MANY))
    yield say("tcp-total", Measure(peaks[most], f"{most} sources"))
    yield say("tcp-sink", {f"{n} sources, MB/s": peak / cases.COMPUTE_PROCESSORS for n, peak in peaks.items()})


def step(curves: Sequence[Curve], high: int, low: int) -> Measures:
    """The throughput of records of one size over that of another."""
    return Measures(at(curve, high, curve[high] / curve[low]) for curve in curves)


def grows_to_a_plateau(found: Found, method: str) -> Iterator[Verdict]:
    curves, growth = series(found, method), Measures()
    for curve in curves:
        for record in sorted(curve)[1:]:
            most = max(value for fewer, value in curve.items() if fewer < record)
            growth.append(at(curve, record, curve[record] / most))
    yield say("grows", growth)
    yield say("plateau", step(curves, LARGEST, BLOCK))


def broadcast_to_a_processor(found: Found, method: str) -> Measure:
    """The share of each CP in the peak, with the most IOPs."""
    largest = max(series(found, method, BROADCAST), key=lambda curve: int(curve.line.x))
    return Measure(largest.peak / cases.COMPUTE_PROCESSORS, f"{largest}, a CP")


def below_a_block(found: Found, method: str, **fields: str | int) -> list[Key]:
    return [key for key in found.select(method, **fields) if key.record_bytes < BLOCK]


def traditional_read(found: Found) -> Iterator[Verdict]:
    """Figure 7."""
    name = "traditional read"
    yield from grows_to_a_plateau(found, name)
    interleaved = series(found, name, INTERLEAVED)
    yield say("disks-sustain", each(interleaved, lambda curve: curve.peak / int(curve.line.x), "MB/s a disk"))
    yield say("dip", step(interleaved, 4 * KIB, 2 * KIB))
    whole_blocks = [key for key in found.select(name, pattern=PARTITIONED) if key.record_bytes >= BLOCK]
    yield say("seeks", over(found, whole_blocks, pattern=INTERLEAVED))
    yield say("broadcast-tcp", broadcast_to_a_processor(found, name))


def traditional_overwrite(found: Found) -> Iterator[Verdict]:
    """Figure 8."""
    name, read = "traditional overwrite", "traditional read"
    yield from grows_to_a_plateau(found, name)
    yield say("overwrite-slower", over(found, below_a_block(found, name), read))
    smaller = max(key.record_bytes for key in below_a_block(found, name))
    yield say("whole-blocks", step(series(found, name), BLOCK, smaller))
    interleaved = below_a_block(found, name, pattern=INTERLEAVED)
    yield say("overwrite-interleaved", over(found, interleaved, pattern=PARTITIONED))
    keys = found.select(name, pattern=INTERLEAVED, record_bytes=smaller)
    lead = over(found, keys, pattern=PARTITIONED)
    of_reads = over(found, [key._replace(method=read) for key in keys], pattern=PARTITIONED)
    yield say("overwrite-patterns", {a.where: a.value / b.value for a, b in zip(lead, of_reads, strict=True)})


def traditional_create(found: Found) -> Iterator[Verdict]:
    """Figure 9."""
    yield from grows_to_a_plateau(found, "traditional create")


def best_limits(found: Found, place: Key) -> float:
    """The most throughput there with a limit from 2 to 8, over that with another one."""
    keys = found.select(pattern=place.pattern, record_bytes=place.record_bytes, x=place.x)
    within, beyond = (
        max(cases.mb(found, key) for key in keys if (2 <= cases.limit_of(key) <= 8) is between)
        for between in (True, False)
    )
    return within / beyond


def of_peak(found: Found, method: str, *patterns: str) -> Measures:
    """The throughput of the smallest records over the peak."""
    curves = series(found, method, *patterns)
    return Measures(at(curve, curve.first, curve[curve.first] / curve.peak) for curve in curves)


def at_peak(method: str, *patterns: str) -> Callable[[Found], list[Verdict]]:
    """Figures 10 to 12."""
    return lambda found: [
        say("at-peak", {share.where: share.value - 0.9 for share in of_peak(found, method, *patterns)})
    ]


def peaks_rise(found: Found, operation: str, *patterns: str) -> Measures:
    """Peaks of the strided interface over those of the traditional one."""
    strided, traditional = (series(found, f"{name} {operation}", *patterns) for name in ("strided", "traditional"))
    return Measures(Measure(a.peak / b.peak, a.name) for a, b in zip(strided, traditional, strict=True))


def strided_read(found: Found) -> Iterator[Verdict]:
    """Figure 10."""
    name = "strided read"
    yield say("peaks-higher", peaks_rise(found, "read", INTERLEAVED, PARTITIONED))
    yield say("peaks-rise", rises(found))
    partitioned = found.select(name, pattern=PARTITIONED, record_bytes=LARGEST)
    yield say("crowded", over(found, [key for key in partitioned if int(key.x) >= MANY], pattern=INTERLEAVED))
    yield say("broadcast-strided", broadcast_to_a_processor(found, name))


def rises(found: Found) -> Measures:
    """The mean rise of the peaks of interleaved and of partitioned reads, over the largest one of the other tests."""

    def mean(operation: str, pattern: str) -> Measure:
        return peaks_rise(found, operation, pattern).mean(f"{pattern} {operation}")

    patterns = (PARTITIONED, INTERLEAVED)
    writing = [mean(operation, pattern) for operation in ("overwrite", "create") for pattern in patterns]
    others = Measures([mean("read", BROADCAST), *writing]).largest()
    reads = [mean("read", pattern) for pattern in patterns]
    return Measures(
        Measure(own.value / others.value, f"{own.where} ({own.value:.2f}), over {others.where}") for own in reads
    )


def interleaved_create(found: Found) -> Iterator[Verdict]:
    """Figure 12."""
    yield say("create-exception", of_peak(found, "strided create", INTERLEAVED))


def lock(found: Found) -> Iterator[Verdict]:
    """The cause that the paper suspects (section 6.4)."""
    new, reads = (cases.interleaved_over_partitioned(found, method) for method in ("strided create", "strided read"))
    yield say("lock", Measures(at(curve, curve.first, curve[curve.first]) for curve in new))
    yield say("lock-cause", {f"{a.line.x} IOPs": loss(a) / loss(b) for a, b in zip(new, reads, strict=True)})


def loss(curve: Curve) -> float:
    return curve[curve.first] / curve[curve.last]


def speedups_of(found: Found, operation: str, pattern: str) -> Measures:
    curves = [curve for curve in cases.speedups(found, operation) if curve.line.pattern == pattern]
    return Measures(at(curve, record, value) for curve in curves for record, value in curve.items())


def read_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 13."""
    own, *gains = (speedups_of(found, "read", each).largest() for each in (BROADCAST, PARTITIONED, INTERLEAVED))
    of_partitioned, of_interleaved = gains
    yield say("gain-interleaved", of_interleaved)
    yield say("gain-partitioned", of_partitioned)
    others = zip((PARTITIONED, INTERLEAVED), gains, strict=True)
    mine = f"{own.value:.1f} ({own.where})"
    yield say("broadcast-gain", {f"{mine}, over {pattern}": own.value / gain.value for pattern, gain in others})
    curves = cases.speedups(found, "read")
    # Of several record sizes with the least value, the largest.
    least = Measures(at(curve, min(curve, key=lambda n: (curve[n], -n)), min(curve.values())) for curve in curves)
    yield say("least-1", least)
    yield say("least-2", least)
    smaller = {curve.name: min(value for record, value in curve.items() if record < LARGEST) for curve in curves}
    yield say("least-largest", {curve.name: smaller[curve.name] - curve[LARGEST] for curve in curves})


def overwrite_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 14."""
    yield say("gain-30", speedups_of(found, "overwrite", INTERLEAVED).largest())


def below_reads(operation: str) -> Callable[[Found], list[Verdict]]:
    """Figures 14 and 15."""

    def judge(found: Found) -> list[Verdict]:
        measures = Measures()
        for pattern in (PARTITIONED, INTERLEAVED):
            own, of_reads = (min(each.value for each in speedups_of(found, of, pattern)) for of in (operation, "read"))
            measures.append(Measure(own / of_reads, f"{pattern} ({own:.2f})"))
        return [say("gain-below-reads", measures)]

    return judge
