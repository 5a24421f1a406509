# SPDX-License-Identifier: MIT
"""The points of each experiment: 16 CPs, and 4 to 64 IOPs with a disk each."""

from collections.abc import Callable
from dataclasses import dataclass

from sunstar.study.cases import Cases, Key, Settings

COMPUTE_PROCESSORS = 16
KIB, MIB = 1 << 10, 1 << 20
BLOCK = 32 * KIB
LARGEST = 64 * KIB
RECORDS = tuple(64 << i for i in range(11))
IO_PROCESSORS = (4, 8, 16, 32, 64)
MANY = 32
"""IOPs: twice as many as CPs."""

BROADCAST, PARTITIONED, INTERLEAVED = "broadcast", "partitioned", "interleaved"
PATTERNS = {
    "read": (BROADCAST, PARTITIONED, INTERLEAVED),
    "overwrite": (PARTITIONED, INTERLEAVED),
    "create": (PARTITIONED, INTERLEAVED),
}
"""The patterns of each operation. The paper has no CP overwrite what another one writes."""


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    quick: bool = False
    """Fewer record sizes and numbers of IOPs, less data."""

    @property
    def records(self) -> tuple[int, ...]:
        return (64, 2 * KIB, 4 * KIB, 32 * KIB, LARGEST) if self.quick else RECORDS

    @property
    def io_processors(self) -> tuple[int, ...]:
        return (4, 64) if self.quick else IO_PROCESSORS


def nodes(io_processors: int, compute_processors: int = COMPUTE_PROCESSORS) -> Settings:
    return {
        "machine.compute_processors": compute_processors,
        "machine.io_processors": io_processors,
        "machine.disks": io_processors,
    }


# TCP/IP (section 6.1.1, figure 5) ------------------------------------------------------------------------------------

TCP, PAIR = "TCP/IP", "pair"
"""Sources and 16 sinks, the x of a point being the number of sources; one source and one sink."""


def streams(choice: Choice) -> Cases:
    """The paper sends 24 KB to 800 KB from each source to each sink, less with small messages."""
    messages, most = (64, MIB // 2) if choice.quick else (512, MIB)
    machines = {(TCP, str(n)): nodes(n) for n in ((4, 32, 64) if choice.quick else IO_PROCESSORS)}
    return {
        Key(method, "", "", size, sources): {
            **machine,
            "workload.kind": "streams",
            "workload.message_size": f"{size}B",
            "workload.bytes": f"{min(messages * size, most)}B",
        }
        for (method, sources), machine in {(PAIR, "1"): nodes(1, 1), **machines}.items()
        for size in choice.records
    }


BEYOND_CACHES = ((PARTITIONED, RECORDS[0]), (PARTITIONED, LARGEST), (INTERLEAVED, LARGEST))
"""Reads with most IOPs that even --quick carries out on forks larger than a cache: only there a CP is served late."""


# Forks (sections 6.3 and 6.4, figures 7 to 15) -----------------------------------------------------------------------


def fork_bytes(interface: str, pattern: str, record: int, choice: Choice, reads_beyond_caches: bool = False) -> int:
    """The size of each fork. The paper, too, takes less data where a test is slow.

    `reads_beyond_caches`: the fork must not fit into the cache of an IOP, whatever that costs.
    """
    shared = pattern != BROADCAST
    if interface == "strided":
        if reads_beyond_caches:
            return 32 * MIB
        if choice.quick:
            return 8 * MIB if shared else MIB // 2
        return (32 * MIB if record >= KIB or pattern == PARTITIONED else 16 * MIB) if shared else 2 * MIB
    records = 64 if choice.quick else 256
    if shared:
        return min((8 if choice.quick else 32) * MIB, records * record * COMPUTE_PROCESSORS)
    return min(2 * MIB, max(BLOCK if choice.quick else 256 * KIB, records * record))


def method(interface: str, operation: str) -> str:
    return f"{interface} {operation}"


def forks(choice: Choice, interface: str, operation: str, *patterns: str) -> Cases:
    """Throughput of an operation by an interface: the x of a point is the number of IOPs."""
    return {
        Key(method(interface, operation), pattern, "", record, str(n)): {
            **nodes(n),
            "workload.kind": "forks",
            "workload.pattern": pattern,
            "workload.operation": operation,
            "workload.interface": interface,
            "workload.record_size": f"{record}B",
            "workload.fork_size": f"{size}B",
        }
        for pattern in patterns or PATTERNS[operation]
        for n in choice.io_processors
        for record in choice.records
        for beyond in [operation == "read" and n == IO_PROCESSORS[-1] and (pattern, record) in BEYOND_CACHES]
        for size in [fork_bytes(interface, pattern, record, choice, beyond)]
    }


def several(*of: tuple[str, str]) -> Callable[[Choice], Cases]:
    """The points of several interfaces and operations: what a figure shows, and what it is compared with."""

    def make(choice: Choice) -> Cases:
        return {key: sets for each in of for key, sets in forks(choice, *each).items()}

    return make


# Flow control (section 6.3) ------------------------------------------------------------------------------------------

PERMISSIONS = (0, 1, 2, 4, 8, 16, 64)
"""Limits of packets under way to a CP; without a limit 0."""


def limit_of(key: Key) -> int:
    """The limit at a point of the experiment on flow control."""
    return int(key.method.removeprefix("limit "))


def flow(choice: Choice) -> Cases:
    least = LARGEST if choice.quick else 16 * KIB
    return {
        key._replace(method=f"limit {limit}"): {**sets, "file_system.permissions": limit}
        for key, sets in forks(choice, "traditional", "read", PARTITIONED, INTERLEAVED).items()
        if int(key.x) >= MANY and key.record_bytes >= least
        for limit in PERMISSIONS
    }


# The lock on a fork's metadata (section 6.4) --------------------------------------------------------------------------


def lock(choice: Choice) -> Cases:
    """The pattern that the lock delays, and the other one; and reads, which take no lock."""
    return {
        key: sets
        for operation in ("create", "read")
        for key, sets in forks(choice, "strided", operation, PARTITIONED, INTERLEAVED).items()
    }
