# SPDX-License-Identifier: MIT
"""The commands sunstar-torus and its like of an installed wheel. They stand outside the package `sunstar`, whose import
takes longer than a short run."""

import os
import sys
from pathlib import Path


def start() -> None:
    """Becomes the simulator of the same name as the command."""
    name = Path(sys.argv[0]).name
    here = Path(__file__).resolve().parents[1]
    folder = here / "sunstar" / "bin"
    if not folder.is_dir():
        folder = here.parent / "build" / "release" / "bin"  # an editable package
    try:
        os.execv(folder / name, [name, *sys.argv[1:]])
    except FileNotFoundError:
        sys.exit(f"{name}: there is no program {folder / name}; call ./run first, which builds it")
