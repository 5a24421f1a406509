# SPDX-License-Identifier: MIT
"""The runs that the saved views of the project show: each view names their commands."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from sunstar.errors import FileError, RunError
from sunstar.places import executable, project
from sunstar.programs import run_program
from sunstar.waves.file import WaveFile
from sunstar.waves.view import View, read_view

FOLDER = "waveforms"


def views() -> list[View]:
    return [read_view(path) for path in sorted((project() / FOLDER).glob("*.gtkw"))]


def run_of(view: View, folder: Path) -> Iterator[WaveFile]:
    """Runs the view's commands, ./run PROGRAM ... --vcd FILE, with their files in this folder."""
    for command in view.commands:
        words = shlex.split(command)
        if words[:1] != ["./run"] or "--vcd" not in words:
            raise FileError(f"{view.path}: {command} is not of the form ./run PROGRAM ... --vcd FILE")
        at = words.index("--vcd") + 1
        file = folder / Path(words[at]).name
        words[at] = str(file)
        if not file.is_file():
            done = run_program([str(executable(words[1])), "--quiet", *words[2:]], cwd=project())
            if done.returncode != 0:
                raise RunError(f"{done.stderr}\n({command} ended badly)", done.returncode)
        yield WaveFile(file)
