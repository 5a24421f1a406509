# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures 2 to 4 by their numbers, ours by name."""

from collections.abc import Mapping

from sunstar.papers.expanding import cases, plots, statements, tables
from sunstar.papers.expanding.cases import Choice
from sunstar.papers.expanding.measures import normalised, variation
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    result, best = found[key], normalised(found, key)
    return {
        **{f"{name}_over_best": value for name, value in best._asdict().items()},
        "largest_variation": variation(found, key),
        "message_bytes": result.message_bytes,
        "header_bytes": result.header_bytes,
        "network_bytes": result.network_bytes,
        "compute_processor_memory_bytes": result.memory.compute_processor,
        "io_processor_memory_bytes": result.memory.io_processor,
    }


PAPER = Paper("Expanding", columns)

DISTRIBUTION = Experiment(
    "2",
    "data-dependent distribution",
    cases.distribution,
    tables.distribution,
    Plot(plots.distribution, 8.0, 5.2),
    statements.distribution,
)
FILTERING = Experiment(
    "3",
    "data-dependent filtering",
    cases.filtering,
    tables.filtering,
    Plot(plots.filtering, 8.0, 5.2),
    statements.filtering,
)
SUBSETS = Experiment(
    "4",
    "irregular subsets",
    cases.subsets,
    tables.subsets,
    Plot(plots.subsets, 8.0, 5.2),
    statements.subsets,
)
FUNCTIONS = Experiment(
    "functions",
    "functions of the records' bytes",
    cases.functions,
    tables.functions,
    Plot(plots.functions, 9.6, 7.6),
    statements.functions,
)

EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    each.name: each for each in (DISTRIBUTION, FILTERING, SUBSETS, FUNCTIONS)
}
