# SPDX-License-Identifier: MIT
"""The experiments: one for each record size, and one that compares the models of the network."""

from collections.abc import Iterator

from sunstar.console import Printed
from sunstar.papers.two_phase import cases, statements
from sunstar.papers.two_phase.cases import RECORDS, REPORTED, best_of, in_words, leads, ratios
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Experiment, Study, reproduction
from sunstar.study.views import View, beside


def where_ahead(found: Found) -> Iterator[Printed]:
    """Two-phase over disk-directed I/O at two bandwidths, and the bandwidths at which it is ahead."""
    low = min(found.xs, key=int)
    rows = []
    for layout in found.layouts:
        for pattern in found.patterns:
            cells = [layout, pattern]
            for method in ("ddio", "ddio-gather"):
                ratio = ratios(found, pattern, layout, found.record_sizes[0], method)
                cells += [f"{ratio[int(low)]:.2f}", f"{ratio[REPORTED]:.2f}", in_words(leads(ratio))]
            rows.append(cells)
    columns = [f"{text}{of}" for of in ("", " (g)") for text in (f"at {low}", f"at {REPORTED}", "ahead")]
    title = "two-phase over disk-directed I/O, (g): that gathers; at MB/s, and where two-phase is ahead"
    yield Printed(title, ("layout", "pattern", *columns), rows, 2)


def bandwidth(key: Key) -> str:
    return f"{key.x.split()[0]} MB/s"


TABLES = View(
    {"pattern": "pattern", "system": "method"},
    bandwidth,
    "layout",
    title="MiB/s by the bandwidth of a link",
)
CURVES = View({"MB/s a link": "x"}, "method", ("layout", "pattern"), printed=False, drawn="lines")


def of_records(size: int) -> Experiment[bool]:
    return Experiment(
        f"records-{size}",
        f"{size}-byte records, by the network's bandwidth",
        cases.of_records(size),
        (TABLES, where_ahead, CURVES),
        statements.of_records,
    )


MODELS = Experiment(
    "models",
    "slow networks under both models of the network",
    cases.models,
    [beside(link=bandwidth)],
    statements.models,
)
STUDY = Study(
    "two-phase",
    "two-phase I/O",
    (*map(of_records, RECORDS), MODELS),
    more_tables=best_of,
    statistics=False,
)
LONG = ("records-8", "models")

reproduce_two_phase = reproduction(
    STUDY,
    """Compare two-phase I/O with disk-directed I/O and traditional caching on networks from a hundredth to ten times
    the bandwidth of TR94-226, which only argues about it.""",
    tables="all points, map (the best file system at each point) and crossovers",
    quick=f"Fewer patterns and networks, and not {' or '.join(LONG)} unless named.",
    long=LONG,
)
