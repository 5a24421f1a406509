# SPDX-License-Identifier: MIT
"""sunstar waves"""

from pathlib import Path
from typing import Annotated

import typer

from sunstar.commands import told_in_sentences, warn
from sunstar.errors import UsageError
from sunstar.files import Outputs
from sunstar.quantities import TIMES, quantity
from sunstar.study.command import shown
from sunstar.study.tables import console
from sunstar.waves.file import WaveFile
from sunstar.waves.picture import Window, check_picture, draw
from sunstar.waves.view import read_view

ViewArgument = Annotated[Path, typer.Argument(metavar="VIEW.gtkw", help="A saved view, as in waveforms/.")]
FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...", help="Wave files (VCD, FST; may be gzipped); several are drawn below each other."
    ),
]
OutputOption = Annotated[Path, typer.Option("--output", metavar="FILE", help="The picture: .png, .svg or .pdf.")]
WindowOption = Annotated[
    str | None, typer.Option("--window", metavar="FROM,TO", help="Other times than the view's, as in 2ms,5ms.")
]


def waves(view: ViewArgument, files: FilesArgument, output: OutputOption, window: WindowOption = None) -> None:
    """Draw waveforms: the signals that a view names, in its window of time.

    Example: sunstar waves waveforms/one-read.gtkw results/one-read.vcd --output results/one-read.png
    """
    with told_in_sentences():
        check_picture(output)
        times = read_window(window) if window else None
        found = read_view(view)
        read = [WaveFile(file) for file in files]
        for file in read:
            if file.incomplete:
                warn(f"{file.path} is incomplete: {file.incomplete}.")
        with Outputs() as outputs:
            draw(outputs, output, found, [(caption(file), file) for file in read], times)
            outputs.commit()
        written = outputs.paths()
    console().print(f"written: {', '.join(shown(written))}", soft_wrap=True)


def caption(file: WaveFile) -> str:
    """What was run, as the file says it, and whether it has all of that."""
    said = [line.removeprefix("configuration: ").removeprefix("set: ") for line in file.comment]
    return "  ".join([f"INCOMPLETE: {file.incomplete}." if file.incomplete else "", *said]).strip()


def read_window(text: str) -> Window:
    parts = [quantity(part.strip()) for part in text.split(",")]
    times = [part.value / TIMES["ps"] for part in parts if part is not None and part.base == "s"]
    if len(times) != 2 or len(parts) != 2 or times[0] >= times[1]:
        raise UsageError(f"--window {text}: it must be two times, the earlier first, as in 2ms,5ms")
    return Window(times[0], times[1])
