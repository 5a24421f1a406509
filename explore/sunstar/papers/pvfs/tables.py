# SPDX-License-Identifier: MIT
"""The tables of each experiment."""

from collections.abc import Callable, Iterator, Sequence

from sunstar.papers.pvfs.cases import CACHING, NONE
from sunstar.papers.pvfs.measures import Series, first_pass, points, seconds, series, size
from sunstar.study.cases import Found, Key
from sunstar.study.tables import Printed


def panels(found: Found, nodes: int) -> Iterator[tuple[str, list[Series]]]:
    """The curves of each panel with p = nodes, those without caching first."""
    for pattern in found.patterns:
        if f"p = {nodes}," in pattern:
            yield pattern, series(found, pattern=pattern)


def figure(nodes: int) -> Callable[[Found], Iterator[Printed]]:
    def make(found: Found) -> Iterator[Printed]:
        for pattern, curves in panels(found, nodes):
            yield by_request(pattern, curves)

    return make


def by_request(pattern: str, curves: Sequence[Series]) -> Printed:
    """A line for each request size, a column for each curve."""
    requests = sorted({request for each in curves for request in each.curve})
    rows = [[size(request), *(time(each.curve[request]) for each in curves)] for request in requests]
    return Printed(f"{pattern}: seconds", ("d", *(heading(each) for each in curves)), rows)


def heading(each: Series) -> str:
    return f"s = {each.x} %" if each.x and each.method == CACHING else each.method


def time(value: float) -> str:
    return f"{value:.3f}"


def options(found: Found) -> Iterator[Printed]:
    """A table for each load: a line for each option, a column for each version, and what the cache gains."""
    for pattern in found.patterns:
        for request in dict.fromkeys(key.record_bytes for key in points(found, pattern=pattern)):
            keys = points(found, pattern=pattern, record_bytes=request)
            methods = list(dict.fromkeys(key.method for key in keys))
            rows = [option_row(found, name, [key for key in keys if key.x == name]) for name in found.xs]
            yield Printed(f"{pattern}, {size(request)}: seconds", ("", *methods, "gain"), rows)


def option_row(found: Found, name: str, keys: Sequence[Key]) -> list[str]:
    times = {key.method: seconds(found, key) for key in keys}
    return [name, *(time(value) for value in times.values()), f"{1 - times[CACHING] / times[NONE]:.2f}"]


def passes(found: Found) -> Iterator[Printed]:
    """The first and the third pass of each point."""
    for method in found.methods:
        keys = points(found, method)
        rows = []
        for request in sorted({key.record_bytes for key in keys}):
            at = [key for key in keys if key.record_bytes == request]
            rows.append([size(request), *(time(of(found, key)) for key in at for of in (first_pass, seconds))])
        xs = list(dict.fromkeys(key.x for key in keys))
        headings = ("d", *(f"s = {x} %{which}" for x in xs for which in (", 1st", ", 3rd")))
        yield Printed(f"{method}: seconds of the first and the third pass", headings, rows)
