# SPDX-License-Identifier: MIT
"""sunstar validate costs: the cost of each primitive, worked out from all scenarios, beside the calibrated one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from sunstar.console import in_parallel_with_progress, listed_in, percent, print_table
from sunstar.files import write_json, write_table
from sunstar.study.command import Call, command
from sunstar.validation.costs.counting import SCENARIOS, Counted, Counts, Scenario, as_config, build, count

FACTOR = 2.0
"""A calibrated value should lie within this factor of the counted instructions: the machine of TR94-226 takes a cycle
for each, and caches that miss are no part of it. A division counts as 35 instructions."""
WORDS = 2
"""The RISC-V moves 8 bytes with an instruction, the machine's 32-bit processor 4."""
PER_BYTE = ("copy_per_byte", "clear_per_byte")
WHOLE_BLOCK = 8192
Found = Mapping[Scenario, Counted]


@dataclass(frozen=True)
class Row:
    """One primitive, each time it is carried out; nothing is known of one that no scenario carries out."""

    primitive: str
    times: float
    calibrated: float
    instructions: float | None
    cycles: float | None

    @property
    def ratio(self) -> float | None:
        return self.calibrated / self.instructions if self.instructions else None

    @property
    def outside(self) -> bool:
        """Whether the calibrated value is further from the counted one than it should be."""
        if self.instructions is None:
            return False
        return self.ratio is None or not 1 / FACTOR <= self.ratio <= FACTOR


def merge(found: Found) -> list[Row]:
    """A row for each primitive, in the order of the cost table."""
    calibrated = next(iter(found.values())).calibrated
    return [row(name, found, value) for name, value in calibrated.items()]


def row(name: str, found: Found, calibrated: float) -> Row:
    times, each = SPECIAL.get(name, everywhere(name))(found)
    if times == 0:
        return Row(name, 0, calibrated, None, None)
    if name in PER_BYTE:
        each = each * WORDS
    return Row(name, times, calibrated, each.instructions, each.cycles)


Finder = Callable[[Found], tuple[float, Counts]]
"""Returns how often a primitive was carried out, and what it took each time."""


def mean(primitives: Iterable[str], per: str, runs: Iterable[Counted]) -> tuple[float, Counts]:
    """What all these primitives together take each time that `per` is carried out."""
    total, times = Counts(), 0.0
    for run in runs:
        times += run.times[per]
        for name in primitives:
            total += run.counts[name]
    return times, total * (1 / times) if times else Counts()


def everywhere(name: str) -> Finder:
    # A run that carries out none of it has no times to share out what was marked for it.
    return lambda found: mean([name], name, (run for run in found.values() if run.times[name] > 0))


def copying(found: Found, whole_blocks: bool) -> list[Counted]:
    """The runs in which caches of I/O processors copy: whole blocks, or a few bytes."""
    return [
        run
        for scenario, run in found.items()
        if run.times["copy"] > 0 and (scenario.record_bytes >= WHOLE_BLOCK) == whole_blocks
    ]


def copy_per_byte(found: Found) -> tuple[float, Counts]:
    """In copies of whole blocks, where starting to copy does not count."""
    return mean(["copy_per_byte"], "copy_per_byte", copying(found, whole_blocks=True))


def without_bytes(name: str, runs: Sequence[Counted], found: Found) -> tuple[float, Counts]:
    """What a primitive that moves a few bytes takes: all but the price of the bytes."""
    times, all_together = mean([name, "copy_per_byte"], name, runs)
    _, per_byte = copy_per_byte(found)
    bytes_each = sum(run.times["copy_per_byte"] for run in runs) / times if times else 0
    return times, (all_together - per_byte * bytes_each).at_least_nothing()


def copy(found: Found) -> tuple[float, Counts]:
    """In copies of a few bytes."""
    return without_bytes("copy", copying(found, whole_blocks=False), found)


def piece_copy(found: Found) -> tuple[float, Counts]:
    """In messages of several pieces of a few bytes."""
    return without_bytes("piece_copy", [run for run in found.values() if run.times["piece_copy"] > 0], found)


def pieces(found: Found, dimensions: int) -> tuple[float, Counts]:
    """A piece of an array of which that many dimensions are distributed."""
    # Where pieces travel together, finding them includes sorting them by processor.
    runs = [run for run in found.values() if run.times["piece_dimension"] > 0 and run.times.get("piece_copy", 0) == 0]
    return mean(
        ["piece", "piece_dimension"],
        "piece",
        (run for run in runs if run.times["piece_dimension"] == dimensions * run.times["piece"]),
    )


def piece_dimension(found: Found) -> tuple[float, Counts]:
    """The extra cost of a piece of a matrix over one of a vector."""
    (_, one), (times, two) = pieces(found, 1), pieces(found, 2)
    return times, (two - one).at_least_nothing()


def piece(found: Found) -> tuple[float, Counts]:
    """A piece of a vector, without its one dimension."""
    times, one = pieces(found, 1)
    return times, one - piece_dimension(found)[1]


SPECIAL: Mapping[str, Finder] = {
    "copy": copy,
    "copy_per_byte": copy_per_byte,
    "piece": piece,
    "piece_copy": piece_copy,
    "piece_dimension": piece_dimension,
}
"""Primitives that are worked out from some of the scenarios."""


def unmarked_share(runs: Iterable[Counted]) -> float:
    """The share of all cycles that belong to no primitive."""
    totals = [(run.unmarked.cycles, run.total().cycles) for run in runs]
    return sum(unmarked for unmarked, _ in totals) / sum(total for _, total in totals)


# The command ----------------------------------------------------------------------------------------------------------


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


def by_scenario(found: Found) -> pl.DataFrame:
    """The counts of each scenario, not divided by anything; `unmarked` belongs to no primitive."""
    rows = [
        {"scenario": str(scenario), "primitive": name, "times": run.times.get(name), **vars(counts)}
        for scenario, run in found.items()
        for name, counts in {**run.counts, "unmarked": run.unmarked}.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"times": pl.Float64})
