# SPDX-License-Identifier: MIT
"""Places: the project's folder, the executables, reference data that is not part of the project."""

import os
from pathlib import Path

from sunstar.errors import MissingExecutableError, UsageError

HERE = Path(__file__).resolve().parent
INSTALLED = (HERE / "bin").is_dir()
"""Whether this is an installed wheel, which holds the simulators and some folders of the project, but no sources."""


def project() -> Path:
    return HERE / "project" if INSTALLED else HERE.parents[1]


def executable(platform: str) -> Path:
    """The simulator sunstar-PLATFORM, from SUNSTAR_BIN, or else from the wheel or build/release/bin."""
    folder = Path(os.environ.get("SUNSTAR_BIN") or (HERE / "bin" if INSTALLED else project() / "build/release/bin"))
    path = (folder / f"sunstar-{platform}").absolute()
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise MissingExecutableError(f"there is no executable {path}; ./run PROGRAM builds one, ./run --help names all")
    return path


def sources(what: str) -> Path:
    """The project's folder, for a command that needs its sources: `what`, for the error's sentence."""
    if INSTALLED:
        raise UsageError(
            f"{what} needs Sunstar's sources, which a wheel does not have; call it in a clone of the project"
        )
    return project()


def shared() -> Path:
    """The folder of reference data that is not part of the project: $SUNSTAR_SHARED, else ../shared beside it."""
    return Path(os.environ.get("SUNSTAR_SHARED") or project().parent / "shared")


def results() -> Path:
    """The folder of results, unless a call names another: $SUNSTAR_RESULTS, else the project's results/, or the
    current folder's where there is no project."""
    return Path(os.environ.get("SUNSTAR_RESULTS") or (Path("results") if INSTALLED else project() / "results"))
