# SPDX-License-Identifier: MIT
"""Figures 6 to 12 of the report as sweeps. What the report says of them, as checks: trends.py."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sunstar.run import Result, Setting
from sunstar.tr94_226.rows import METHODS

MB = 1 << 20
"""The report's MB of file sizes."""


@dataclass(frozen=True)
class Line:
    """One line of a figure."""

    pattern: str
    method: str
    layout: str

    def settings(self) -> dict[str, Setting]:
        return {**METHODS[self.method], "file_system.layout": self.layout, "workload.pattern": self.pattern}


FOUR = tuple((p, m) for m in ("tc", "ddio-presort") for p in ("ra", "rn", "rb", "rc"))


def four(layout: str) -> tuple[Line, ...]:
    """The four patterns of the report's section 6.1 under both file systems."""
    return tuple(Line(pattern, method, layout) for pattern, method in FOUR)


@dataclass(frozen=True)
class Figure:
    """A sweep: every line at every x."""

    number: int
    title: str
    x_label: str
    xs: tuple[int, ...]
    lines: tuple[Line, ...]
    settings: Callable[[int], dict[str, Setting]]
    """What x sets."""
    large_xs: tuple[int, ...] = ()
    """Further x that take long."""

    def label(self, line: Line) -> str:
        """A line's name: what tells it from the figure's other lines."""
        several = len({other.layout for other in self.lines}) > 1
        return f"{line.pattern} {line.method}" + (f" {line.layout}" if several else "")


FIGURES = {
    figure.number: figure
    for figure in (
        Figure(
            number=6,
            title="number of CPs, contiguous layout",
            x_label="CPs",
            xs=(1, 2, 4, 8, 16),
            lines=four("contiguous"),
            settings=lambda n: {"machine.compute_processors": n},
        ),
        Figure(
            number=7,
            title="number of IOPs and buses with 16 disks, contiguous layout",
            x_label="IOPs",
            xs=(1, 2, 4, 8, 16),
            lines=four("contiguous"),
            settings=lambda n: {"machine.io_processors": n},
        ),
        Figure(
            number=8,
            title="number of disks on one IOP, contiguous layout",
            x_label="disks",
            xs=(1, 2, 4, 8, 16, 32),
            lines=four("contiguous"),
            settings=lambda n: {"machine.io_processors": 1, "machine.disks": n},
        ),
        Figure(
            number=9,
            title="number of disks on one IOP, random-blocks layout",
            x_label="disks",
            xs=(1, 2, 4, 8, 16, 32),
            lines=four("random-blocks"),
            settings=lambda n: {"machine.io_processors": 1, "machine.disks": n},
        ),
        Figure(
            number=10,
            title="file size, contiguous layout",
            x_label="file size (MB)",
            xs=(10, 100),
            large_xs=(1000,),
            lines=four("contiguous"),
            settings=lambda n: {"workload.file_size": f"{n}MiB"},
        ),
        Figure(
            number=11,
            title="file size, random-blocks layout",
            x_label="file size (MB)",
            xs=(10, 100),
            large_xs=(1000,),
            lines=four("random-blocks"),
            settings=lambda n: {"workload.file_size": f"{n}MiB"},
        ),
        Figure(
            number=12,
            title="record size, traditional caching on rc",
            x_label="record size (bytes)",
            xs=(8, 32, 128, 512, 1024, 2048, 4096, 8192),
            lines=tuple(Line("rc", "tc", layout) for layout in ("contiguous", "random-blocks")),
            settings=lambda n: {"workload.record_size": f"{n}B"},
        ),
    )
}


@dataclass(frozen=True)
class Case:
    """One point of one line."""

    figure: int
    line: Line
    x: int

    def settings(self) -> dict[str, Setting]:
        return {**self.line.settings(), **FIGURES[self.figure].settings(self.x)}

    def copies(self) -> int:
        """Copies of the file that arrive: the report divides the throughput of `ra` by the number of CPs."""
        if self.line.pattern != "ra":
            return 1
        return int(self.settings().get("machine.compute_processors", 16))

    def memory_bytes(self) -> int:
        """Roughly what simulating it needs: the data on the medium and in the memories of the CPs."""
        size = str(self.settings().get("workload.file_size", "10MiB"))
        return int(size.removesuffix("MiB")) * MB * (1 + self.copies()) + 100 * MB


def cases(figure: Figure, large: bool) -> list[Case]:
    """All points of a figure."""
    xs = figure.xs + (figure.large_xs if large else ())
    return [Case(figure.number, line, x) for line in figure.lines for x in xs]


Curves = Mapping[Line, Mapping[int, float]]
"""Throughput in MiB/s by line and x, that of `ra` a copy."""


def curves(points: Sequence[Case], results: Sequence[Result]) -> dict[Line, dict[int, float]]:
    found: dict[Line, dict[int, float]] = {}
    for case, result in zip(points, results, strict=True):
        found.setdefault(case.line, {})[case.x] = result.mib_per_s / case.copies()
    return found


def table(points: Sequence[Case], results: Sequence[Result]) -> pl.DataFrame:
    """A line for each point."""
    return pl.DataFrame(
        [
            {
                "figure": case.figure,
                "layout": case.line.layout,
                "pattern": case.line.pattern,
                "method": case.line.method,
                "x": case.x,
                "mib_per_s": result.mib_per_s / case.copies(),
                "coefficient_of_variation": result.coefficient_of_variation,
                "verified": result.verified,
                "host_s": result.host_s,
            }
            for case, result in zip(points, results, strict=True)
        ]
    )
