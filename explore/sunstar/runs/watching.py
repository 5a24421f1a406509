# SPDX-License-Identifier: MIT
"""Waveforms of a run."""

from pathlib import Path

from sunstar.runs.point import Point
from sunstar.runs.run import Run
from sunstar.runs.simulator import call, command


def write_waveforms(point: Point, path: Path) -> None:
    """Runs a point for its waveforms alone; a RunError if it fails."""
    outcome = call(command(point), ("--vcd", str(path.absolute())))
    if not outcome.done:
        raise Run(point, "", outcome.exit_code, outcome.message).error()
