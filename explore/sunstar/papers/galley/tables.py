# SPDX-License-Identifier: MIT
"""The tables of each experiment."""

from collections.abc import Callable, Iterator, Sequence

from sunstar.papers.galley.cases import PAIR, TCP
from sunstar.papers.galley.measures import Series, interleaved_over_partitioned, mb, series, size, speedups
from sunstar.study.cases import Found
from sunstar.study.tables import Printed


def by_record(title: str, heading: str, curves: Sequence[Series], unit: str, decimals: int = 2) -> Printed:
    """A line for each record size, a column for each curve."""
    records = sorted({record for each in curves for record in each.curve})
    rows = [[size(record), *(f"{each.curve[record]:.{decimals}f}" for each in curves)] for record in records]
    return Printed(title, (heading, *(f"{each.x} {unit}" for each in curves)), rows)


def tcp(found: Found) -> Iterator[Printed]:
    pair, many = series(found, PAIR), series(found, TCP)
    yield by_record("16 sinks, MB/s in all", "message", many, "sources")
    yield by_record("one sink, MB/s", "message", pair, "source")


def panels(curves: Sequence[Series]) -> Iterator[tuple[str, list[Series]]]:
    """The curves of each pattern."""
    for pattern in dict.fromkeys(each.pattern for each in curves):
        yield pattern, [each for each in curves if each.pattern == pattern]


def throughput(method: str) -> Callable[[Found], Iterator[Printed]]:
    def make(found: Found) -> Iterator[Printed]:
        for pattern, curves in panels(series(found, method)):
            yield by_record(f"{pattern}: MB/s", "record", curves, "IOPs")

    return make


def speedup(operation: str) -> Callable[[Found], Iterator[Printed]]:
    def make(found: Found) -> Iterator[Printed]:
        for pattern, curves in panels(speedups(found, operation)):
            yield by_record(f"{pattern}: strided over traditional", "record", curves, "IOPs")

    return make


def flow(found: Found) -> Iterator[Printed]:
    rows = [
        [pattern, x, size(record), *(f"{mb(found, key):.2f}" for key in keys)]
        for pattern in found.patterns
        for x in found.xs
        for record in found.record_sizes
        for keys in [found.select(pattern=pattern, x=x, record_bytes=record)]
    ]
    headings = ("pattern", "IOPs", "record", *("none" if method == "limit 0" else method for method in found.methods))
    yield Printed("MB/s by the limit of permissions", headings, rows, 3)


def lock(found: Found) -> Iterator[Printed]:
    for method, curves in panels(interleaved_over_partitioned(found)):
        yield by_record(f"{method}: interleaved over partitioned", "record", curves, "IOPs")
