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

from sunstar.papers.galley.cases import (
    BLOCK,
    BROADCAST,
    COMPUTE_PROCESSORS,
    INTERLEAVED,
    KIB,
    LARGEST,
    MANY,
    PAIR,
    PARTITIONED,
    TCP,
    at,
    interleaved_over_partitioned,
    limit_of,
    mb,
    over,
    series,
    size,
    speedups,
    where,
)
from sunstar.study.cases import Curve, Fields, Found, Key, of_each
from sunstar.study.statements import Measure, Measures, Verdict, about, share

DISK = 2.2
"""What the paper says a disk sustains, in MB/s."""
MOST = 2 / 3
NETWORK = 13.5
"""The middle of the 13 to 14 MB/s that reach each CP in strided broadcast reads."""
TCP_TOTAL = 220
"""MB/s that TCP/IP carries to 16 nodes."""


def tcp(found: Found) -> Iterator[Verdict]:
    """Figure 5."""
    (pair,) = series(found, PAIR)
    peaks = {int(each.line.x): each.peak for each in series(found, TCP)}
    sources = sorted(peaks)
    growth = [(n, Measure(peaks[n] / peaks[fewer], f"{n} sources, over {fewer}")) for fewer, n in pairwise(sources)]
    yield about("TCP/IP carries at most 17 MB/s between two nodes", 17, Measure(pair.peak, "one pair"), unit="MB/s")
    yield Measures(each for n, each in growth if n <= MANY).at_least(
        1.0, "the maximum grows with the number of sources, up to 32"
    )
    yield Measures(each for n, each in growth if n > MANY).at_most(1.05, "but not beyond (within 5 %)")
    all_sources = Measure(peaks[sources[-1]], f"{sources[-1]} sources")
    yield about("with many sources it is 220 MB/s in all", TCP_TOTAL, all_sources, "MB/s")
    yield Measures(Measure(peak / COMPUTE_PROCESSORS, f"{n} sources, MB/s") for n, peak in peaks.items()).at_most(
        14, "which is less than 14 MB/s at each sink", published=True
    )


def step(curves: Sequence[Curve], high: int, low: int) -> Measures:
    """The throughput of records of one size over that of another."""
    return Measures(at(each, high, each[high] / each[low]) for each in curves)


def grows_to_a_plateau(found: Found, method: str) -> Iterator[Verdict]:
    curves = series(found, method)
    yield Measures(
        at(each, record, each[record] / max(value for fewer, value in each.items() if fewer < record))
        for each in curves
        for record in sorted(each)[1:]
    ).at_least(0.95, "throughput grows with the record size (never more than 5 % below that of smaller records)")
    yield step(curves, LARGEST, BLOCK).at_most(
        1.1, "to a plateau (64-KiB records are at most 10 % faster than 32-KiB ones)"
    )


def a_processor(curves: Sequence[Curve]) -> Measures:
    """The share of each CP in the peak, with the most IOPs."""
    most = max(int(each.line.x) for each in curves)
    largest = [each for each in curves if int(each.line.x) == most]
    return of_each(largest, lambda each: each.peak / COMPUTE_PROCESSORS, "a CP")


def below_a_block(found: Found, method: str, **fields: Unpack[Fields]) -> list[Key]:
    return [key for key in found.select(method, **fields) if key.record_bytes < BLOCK]


def traditional_read(found: Found) -> Iterator[Verdict]:
    """Figure 7."""
    name = "traditional read"
    yield from grows_to_a_plateau(found, name)
    interleaved = series(found, name, INTERLEAVED)
    yield of_each(interleaved, lambda each: each.peak / int(each.line.x), "MB/s a disk").at_least(
        0.9 * DISK, "interleaved reads reach what the disks sustain (90 % of 2.2 MB/s each)"
    )
    yield step(interleaved, 4 * KIB, 2 * KIB).at_most(1.0, "they dip as the records grow from 2 KB to 4 KB")
    whole_blocks = [key for key in found.select(name, pattern=PARTITIONED) if key.record_bytes >= BLOCK]
    yield over(found, whole_blocks, pattern=INTERLEAVED).at_most(
        1.0, "with records of a block and more, partitioned reads are slower than interleaved ones, because of seeks"
    )
    for measure in a_processor(series(found, name, BROADCAST)):
        sentence = "TCP/IP limits broadcast reads with most IOPs: to the 220 MB/s of figure 5, 13.75 a CP"
        total = TCP_TOTAL / COMPUTE_PROCESSORS
        yield about(sentence, total, measure, "MB/s")


def traditional_overwrite(found: Found) -> Iterator[Verdict]:
    """Figure 8."""
    name, read = "traditional overwrite", "traditional read"
    yield from grows_to_a_plateau(found, name)
    yield over(found, below_a_block(found, name), read).at_most(
        0.8, "with records of less than a block, overwriting is significantly slower than reading (by a fifth)"
    )
    smaller = max(key.record_bytes for key in below_a_block(found, name))
    yield step(series(found, name), BLOCK, smaller).at_least(
        1.5, "with records of a block, it is dramatically faster than with the next smaller ones (by half)"
    )
    yield over(found, below_a_block(found, name, pattern=INTERLEAVED), pattern=PARTITIONED).at_least(
        1.0, "with records of less than a block, interleaved overwriting is faster than partitioned"
    )
    lead, of_reads = (
        over(found, found.select(each, pattern=INTERLEAVED, record_bytes=smaller), pattern=PARTITIONED)
        for each in (name, read)
    )
    yield Measures(Measure(a.value / b.value, a.where) for a, b in zip(lead, of_reads, strict=True)).at_most(
        1.0,
        "the patterns differ less than in reading (interleaved over partitioned, by that of reads, at the largest "
        "records of less than a block)",
    )


def traditional_create(found: Found) -> Iterator[Verdict]:
    """Figure 9."""
    name = "traditional create"
    yield from grows_to_a_plateau(found, name)
    yield over(found, below_a_block(found, name), "traditional overwrite").at_least(
        1.0, "with records of less than a block, writing a new file is faster than overwriting one"
    )
    faster = {
        other: {each.where: each.value - 1 for each in over(found, found.select(name), f"traditional {other}")}
        for other in ("overwrite", "read")
    }
    yield share(
        "it is generally faster than overwriting",
        MOST,
        faster["overwrite"],
    )
    yield share("in many cases it is faster than reading", 1 / 3, faster["read"])


def flow(found: Found) -> Iterator[Verdict]:
    """Section 6.3."""
    unlimited = found.select("limit 0")
    yield over(found, unlimited, "limit 2").at_most(
        2 / 3, "without permissions, reads with large records are dramatically slower than with 2 (two thirds at most)"
    )
    yield Measures(
        Measure(best_limit(found, key, True) / best_limit(found, key, False), where(key)) for key in unlimited
    ).at_least(1.0, "a limit from 2 to 8 is best")


def best_limit(found: Found, place: Key, between: bool) -> float:
    """The most throughput there with a limit from 2 to 8, or with another one."""
    keys = found.select(pattern=place.pattern, record_bytes=place.record_bytes, x=place.x)
    return max(mb(found, key) for key in keys if (2 <= limit_of(key) <= 8) is between)


def of_peak(found: Found, method: str, *patterns: str) -> Measures:
    """The throughput of the smallest records over the peak."""
    return Measures(at(each, each.first, each[each.first] / each.peak) for each in series(found, method, *patterns))


def at_peak(found: Found, method: str, *patterns: str) -> Verdict:
    reached = {each.where: each.value - 0.9 for each in of_peak(found, method, *patterns)}
    sentence = "records of 64 bytes reach the peak (ours: 90 % of it) in most cases"
    return share(sentence, MOST, reached)


def peaks_rise(found: Found, operation: str, *patterns: str) -> Measures:
    """Peaks of the strided interface over those of the traditional one."""
    strided, traditional = (series(found, f"{each} {operation}", *patterns) for each in ("strided", "traditional"))
    return Measures(Measure(a.peak / b.peak, a.name) for a, b in zip(strided, traditional, strict=True))


def strided_read(found: Found) -> Iterator[Verdict]:
    """Figure 10."""
    name = "strided read"
    yield at_peak(found, name)
    yield peaks_rise(found, "read", INTERLEAVED, PARTITIONED).at_least(
        1.0, "the peaks of interleaved and partitioned reads are higher than with the traditional interface"
    )
    yield rises(found).at_least(
        1.0,
        "and rise more than those of broadcast reads and of writing (the mean rise, over the largest of the others)",
    )
    crowded = [key for key in found.select(name, pattern=PARTITIONED, record_bytes=LARGEST) if int(key.x) >= MANY]
    yield over(found, crowded, pattern=INTERLEAVED).at_most(
        1.0,
        "with many IOPs (32 and more) and 64-KiB records, partitioned reads are slower than interleaved ones, because "
        "all IOPs serve the same CP at the same time",
    )
    for measure in a_processor(series(found, name, BROADCAST)):
        yield about("broadcast reads reach 13 or 14 MB/s a CP with most IOPs", NETWORK, measure, unit="MB/s")


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


def strided_overwrite(found: Found) -> Iterator[Verdict]:
    """Figure 11."""
    yield at_peak(found, "strided overwrite")


def strided_create(found: Found) -> Iterator[Verdict]:
    """Figure 12."""
    name = "strided create"
    yield at_peak(found, name, PARTITIONED)
    yield of_peak(found, name, INTERLEAVED).at_most(
        0.9, "interleaved writes of a new file are the exception: 64-byte records do not reach the peak (90 % of it)"
    )


def lock(found: Found) -> Iterator[Verdict]:
    """The cause that the paper suspects (section 6.4)."""
    new, reads = (interleaved_over_partitioned(found, method) for method in ("strided create", "strided read"))
    yield Measures(at(each, each.first, each[each.first]) for each in new).at_most(
        1.0, "with 64-byte records, the interleaved pattern is slower than the partitioned one in writing a new file"
    )
    yield Measures(Measure(loss(a) / loss(b), f"{a.line.x} IOPs") for a, b in zip(new, reads, strict=True)).at_most(
        1.0,
        "the lock is the cause: reads, which take none, lose less (64-byte records over 64-KiB ones, interleaved over "
        "partitioned; the ratio of new files, over that of reads)",
    )


def loss(each: Curve) -> float:
    return each[each.first] / each[each.last]


def speedups_of(found: Found, operation: str, pattern: str) -> Measures:
    return Measures(
        at(each, record, value)
        for each in speedups(found, operation)
        if each.line.pattern == pattern
        for record, value in each.items()
    )


def read_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 13."""
    gains = {each: speedups_of(found, "read", each).largest() for each in (BROADCAST, PARTITIONED, INTERLEAVED)}
    for pattern, published in ((INTERLEAVED, 98), (PARTITIONED, 92)):
        yield about(f"{pattern} reads gain up to {published} times", published, gains[pattern], "times")
    own = gains.pop(BROADCAST)
    yield Measures(
        Measure(own.value / gain.value, f"{own.value:.1f} ({own.where}), over {pattern}")
        for pattern, gain in gains.items()
    ).at_least(1.0, "broadcast reads have the largest speedup of all (over that of another pattern)")
    curves = speedups(found, "read")
    least = Measures(at(each, smallest_at(each), min(each.values())) for each in curves)
    yield least.at_least(1.0, "the smallest speedups of reads are 1 at least")
    yield least.at_most(2.0, "and 2 at most", published=True)
    yield share(
        f"they occur with the largest records ({size(LARGEST)})",
        1.0,
        {
            each.name: min(value for record, value in each.items() if record < LARGEST) - each[LARGEST]
            for each in curves
        },
    )


def smallest_at(each: Curve) -> int:
    """The record size with the least value; of several, the largest."""
    return min(each, key=lambda record: (each[record], -record))


def overwrite_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 14."""
    most = speedups_of(found, "overwrite", INTERLEAVED).largest()
    yield about("interleaved overwriting gains up to 30 times", 30, most, "times")
    yield below_reads(found, "overwrite")


def create_speedups(found: Found) -> Iterator[Verdict]:
    """Figure 15, of which the text that we have gives no number."""
    yield below_reads(found, "create")


def below_reads(found: Found, operation: str) -> Verdict:
    measures = Measures()
    for pattern in (PARTITIONED, INTERLEAVED):
        own, of_reads = (min(each.value for each in speedups_of(found, of, pattern)) for of in (operation, "read"))
        measures.append(Measure(own / of_reads, f"{pattern} ({own:.2f})"))
    return measures.at_most(1.0, "the smallest speedups are smaller than those of reads in the same pattern")
