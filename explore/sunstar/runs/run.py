# SPDX-License-Identifier: MIT
"""A run that has ended, now or before."""

from dataclasses import dataclass

from sunstar.errors import RunError
from sunstar.runs.outcome import how_it_ended
from sunstar.runs.point import Point


@dataclass(frozen=True)
class Run:
    """What became of a point. The store has its result."""

    point: Point
    identity: str
    """Its name in the store; empty if the point is no configuration."""
    exit_code: int
    message: str

    @property
    def done(self) -> bool:
        return self.exit_code == 0

    def error(self) -> RunError:
        """Of a run that failed."""
        return RunError(f"{self.message}\n({self.point} {how_it_ended(self.exit_code)})", self.exit_code)
