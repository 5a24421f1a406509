# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures 2 to 4 by their numbers, ours by name."""

from collections.abc import Mapping

from sunstar.console import kibibytes, percent
from sunstar.papers.expanding import cases, statements
from sunstar.papers.expanding.cases import Normalised, normalised, variation
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Study, reproduction
from sunstar.study.views import QUANTITY, Field, Quantity, View, size_of


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    of = normalised(found, key)._asdict()
    return {**{f"{name}_over_best": value for name, value in of.items()}, "largest_variation": variation(found, key)}


def over_best(name: str) -> Quantity:
    return Quantity(
        "sum" if name == "network" else name,
        lambda found, key: float(getattr(normalised(found, key), name)),
        "{:.2f}".format,
    )


OVER_BEST = {name: over_best(name) for name in Normalised._fields}
QUANTITIES = (
    Quantity("s", lambda found, key: found[key].elapsed_s, "{:.3f}".format),
    *OVER_BEST.values(),
    Quantity("CP KiB", lambda found, key: found[key].memory.compute_processor, kibibytes),
    Quantity("IOP KiB", lambda found, key: found[key].memory.io_processor, kibibytes),
    Quantity("CV", variation, percent),
)
"""Seconds; five measures over the best; memory that the file system takes; the largest coefficient of variation."""


def discarded(key: Key) -> str:
    return f"{100 * float(key.x):.0f} %"


def views(**rows: Field) -> tuple[View, View]:
    """A table for each layout with a line for each point; a panel for each measure of the paper, and for bytes with
    headers."""
    best = "over the best possible"
    drawn = [measure for name, measure in OVER_BEST.items() if name != "headers"]
    others = tuple(field for field in rows.values() if field != "method")
    return (
        View({**rows, "system": "method"}, panels="layout", quantities=QUANTITIES, title=f"measures {best}"),
        View({"": ("layout", *others)}, "method", QUANTITY, drawn, best, printed=False, drawn="bars", one=True),
    )


STUDY = Study(
    "expanding",
    "Expanding",
    (
        Experiment(
            "2", "data-dependent distribution", cases.distribution, views(records=size_of), statements.distribution
        ),
        Experiment(
            "3",
            "data-dependent filtering",
            cases.filtering,
            views(records=size_of, discarded=discarded),
            statements.filtering,
        ),
        Experiment("4", "irregular subsets", cases.subsets, views(file="x"), statements.subsets),
        Experiment(
            "functions",
            "functions of the records' bytes",
            cases.functions,
            views(records=size_of, function="pattern"),
            statements.functions,
        ),
    ),
    columns,
)

reproduce_expanding = reproduction(
    STUDY,
    """Compare disk-directed I/O with traditional caching where data say where records go, and on irregular subsets:
    figures 2 to 4 of Kotz, "Expanding the potential for disk-directed I/O", 1995, and other functions of the records.

    The measures are time, message bytes and messages over the best possible.""",
    example="--figure 2 --trials 1",
    quick="Leave out what takes long: a minute or two in all.",
    trials=5,
)
