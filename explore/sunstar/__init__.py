# SPDX-License-Identifier: MIT
"""Sweeps over the machines that Sunstar simulates: run one configuration or many, and compare with published
figures."""

from sunstar.errors import FileError, MissingExecutableError, RunError, SunstarError, UnmeasuredError, UsageError
from sunstar.results import MachineResult as Result
from sunstar.run import Point, run
from sunstar.sweep import sweep

__all__ = [
    "FileError",
    "MissingExecutableError",
    "Point",
    "Result",
    "RunError",
    "SunstarError",
    "UnmeasuredError",
    "UsageError",
    "run",
    "sweep",
]
