# SPDX-License-Identifier: MIT
"""Studies of ours: the cost of redundancy, and the worth of knowing a whole request (TR94-226 has plain drives only);
the bad day, on which a disk dies; TR94-226's patterns on a cluster of today, with bounds wide enough to show the
direction; and ior-hard of the IO500 with locks, with versions, and under collective I/O, with our bounds beside the
list's.

ddio-16 is disk-directed I/O with buffers enough for drives that take several commands at a time. On `b` patterns the
file's order is that of the clients: going through the file in order serves one client after the other.
"""

from collections.abc import Callable, Sequence

from sunstar.drawing import Canvas, draw_rates, rates
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import reproduction, study_of
from sunstar.study.statements import data_of
from sunstar.study.views import legend

RECORDS = data_of("points/ior-hard")["records"]["record_sizes"]


def full_rows(found: Found, key: Key) -> float | None:
    """The share of writes of rows without reads."""
    of = found[key].result.store
    full: float = of.full_row_writes if of else 0
    rows: float = full + of.read_modify_writes + of.reconstruct_writes if of else 0
    return full / rows if rows else None


def commands(found: Found, key: Key) -> float:
    """Commands of drives for each block of 8 KiB."""
    result = found[key].result
    return float((result.disk_reads + result.disk_writes) / result.bytes_moved * 8192)


def none_of(faults: Sequence[str]) -> Callable[[Found, Key], float]:
    """The margin by which these counts are all 0."""
    return lambda found, key: 0.5 - sum(found[key].result.faults[name] for name in faults)


def draw_day(found: Found, canvas: Canvas) -> None:
    """The first trial. Caches fill at memory's pace, which may go beyond a panel: its height is the drives' pace."""
    canvas.set_size_inches(10, 1.3 * len(found.methods) + 0.8)
    panels = canvas.subplots(len(found.methods), len(found.xs), squeeze=False, sharex="col")
    for line, method in zip(panels, found.methods, strict=True):
        for axes, x in zip(line, found.xs, strict=True):
            over_time = found[found.one(method, x=x)].over_time
            assert over_time is not None
            draw_rates(axes, over_time)
            axes.set_ylim(0, 1.3 * max(max(rates(over_time).get(name, [1])) for name in ("read", "written")))
            axes.set_title(f"{method}, {x}", fontsize=8)
        line[0].set_ylabel("MiB/s")
    for axes in panels[-1]:
        axes.set_xlabel("simulated time (s)")
    legend(canvas)


def messages_of_mib(found: Found, key: Key) -> float:
    result = found[key].result
    return float(result.messages * (1 << 20) / result.bytes_moved)


def contiguous_over(found: Found, key: Key) -> float:
    """The throughput of the contiguous layout over that of this one."""
    return found.mib(key._replace(layout="contiguous")) / found.mib(key)


def messages_of_record(found: Found, key: Key) -> float:
    result = found[key].result
    return float(result.messages / (result.ior.write.transfers + result.ior.read.transfers))


def place_of_record(key: Key) -> float:
    """The place on an axis of sizes, where some are nearly equal."""
    return float(RECORDS.index(key.record_bytes))


REDUNDANCY, BAD_DAY = study_of("redundancy", globals()), study_of("bad-day", globals())
reproduce_redundancy, reproduce_bad_day = reproduction(REDUNDANCY), reproduction(BAD_DAY)
NVME_CLUSTER, IOR_HARD = study_of("nvme-cluster", globals()), study_of("ior-hard", globals())
reproduce_nvme_cluster, reproduce_ior_hard = reproduction(NVME_CLUSTER), reproduction(IOR_HARD)
