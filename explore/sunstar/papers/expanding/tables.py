# SPDX-License-Identifier: MIT
"""The tables of each experiment."""

from collections.abc import Callable, Iterator, Sequence

from sunstar.papers.expanding.measures import normalised, variation
from sunstar.study.cases import Found, Key
from sunstar.study.tables import Printed, percent

MEASURES = ("s", "time", "data", "headers", "sum", "messages", "CP KiB", "IOP KiB", "CV")
"""Seconds; five measures over the best; memory that the file system takes; the largest coefficient of variation."""


def cells(found: Found, key: Key) -> list[str]:
    result, best = found[key], normalised(found, key)
    kib = [f"{size / 1024:.0f}" for size in (result.memory.compute_processor, result.memory.io_processor)]
    return [f"{result.elapsed_s:.3f}", *(f"{value:.2f}" for value in best), *kib, percent(variation(found, key))]


def by_layout(names: Sequence[str], name: Callable[[Key], Sequence[str]]) -> Callable[[Found], Iterator[Printed]]:
    """A table for each layout with a line for each point: its names, and its measures."""

    def make(found: Found) -> Iterator[Printed]:
        for layout in found.layouts:
            rows = [[*name(key), *cells(found, key)] for key in found.select(layout=layout)]
            yield Printed(f"{layout}: measures over the best possible", (*names, *MEASURES), rows, len(names))

    return make


distribution = by_layout(("records", "system"), lambda key: (f"{key.record_bytes} B", key.method))
filtering = by_layout(
    ("records", "system", "discarded"), lambda key: (f"{key.record_bytes} B", key.method, f"{100 * float(key.x):.0f} %")
)
subsets = by_layout(("file", "system"), lambda key: (key.x, key.method))
functions = by_layout(("records", "function", "system"), lambda key: (f"{key.record_bytes} B", key.pattern, key.method))
