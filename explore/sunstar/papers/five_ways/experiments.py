# SPDX-License-Identifier: MIT
"""The experiments: three ways to ask, and what it is worth to put several pieces into one message."""

from collections.abc import Mapping

from sunstar.papers.five_ways import cases, plots, statements, tables
from sunstar.papers.five_ways.cases import Choice
from sunstar.papers.five_ways.leads import map_of
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    result = found[key]
    figures = result.result
    jobs: dict[str, Cell] = {}
    for name, job in (("job0", figures.job0), ("job1", figures.job1)):
        jobs |= {
            f"{name}_elapsed_s": job.elapsed_s if job else None,
            f"{name}_slowdown": job.slowdown if job else None,
        }
    return {
        "medium_mib_per_s": result.medium_mib_per_s,
        "message_bytes": result.message_bytes,
        "header_bytes": result.header_bytes,
        "compute_processor_memory_bytes": result.memory.compute_processor,
        "io_processor_memory_bytes": result.memory.io_processor,
        **jobs,
        "fairness": figures.sharing.fairness if figures.sharing else None,
        "warnings": "; ".join(figures.warnings),
    }


PAPER = Paper("Five ways", columns, map_of, statistics=False)

EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    each.name: each
    for each in (
        Experiment(
            "collective",
            "the way to take for a collective, and the best MiB/s (+: with its option)",
            cases.collective,
            tables.collective,
            Plot(plots.collective, 10.0, 8.5),
            statements.collective,
        ),
        Experiment(
            "pieces",
            "several pieces in one message",
            cases.pieces,
            tables.pieces,
            Plot(plots.by_method, 8.0, 5.2),
            statements.pieces,
        ),
        Experiment(
            "independent",
            "each processor asks alone",
            cases.independent,
            tables.independent,
            Plot(plots.by_method, 10.0, 5.2),
            statements.independent,
        ),
        Experiment(
            "mixed",
            "a collective and independent calls at once",
            cases.mixed,
            tables.mixed,
            Plot(plots.mixed, 9.5, 7.0),
            statements.mixed,
        ),
        Experiment(
            "models",
            "the slowest network under both models of the network",
            cases.models,
            tables.models,
            Plot(plots.models, 8.0, 4.5),
            statements.models,
        ),
    )
}
