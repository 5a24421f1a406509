# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures 4 to 11 by their numbers, others by name."""

from collections.abc import Mapping

from sunstar.papers.enwrich import plots, statements, sweeps, tables
from sunstar.papers.enwrich.cases import fetched_blocks, flushes
from sunstar.papers.enwrich.sweeps import Choice
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    """The columns kept for each point; those that only ENWRICH counts are null under other systems."""
    counts: dict[str, Cell] = dict.fromkeys(
        ("flushes", "data_flush_requests", "directory_flush_requests", "fetched_blocks")
    )
    if key.method == "enwrich":
        counts = {
            "flushes": flushes(found, key),
            "data_flush_requests": flushes(found, key, "data"),
            "directory_flush_requests": flushes(found, key, "directory"),
            "fetched_blocks": fetched_blocks(found, key),
        }
    latency = found[key].latency
    return {
        **counts,
        "latency_p50_s": latency.p50_s,
        "latency_p90_s": latency.p90_s,
        "latency_p99_s": latency.p99_s,
        "latency_max_s": latency.max_s,
    }


PAPER = Paper("ENWRICH", columns)

EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    each.name: each
    for each in (
        Experiment(
            "4",
            "random-blocks layout",
            lambda choice: sweeps.base(choice, "random-blocks"),
            tables.base,
            Plot(plots.base, 7.2, 3.0),
            statements.figure_4,
        ),
        Experiment(
            "5",
            "contiguous layout",
            lambda choice: sweeps.base(choice, "contiguous"),
            tables.base,
            Plot(plots.base, 7.2, 3.0),
            statements.figure_5,
        ),
        Experiment(
            "6",
            "size of the write caches, contiguous layout",
            sweeps.cache_size,
            tables.cache_size,
            Plot(plots.cache_size, 7.2, 4.0),
            statements.figure_6,
        ),
        Experiment(
            "7",
            "number of CPs, contiguous layout",
            sweeps.processors,
            tables.curves("CPs"),
            Plot(plots.curves("CPs"), 6.4, 4.2),
            statements.figure_7,
        ),
        Experiment(
            "8",
            "number of IOPs with 16 disks, contiguous layout",
            sweeps.io_processors,
            tables.curves("IOPs"),
            Plot(plots.curves("IOPs"), 6.4, 4.2),
            statements.figure_8,
        ),
        Experiment(
            "9",
            "number of disks on 8 IOPs, contiguous layout",
            sweeps.disks("contiguous"),
            tables.curves("disks"),
            Plot(plots.curves("disks"), 6.4, 4.2),
            statements.figure_9,
        ),
        Experiment(
            "10",
            "number of disks on 8 IOPs, random-blocks layout",
            sweeps.disks("random-blocks"),
            tables.curves("disks"),
            Plot(plots.curves("disks"), 6.4, 4.2),
            statements.figure_10,
        ),
        Experiment(
            "11",
            "a trace on 32 CPs, 16 IOPs and a 7x7 torus",
            sweeps.traced,
            tables.traced,
            Plot(plots.traced, 4.8, 3.6),
            statements.figure_11,
        ),
        Experiment(
            "scheduler",
            "traditional caching with a smart disk scheduler",
            sweeps.scheduler,
            tables.scheduler,
            Plot(plots.scheduler, 8.0, 4.0),
            statements.scheduler,
        ),
        Experiment(
            "options",
            "options beyond the paper",
            sweeps.options,
            tables.options,
            Plot(plots.options, 7.2, 7.0),
            statements.options,
        ),
        Experiment(
            "latency",
            "what a write takes at the CP",
            sweeps.latency,
            tables.latency,
            Plot(plots.latency, 8.0, 4.8),
            statements.latency,
        ),
    )
}
