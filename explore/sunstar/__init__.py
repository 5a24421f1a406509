# SPDX-License-Identifier: MIT
"""Sweeps over machines that Sunstar simulates: run one configuration or many; compare with published figures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from sunstar.runs.simulator import Point
    from sunstar.sweeps.sweep import Sweep

__all__ = [
    "DiskResult", "Document", "FileError", "MachineResult", "MissingExecutableError", "NetworkResult", "Point",
    "RunError", "SchedulerError", "SunstarError", "Sweep", "UnmeasuredError", "UsageError", "draw", "optimise", "run",
    "run_all", "sweep",
]  # fmt: skip
PLACES = {"Document": "results", "Point": "runs.simulator", "Sweep": "sweeps.sweep", "draw": "drawing"}
"""Modules by name; a name without an entry ends in its module's name."""


def __getattr__(name: str) -> Any:  # noqa: ANN401  any object of that name
    """Imports a name when a program takes it, so that the command line does not wait for all libraries."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    kind = "errors" if name.endswith("Error") else "results" if name.endswith("Result") else "api"
    return getattr(import_module(f"{__name__}.{PLACES.get(name, kind)}"), name)
