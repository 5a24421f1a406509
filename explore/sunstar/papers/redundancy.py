# SPDX-License-Identifier: MIT
"""What redundancy costs, and what it is worth to know a whole request; and the bad day, on which a disk dies. Both are
ours: TR94-226 has plain drives only."""

import json
from collections.abc import Iterator

from sunstar.console import percent, throughput
from sunstar.drawing import Canvas
from sunstar.over_time import draw_rates
from sunstar.papers.five_ways.cases import HYBRID, TWO_PHASE
from sunstar.papers.tr94_226.cases import ANY_RECORD, PATTERNS
from sunstar.study.cases import DIRECTED, ENWRICH, TRADITIONAL, Cases, Found, Key, Settings, every, transfer
from sunstar.study.experiments import Experiment, Study, reproduction
from sunstar.study.statements import Measure, Measures, Verdict, each, share
from sunstar.study.views import Quantity, View, legend

METHODS: dict[str, Settings] = {
    "tc": TRADITIONAL,
    "two-phase": TWO_PHASE,
    "ddio": DIRECTED,
    "enwrich": ENWRICH,
    "hybrid": HYBRID,
    "pvfs": {"file_system.kind": "pvfs"},
}
STORE = "file_system.store"
BLIND = "-blind"
"""Ends the name of a method that does not learn which blocks share a row."""
INFORMED = ("ddio", "enwrich")
DRIVES = 6
"""Of each of four I/O processors, half of them on a bus of their own: a bus carries what four drives bring."""
DEGRADED = " degraded"
MEDIUM = Quantity("MiB/s", lambda found, key: found[key].medium_mib_per_s)
TRIALS = 3


def machine(buses: int, drives: int) -> Settings:
    """16 compute processors, and 4 I/O processors with so many buses, and so many drives on each."""
    io = {"count": 4, "role": "io", "buses": [{"count": buses, "drives": [{"count": drives}]}]}
    return {"machine.nodes": json.dumps([{"count": 16}, io])}


def settings(key: Key) -> Settings:
    """x: the store, and " degraded" if each I/O processor's second drive is missing, or " plug" and the time."""
    kind, _, more = key.x.partition(" ")
    method = METHODS[key.method.removesuffix(BLIND)]
    sets: Settings = {**transfer(key, method), **machine(2, DRIVES // 2), f"{STORE}.kind": kind}
    if key.method.endswith(BLIND):
        sets[f"{STORE}.tell_rows"] = False
    if more == DEGRADED.strip():
        sets[f"{STORE}.failed"] = "[1]"
    elif more:
        sets[f"{STORE}.plug"] = more.removeprefix("plug ")
    return sets


def sensible(key: Key) -> bool:
    """ENWRICH gathers what it writes only, and some patterns do not depend on the record size."""
    reads = key.pattern.startswith("r")
    return not (reads and key.method == "enwrich") and (key.record_bytes == 8192 or key.pattern not in ANY_RECORD)


def rows(quick: bool) -> Cases:
    patterns = ("wb", "wcc") if quick else tuple(each for each in PATTERNS if each.startswith("w"))
    plugs = ("0s", "20ms") if quick else ("0s", "5ms", "20ms", "50ms")
    methods = [each for name in METHODS if name != "hybrid" for each in (name, name + BLIND)[: 1 + (name in INFORMED)]]
    return every(settings, methods, patterns, ("contiguous",), (8192,), (f"raid5 plug {plug}" for plug in plugs))


def patterns(quick: bool) -> Cases:
    some, sizes = (("rb", "rcc", "wb", "wcc"), (8192,)) if quick else (PATTERNS, (8192, 8))
    stores = ("plain", "raid5", "raid5" + DEGRADED)
    return every(settings, METHODS, some, ("contiguous",), sizes, stores, sensible)


def stores(quick: bool) -> Cases:
    kinds = ("mirror", "raid5", "raid6", "parity-declustered")
    xs = ("plain", *kinds, *(kind + DEGRADED for kind in kinds))
    layouts = ("contiguous",) if quick else ("contiguous", "random-blocks")
    some = ("rb", "wb") if quick else ("rb", "rcc", "wb", "wcc")
    methods = ("tc", "ddio") if quick else ("tc", "two-phase", "ddio", "enwrich", "pvfs")
    return every(settings, methods, some, layouts, (8192,), xs, sensible)


def full_rows(found: Found, key: Key) -> float | None:
    """The share of writes of rows that read nothing."""
    of = found[key].result.store
    all_ = of and of.read_modify_writes + of.reconstruct_writes + of.full_row_writes
    return of.full_row_writes / all_ if all_ else None


def commands(found: Found, key: Key) -> float:
    """Commands of drives for each block of 8 KiB."""
    result = found[key].result
    moved: float = result.bytes_moved
    return (result.disk_reads + result.disk_writes) / moved * 8192


def worth(found: Found, key: Key) -> float:
    return found[key].medium_mib_per_s / found[key._replace(method=key.method + BLIND)].medium_mib_per_s


def of_rows(found: Found) -> Iterator[Verdict]:
    unplugged = "raid5 plug 0s"
    directed = found.select("ddio", x=unplugged)
    yield each(directed, lambda key: full_rows(found, key) or 0).at_least(
        0.9, "disk-directed I/O writes nine rows in ten whole, whatever the pattern, without waiting"
    )
    yield each(directed, lambda key: worth(found, key)).at_least(
        3, "to know the rows makes its writes at least three times as fast"
    )
    waiting = [key for key in found.select("ddio") if key.x != unplugged]
    yield Measures(
        Measure(found[key].medium_mib_per_s / found[key._replace(x=unplugged)].medium_mib_per_s, str(key))
        for key in waiting
    ).at_most(1.02, "a plug adds nothing to that (2 %)")


EVERY_ROW = {"pattern": "pattern"}
REDUNDANCY = Study(
    "redundancy",
    "Redundancy",
    (
        Experiment(
            "rows",
            "writes of 8192-byte records to RAID 5, by method and plug",
            rows,
            (
                View({**EVERY_ROW, "method": "method"}, "x", quantities=[MEDIUM]),
                View(
                    {**EVERY_ROW, "method": "method"},
                    "x",
                    quantities=[Quantity("rows written whole", full_rows, percent)],
                ),
                View(EVERY_ROW, "method", "x", [MEDIUM], printed=False, drawn="bars"),
            ),
            of_rows,
            least_trials=lambda _: TRIALS,
        ),
        Experiment(
            "patterns",
            "every pattern and record size",
            patterns,
            (
                View(EVERY_ROW, "method", (lambda key: f"{key.record_bytes} B", "x"), [MEDIUM], drawn="bars"),
                View(
                    EVERY_ROW,
                    "method",
                    (lambda key: f"{key.record_bytes} B", "x"),
                    [Quantity("commands of drives a block", commands, throughput)],
                ),
            ),
        ),
        Experiment(
            "stores",
            "kinds of redundancy, with all drives and without one of each I/O processor",
            stores,
            (View({**EVERY_ROW, "store": "x"}, "method", "layout", [MEDIUM]),),
            least_trials=lambda _: TRIALS,
        ),
    ),
)
reproduce_redundancy = reproduction(
    REDUNDANCY,
    """Measure what redundancy costs each file system, and what it is worth to know a whole request: throughput and
    commands on plain drives, mirrors, RAID 5, RAID 6 and declustered parity, with all drives and without one.""",
    quick="Fewer patterns, record sizes, layouts and file systems.",
)

# The bad day ----------------------------------------------------------------------------------------------------------

SYSTEMS = {**METHODS, "galley": {"file_system.kind": "galley"}}
WITH_SPARE = "raid5, spare"


def bad_day(quick: bool) -> Cases:
    """The disk dies under a command, so that it takes the driver 41 s to give it up."""
    size, command, sectors = (64, 200, 1 << 16) if quick else (256, 800, 1 << 18)
    fault = {"place": "iop0_scsi0.disk1", "effect": "dead", "trigger": {"kind": "operation", "number": command}}

    def day(key: Key) -> Settings:
        spare = key.x == WITH_SPARE
        store: Settings = {f"{STORE}.kind": "raid5", f"{STORE}.spares": 1, f"{STORE}.finish_rebuild": True}
        return {
            **transfer(key, SYSTEMS[key.method]),
            **machine(1, 5 + spare),
            **(store if spare else {}),
            "workload.file_size": f"{size}MiB",
            "machine.disk.sectors": sectors,
            "run.interval": "500ms" if quick else "1s",
            "faults": json.dumps([fault]),
        }

    return every(day, SYSTEMS, ("wc",), xs=("plain", WITH_SPARE))


def faults(name: str, of: str, text: str = "{:.0f}", unit: float = 1) -> Quantity:
    return Quantity(name, lambda found, key: getattr(found[key].result.faults, of) / unit, text.format)


def seconds_of(name: str, of: str) -> Quantity:
    return Quantity(name, lambda found, key: getattr(found[key].result, of), "{:.1f}".format)


def rebuild_s(found: Found, key: Key) -> float | None:
    store = found[key].result.store
    return store.rebuild_s if store else None


def what_held(found: Found) -> Iterator[Verdict]:
    spared = found.select(x=WITH_SPARE)
    lost = ("bytes_wrong_and_reported", "bytes_reported_unwritten", "bytes_silently_wrong", "failed_calls")
    kept = {str(key): -float(sum(found[key].result.faults[name] for name in lost)) for key in spared}
    yield share("with a spare, nothing is lost and no call fails", 1, kept)
    silent = {str(key): -float(found[key].result.faults["bytes_silently_wrong"]) for key in found.select()}
    yield share("what is lost is reported to somebody", 1, silent)
    done = {str(key): found[key].result.faults["rebuilds_complete"] - 1.0 for key in spared}
    yield share("the rebuild ends", 1, done)


def draw_day(found: Found, canvas: Canvas) -> None:
    canvas.set_size_inches(10, 1.5 * len(found.methods) + 0.8)
    panels = canvas.subplots(len(found.methods), len(found.xs), squeeze=False)
    for line, method in zip(panels, found.methods, strict=True):
        for axes, x in zip(line, found.xs, strict=True):
            over_time = found[found.one(method, x=x)].over_time
            assert over_time is not None
            draw_rates(axes, over_time)
            axes.set_title(f"{method}, {x}", fontsize=8)
        line[0].set_ylabel("MiB/s")
    for axes in panels[-1]:
        axes.set_xlabel("simulated time (s)")
    legend(canvas)


BAD_DAY = Study(
    "bad-day",
    "The bad day",
    (
        Experiment(
            "day",
            "a disk dies under a command in the middle of a write of the whole file (pattern wc)",
            bad_day,
            (
                View(
                    {"store": "x", "file system": "method"},
                    quantities=[
                        seconds_of("calls end, s", "application_s"),
                        seconds_of("run ends, s", "elapsed_s"),
                        faults("failed calls", "failed_calls"),
                        faults("reported, MiB", "bytes_reported_unwritten", "{:.1f}", 2**20),
                        faults("lost, MiB", "bytes_wrong_and_reported", "{:.1f}", 2**20),
                        Quantity("rebuild, s", rebuild_s, "{:.0f}".format),
                    ],
                    title="what the application saw, and what was lost",
                ),
            ),
            what_held,
            picture=draw_day,
        ),
    ),
)
reproduce_bad_day = reproduction(
    BAD_DAY,
    """Show the bad day: a disk dies in the middle of a collective write on each file system, on plain drives and on a
    RAID 5 with a spare. Draws throughput over time, and says what the application saw and what was lost.""",
    quick="A file and drives of a quarter of the size.",
)
