# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by their numbers, those of its text by name."""

from collections.abc import Callable
from dataclasses import replace

from sunstar.papers.galley import cases, statements
from sunstar.papers.galley.cases import INTERLEAVED, PARTITIONED, PERMISSIONS, limit_of, mb, several, size
from sunstar.study.cases import Key, without_extremes
from sunstar.study.experiments import Experiment, Statements, Study, reproduction
from sunstar.study.views import Quantity, View


def record(key: Key) -> str:
    return size(key.record_bytes)


def iops(key: Key) -> str:
    return f"{key.x} IOPs"


MB_PER_S = Quantity("MB/s", mb, "{:.2f}".format)


BY_RECORD = View({"record": record}, iops, "pattern", [MB_PER_S], drawn="lines", x=lambda key: key.record_bytes)


def by_record(method: str) -> View:
    """A panel for each pattern: a line for each record size, a column for each number of IOPs."""
    return replace(BY_RECORD, points=lambda _, key: key.method == method)


def ratio(name: str, over: Callable[[Key], Key]) -> Quantity:
    return Quantity(name, lambda found, key: found.mib(key) / found.mib(over(key)), "{:.2f}".format)


def speedup(operation: str) -> View:
    gained = ratio("strided over traditional", lambda key: key._replace(method=f"traditional {operation}"))
    return replace(by_record(f"strided {operation}"), quantities=[gained], logarithmic=True, one=True)


LOCK = replace(
    BY_RECORD,
    panels="method",
    quantities=[ratio("interleaved over partitioned", lambda key: key._replace(pattern=PARTITIONED))],
    points=lambda _, key: key.pattern == INTERLEAVED,
    one=True,
)
TCP = replace(
    BY_RECORD,
    rows={"message": record},
    columns=lambda key: f"{key.x} source{'' if key.x == '1' else 's'}",
    panels="method",
)
FLOW = View(
    {"limit": lambda key: limit_of(key) or "none"},
    (record, iops),
    "pattern",
    [MB_PER_S],
    drawn="lines",
    x=lambda key: PERMISSIONS.index(limit_of(key)),
)
ORDER = View(
    {"test": lambda key: key.method.partition(", ")[2], "pattern": "pattern"},
    iops,
    lambda key: key.method.partition(", ")[0],
    [MB_PER_S],
    drawn="bars",
)
AMOUNTS = View({"test": "method", "pattern": "pattern"}, lambda key: key.x, quantities=[MB_PER_S], drawn="bars")
DISKS = View({"disks an IOP": lambda key: key.x}, "method", "pattern", [MB_PER_S], drawn="lines")


def throughput(name: str, title: str, check: Statements, of: str, *beside: str) -> Experiment[bool]:
    """A figure of a method's throughput; `beside` are methods with which it is compared."""
    return Experiment(name, title, several(of, *beside), [by_record(of)], check)


def gain(name: str, title: str, check: Statements, operation: str, *beside: str) -> Experiment[bool]:
    """A figure of an operation's speedup; `beside` are operations with which it is compared."""
    of = [f"{interface} {each}" for interface in INTERFACES for each in (operation, *beside)]
    return Experiment(name, title, several(*of), [speedup(operation)], check)


INTERFACES = ("strided", "traditional")
READ, OVERWRITE, CREATE = "traditional read", "traditional overwrite", "traditional create"
EVERYTHING = [f"{interface} {operation}" for interface in INTERFACES for operation in cases.PATTERNS]

STUDY = Study(
    "galley",
    "Galley",
    (
        Experiment("5", "TCP/IP", cases.streams, [TCP], statements.tcp),
        throughput("7", "traditional interface, read", statements.traditional_read, READ),
        throughput("8", "traditional interface, overwrite", statements.traditional_overwrite, OVERWRITE, READ),
        throughput("9", "traditional interface, new file", statements.traditional_create, CREATE, OVERWRITE, READ),
        throughput("10", "strided interface, read", statements.strided_read, *EVERYTHING),
        throughput(
            "11",
            "strided interface, overwrite",
            lambda found: [statements.at_peak(found, "strided overwrite")],
            "strided overwrite",
        ),
        throughput("12", "strided interface, new file", statements.strided_create, "strided create"),
        gain("13", "speedup, read", statements.read_speedups, "read"),
        gain("14", "speedup, overwrite", statements.overwrite_speedups, "overwrite", "read"),
        gain("15", "speedup, new file", lambda found: [statements.below_reads(found, "create")], "create", "read"),
        Experiment("flow", "permissions to send", cases.flow, [FLOW], statements.flow),
        Experiment("amount", "the amount of data, 64-byte records and 4 IOPs", cases.amounts, [AMOUNTS]),
        Experiment("order", "the order in which disks serve requests", cases.orders, [ORDER]),
        Experiment("disks", "several disks an IOP", cases.disks, [DISKS]),
        Experiment("lock", "the lock on a new fork's metadata", cases.lock, [LOCK], statements.lock),
    ),
    lambda found, key: {"mb_per_s": mb(found, key)},
    statistics=False,
    platform="sp2",
    average=without_extremes,
)

reproduce_galley = reproduction(
    STUDY,
    """Measure the Galley parallel file system on the SP-2 as its paper does (Nieuwejaar and Kotz, 1997): TCP/IP
    throughput (figure 5), the traditional interface (7 to 9), the strided one (10 to 12), its speedup (13 to 15), and
    what the text says of permissions to send and of the lock on a new fork's metadata.

    Of five trials the lowest and the highest do not count, as in the paper. The largest runs take 6 GB each, so that
    --jobs must suit the memory.""",
    quick="Fewer record sizes and numbers of IOPs, less data: ten minutes in all.",
    trials=5,
)
