# SPDX-License-Identifier: MIT
"""How machine and data grow from point to point."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sunstar.study.cases import Settings

SMALLEST = 16  # Compute processors of the first machine, as in TR94-226
FILE_SYSTEMS = ("traditional-caching", "disk-directed", "two-phase", "hybrid")  # Of collectives
WRITING = "enwrich"  # Its caches only help writes
LAYOUTS = ("contiguous", "random-blocks")
Growth = Literal["weak", "strong"]


class Curve(NamedTuple):
    """A curve's fixed parameters; the number of compute processors varies along it."""

    growth: Growth
    layout: str
    file_system: str

    def __str__(self) -> str:
        return f"{self.growth} scaling, {self.layout}, {self.file_system}"

    @property
    def ideal_time(self) -> float:
        """How much longer a perfect doubling of the compute processors takes."""
        return 1.0 if self.growth == "weak" else 0.5


@dataclass(frozen=True)
class Design:
    most: int  # The most compute processors
    per_processor: int  # Weak scaling: bytes of the file for each compute processor
    ratio: int  # Weak scaling: compute processors for each I/O processor
    file_size: str  # Strong scaling: the file
    io_processors: int  # Strong scaling: I/O processors
    dimensions: int  # Of the torus
    pattern: str
    file_systems: tuple[str, ...]

    def sizes(self) -> list[int]:
        """Numbers of compute processors, each twice the one before."""
        return [SMALLEST << i for i in range((self.most // SMALLEST).bit_length())]

    def curves(self) -> list[Curve]:
        growths: tuple[Growth, ...] = ("weak", "strong")
        return [Curve(g, layout, kind) for g in growths for layout in LAYOUTS for kind in self.file_systems]

    def points(self) -> Iterator[tuple[Curve, int, Settings]]:
        """Small machines first, so that a call that is ended early has whole beginnings of all curves."""
        for size in self.sizes():
            for curve in self.curves():
                yield curve, size, self.settings(curve, size)

    def io_part(self, curve: Curve, size: int) -> int:
        """I/O processors, each with one bus and one drive."""
        return max(1, size // self.ratio) if curve.growth == "weak" else self.io_processors

    def settings(self, curve: Curve, size: int) -> Settings:
        io = self.io_part(curve, size)
        return {
            "machine.compute_processors": size,
            "machine.io_processors": io,
            "machine.disks": io,
            "machine.network.shape": str(box(size + io, self.dimensions)),
            "file_system.kind": curve.file_system,
            "file_system.layout": curve.layout,
            "workload.kind": "pattern",
            "workload.pattern": self.pattern,
            "workload.file_size": f"{self.per_processor * size}B" if curve.growth == "weak" else self.file_size,
        }

    def words(self, growth: Growth) -> str:
        """The growth, in a sentence."""
        if growth == "weak":
            drives = f"{self.ratio} compute processors share an I/O processor with one drive"
            return f"The file has {self.per_processor / 1024:g} KiB for each compute processor, and {drives}."
        io = "1 I/O processor" if self.io_processors == 1 else f"{self.io_processors} I/O processors"
        return f"The file always has {self.file_size}, and the machine {io} with one drive each."


def box(nodes: int, dimensions: int) -> list[int]:
    """The sides of a torus with room for `nodes`, as equal as possible."""
    side = next(side for side in range(1, nodes + 1) if side**dimensions >= nodes)
    return [side] if dimensions == 1 else [side, *box(-(-nodes // side), dimensions - 1)]
