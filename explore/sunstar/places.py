# SPDX-License-Identifier: MIT
"""Where things are: the project's folder, the executables, reference data that is not part of the project."""

import os
from pathlib import Path

from sunstar.errors import MissingExecutableError


def project() -> Path:
    return Path(__file__).resolve().parents[2]


def executable(platform: str) -> Path:
    """The simulator sunstar-PLATFORM, from the folder that SUNSTAR_BIN names or else from build/release/bin."""
    folder = Path(os.environ.get("SUNSTAR_BIN") or project() / "build" / "release" / "bin")
    path = (folder / f"sunstar-{platform}").absolute()
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise MissingExecutableError(f"there is no executable {path}; call ./run first, which builds it")
    return path


def shared() -> Path:
    """The folder of reference data that is not part of the project: $SUNSTAR_SHARED, else ../shared beside it."""
    return Path(os.environ.get("SUNSTAR_SHARED") or project().parent / "shared")


def results() -> Path:
    """The folder of results, unless a call names another: $SUNSTAR_RESULTS, else the project's results/."""
    return Path(os.environ.get("SUNSTAR_RESULTS") or project() / "results")
