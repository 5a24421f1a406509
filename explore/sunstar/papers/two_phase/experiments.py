# SPDX-License-Identifier: MIT
"""The experiments: one for each record size, and one that compares the models of the network."""

from collections.abc import Mapping

from sunstar.papers.two_phase import cases, plots, statements, tables
from sunstar.papers.two_phase.cases import RECORDS, Choice
from sunstar.papers.two_phase.leads import best_of
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    result = found[key]
    return {
        "message_bytes": result.message_bytes,
        "network_bytes": result.network_bytes,
        "compute_processor_memory_bytes": result.memory.compute_processor,
        "io_processor_memory_bytes": result.memory.io_processor,
        "warnings": "; ".join(result.result.warnings),
    }


PAPER = Paper("two-phase I/O", columns, best_of, statistics=False)


def name_of(record_bytes: int) -> str:
    return f"records-{record_bytes}"


LONG = (name_of(8), "models")
"""Experiments that --quick leaves out."""

EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    each.name: each
    for each in (
        *(
            Experiment(
                name_of(size),
                f"{size}-byte records, by the network's bandwidth",
                cases.of_records(size),
                tables.of_records,
                Plot(plots.of_records, 10.0, 8.0),
                statements.BY_SIZE[size],
            )
            for size in RECORDS
        ),
        Experiment(
            "models",
            "slow networks under both models of the network",
            cases.models,
            tables.models,
            Plot(plots.models, 8.0, 5.0),
            statements.models,
        ),
    )
}
