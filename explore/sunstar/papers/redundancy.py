# SPDX-License-Identifier: MIT
"""The cost of redundancy, and the worth of knowing a whole request; and the bad day, on which a disk dies. Both are
ours: TR94-226 has plain drives only."""

from collections.abc import Callable, Sequence

from sunstar.drawing import Canvas
from sunstar.over_time import draw_rates, rates
from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of
from sunstar.study.views import legend


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


REDUNDANCY = study_of("redundancy", globals())
reproduce_redundancy = reproduction(REDUNDANCY)

# The bad day ----------------------------------------------------------------------------------------------------------


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


BAD_DAY = study_of("bad-day", globals())
reproduce_bad_day = reproduction(BAD_DAY)
