# SPDX-License-Identifier: MIT
"""The points of each experiment, 16 CPs and 4 to 64 IOPs with a disk each, and the paper's measures of them."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from sunstar.study.cases import Cases, Curve, Found, Key, curves_of, points_of, sized
from sunstar.study.statements import Measure, Measures

COMPUTE_PROCESSORS = 16
KIB, MIB = 1 << 10, 1 << 20
BLOCK = 32 * KIB
LARGEST = 64 * KIB
SMALLEST = 64
MANY = 32  # IOPs: two for each CP

BROADCAST, PARTITIONED, INTERLEAVED = "broadcast", "partitioned", "interleaved"
PATTERNS = {
    "read": (BROADCAST, PARTITIONED, INTERLEAVED),
    "overwrite": (PARTITIONED, INTERLEAVED),
    "create": (PARTITIONED, INTERLEAVED),
}
"""The patterns of each operation. The paper has no CP overwrite what another one writes."""


points = partial(points_of, "galley")
TCP, PAIR = "TCP/IP", "pair"
"""Sources and 16 sinks, the x of a point being the number of sources; one source and one sink."""


def streams(quick: bool) -> Cases:
    """TCP/IP (section 6.1.1, figure 5). The paper sends 24 to 800 KB from source to sink, less with small messages."""
    messages, most = (64, MIB // 2) if quick else (512, MIB)
    found = {**points("sources", quick), **points("pair", quick)}
    return {
        key: {**sets, "workload.bytes": f"{min(messages * key.record_bytes, most)}B"} for key, sets in found.items()
    }


def sources(key: Key) -> str:
    return f"{key.x} source{'' if key.x == '1' else 's'}"


FORK = 32 * MIB  # The size of each fork in all tests. A new file's size is that of its data.
MOST_REQUESTS = 1024
SHARE = FORK // COMPUTE_PROCESSORS


BEYOND_CACHES = [Key("strided read", pattern, "", LARGEST, "64") for pattern in (PARTITIONED, INTERLEAVED)]
"""Strided reads with most IOPs, where the paper reads 2 GB: only beyond the caches a CP is served late."""


def records_of(interface: str, key: Key, quick: bool) -> int:
    """How many records of each fork a CP accesses. The paper fixes the size of forks and takes less data the slower a
    test is, from 4 MB (64-byte records, 4 IOPs) to 2 GB (64-KiB records, 64 IOPs): about ten seconds each. By the
    traditional interface, 1,024 requests make both amounts, or a sixteenth of the fork if that is less. A strided
    request names half of this, which keeps a disk busy for as long."""
    strided = interface == "strided"
    share = SHARE // (1 if key in BEYOND_CACHES else 4 if quick else 2 if strided else 1) // key.record_bytes
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


PERMISSIONS = (0, 1, 2, 4, 8, 16, 64)  # Limits of packets under way to a CP; without a limit 0


def limit_of(key: Key) -> int:
    return int(key.method.removeprefix("limit "))


def limit(key: Key) -> str:
    return str(limit_of(key) or "none")


def place_of_limit(key: Key) -> float:
    return PERMISSIONS.index(limit_of(key))


def flow(quick: bool) -> Cases:
    """Flow control (section 6.3)."""
    least = LARGEST if quick else 16 * KIB
    return {
        key._replace(method=f"limit {limit}"): {**sets, "file_system.permissions": limit}
        for key, sets in forks(quick, "traditional", "read", PARTITIONED, INTERLEAVED).items()
        if int(key.x) >= MANY and key.record_bytes >= least
        for limit in PERMISSIONS
    }


AMOUNTS = {"half": 0.5, "the rule": 1.0, "twice": 2.0}  # Requests of a CP to each fork


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


PUBLISHED, FAIR = "cyclical-scan", "fair-cyclical-scan"
"""The paper's order, which is the SP-2's, and one in which requests during a sweep wait for the next one."""


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


FEW = 4  # IOPs of the study of disks; the x of a point is the number of disks of each
DISKS = (1, 2, 4, 8)


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
    """The pattern that the lock on a fork's metadata delays (section 6.4), and the other one; and reads, which take no
    lock."""
    new, read = (forks(quick, "strided", operation, PARTITIONED, INTERLEAVED) for operation in ("create", "read"))
    return {**new, **read}


MB_OF_MIB = 1.048576


def mb(found: Found, key: Key) -> float:
    """Throughput of all processors together in MB/s (10^6 bytes/s)."""
    return MB_OF_MIB * found.mib(key)


def where(key: Key) -> str:
    """A point without its method, which the statements name."""
    return ", ".join(part for part in (key.pattern, sized(key.record_bytes), f"{key.x} IOPs") if part)


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
