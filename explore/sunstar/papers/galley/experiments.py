# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by their numbers, those of its text by name."""

from collections.abc import Mapping

from sunstar.papers.galley import cases, plots, statements, tables
from sunstar.papers.galley.cases import Choice, several
from sunstar.papers.galley.measures import mb
from sunstar.study.averages import without_extremes
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    result = found[key]
    return {
        "mb_per_s": mb(found, key),
        "bytes_moved": result.result.bytes_moved,
        "message_bytes": result.message_bytes,
        "header_bytes": result.header_bytes,
    }


PAPER = Paper("Galley", columns, statistics=False, platform="sp2", average=without_extremes)

READ, OVERWRITE, CREATE = "read", "overwrite", "create"
TRADITIONAL, STRIDED = "traditional", "strided"
TWO_PANELS, THREE_PANELS = (6.6, 3.6), (9.6, 3.6)

EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    each.name: each
    for each in (
        Experiment("5", "TCP/IP", cases.streams, tables.tcp, Plot(plots.tcp, 5.6, 4.2), statements.tcp),
        Experiment(
            "7",
            "traditional interface, read",
            several((TRADITIONAL, READ)),
            tables.throughput("traditional read"),
            Plot(plots.throughput("traditional read"), *THREE_PANELS),
            statements.traditional_read,
        ),
        Experiment(
            "8",
            "traditional interface, overwrite",
            several((TRADITIONAL, OVERWRITE), (TRADITIONAL, READ)),
            tables.throughput("traditional overwrite"),
            Plot(plots.throughput("traditional overwrite"), *TWO_PANELS),
            statements.traditional_overwrite,
        ),
        Experiment(
            "9",
            "traditional interface, new file",
            several((TRADITIONAL, CREATE), (TRADITIONAL, OVERWRITE), (TRADITIONAL, READ)),
            tables.throughput("traditional create"),
            Plot(plots.throughput("traditional create"), *TWO_PANELS),
            statements.traditional_create,
        ),
        Experiment(
            "10",
            "strided interface, read",
            several(*((interface, op) for interface in (STRIDED, TRADITIONAL) for op in (READ, OVERWRITE, CREATE))),
            tables.throughput("strided read"),
            Plot(plots.throughput("strided read"), *THREE_PANELS),
            statements.strided_read,
        ),
        Experiment(
            "11",
            "strided interface, overwrite",
            several((STRIDED, OVERWRITE)),
            tables.throughput("strided overwrite"),
            Plot(plots.throughput("strided overwrite"), *TWO_PANELS),
            statements.strided_overwrite,
        ),
        Experiment(
            "12",
            "strided interface, new file",
            several((STRIDED, CREATE)),
            tables.throughput("strided create"),
            Plot(plots.throughput("strided create"), *TWO_PANELS),
            statements.strided_create,
        ),
        Experiment(
            "13",
            "speedup, read",
            several((STRIDED, READ), (TRADITIONAL, READ)),
            tables.speedup(READ),
            Plot(plots.speedup(READ), *THREE_PANELS),
            statements.read_speedups,
        ),
        Experiment(
            "14",
            "speedup, overwrite",
            several(*((interface, op) for interface in (STRIDED, TRADITIONAL) for op in (OVERWRITE, READ))),
            tables.speedup(OVERWRITE),
            Plot(plots.speedup(OVERWRITE), *TWO_PANELS),
            statements.overwrite_speedups,
        ),
        Experiment(
            "15",
            "speedup, new file",
            several(*((interface, op) for interface in (STRIDED, TRADITIONAL) for op in (CREATE, READ))),
            tables.speedup(CREATE),
            Plot(plots.speedup(CREATE), *TWO_PANELS),
            statements.create_speedups,
        ),
        Experiment(
            "flow",
            "permissions to send",
            cases.flow,
            tables.flow,
            Plot(plots.flow, *TWO_PANELS),
            statements.flow,
        ),
        Experiment(
            "lock",
            "the lock on a new fork's metadata",
            cases.lock,
            tables.lock,
            Plot(plots.lock, *TWO_PANELS),
            statements.lock,
        ),
    )
}
