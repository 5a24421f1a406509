# SPDX-License-Identifier: MIT
"""The tables of each experiment."""

from collections.abc import Iterator

from sunstar.papers.five_ways.cases import (
    FLIT,
    MEDIUM,
    MEMORIES,
    REPORTED,
    SLOWEST,
    WAYS,
    WORM,
    condition,
    way_of,
    x_of,
)
from sunstar.papers.five_ways.leads import TIE, best, in_brief, places, speed
from sunstar.study.cases import Found, Key
from sunstar.study.tables import Printed, milliseconds, percent, throughput

OPTIONS = {
    "tc": "tc-strided",
    "two-phase": "two-phase-cyclic",
    "ddio": "ddio-gather",
    "enwrich": "enwrich-gather",
    "hybrid": "hybrid-gather",
}
"""The option of each way when it carries out a collective."""


def conditions(found: Found) -> list[str]:
    """A heading for each condition."""
    named = []
    for x in found.xs:
        bandwidth, memory = condition(x)
        named.append(f"{bandwidth}" if memory == MEDIUM else f"{bandwidth} {memory}")
    return named


def mib(found: Found, key: Key) -> str:
    return throughput(speed(found, key) if key in found.results else None)


def collective(found: Found) -> Iterator[Printed]:
    yield from the_map(found)
    yield how_often(found)
    if set(memories(found)) == set(MEMORIES):
        yield from memory_taken(found)
    for record_bytes in found.record_sizes:
        for layout in found.layouts:
            rows = [
                [pattern, method, *(mib(found, Key(method, pattern, layout, record_bytes, x)) for x in found.xs)]
                for pattern in found.patterns
                for method in found.methods
            ]
            headings = ("pattern", "method", *conditions(found))
            yield Printed(f"{layout}, {record_bytes}-byte records: MiB/s", headings, rows, 2)


def the_map(found: Found) -> Iterator[Printed]:
    """The recommended method at each point."""
    for layout in found.layouts:
        rows = [
            [
                f"{record_bytes}",
                pattern,
                *(in_brief(best(found, Key("", pattern, layout, record_bytes, x))) for x in found.xs),
            ]
            for record_bytes in found.record_sizes
            for pattern in found.patterns
        ]
        yield Printed(f"the map, {layout}: MiB/s", ("bytes", "pattern", *conditions(found)), rows, 2)


def how_often(found: Found) -> Printed:
    """For each way, at how many points it is as good as the best, and how far behind it is at the worst."""
    rows = []
    for way in WAYS:
        for layout in found.layouts:
            cells = [way, layout]
            for x in found.xs:
                shares = []
                for place in places(found):
                    if (place.layout, place.x) == (layout, x):
                        of = best(found, place).of_ways()
                        shares.append(of[way] / max(of.values()))
                cells.append(f"{sum(share * TIE >= 1 for share in shares)}/{len(shares)}, {100 * min(shares):.0f} %")
            rows.append(cells)
    return Printed("points within 5 % of the best, and the worst point", ("way", "layout", *conditions(found)), rows, 2)


def memories(found: Found) -> list[str]:
    """The classes of memory that were measured at the report's bandwidth."""
    return [memory for bandwidth, memory in map(condition, found.xs) if bandwidth == REPORTED]


def kibibytes(value: float) -> str:
    return f"{value / 1024:.0f}"


def memory_taken(found: Found) -> Iterator[Printed]:
    """What each method takes at most, and what less or more of it does to throughput."""
    xs = [x_of(REPORTED, memory) for memory in MEMORIES]
    rows, gains = [], []
    for method in found.methods:
        taken = [[found[key].memory for key in found.select(method, x=x)] for x in xs]
        rows.append(
            [
                method,
                *(
                    kibibytes(max(getattr(each, name) for each in every))
                    for every in taken
                    for name in ("compute_processor", "io_processor")
                ),
            ]
        )
        cells = [method]
        for operation in "rw":
            keys = [key for key in found.select(method, x=x_of(REPORTED)) if key.pattern.startswith(operation)]
            for x in (xs[0], xs[-1]):
                ratios = [speed(found, key._replace(x=x)) / speed(found, key) for key in keys]
                cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
        gains.append(cells)
    headings = [f"{memory}, {node}" for memory in MEMORIES for node in ("CP", "IOP")]
    yield Printed("memory of a node at most, in KiB", ("method", *headings), rows)
    columns = [f"{what}, {memory}" for what in ("read", "written") for memory in ("small", "large")]
    yield Printed(f"throughput at {REPORTED} MB/s over that with medium memory", ("method", *columns), gains)


def pieces(found: Found) -> Iterator[Printed]:
    """Each way without and with its option that puts several pieces into one message."""
    rows = []
    for place in places(found):
        for plain, option in OPTIONS.items():
            keys = [place._replace(method=method) for method in (plain, option)]
            if keys[0] in found.results:
                figures = (
                    *(mib(found, key) for key in keys),
                    *(thousands(found[key].messages) for key in keys),
                    *(thousands(found[key].header_bytes) for key in keys),
                )
                rows.append([place.layout, f"{place.record_bytes}", place.pattern, plain, *figures])
    headings = ("layout", "bytes", "pattern", "way", "MiB/s", "option", "messages", "option", "headers", "option")
    yield Printed("messages and bytes of headers in thousands", headings, rows, 4)


def thousands(value: float) -> str:
    return f"{value / 1000:.1f}"


def by_method(found: Found, title: str) -> Iterator[Printed]:
    """Throughput of each method, and of the ways that cannot do it a dash."""
    unable = [way for way in WAYS if all(way_of(method) != way for method in found.methods)]
    for layout in found.layouts:
        rows = []
        for record_bytes in found.record_sizes:
            for pattern in found.patterns:
                place = Key("", pattern, layout, record_bytes, found.xs[0])
                cells = [mib(found, place._replace(method=method)) for method in found.methods]
                rows.append([f"{record_bytes}", pattern, *cells, *("-" for _ in unable), in_brief(best(found, place))])
        headings = ("bytes", "pattern", *map(heading, found.methods), *unable, "take")
        yield Printed(f"{layout}: {title}", headings, rows, 2)


def heading(method: str) -> str:
    """A column's: the way, or its options, which follow it."""
    way = way_of(method)
    return way if method == way else method.replace(f"{way}-", "+ ", 1)


def independent(found: Found) -> Iterator[Printed]:
    yield from by_method(found, "MiB/s")


def mixed(found: Found) -> Iterator[Printed]:
    yield from by_method(found, "MiB/s of both jobs together")
    for layout in found.layouts:
        rows = []
        for pattern in found.patterns:
            for method in found.methods:
                result = found[found.one(method, layout=layout, pattern=pattern)].result
                cells = []
                for job in (result.job0, result.job1):
                    cells += [in_ms(job.alone_s), in_ms(job.elapsed_s), ratio(job.slowdown)] if job else ["-"] * 3
                rows.append([pattern, method, *cells, ratio(result.sharing.fairness if result.sharing else None)])
        yield Printed(
            f"{layout}: the big job and the small one, each alone and beside the other, in ms; Jain's index",
            ("jobs", "method", "big", "beside", "times", "small", "beside", "times", "Jain"),
            rows,
            2,
        )


def in_ms(seconds: float | None) -> str:
    return "-" if seconds is None else milliseconds(seconds)


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def models(found: Found) -> Iterator[Printed]:
    rows = []
    for place in places(found):
        if place.x == WORM:
            for method in found.methods:
                key = place._replace(method=method)
                worm, flit = speed(found, key), speed(found, key._replace(x=FLIT))
                apart = percent(worm / flit - 1, sign=True)
                rows.append([place.pattern, method, throughput(worm), throughput(flit), apart])
    yield Printed(f"MiB/s at {SLOWEST} MB/s a link", ("pattern", "method", "worm", "flit", "apart"), rows, 2)
