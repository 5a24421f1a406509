# SPDX-License-Identifier: MIT
"""What redundancy costs, and what it is worth to know a whole request; and the bad day, on which a disk dies. Both are
ours: TR94-226 has plain drives only."""

from collections.abc import Iterator

from sunstar.console import percent, throughput
from sunstar.drawing import Canvas
from sunstar.over_time import draw_rates, rates
from sunstar.study.cases import Found, Key, methods_of
from sunstar.study.described import reproduction, study_of
from sunstar.study.statements import Verdict, each, share
from sunstar.study.views import Quantity, legend

BLIND = "-blind"  # Ends the name of a method that does not learn which blocks share a row
NO_PLUG = " 0s"  # Ends the x of a point


def speed(found: Found, key: Key) -> float:
    """In MiB/s, until the last byte is on the medium."""
    return found[key].medium_mib_per_s


MEDIUM = Quantity("MiB/s", speed)


def without_plug(key: Key) -> Key:
    return key._replace(x=key.x.rpartition(" ")[0] + NO_PLUG)


def full_rows(found: Found, key: Key) -> float | None:
    """The share of writes of rows that read nothing."""
    of = found[key].result.store
    full: float = of.full_row_writes if of else 0
    rows: float = full + of.read_modify_writes + of.reconstruct_writes if of else 0
    return full / rows if rows else None


def commands(found: Found, key: Key) -> float:
    """Commands of drives for each block of 8 KiB."""
    result = found[key].result
    return float((result.disk_reads + result.disk_writes) / result.bytes_moved * 8192)


def worth(found: Found, key: Key) -> float:
    return speed(found, key) / speed(found, key._replace(method=key.method + BLIND))


def of_rows(found: Found) -> Iterator[Verdict]:
    directed = [key for key in found.select("ddio") if key.x.endswith(NO_PLUG)]
    yield each(directed, lambda key: full_rows(found, key) or 0).at_least(
        0.9, "disk-directed I/O writes nine rows in ten whole, whatever the pattern, without waiting"
    )
    yield each(directed, lambda key: worth(found, key)).at_least(
        3, "to know the rows makes its writes at least three times as fast"
    )
    waiting = [key for key in found.select("ddio") if not key.x.endswith(NO_PLUG)]
    yield each(waiting, lambda key: speed(found, key) / speed(found, without_plug(key))).at_most(
        1.02, "a plug adds nothing to that (2 %)"
    )


WHOLE = Quantity("rows written whole", full_rows, percent)
COMMANDS = Quantity("commands of drives a block", commands, throughput)
REDUNDANCY = study_of("redundancy", globals())
reproduce_redundancy = reproduction(REDUNDANCY)

# The bad day ----------------------------------------------------------------------------------------------------------

SYSTEMS = methods_of("bad-day")
WITH_SPARE = "raid5, spare"


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
    kept = {str(key): 0.5 - sum(found[key].result.faults[name] for name in lost) for key in spared}
    yield share("with a spare, nothing is lost and no call fails", 1, kept)
    silent = {str(key): 0.5 - found[key].result.faults["bytes_silently_wrong"] for key in found.select()}
    yield share("what is lost is reported to somebody", 1, silent)
    done = {str(key): found[key].result.faults["rebuilds_complete"] - 0.5 for key in spared}
    yield share("the rebuild ends", 1, done)


def draw_day(found: Found, canvas: Canvas) -> None:
    """The first trial. What caches take at memory's pace may go beyond a panel, which is as high as drives are fast."""
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


DAY = [
    seconds_of("calls end, s", "application_s"),
    seconds_of("run ends, s", "elapsed_s"),
    faults("failed calls", "failed_calls"),
    faults("reported, MiB", "bytes_reported_unwritten", "{:.1f}", 2**20),
    faults("lost, MiB", "bytes_wrong_and_reported", "{:.1f}", 2**20),
    Quantity("rebuild, s", rebuild_s, "{:.0f}".format),
]
BAD_DAY = study_of("bad-day", globals())
reproduce_bad_day = reproduction(BAD_DAY)
