# SPDX-License-Identifier: MIT
"""The measurements of N. Nieuwejaar and D. Kotz, "The Galley parallel file system", 1997, with 16 CPs and 4 to 64 IOPs
with a disk each: figures 5 and 7 to 15, and what it says about them (sections 6.1.1, 6.3 and 6.4), about flow control
and about the lock on a fork's metadata. The paper draws curves and gives few numbers. Where it gives none, we set the
bounds from its words: performance "increases" if no point lies more than 5 % below one of smaller records, "plateau"
allows 10 % for the last doubling of the records, "significantly" is a fifth, "dramatically" is half as much again (or
two thirds of), "generally" is two thirds of the cases, "most" more than half, "many" a third, "nearly" and "peak" are
90 %. What the paper says of small records without a size is judged by the mean of those below a block.

The figure of a known shortfall is the worst one of a trial with seed 1, of --quick and of the full runs that its reason
names.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import log10
from statistics import geometric_mean

from sunstar.study.cases import Cases, Curve, Found, Key, curves_of, points_of, sized, without_extremes
from sunstar.study.experiments import reproduction, study_of
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each

COMPUTE_PROCESSORS = 16
KIB, MIB = 1 << 10, 1 << 20
SMALLEST, BLOCK, LARGEST = 64, 32 * KIB, 64 * KIB
MANY = 32  # IOPs: two for each CP
BROADCAST, PARTITIONED, INTERLEAVED = "broadcast", "partitioned", "interleaved"
TWO = (PARTITIONED, INTERLEAVED)
PATTERNS = {
    "read": (BROADCAST, PARTITIONED, INTERLEAVED),
    "overwrite": TWO,
    "create": TWO,
}
"""The patterns of each operation. The paper has no CP overwrite what another one writes."""
points = partial(points_of, "galley")
TCP, PAIR = "TCP/IP", "pair"
"""Sources and 16 sinks, the x of a point being the number of sources; one source and one sink."""
FORK = 32 * MIB  # The size of each fork in all tests. A new file's size is that of its data.
MOST_REQUESTS = 1024
SHARE = FORK // COMPUTE_PROCESSORS
PERMISSIONS = (0, 1, 2, 4, 8, 16, 64)  # Limits of packets under way to a CP; without a limit 0
AMOUNTS = {"half": 0.5, "the rule": 1.0, "twice": 2.0}  # Requests of a CP to each fork
PUBLISHED, FAIR = "cyclical-scan", "fair-cyclical-scan"
"""The paper's order, which is the SP-2's, and one in which requests during a sweep wait for the next one."""
FEW = 4  # IOPs of the study of disks; the x of a point is the number of disks of each
SUSTAINED = 2.2  # MB/s of a disk, by the paper
APART = ("0s", "500us", "1ms", "2ms")  # Within which the CPs make their first requests
DISKS = (1, 2, 4, 8)
MB_OF_MIB = 1.048576
say = Sentences("galley")


def streams(quick: bool) -> Cases:
    """TCP/IP (section 6.1.1, figure 5). The paper sends 24 to 800 KB from source to sink, less with small messages."""
    messages, most = (64, MIB // 2) if quick else (512, MIB)
    found = {**points("sources", quick), **points("pair", quick)}
    return {
        key: {**sets, "workload.bytes": f"{min(messages * key.record_bytes, most)}B"} for key, sets in found.items()
    }


def sources(key: Key) -> str:
    return f"{key.x} source{'' if key.x == '1' else 's'}"


def records_of(interface: str, key: Key, quick: bool) -> int:
    """How many records of each fork a CP accesses. The paper fixes the size of forks and takes less data the slower a
    test is, from 4 MB (64-byte records, 4 IOPs) to 2 GB (64-KiB records, 64 IOPs): about ten seconds each. By the
    traditional interface, 1,024 requests make both amounts, or a sixteenth of the fork if that is less. A strided
    request names half of this, which keeps a disk busy for as long."""
    strided = interface == "strided"
    share = SHARE // (4 if quick else 2 if strided else 1) // key.record_bytes
    return share if strided else min(share, MOST_REQUESTS // 4 if quick else MOST_REQUESTS)


def forks(quick: bool, interface: str, operation: str, *patterns: str) -> Cases:
    """Throughput of an operation by an interface (sections 6.3 and 6.4, figures 7 to 15) by the number of IOPs."""
    method = f"{interface} {operation}"
    found = points("forks", quick, methods=(method,), patterns=patterns or PATTERNS[operation])
    return {key: {**sets, "workload.records": records_of(interface, key, quick)} for key, sets in found.items()}


def several(*of: str) -> Callable[[bool], Cases]:
    """The points of several interfaces and operations: those of a figure, and the ones beside it in comparisons."""

    def make(quick: bool) -> Cases:
        return {key: sets for each in of for key, sets in forks(quick, *each.split()).items()}

    return make


def reading(quick: bool) -> Cases:
    """Figure 7, and what TCP/IP carries from as many sources as it has IOPs at most."""
    found = several("traditional read")(quick)
    most = max(int(key.x) for key in found)
    return {**found, **{key: sets for key, sets in streams(quick).items() if key.x == str(most)}}


def limit_of(key: Key) -> int:
    return int(key.method.removeprefix("limit "))


def limit(key: Key) -> str:
    return str(limit_of(key) or "none")


def place_of_limit(key: Key) -> float:
    return PERMISSIONS.index(limit_of(key))


def flow(quick: bool) -> Cases:
    least = LARGEST if quick else 16 * KIB
    return {
        key._replace(method=f"limit {limit}"): {**sets, "file_system.permissions": limit}
        for key, sets in forks(quick, "traditional", "read", PARTITIONED, INTERLEAVED).items()
        if int(key.x) >= MANY and key.record_bytes >= least
        for limit in PERMISSIONS
    }


def amounts(quick: bool) -> Cases:
    """The effect of the rule for the amount of data: fewer or more of the smallest records."""
    return {
        key._replace(x=amount): {**sets, "workload.records": round(records_of(interface, key, quick) * factor)}
        for interface in ("traditional", "strided")
        for operation in PATTERNS
        for key, sets in forks(quick, interface, operation).items()
        if (key.record_bytes, key.x) == (SMALLEST, str(FEW))
        for amount, factor in AMOUNTS.items()
    }


def orders(quick: bool) -> Cases:
    """Every test with the largest records, which wait for the disks most, with both orders (section 4.2.3)."""
    return {
        key._replace(method=f"{order}, {key.method}"): {**sets, "file_system.queue_order": order}
        for interface in ("traditional", "strided")
        for operation in PATTERNS
        for key, sets in forks(quick, interface, operation).items()
        if key.record_bytes == LARGEST
        for order in (PUBLISHED, FAIR)
    }


def starts(quick: bool) -> Cases:
    """Reads of the largest records, which need the CPs in phase most, from most IOPs."""
    return {
        key._replace(x=spread): {**sets, "workload.start_spread": spread}
        for key, sets in forks(quick, "traditional", "read", PARTITIONED, INTERLEAVED).items()
        if (key.record_bytes, key.x) == (LARGEST, "64")
        for spread in APART
    }


def disks(quick: bool) -> Cases:
    """Every pattern of reading and of writing a new file, with records of a block (future work of section 8)."""
    return {
        key._replace(x=str(each)): {**sets, "machine.disks": FEW * each}
        for interface in ("traditional", "strided")
        for operation in ("read", "create")
        for key, sets in forks(quick, interface, operation).items()
        if (key.record_bytes, key.x) == (BLOCK, str(FEW))
        for each in DISKS
    }


def lock(quick: bool) -> Cases:
    """The pattern that the lock on a fork's metadata delays (section 6.4), the other one, and reads, without lock."""
    new, read = (forks(quick, "strided", operation, PARTITIONED, INTERLEAVED) for operation in ("create", "read"))
    return {**new, **read}


def mb(found: Found, key: Key) -> float:
    """Throughput of all processors together in MB/s (10^6 bytes/s)."""
    return MB_OF_MIB * found.mib(key)


def where(key: Key) -> str:
    """A point without its method, which the statements name."""
    size = sized(key.record_bytes) if key.record_bytes else ""
    return ", ".join(part for part in (key.pattern, size, f"{key.x} IOPs") if part)


def curves(keys: Iterable[Key], value: Callable[[Key], float]) -> list[Curve]:
    """A figure of these points by record size, or message size: a curve for each pattern and number of IOPs."""
    return curves_of(keys, value, "record_bytes", lambda line: f"{line.pattern}, {line.x} IOPs")


def at(curve: Curve, record: int, value: float) -> Measure:
    """A value that belongs to a point of the curve."""
    return Measure(value, where(curve.line._replace(record_bytes=record)))


def series(found: Found, method: str, *patterns: str) -> list[Curve]:
    """Throughput in MB/s: the curves of a method, of these patterns or of all."""
    keys = [key for key in found.select(method) if not patterns or key.pattern in patterns]
    return curves(keys, lambda key: mb(found, key))


def over(found: Found, keys: Sequence[Key], method: str | None = None, pattern: str | None = None) -> Measures:
    """Throughput over that of another method, or pattern, with as many IOPs and the same records."""

    def ratio(key: Key) -> float:
        return found.mib(key) / found.mib(key._replace(method=method or key.method, pattern=pattern or key.pattern))

    return Measures(Measure(ratio(key), where(key)) for key in keys)


def speedup(found: Found, key: Key) -> float:
    """The strided interface over the traditional one."""
    return found.ratio(key, key.method.replace("strided", "traditional"))


def speedups(found: Found, operation: str) -> list[Curve]:
    """In the place of throughput."""
    return curves(found.select(f"strided {operation}"), lambda key: speedup(found, key))


def interleaved_over_partitioned(found: Found, method: str) -> list[Curve]:
    """In the place of throughput; in that of the pattern, the method."""
    own = {key._replace(pattern=method): key for key in found.select(method, pattern=INTERLEAVED)}
    return curves(own, lambda key: found.mib(own[key]) / found.mib(key._replace(pattern=PARTITIONED)))


def tcp(found: Found) -> Iterator[Verdict]:
    (pair,) = series(found, PAIR)
    peaks = {int(curve.line.x): curve.peak for curve in series(found, TCP)}
    most = max(peaks)
    growth = [
        (n, Measure(peaks[n] / peaks[fewer], f"{n} sources, over {fewer}")) for fewer, n in pairwise(sorted(peaks))
    ]
    yield say("tcp-pair", Measure(pair.peak, "one pair"))
    yield say("tcp-grows", Measures(measure for n, measure in growth if n <= MANY))
    yield say("tcp-most", Measures(measure for n, measure in growth if n > MANY))
    yield say("tcp-total", Measure(peaks[most], f"{most} sources, {peaks[most] / COMPUTE_PROCESSORS:.1f} MB/s a sink"))


def step(curves: Sequence[Curve], high: int, low: int) -> Measures:
    """The throughput of records of one size over that of another."""
    return Measures(at(curve, high, curve[high] / curve[low]) for curve in curves)


def grows(found: Found, method: str) -> Verdict:
    growth = Measures()
    for curve in series(found, method):
        for record in sorted(curve)[1:]:
            most = max(value for fewer, value in curve.items() if fewer < record)
            growth.append(at(curve, record, curve[record] / most))
    return say("grows", growth)


def plateau(found: Found, method: str, *patterns: str) -> Verdict:
    return say("plateau", step(series(found, method, *patterns), LARGEST, BLOCK))


def broadcast_peak(found: Found, method: str) -> Measure:
    """With the most IOPs."""
    largest = max(series(found, method, BROADCAST), key=lambda curve: int(curve.line.x))
    return Measure(largest.peak, str(largest))


def small(found: Found, method: str, **fields: str | int) -> list[Key]:
    """Records of less than a block."""
    return [key for key in found.select(method, **fields) if key.record_bytes < BLOCK]


def means(measures: Iterable[tuple[Key, float]]) -> Measures:
    """The geometric mean of the records of each pattern and number of IOPs."""
    of: dict[str, list[float]] = {}
    for key, value in measures:
        of.setdefault(where(key._replace(record_bytes=0)), []).append(value)
    return Measures(Measure(geometric_mean(values), place) for place, values in of.items())


def traditional_read(found: Found) -> Iterator[Verdict]:
    name = "traditional read"
    yield grows(found, name)
    yield plateau(found, name, INTERLEAVED, BROADCAST)
    yield say("plateau-seeks", step(series(found, name, PARTITIONED), LARGEST, BLOCK))
    interleaved = series(found, name, INTERLEAVED)
    yield say("disks-sustain", each(interleaved, lambda curve: curve.peak / int(curve.line.x), "MB/s a disk"))
    # Messages do not limit records of 2 KB if those of a thirty-second reach a thirty-second of the disks' rate.
    by_disks = [curve for curve in interleaved if 32 * curve[SMALLEST] >= SUSTAINED * int(curve.line.x)]
    by_messages = [curve for curve in interleaved if curve not in by_disks]
    if by_disks:
        yield say("dip", step(by_disks, 4 * KIB, 2 * KIB))
    if by_messages:
        yield say("dip-messages", step(by_messages, 4 * KIB, 2 * KIB))
    whole_blocks = [key for key in found.select(name, pattern=PARTITIONED) if key.record_bytes >= BLOCK]
    yield say("seeks", over(found, whole_blocks, pattern=INTERLEAVED))
    (carried,) = series(found, TCP)
    peak = broadcast_peak(found, name)
    yield say("broadcast-tcp", Measure(peak.value / carried.peak, f"{peak.where}, {peak.value:.0f} MB/s"))
    of_disks = [(curve, SUSTAINED * int(curve.line.x)) for curve in series(found, name)]
    yield say("nearly-100", {str(curve): curve.peak / rate - 0.9 for curve, rate in of_disks})


def traditional_overwrite(found: Found) -> Iterator[Verdict]:
    name, read = "traditional overwrite", "traditional read"
    yield grows(found, name)
    yield plateau(found, name)
    below = small(found, name)
    yield say("overwrite-slower", over(found, [key for key in below if key.record_bytes > SMALLEST], read))
    yield say("overwrite-slower-64", over(found, [key for key in below if key.record_bytes == SMALLEST], read))
    smaller = max(key.record_bytes for key in below)
    yield say("whole-blocks", step(series(found, name), BLOCK, smaller))
    lead, of_reads = (
        means((key, found.mib(key) / found.mib(key._replace(pattern=PARTITIONED))) for key in keys)
        for keys in (small(found, method, pattern=INTERLEAVED) for method in (name, read))
    )
    yield say("overwrite-interleaved", lead)
    yield say("overwrite-patterns", {a.where: a.value / b.value for a, b in zip(lead, of_reads, strict=True)})


def traditional_create(found: Found) -> Iterator[Verdict]:
    name, overwrite = "traditional create", "traditional overwrite"
    yield grows(found, name)
    yield plateau(found, name)
    yield say("create-faster", means((key, found.ratio(key, overwrite)) for key in small(found, name)))


def spread(found: Found, method: str, record: int, iops: str) -> Measure:
    """The fastest pattern over the slowest one."""
    speeds = {key.pattern: found.mib(key) for key in found.select(method, record_bytes=record, x=iops)}
    ratio = max(speeds.values()) / min(speeds.values())
    return Measure(ratio, f"{method}, {max(speeds, key=speeds.__getitem__)}, {sized(record)}, {iops} IOPs")


def patterns(found: Found) -> Iterator[Verdict]:
    read, *writes = found.methods
    yield say("small-pieces", Measures(spread(found, each, SMALLEST, n) for each in found.methods for n in found.xs))
    effects = {}
    for iops in found.xs:
        large = max(spread(found, read, record, iops).value for record in found.record_sizes if record >= BLOCK)
        others = [spread(found, each, record, iops) for each in writes for record in found.record_sizes]
        most = Measures([spread(found, read, SMALLEST, iops), *others]).largest()
        effects[f"{iops} IOPs ({large:.2f}), over {most.where} ({most.value:.2f})"] = large / most.value
    yield say("large-blocks", effects)


def best_limits(found: Found, place: Key) -> float:
    """The most throughput there with a limit from 2 to 8, over that with another one."""
    keys = found.select(pattern=place.pattern, record_bytes=place.record_bytes, x=place.x)
    within, beyond = (
        max(mb(found, key) for key in keys if (2 <= limit_of(key) <= 8) is between) for between in (True, False)
    )
    return within / beyond


def of_peak(found: Found, method: str, *patterns: str) -> Measures:
    """The throughput of the smallest records over the peak."""
    curves = series(found, method, *patterns)
    return Measures(at(curve, curve.first, curve[curve.first] / curve.peak) for curve in curves)


def at_peak(method: str, *patterns: str) -> Callable[[Found], list[Verdict]]:
    return lambda found: [
        say("at-peak", {share.where: share.value - 0.9 for share in of_peak(found, method, *patterns)})
    ]


def peaks_rise(found: Found, operation: str, *patterns: str) -> Measures:
    """Peaks of the strided interface over those of the traditional one."""
    strided, traditional = (series(found, f"{name} {operation}", *patterns) for name in ("strided", "traditional"))
    return Measures(Measure(a.peak / b.peak, a.name) for a, b in zip(strided, traditional, strict=True))


def strided_read(found: Found) -> Iterator[Verdict]:
    name = "strided read"
    yield say("orders", orders_of_magnitude(found))
    partitioned, interleaved = rises(found)
    yield say("peaks-rise", partitioned)
    yield say("peaks-rise-interleaved", interleaved)
    peaks = {pattern: {curve.line.x: curve.peak for curve in series(found, name, pattern)} for pattern in TWO}
    slower = {f"{n} IOPs": peaks[PARTITIONED][n] / peak for n, peak in peaks[INTERLEAVED].items() if int(n) >= MANY}
    yield say("crowded", slower)
    share = broadcast_peak(found, name).value / COMPUTE_PROCESSORS
    yield say("broadcast-strided", {f"{share:.1f} MB/s a CP": abs(share - 13.5)})


def orders_of_magnitude(found: Found) -> dict[str, float]:
    """The margins by which records that achieve the traditional interface's peak are 10^1.5 to 10^3.5 times as large
    as 64 bytes."""
    margins = {}
    for operation in PATTERNS:
        for curve in series(found, f"traditional {operation}"):
            ratio = min(record for record, value in curve.items() if value >= 0.9 * curve.peak) / SMALLEST
            margins[f"{operation}, {curve} ({ratio:.0f} times)"] = 1 - abs(log10(ratio) - 2.5)
    return margins


def rises(found: Found) -> list[Measure]:
    """The mean rise of the peaks of partitioned and of interleaved reads, over the largest one of the other tests."""

    def mean(operation: str, pattern: str) -> Measure:
        return peaks_rise(found, operation, pattern).mean(f"{pattern} {operation}")

    writing = [mean(operation, pattern) for operation in ("overwrite", "create") for pattern in TWO]
    others = Measures([mean("read", BROADCAST), *writing]).largest()
    reads = [mean("read", pattern) for pattern in TWO]
    return [Measure(own.value / others.value, f"{own.where} ({own.value:.2f}), over {others.where}") for own in reads]


def interleaved_create(found: Found) -> Iterator[Verdict]:
    yield say("create-exception", of_peak(found, "strided create", INTERLEAVED))


def lock_delays(found: Found) -> Iterator[Verdict]:
    """The cause that the paper suspects (section 6.4)."""
    new, reads = (interleaved_over_partitioned(found, method) for method in ("strided create", "strided read"))
    yield say("lock", Measures(at(curve, curve.first, curve[curve.first]) for curve in new))
    yield say("lock-cause", {f"{a.line.x} IOPs": loss(a) / loss(b) for a, b in zip(new, reads, strict=True)})


def loss(curve: Curve) -> float:
    return curve[curve.first] / curve[curve.last]


def speedups_of(found: Found, operation: str, pattern: str) -> Measures:
    curves = [curve for curve in speedups(found, operation) if curve.line.pattern == pattern]
    return Measures(at(curve, record, value) for curve in curves for record, value in curve.items())


def read_speedups(found: Found) -> Iterator[Verdict]:
    own, *gains = (speedups_of(found, "read", each).largest() for each in (BROADCAST, PARTITIONED, INTERLEAVED))
    of_partitioned, of_interleaved = gains
    yield say("gain-interleaved", of_interleaved)
    yield say("gain-partitioned", of_partitioned)
    others = zip(TWO, gains, strict=True)
    mine = f"{own.value:.1f} ({own.where})"
    yield say("broadcast-gain", {f"{mine}, over {pattern}": own.value / gain.value for pattern, gain in others})
    curves = speedups(found, "read")
    large = [at(curve, record, curve[record]) for curve in curves for record in curve if record >= BLOCK]
    yield say("large-gain", Measures(each for each in large if BROADCAST not in each.where).largest())
    # Of several record sizes with the least value, the largest.
    least = [(curve, min(curve, key=lambda record: (curve[record], -record))) for curve in curves]
    yield say("least", {at(c, n, 0).where + f" ({c[n]:.2f})": abs(c[n] - 1.5) for c, n in least})
    lower = {}
    for curve in curves:
        small_ones = [v for record, v in curve.items() if record < BLOCK]
        large_ones = [v for record, v in curve.items() if record >= BLOCK]
        lower[curve.name] = min(small_ones) - min(large_ones)
    yield say("least-largest", lower)


def overwrite_speedups(found: Found) -> Iterator[Verdict]:
    yield say("gain-30", speedups_of(found, "overwrite", INTERLEAVED).largest())


def below_reads(operation: str) -> Callable[[Found], list[Verdict]]:
    def judge(found: Found) -> list[Verdict]:
        measures = Measures()
        for pattern in TWO:
            own, of_reads = (min(each.value for each in speedups_of(found, of, pattern)) for of in (operation, "read"))
            measures.append(Measure(own / of_reads, f"{pattern} ({own:.2f})"))
        return [say("gain-below-reads", measures)]

    return judge


STUDY = study_of("galley", globals(), average=without_extremes)
reproduce_galley = reproduction(STUDY)
