# SPDX-License-Identifier: MIT
"""Sweeps over the machines that Sunstar simulates: run one configuration or many, and compare with published
figures."""

from sunstar.api import optimise, run, run_all, sweep
from sunstar.drawing import draw
from sunstar.errors import (
    FileError,
    MissingExecutableError,
    RunError,
    SchedulerError,
    SunstarError,
    UnmeasuredError,
    UsageError,
)
from sunstar.results import DiskResult, Document, MachineResult, NetworkResult
from sunstar.runs.point import Point
from sunstar.sweeps.sweep import Sweep

__all__ = [
    "DiskResult",
    "Document",
    "FileError",
    "MachineResult",
    "MissingExecutableError",
    "NetworkResult",
    "Point",
    "RunError",
    "SchedulerError",
    "SunstarError",
    "Sweep",
    "UnmeasuredError",
    "UsageError",
    "draw",
    "optimise",
    "run",
    "run_all",
    "sweep",
]
