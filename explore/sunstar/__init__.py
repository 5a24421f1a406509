# SPDX-License-Identifier: MIT
"""Sweeps over the machines that Sunstar simulates: run one configuration, run many, compare with what was published."""

from sunstar.errors import FileError, MissingExecutableError, RunError, SunstarError, UsageError
from sunstar.run import Point, Result, run
from sunstar.sweep import sweep

__all__ = [
    "FileError",
    "MissingExecutableError",
    "Point",
    "Result",
    "RunError",
    "SunstarError",
    "UsageError",
    "run",
    "sweep",
]
