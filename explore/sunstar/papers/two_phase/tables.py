# SPDX-License-Identifier: MIT
"""The tables of each experiment."""

from collections.abc import Iterator

from sunstar.papers.two_phase.cases import FLIT, METHODS, REPORTED, SLOW, WORM, model_x
from sunstar.papers.two_phase.leads import in_words, leads, ratios
from sunstar.study.cases import Found
from sunstar.study.tables import Printed, percent, throughput, throughput_of


def of_records(found: Found) -> Iterator[Printed]:
    for layout in found.layouts:
        rows = [
            [
                pattern,
                method,
                *(throughput_of(found, found.select(method, pattern=pattern, layout=layout, x=x)) for x in found.xs),
            ]
            for pattern in found.patterns
            for method in METHODS
        ]
        headings = ("pattern", "system", *(f"{x} MB/s" for x in found.xs))
        yield Printed(f"{layout}: MiB/s by the bandwidth of a link", headings, rows, 2)
    rows = []
    for layout in found.layouts:
        for pattern in found.patterns:
            cells = [layout, pattern]
            for method in ("ddio", "ddio-gather"):
                ratio = ratios(found, pattern, layout, found.record_sizes[0], method)
                cells += [f"{ratio[min(ratio)]:.2f}", f"{ratio[REPORTED]:.2f}", in_words(leads(ratio))]
            rows.append(cells)
    low = min(found.xs, key=int)
    columns = [f"{text}{of}" for of in ("", " (g)") for text in (f"at {low}", f"at {REPORTED}", "ahead")]
    yield Printed(
        "two-phase over disk-directed I/O, (g): that gathers; at MB/s, and where two-phase is ahead",
        ("layout", "pattern", *columns),
        rows,
        2,
    )


def models(found: Found) -> Iterator[Printed]:
    rows = []
    for pattern in found.patterns:
        for method in found.methods:
            cells = [pattern, method]
            for bandwidth in SLOW:
                xs = [model_x(bandwidth, model) for model in (WORM, FLIT)]
                worm, flit = (found.mib(found.one(method, pattern=pattern, x=x)) for x in xs)
                cells += [throughput(worm), throughput(flit), percent(worm / flit - 1, sign=True)]
            rows.append(cells)
    headings = [text for x in SLOW for text in (f"{x} MB/s, worm", "flit", "apart")]
    yield Printed("MiB/s by the bandwidth of a link", ("pattern", "system", *headings), rows, 2)
