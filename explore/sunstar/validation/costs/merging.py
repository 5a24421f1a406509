# SPDX-License-Identifier: MIT
"""Work out from all scenarios what each primitive takes each time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sunstar.validation.costs.counting import Counted, Counts, Scenario

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
    """What a piece of a matrix takes more than one of a vector."""
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
