# SPDX-License-Identifier: MIT
"""The commands of an installed package: sunstar, and sunstar-torus and its like. They stand outside the package
`sunstar`, whose import takes longer than a short run."""

import os
import signal
import sys


def end(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def sunstar() -> None:
    """The command line. Ctrl-C while its modules are imported ends it as quietly as later on."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # nohup and its like want it to be ignored
        signal.signal(signal.SIGINT, end)
    from sunstar.cli import app

    app()


def start() -> None:
    """Becomes the simulator of the same name as the command."""
    from pathlib import Path  # here, so that sunstar() comes sooner to its handler

    name = Path(sys.argv[0]).name
    here = Path(__file__).resolve().parents[1]
    folder = here / "sunstar" / "bin"
    if not folder.is_dir():
        folder = here.parent / "build" / "release" / "bin"  # an editable package
    try:
        os.execv(folder / name, [name, *sys.argv[1:]])
    except FileNotFoundError:
        sys.exit(f"{name}: there is no program {folder / name}; call ./run first, which builds it")
