# SPDX-License-Identifier: MIT
"""sunstar validate costs"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from sunstar.files import write_json, write_table
from sunstar.progress import in_parallel_with_progress
from sunstar.study.command import Call, command
from sunstar.study.tables import listed_in, percent, print_table
from sunstar.validation.costs.building import build
from sunstar.validation.costs.counting import SCENARIOS, as_config, count
from sunstar.validation.costs.merging import FACTOR, Found, Row, merge, unmarked_share

if TYPE_CHECKING:
    import polars as pl


@command(trials=1, machine=False)
def validate_costs(call: Call) -> bool:
    """Compare the calibrated costs of the firmware's primitives with the firmware's own instructions.

    Compiles the firmware for a RISC-V, runs it in QEMU on a machine without a simulation kernel, and counts the
    instructions of each primitive and their cycles in a simple pipeline with small caches. Prints both beside the
    calibrated cycles. Exit code 1 if a calibrated value is not within a factor of two of the instructions, of which
    a division counts as 35. Writes results/validation/costs: the table, the counts of each scenario, and
    config.json, which gives a machine the counted costs (reproduce tr94-226 --config). Needs the Debian packages
    g++-riscv64-linux-gnu and qemu-user. There is nothing random here: --trials and --seed change nothing.

    Example: sunstar validate costs
    """
    import polars as pl

    folder = call.folder("validation/costs")
    built = build(call.out, call.jobs)
    names = [str(scenario) for scenario in SCENARIOS]
    outcome = in_parallel_with_progress(call.out, "counting", partial(count, built), SCENARIOS, names, call.jobs)
    found = dict(zip(SCENARIOS, outcome, strict=True))
    rows = merge(found)
    print_table(call.out, listed_in(TITLE, rows, COLUMNS))
    print_shares(call, found)
    call.out.print(f"{sum(not row.outside for row in rows)} of {len(rows)} within a factor of {FACTOR:g}")
    table = pl.DataFrame([{**vars(row), "ratio": row.ratio, "outside": row.outside} for row in rows])
    write_json(call.files, folder / "costs.json", table.to_dicts())
    write_table(call.files, folder / "costs.csv", table)
    write_table(call.files, folder / "scenarios.csv", by_scenario(found))
    counted = {row.primitive: round(row.instructions, 3) for row in rows if row.instructions is not None}
    write_json(call.files, folder / "config.json", as_config(counted))
    return any(row.outside for row in rows)


COLUMNS: Mapping[str, Callable[[Row], str]] = {
    "primitive": lambda row: row.primitive,
    "times": lambda row: f"{row.times:.0f}",
    "instructions": lambda row: figure(row.instructions),
    "cycles": lambda row: figure(row.cycles),
    "calibrated": lambda row: f"{row.calibrated:g}",
    "calibrated/instructions": lambda row: "-" if row.ratio is None else f"{row.ratio:.2f}",
    "": lambda row: "*" if row.outside else "",
}
TITLE = "each time: instructions, and cycles of a simple pipeline with its caches; * not within a factor of two"


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def print_shares(call: Call, found: Found) -> None:
    shares = {str(scenario): unmarked_share([run]) for scenario, run in found.items()}
    worst = max(shares, key=lambda name: shares[name])
    call.out.print(
        f"in no primitive: {percent(unmarked_share(found.values()))} of all cycles; at most "
        f"{percent(shares[worst])} ({worst})",
        soft_wrap=True,
    )


def by_scenario(found: Found) -> "pl.DataFrame":
    """The counts of each scenario, not divided by anything; `unmarked` belongs to no primitive."""
    import polars as pl

    rows = [
        {"scenario": str(scenario), "primitive": name, "times": run.times.get(name), **vars(counts)}
        for scenario, run in found.items()
        for name, counts in {**run.counts, "unmarked": run.unmarked}.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"times": pl.Float64})
