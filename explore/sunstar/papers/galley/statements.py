# SPDX-License-Identifier: MIT
"""What the paper says about its measurements (sections 6.1.1, 6.3 and 6.4), each as a sentence and a check.

The paper draws curves and gives few numbers. Where it gives none, we set the bounds from its words: a curve "grows" if
no point lies more than 5 % below one of smaller records, "plateau" allows 10 % for the last doubling of the records,
"significantly" is a fifth, "dramatically" is half as much again (or two thirds of), "in most cases" and "generally" are
two thirds of them, "in many cases" a third, "nearly" and "peak" are 90 %.

The figure of a known shortfall is the worst one of a trial with seed 1, of --quick and of the full runs that its reason
names.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Unpack

from sunstar.papers.galley import cases
from sunstar.study.cases import Curve, Fields, Found, Key, of_each
from sunstar.study.statements import Measure, Measures, Sentences, Verdict

say = Sentences("galley")


def tcp(found: Found) -> Iterator[Verdict]:
    """Figure 5."""
    (pair,) = cases.series(found, cases.PAIR)
    peaks = {int(each.line.x): each.peak for each in cases.series(found, cases.TCP)}
    sources = sorted(peaks)
    growth = [(n, Measure(peaks[n] / peaks[fewer], f"{n} sources, over {fewer}")) for fewer, n in pairwise(sources)]
    yield say("tcp-pair", Measure(pair.peak, "one pair"))
    yield say("tcp-grows", Measures(each for n, each in growth if n <= cases.MANY))
    yield say("tcp-most", Measures(each for n, each in growth if n > cases.MANY))
    yield say("tcp-total", Measure(peaks[sources[-1]], f"{sources[-1]} sources"))
    yield say("tcp-sink", {f"{n} sources, MB/s": peak / cases.COMPUTE_PROCESSORS for n, peak in peaks.items()})


def step(curves: Sequence[Curve], high: int, low: int) -> Measures:
    """The throughput of records of one size over that of another."""
    return Measures(cases.at(each, high, each[high] / each[low]) for each in curves)


def grows_to_a_plateau(found: Found, method: str) -> Iterator[Verdict]:
    curves = cases.series(found, method)
    yield say(
        "grows",
        Measures(
            cases.at(each, record, each[record] / max(value for fewer, value in each.items() if fewer < record))
            for each in curves
            for record in sorted(each)[1:]
        ),
    )
    yield say("plateau", step(curves, cases.LARGEST, cases.BLOCK))


def a_processor(curves: Sequence[Curve]) -> Measures:
    """The share of each CP in the peak, with the most IOPs."""
    most = max(int(each.line.x) for each in curves)
    largest = [each for each in curves if int(each.line.x) == most]
    return of_each(largest, lambda each: each.peak / cases.COMPUTE_PROCESSORS, "a CP")


def below_a_block(found: Found, method: str, **fields: Unpack[Fields]) -> list[Key]:
    return [key for key in found.select(method, **fields) if key.record_bytes < cases.BLOCK]


def traditional_read(found: Found) -> Iterator[Verdict]:
    """Figure 7."""
    name = "traditional read"
    yield from grows_to_a_plateau(found, name)
    interleaved = cases.series(found, name, cases.INTERLEAVED)
    yield say("disks-sustain", of_each(interleaved, lambda each: each.peak / int(each.line.x), "MB/s a disk"))
    yield say("dip", step(interleaved, 4 * cases.KIB, 2 * cases.KIB))
    whole_blocks = [key for key in found.select(name, pattern=cases.PARTITIONED) if key.record_bytes >= cases.BLOCK]
    yield say("seeks", cases.over(found, whole_blocks, pattern=cases.INTERLEAVED))
    for measure in a_processor(cases.series(found, name, cases.BROADCAST)):
        yield say("broadcast-tcp", measure)


def traditional_overwrite(found: Found) -> Iterator[Verdict]:
    """Figure 8."""
    name, read = "traditional overwrite", "traditional read"
    yield from grows_to_a_plateau(found, name)
    yield say("overwrite-slower", cases.over(found, below_a_block(found, name), read))
    smaller = max(key.record_bytes for key in below_a_block(found, name))
    yield say("whole-blocks", step(cases.series(found, name), cases.BLOCK, smaller))
    yield say(
        "overwrite-interleaved",
        cases.over(found, below_a_block(found, name, pattern=cases.INTERLEAVED), pattern=cases.PARTITIONED),
    )
    lead, of_reads = (
        cases.over(
            found, found.select(each, pattern=cases.INTERLEAVED, record_bytes=smaller), pattern=cases.PARTITIONED
        )
        for each in (name, read)
    )
    yield say("overwrite-patterns", {a.where: a.value / b.value for a, b in zip(lead, of_reads, strict=True)})


def traditional_create(found: Found) -> Iterator[Verdict]:
    """Figure 9."""
    name = "traditional create"
    yield from grows_to_a_plateau(found, name)
    yield say("create-faster", cases.over(found, below_a_block(found, name), "traditional overwrite"))
    for sentence, other in (("create-generally", "overwrite"), ("create-reads", "read")):
        faster = cases.over(found, found.select(name), f"traditional {other}")
        yield say(sentence, {each.where: each.value - 1 for each in faster})


def flow(found: Found) -> Iterator[Verdict]:
    """Section 6.3."""
    unlimited = found.select("limit 0")
    yield say("permissions", cases.over(found, unlimited, "limit 2"))
    yield say(
        "limits", {cases.where(key): best_limit(found, key, True) / best_limit(found, key, False) for key in unlimited}
    )


def best_limit(found: Found, place: Key, between: bool) -> float:
    """The most throughput there with a limit from 2 to 8, or with another one."""
    keys = found.select(pattern=place.pattern, record_bytes=place.record_bytes, x=place.x)
    return max(cases.mb(found, key) for key in keys if (2 <= cases.limit_of(key) <= 8) is between)


def of_peak(found: Found, method: str, *patterns: str) -> Measures:
    """The throughput of the smallest records over the peak."""
    return Measures(
        cases.at(each, each.first, each[each.first] / each.peak) for each in cases.series(found, method, *patterns)
    )


def at_peak(found: Found, method: str, *patterns: str) -> Verdict:
    return say("at-peak", {each.where: each.value - 0.9 for each in of_peak(found, method, *patterns)})


def peaks_rise(found: Found, operation: str, *patterns: str) -> Measures:
    """Peaks of the strided interface over those of the traditional one."""
    strided, traditional = (
        cases.series(found, f"{each} {operation}", *patterns) for each in ("strided", "traditional")
    )
    return Measures(Measure(a.peak / b.peak, a.name) for a, b in zip(strided, traditional, strict=True))


def strided_read(found: Found) -> Iterator[Verdict]:
    """Figure 10."""
    name = "strided read"
    yield at_peak(found, name)
    yield say("peaks-higher", peaks_rise(found, "read", cases.INTERLEAVED, cases.PARTITIONED))
    yield say("peaks-rise", rises(found))
    crowded = [
        key
        for key in found.select(name, pattern=cases.PARTITIONED, record_bytes=cases.LARGEST)
        if int(key.x) >= cases.MANY
    ]
    yield say("crowded", cases.over(found, crowded, pattern=cases.INTERLEAVED))
    for measure in a_processor(cases.series(found, name, cases.BROADCAST)):
        yield say("broadcast-strided", measure)


def rises(found: Found) -> Measures:
    """The mean rise of the peaks of interleaved and of partitioned reads, over the largest one of the other tests."""

    def mean(operation: str, pattern: str) -> Measure:
        return peaks_rise(found, operation, pattern).mean(f"{pattern} {operation}")

    patterns = (cases.PARTITIONED, cases.INTERLEAVED)
    writing = [mean(operation, pattern) for operation in ("overwrite", "create") for pattern in patterns]
    others = Measures([mean("read", cases.BROADCAST), *writing]).largest()
    reads = [mean("read", pattern) for pattern in patterns]
    return Measures(
        Measure(own.value / others.value, f"{own.where} ({own.value:.2f}), over {others.where}") for own in reads
    )


def strided_overwrite(found: Found) -> Iterator[Verdict]:
    """Figure 11."""
    yield at_peak(found, "strided overwrite")


def strided_create(found: Found) -> Iterator[Verdict]:
    """Figure 12."""
    name = "strided create"
    yield at_peak(found, name, cases.PARTITIONED)
    yield say("create-exception", of_peak(found, name, cases.INTERLEAVED))


def lock(found: Found) -> Iterator[Verdict]:
    """The cause that the paper suspects (section 6.4)."""
    new, reads = (cases.interleaved_over_partitioned(found, method) for method in ("strided create", "strided read"))
    yield say("lock", Measures(cases.at(each, each.first, each[each.first]) for each in new))
    yield say("lock-cause", {f"{a.line.x} IOPs": loss(a) / loss(b) for a, b in zip(new, reads, strict=True)})


def loss(each: Curve) -> float:
    return each[each.first] / each[each.last]


def speedups_of(found: Found, operation: str, pattern: str) -> Measures:
    return Measures(
        cases.at(each, record, value)
        for each in cases.speedups(found, operation)
        if each.line.pattern == pattern
        for record, value in each.items()
    )


def read_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 13."""
    gains = {
        each: speedups_of(found, "read", each).largest()
        for each in (cases.BROADCAST, cases.PARTITIONED, cases.INTERLEAVED)
    }
    for pattern in (cases.INTERLEAVED, cases.PARTITIONED):
        yield say(f"gain-{pattern}", gains[pattern])
    own = gains.pop(cases.BROADCAST)
    yield say(
        "broadcast-gain",
        {f"{own.value:.1f} ({own.where}), over {pattern}": own.value / gain.value for pattern, gain in gains.items()},
    )
    curves = cases.speedups(found, "read")
    # Of several record sizes with the least value, the largest.
    least = Measures(cases.at(each, min(each, key=lambda n: (each[n], -n)), min(each.values())) for each in curves)
    yield say("least-1", least)
    yield say("least-2", least)
    yield say(
        "least-largest",
        {
            each.name: min(value for record, value in each.items() if record < cases.LARGEST) - each[cases.LARGEST]
            for each in curves
        },
    )


def overwrite_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 14."""
    yield say("gain-30", speedups_of(found, "overwrite", cases.INTERLEAVED).largest())
    yield below_reads(found, "overwrite")


def create_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 15."""
    yield below_reads(found, "create")


def below_reads(found: Found, operation: str) -> Verdict:
    measures = Measures()
    for pattern in (cases.PARTITIONED, cases.INTERLEAVED):
        own, of_reads = (min(each.value for each in speedups_of(found, of, pattern)) for of in (operation, "read"))
        measures.append(Measure(own / of_reads, f"{pattern} ({own:.2f})"))
    return say("gain-below-reads", measures)
